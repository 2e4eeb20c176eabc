import fc from 'fast-check';
import pg from 'pg';
import { expect, it } from 'vitest';
import { type Actor, actorWith, clientToken } from '../../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../../support/app.ts';
import { type EventListener, listenTo } from '../../support/event-listener.ts';
import { createOrganization } from '../../support/factories.ts';
import { eventually } from '../../support/server-process.ts';

/** Schedules that are tried. */
const RUNS = Number(process.env.SCHEDULES ?? 12);
/** Milliseconds for which an event that is missing is waited for. */
const WAIT_MS = 10_000;
/** Transactions that may be open at once. */
const WRITERS = 3;

const test = await ownTestApp();
const EVENTS = '/platform/v1/events';

/** Transactions of their own, whose commits come when the schedule says so. */
const writers = await Promise.all(
  Array.from({ length: WRITERS }, async () => {
    const client = new pg.Client({ connectionString: test.databaseUrl });
    await client.connect();
    await closedAfterAll({ close: () => client.end() });
    return client;
  }),
);

type Step =
  | { do: 'write'; writer: number; inSavepoint: 'kept' | 'undone' | null }
  | { do: 'end'; writer: number; commits: boolean }
  | { do: 'read'; reader: number; limit: number }
  | { do: 'reconnect'; stream: number };

const writer = fc.nat({ max: WRITERS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write'), writer, inSavepoint: fc.constantFrom(null, null, 'kept', 'undone') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end'), writer, commits: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read'), reader: fc.nat({ max: 1 }), limit: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reconnect'), stream: fc.nat({ max: 1 }) }) },
);

interface Event {
  id: string;
  type: string;
}

/** A reader of pages, which keeps `next`. */
function pageReader(client: Actor, types = '') {
  const seen: string[] = [];
  let next = '';
  return {
    seen,
    async read(limit: number): Promise<boolean> {
      const page = (await client.get(`${EVENTS}?limit=${limit}${types}${next && `&after=${next}`}`).expect(200)).body;
      seen.push(...page.data.map(({ id }: Event) => id));
      next = page.next;
      return page.has_more;
    },
  };
}

/** A reader of the stream, which comes back with Last-Event-ID. */
async function streamReader(token: string, from: string, types = '') {
  const seen: string[] = [];
  let last = from;
  let listener: EventListener<Event> = await listenTo<Event>(`${test.address}${EVENTS}/stream${types}`, token, last);
  const take = () => {
    const known = listener.events.splice(0);
    seen.push(...known.map(({ data }) => data.id));
    last = known.at(-1)?.id ?? last;
  };
  return {
    seen: () => {
      take();
      return seen;
    },
    async reconnect() {
      listener.leave();
      await listener.ended;
      take();
      listener = await listenTo<Event>(`${test.address}${EVENTS}/stream${types}`, token, last);
    },
    leave: () => listener.leave(),
  };
}

const rare = "name = 'item.ended'";

it('each reader of the log sees each event once and in one order, whenever its transaction is committed', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
      const { id: organizationId } = await createOrganization(test.database.prisma);
      const { token } = await clientToken(test, ['events.read'], [organizationId]);
      const client = actorWith(test, token, organizationId);
      const { next } = (await client.get(`${EVENTS}?after=latest`).expect(200)).body;
      const pages = [pageReader(client), pageReader(client, '&types=item.ended')];
      const streams = [await streamReader(token, next), await streamReader(token, next, '?types=item.ended')];
      const open = new Set<number>();
      let written = 0;
      const run = async (one: Step): Promise<void> => {
        if (one.do === 'read') return void (await pages[one.reader]?.read(one.limit));
        if (one.do === 'reconnect') return streams[one.stream]?.reconnect();
        const db = writers[one.writer];
        if (one.do === 'end') {
          if (open.delete(one.writer)) await db?.query(one.commits ? 'COMMIT' : 'ROLLBACK');
          return;
        }
        if (!open.has(one.writer)) await db?.query('BEGIN');
        open.add(one.writer);
        written += 1;
        if (one.inSavepoint) await db?.query('SAVEPOINT inner_part');
        await db?.query('INSERT INTO event (organization_id, name, subject_type, subject_id, actor) VALUES ($1, $2, $3, $4, $5)', [
          ...[organizationId, written % 3 === 0 ? 'item.ended' : 'item.updated', 'item', written, 'test'],
        ]);
        if (one.inSavepoint) await db?.query(one.inSavepoint === 'kept' ? 'RELEASE inner_part' : 'ROLLBACK TO inner_part');
      };
      for (const one of steps) await run(one);
      for (const one of open) await writers[one]?.query('COMMIT');
      open.clear();
      // The last event of all, which every reader gets: one that came twice would have come before it.
      const { id: last } = await test.database.prisma.event.create({
        data: { organizationId, name: 'item.ended', subjectType: 'item', subjectId: written + 1, actor: 'test' },
      });

      const logged = async (condition: string) =>
        (
          await test.database.pool.query<{ id: number }>(
            `SELECT id FROM event WHERE organization_id = $1 AND ${condition} ORDER BY transaction_id, id`,
            [organizationId],
          )
        ).rows.map(({ id }) => `evt_${id}`);
      const expected = [await logged('true'), await logged(rare)];
      for (const [index, ids] of expected.entries()) {
        await eventually(
          'all pages are read',
          async () => {
            while (await pages[index]?.read(3));
            return pages[index]?.seen.includes(`evt_${last}`) === true;
          },
          WAIT_MS,
        );
        await eventually('the stream has told all', async () => streams[index]?.seen().includes(`evt_${last}`) === true, WAIT_MS);
        expect(pages[index]?.seen).toEqual(ids);
        expect(streams[index]?.seen()).toEqual(ids);
      }
      for (const one of streams) one.leave();
    }),
    { numRuns: RUNS },
  );
});
