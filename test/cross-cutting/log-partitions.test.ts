import { expect, it } from 'vitest';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { operator } from '../../src/domain/caller.ts';
import { searchAudit } from '../../src/domain/logs/audit-search.ts';
import { readEvents } from '../../src/domain/logs/event-log.ts';
import { txOf } from '../../src/domain/tx.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { keepLogPartitions } from '../../src/jobs/upkeep/clean-up.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { keyring, newDatabase, sealUntil, untilSealable } from './chains.ts';

const now = new Date();
const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));

/**
 * A practice whose transactions, in their order, are of these instants: after the border of two months, before it, long ago, in a
 * later year, and again before the border.
 */
const INSTANTS = [
  nextMonth,
  new Date(nextMonth.getTime() - 1),
  new Date('2001-02-03Z'),
  new Date('2999-01-01Z'),
  new Date(nextMonth.getTime() - 2),
];

async function practice() {
  const { url, database } = await newDatabase();
  const { id: organizationId } = await createOrganization(database.prisma);
  for (const at of INSTANTS)
    await database.pool.query(
      `WITH changed AS (
         INSERT INTO event (organization_id, occurred_at, name, subject_type, subject_id, actor)
         VALUES ($1::int, $2, 'organization.updated', 'organization', $1::int, 'test'))
       INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
       VALUES ($1::int, $2, 'test', 'update', 'organization', ARRAY[$1::int], 'test')`,
      [organizationId, at],
    );
  await untilSealable(database);
  /** Instants of the entries within a range, the newest first. Each search leaves an entry of another actor. */
  const searched = (from: Date | null, before: Date | null): Promise<Date[]> =>
    createUnitOfWork(database).read(operator(organizationId, 'reader'), async (tx) => {
      const { entries } = await searchAudit(tx, { actor: 'test', range: { from, before }, limit: 100 });
      return entries.map(({ at }) => at);
    });
  return { url, database, organizationId, searched };
}

it('rows of several months, also of one that has no partition, are read and sealed in the order of transactions, before they are moved and after', async () => {
  const { url, database, organizationId, searched } = await practice();
  const head = await sealUntil(database, organizationId, INSTANTS.length);
  const logger = { info: () => {} };
  const inOrder = async () => {
    const { events } = await readEvents(txOf(database.prisma, operator(organizationId, 'test')), { after: null, limit: 100 });
    expect(events.map(({ occurredAt }) => new Date(occurredAt))).toEqual(INSTANTS);
    expect(await searched(null, null)).toEqual(INSTANTS.toReversed());
    expect((await verifyChain(database.prisma, keyring, organizationId, [head])).broken).toBeNull();
  };
  await inOrder();
  // Long ago has its month now, and the later year after it.
  await keepLogPartitions({ database, logger });
  await inOrder();
  await runAsOwner(url, `SELECT add_log_partition('audit_entry', '2999-01-01Z'), add_log_partition('event', '2999-01-01Z')`);
  await inOrder();
  const left = await database.pool.query('SELECT sum(strays)::int AS left FROM log_rows_without_partition()');
  expect(left.rows).toEqual([{ left: 0 }]);
});

it('a search of the audit by range finds what is of these months, wherever it lies', async () => {
  const { searched } = await practice();
  expect(await searched(new Date(nextMonth.getTime() - 2), nextMonth)).toEqual([INSTANTS[4], INSTANTS[1]]);
  expect(await searched(nextMonth, null)).toEqual([INSTANTS[3], INSTANTS[0]]);
  expect(await searched(null, new Date('2001-02-04Z'))).toEqual([INSTANTS[2]]);
});
