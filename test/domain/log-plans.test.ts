import { expect, it } from 'vitest';
import { ENTRIES_AFTER } from '../../src/domain/audit/chain/chain-links.ts';
import { EVENT_WITHOUT_ENTRY } from '../../src/domain/audit/chain/verify-chain.ts';
import { chartEntriesQuery } from '../../src/domain/logs/audit-search.ts';
import { EVENTS_AFTER } from '../../src/domain/webhooks/fan-out.sql.ts';
import { explain, fullyRead, openFilledDatabase, PLAN_MODES, type PlanNode, rowsTouched } from '../support/plans.ts';

const MONTHS = 30;
/** Rows of each log, of two practices, over as many months. */
const ROWS = 60_000;
/** Transactions, in the order of the instants. */
const AT = `('2001-01-01Z'::timestamptz + n * interval '${MONTHS} months' / ${ROWS + 1})`;

const client = await openFilledDatabase(
  `
    SELECT add_log_partition(log, '2001-01-01Z'::timestamptz + m * interval '1 month')
      FROM generate_series(0, ${MONTHS - 1}) m, unnest(ARRAY['audit_entry', 'event']) log;
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO event (organization_id, id, transaction_id, name, subject_type, subject_id, actor, occurred_at)
    SELECT 1 + n % 2, n, n, 'item.updated', 'item', n % 500, 'test', ${AT} FROM generate_series(1, ${ROWS}) n;
    INSERT INTO audit_entry (organization_id, id, transaction_id, at, actor, action, resource, resource_ids, operation)
    SELECT 1 + n % 2, n, n, ${AT}, 'user:1', 'read', 'patient', ARRAY[n % 2000], 'GET /x' FROM generate_series(1, ${ROWS}) n`,
  'VACUUM (ANALYZE) event, audit_entry',
);

const tables = (steps: PlanNode[]): string[] => [
  ...new Set(steps.flatMap((step) => (step['Actual Loops'] === 0 ? [] : (step['Relation Name'] ?? [])))),
];

it.each([
  { name: 'the entries to seal', statement: ENTRIES_AFTER, values: [1, String(ROWS - 1_000), '0', 2 * ROWS, 200] },
  { name: 'the entries of a verify, from the first one', statement: ENTRIES_AFTER, values: [1, '0', '0', null, 200] },
  { name: 'the events after a position', statement: EVENTS_AFTER, values: [1, ROWS / 2, 0, ROWS, 200] },
  { name: 'the events after the head', statement: EVENT_WITHOUT_ENTRY, values: [1, String(ROWS - 500)] },
])(`$name are found by the indexes of ${MONTHS} partitions`, async ({ statement, values }) => {
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, statement, values, { mode });
    expect(
      fullyRead(steps).filter((table) => table === 'event' || table === 'audit_entry'),
      mode,
    ).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched)), mode).toBeLessThan(ROWS / MONTHS);
  }
});

it('the audit of a chart in one month reads the partition of that month', async () => {
  const range = { from: new Date('2001-05-01Z'), before: new Date('2001-06-01Z') };
  const { text, values } = chartEntriesQuery({ organizationId: 1, patientId: 78, range, limit: 101 });
  for (const mode of PLAN_MODES)
    expect(
      tables(await explain(client, { text }, values, { mode })).filter((name) => name.startsWith('audit')),
      mode,
    ).toEqual(['audit_entry_2001_05']);
});

it('a page of the audit in one month reads the partition of that month', async () => {
  const text = `SELECT * FROM audit_record WHERE organization_id = $1 AND at >= $2 AND at < $3 ORDER BY transaction_id DESC, id DESC LIMIT 101`;
  const values = [1, new Date('2001-05-01Z'), new Date('2001-06-01Z')];
  for (const mode of PLAN_MODES)
    expect(
      tables(await explain(client, { text }, values, { mode })).filter((name) => name.startsWith('audit_entry')),
      mode,
    ).toEqual(['audit_entry_2001_05']);
});
