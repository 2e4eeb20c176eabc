import { Socket } from 'node:net';
import pg from 'pg';
import { expect, vi } from 'vitest';

/** The prepared statements of a request's transaction, by their names, in the order and the groups in which they leave. */
export async function recordFlushes(request: () => Promise<{ status: number }>): Promise<string[][]> {
  const flushes: { socket: Socket; names: string[] }[] = [];
  /** By the connection that sends them: others, such as those of the log of requests, may send in the same turn. */
  const sent = new Map<unknown, string[]>();
  const query = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [config] = args;
    if (typeof config === 'object' && config !== null && 'name' in config) {
      const { stream } = this.connection;
      sent.set(stream, [...(sent.get(stream) ?? []), String(config.name)]);
    }
    return Reflect.apply(realQuery, this, args);
  });
  const uncork = vi.spyOn(Socket.prototype, 'uncork').mockImplementation(function (this: Socket) {
    const names = sent.get(this);
    if (this.writableCorked === 1 && names) {
      flushes.push({ socket: this, names });
      sent.delete(this);
    }
    Reflect.apply(realUncork, this, []);
  });
  expect((await request()).status).toBeLessThan(400);
  query.mockRestore();
  uncork.mockRestore();
  const first = flushes.findIndex(({ names }) => names.some((name) => BEGIN.test(name)));
  const last = flushes.findIndex(({ names }) => names.includes('commit'));
  return flushes.slice(first, last + 1).flatMap(({ socket, names }) => (socket === flushes[first]?.socket ? [withOneJournal(names)] : []));
}

const JOURNAL = /^(?:log_(?:events|audits)_\d+|log_many|store_response)$/;

/** The statements of the journal count as one: how many they are depends on what is logged. */
const withOneJournal = (names: string[]): string[] =>
  names
    .map((name) => (JOURNAL.test(name) ? 'journal' : name))
    .filter((name, place, all) => name !== 'journal' || all[place - 1] !== 'journal');

const realQuery = pg.Client.prototype.query;
const realUncork = Socket.prototype.uncork;
const BEGIN = /^begin(_repeatable)?$/;
