import pg from 'pg';
import { expect, inject, it } from 'vitest';
import type { Db } from '../../src/database/database.ts';
import { recordChange } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { type LoggedEvent, readEvents } from '../../src/domain/logs/event-log.ts';
import { txOf } from '../../src/domain/tx.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { ownTestApp } from '../support/app.ts';
import { createAppointmentType, createOrganization } from '../support/factories.ts';

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
    const page = await readEvents(txOf(test.database.prisma, operator(organizationId, 'test')), { after, limit: 100 });
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

/** Waits for the transactions that hold the last events back: those of moves, and of other databases of the cluster. */
async function allEnded(): Promise<void> {
  const { rows } = await test.database.pool.query<{ number: string }>('SELECT log_transaction()::text AS number');
  const passed = () => test.database.pool.query<{ passed: boolean }>('SELECT log_horizon() > $1::bigint AS passed', [rows[0]?.number]);
  await expect.poll(async () => (await passed()).rows[0]?.passed, { timeout: 60_000 }).toBe(true);
}

/** Writes in a transaction of the practice, beside the event. */
type Change = (tx: Db, organizationId: number) => Promise<unknown>;

/** Writers commit, one practice after the other, and readers follow every log, until all is written and `beside` is over. */
async function follow(commits: number, change: Change, beside: (isWritten: () => boolean) => Promise<void>): Promise<void> {
  const practices: { id: number; seen: LoggedEvent[] }[] = [];
  for (let count = 0; count < PRACTICES; count += 1) practices.push({ id: (await createOrganization(test.database.prisma)).id, seen: [] });
  let begun = 0;
  const write = async () => {
    while (begun < commits) {
      const practice = practices[begun % PRACTICES];
      begun += 1;
      if (!practice) throw new Error('there are practices');
      await unitOfWork.write(operator(practice.id, 'test'), async (tx) => {
        await change(tx.prisma, practice.id);
        recordChange(tx, 'update', { name: 'patient.updated', id: 1, changed: ['phone'] });
      });
    }
  };
  let [isWritten, over] = [false, false];
  const besides = beside(() => isWritten);
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
  await besides;
  await allEnded();
  over = true;
  await reading;
  for (const { id, seen } of practices) {
    const all: LoggedEvent[] = [];
    await readOn(id, all, null);
    expect(
      seen.map((event) => event.id),
      `practice ${id}, whose last is ${seen.at(-1)?.id}`,
    ).toEqual(all.map((event) => event.id));
  }
  expect(practices.reduce((sum, { seen }) => sum + seen.length, 0)).toBe(commits);
}

it('readers of the logs miss no event while practices write and their rows move from node to node', async () => {
  let moves = 0;
  await follow(
    COMMITS,
    async () => {},
    async (isWritten) => {
      moves = await moveShards(isWritten);
    },
  );
  console.info(`${COMMITS} commits of ${PRACTICES} practices, ${moves} moves, no event missed`);
  expect(moves).toBeGreaterThan(0);
}, 1_800_000);

it('readers of the logs miss no event of a transaction over all nodes, which ends on the coordinator before it ends on them', async () => {
  await follow(
    COMMITS / 5,
    (tx, organizationId) => createAppointmentType(tx, { organizationId }),
    async () => {},
  );
}, 1_800_000);
