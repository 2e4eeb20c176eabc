import { randomUUID } from 'node:crypto';
import { connectRedis, STREAM_KEY } from './redis-connection.ts';
import { appendEntries, createRedisClock, newestPosition, readAfter, readClock } from './signal-stream.ts';

/** The setting maxmemory-policy of a server, by which it makes room; null where its user may not know. */
export type EvictionPolicy = string | null;

/**
 * Adds an entry that is for nobody, reads it and removes it.
 * @throws Error where one of these fails: it cannot be reached, refuses the user, or is older than Redis 6.2
 */
export async function checkSignalServer(url: string): Promise<EvictionPolicy> {
  const client = await connectRedis(url);
  try {
    const [clock, id] = [createRedisClock(), randomUUID()];
    await readClock(client, clock);
    const before = await newestPosition(client);
    await appendEntries(client, [{ id, organizationId: 0, address: 'doctor', sealed: '' }], clock);
    const read = await readAfter(client, before);
    if (!read?.entries.some((entry) => entry.id === id)) throw new Error('an entry that was added is not there');
    await client.xdel(STREAM_KEY, read.position);
    const memory = await client.info('memory').catch(() => '');
    return /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? null;
  } finally {
    client.disconnect();
  }
}
