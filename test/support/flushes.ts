import { Socket } from 'node:net';
import pg from 'pg';
import { expect, vi } from 'vitest';

/** The prepared statements of a request's transaction, by their names, in the order and the groups in which they leave. */
export async function flushesOf(request: () => Promise<{ status: number }>): Promise<string[][]> {
  const flushes: { socket: Socket; names: string[] }[] = [];
  let sent: string[] = [];
  const query = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [config] = args;
    if (typeof config === 'object' && config !== null && 'name' in config) sent.push(String(config.name));
    return Reflect.apply(realQuery, this, args);
  });
  const uncork = vi.spyOn(Socket.prototype, 'uncork').mockImplementation(function (this: Socket) {
    if (this.writableCorked === 1 && sent.length > 0) {
      flushes.push({ socket: this, names: sent });
      sent = [];
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
