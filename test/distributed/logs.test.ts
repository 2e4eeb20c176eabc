import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { type LoggedEvent, readEvents } from '../../src/domain/audit/events.ts';
import { recordChange } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { ownTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';

const PRACTICES = 50;
const COMMITS = Number(process.env.COMMITS ?? 10_000);
/** Transactions at a time, of all practices; some are of one. */
const WRITERS = 16;
const READERS = 6;

const test = await ownTestApp({ DATABASE_POOL: String(WRITERS + READERS + 4) });
const unitOfWork = createUnitOfWork(test.database);

/** Reads on from a cursor until there is no more. */
async function readOn(organizationId: number, seen: LoggedEvent[], from: string | null): Promise<string | null> {
  for (let after = from; ; ) {
    const page = await readEvents(test.database.prisma, operator(organizationId, 'test'), { after, limit: 100 });
    after = page.cursor;
    if (page.events.length === 0) return after;
    seen.push(...page.events);
  }
}

/** Moves the rows of practices from node to node, and counts the moves, until it is told to end. */
async function moveShards(isOver: () => boolean): Promise<number> {
  const client = new pg.Client({ connectionString: inject('superuserUrl') });
  await client.connect();
  let moves = 0;
  while (!isOver()) {
    const { rows } = await client.query<{ id: number; from: number; host: string; to: number }>(
      `SELECT s.shardid::int AS id, p.nodeport AS from, p.nodename AS host, n.nodeport AS to
         FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid) JOIN pg_dist_node n ON n.nodeport <> p.nodeport AND n.shouldhaveshards
        WHERE s.logicalrelid = 'patient'::regclass ORDER BY random() LIMIT 1`,
    );
    const [move] = rows;
    if (!move) throw new Error('the cluster has a second node');
    await client.query("SELECT citus_move_shard_placement($1, $2, $3, $2, $4, 'force_logical')", [move.id, move.host, move.from, move.to]);
    moves += 1;
  }
  await client.end();
  return moves;
}

it('readers of the logs miss no event while practices write and their rows move from node to node', async () => {
  const practices: { id: number; seen: LoggedEvent[] }[] = [];
  for (let count = 0; count < PRACTICES; count += 1) practices.push({ id: (await createOrganization(test.database.prisma)).id, seen: [] });
  let [begun, written] = [0, 0];
  const write = async () => {
    while (begun < COMMITS) {
      const practice = practices[begun % PRACTICES];
      begun += 1;
      if (!practice) throw new Error('there are practices');
      await unitOfWork.write(operator(practice.id, 'test'), async (_db, caller) => {
        recordChange(caller, 'update', { name: 'patient.updated', id: 1, changed: ['phone'] });
      });
      written += 1;
    }
  };
  let [isWritten, over] = [false, false];
  const moving = moveShards(() => isWritten);
  const cursors = new Map<number, string | null>();
  const readAll = async (reader: number) => {
    for (const [place, { id, seen }] of practices.entries())
      if (place % READERS === reader) cursors.set(id, await readOn(id, seen, cursors.get(id) ?? null));
  };
  const read = async (_: unknown, reader: number) => {
    while (!over) await readAll(reader);
    await readAll(reader);
  };
  const reading = Promise.all(Array.from({ length: READERS }, read));
  await Promise.all(Array.from({ length: WRITERS }, write));
  isWritten = true;
  // A move is a long transaction, which holds the last events back.
  const moves = await moving;
  over = true;
  await reading;
  for (const { id, seen } of practices) {
    const cursor = seen.at(-1);
    const all: LoggedEvent[] = [];
    await readOn(id, all, null);
    expect(
      seen.map((event) => event.id),
      `practice ${id}, whose last is ${cursor?.id}`,
    ).toEqual(all.map((event) => event.id));
  }
  console.info(`${written} commits of ${PRACTICES} practices, ${moves} moves, no event missed`);
  expect(practices.reduce((sum, { seen }) => sum + seen.length, 0)).toBe(written);
  expect(moves).toBeGreaterThan(0);
}, 1_800_000);
