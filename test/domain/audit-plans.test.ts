import { expect, it } from 'vitest';
import { chartEntriesQuery } from '../../src/domain/logs/audit-search.ts';
import { explain, fullyRead, indexesIn, mostRows, openFilledDatabase, PLAN_MODES } from '../support/plans.ts';

/** Entries of two practices about 2,000 charts; half of them name the chart of another record. */
const ENTRIES = 40_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, patient_ids, operation)
    SELECT 1 + n / 2 % 2, now() - (${ENTRIES} - n) * interval '1 minute', 'user:' || n % 20, 'read',
           CASE WHEN n % 2 = 0 THEN 'patient' ELSE 'appointment' END, ARRAY[n / 4 % 2000], CASE WHEN n % 2 = 1 THEN ARRAY[n / 4 % 2000] END, 'GET /x'
      FROM generate_series(1, ${ENTRIES}) n`,
  'VACUUM (ANALYZE) audit_entry',
);

it('the audit of one chart reads its own entries, however long the log is', async () => {
  const search = { organizationId: 1, patientId: 77, actor: 'user:8', range: { from: new Date('2020-01-01'), before: null }, limit: 101 };
  const { text, values } = chartEntriesQuery(search);
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, { text }, values, { mode });
    expect(fullyRead(steps), mode).toEqual([]);
    // Those of each partition.
    const indexes = new Set(indexesIn(steps).map((name) => name.replace(/^audit_entry_(default|\d{4}_\d\d)_/, '')));
    expect([...indexes].sort(), mode).toEqual(['organization_id_record_id_idx', 'patient_ids_idx', 'resource_ids_idx']);
    expect(mostRows(steps), mode).toBeLessThan(ENTRIES / 20);
  }
});
