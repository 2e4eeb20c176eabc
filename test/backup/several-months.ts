import type { TestApp } from '../support/app.ts';
import { fillDemo } from '../support/demo.ts';

/** The demo, and rows of both logs that are of two past months, with partitions, and of a later year without one. */
export async function fillSeveralMonths(test: TestApp): Promise<void> {
  await fillDemo(test);
  const { pool } = test.database;
  for (const at of ['2001-02-03Z', '2001-03-04Z', '2999-01-01Z']) {
    // In one transaction: an event has an entry of its own.
    await pool.query(
      `WITH logged AS (
         INSERT INTO event (organization_id, occurred_at, name, subject_type, subject_id, actor)
         SELECT id, $1, 'organization.updated', 'organization', id, 'test' FROM organization
       )
       INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
       SELECT id, $1, 'test', 'update', 'organization', ARRAY[id::bigint], 'test' FROM organization`,
      [at],
    );
  }
  await pool.query('SELECT make_log_partitions()');
}
