import type { Redis } from 'ioredis';
import { STREAM_KEY } from './redis-connection.ts';

/** An entry of the stream: a signal to an address of a practice. */
export interface StreamEntry {
  /** The same wherever the entry is added again: a reader takes it once. */
  id: string;
  organizationId: number;
  address: string;
  /** The encrypted payload. */
  sealed: string;
}

/**
 * Milliseconds for which an entry can be read; a reader that was away for longer has missed some. The newest entry sets the time to
 * live of the whole stream to the same, so that after twice as long nothing is left of any.
 */
export const RETAIN_MS = 60_000;
/** Entries beyond which the oldest go before their time, so that the server's memory is bounded. */
const MAX_ENTRIES = 300_000;
/** Entries of one read. */
const READ_COUNT = 500;
/** Milliseconds after which a read ends without an entry, so that a dead connection is noticed. */
const BLOCK_MS = 2_000;

/** Estimates the clock of the Redis server, by which entries are numbered: clocks of processes may differ from it. */
export interface RedisClock {
  now(): number;
  tick(ms: number): void;
}

export function createRedisClock(): RedisClock {
  let [redisMs, at] = [0, 0];
  return {
    now: () => redisMs + (performance.now() - at),
    tick(ms) {
      [redisMs, at] = [ms, performance.now()];
    },
  };
}

/** Sets a clock by the server's. */
export async function readClock(client: Redis, clock: RedisClock): Promise<void> {
  const [seconds] = await client.time();
  clock.tick(Number(seconds) * 1_000);
}

/** Adds entries to the end of the stream, all or none, and removes those whose time is over. @throws Error where any was refused */
export async function appendEntries(client: Redis, entries: readonly StreamEntry[], clock: RedisClock): Promise<void> {
  const oldest = String(Math.max(0, Math.floor(clock.now()) - RETAIN_MS));
  const results = await client
    .multi([
      ...entries.map(({ id, organizationId, address, sealed }, index) => [
        'xadd',
        STREAM_KEY,
        ...(index === 0 ? ['MINID', '=', oldest] : []),
        ...['*', 'i', id, 'o', String(organizationId), 'a', address, 'p', sealed],
      ]),
      ['xtrim', STREAM_KEY, 'MAXLEN', '~', String(MAX_ENTRIES)],
      ['pexpire', STREAM_KEY, String(RETAIN_MS)],
    ])
    .exec();
  if (results === null) throw new Error('the signals were refused');
  for (const [error] of results) if (error) throw error;
  clock.tick(millisecondsOf(String(results[entries.length - 1]?.[1])));
}

/** A position in the stream: the id of an entry, milliseconds and a number. */
export type Position = string;

const BEGINNING: Position = '0-0';
const millisecondsOf = (position: Position): number => Number(position.split('-')[0]);

/** The position after the newest entry. */
export async function newestPosition(client: Redis): Promise<Position> {
  const [newest] = await client.xrevrange(STREAM_KEY, '+', '-', 'COUNT', 1);
  return newest?.[0] ?? BEGINNING;
}

/**
 * Where to go on after a position. A server that has lost its newest entries, or whose clock was set back, numbers new ones lower
 * than those that were read: then from the beginning.
 */
export async function resumeAfter(client: Redis, position: Position): Promise<Position> {
  const newest = await newestPosition(client);
  return newest !== BEGINNING && isBefore(newest, position) ? BEGINNING : position;
}

function isBefore(one: Position, other: Position): boolean {
  const [ms, number] = [millisecondsOf(one) - millisecondsOf(other), Number(one.split('-')[1]) - Number(other.split('-')[1])];
  return ms < 0 || (ms === 0 && number < 0);
}

/** Waits for entries after a position, for BLOCK_MS at most. @returns the position after them; null where none came */
export async function readAfter(client: Redis, position: Position): Promise<{ entries: StreamEntry[]; position: Position } | null> {
  const streams = await client.xread('COUNT', READ_COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM_KEY, position);
  const read = streams?.[0]?.[1] ?? [];
  const last = read.at(-1);
  return last ? { entries: read.flatMap(([, fields]) => parseEntry(fields)), position: last[0] } : null;
}

/** @param fields names and values by turns; an entry of another release may have others */
function parseEntry(fields: readonly string[]): StreamEntry[] {
  const field = (name: string) => fields.find((_, index) => index % 2 === 1 && fields[index - 1] === name);
  const [id, organization, address, sealed] = [field('i'), field('o'), field('a'), field('p')];
  if (id === undefined || address === undefined || sealed === undefined || !/^\d+$/.test(organization ?? '')) return [];
  return [{ id, organizationId: Number(organization), address, sealed }];
}
