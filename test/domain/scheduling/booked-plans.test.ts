import { expect, it } from 'vitest';
import { type BookedFilter, bookedPage } from '../../../src/domain/scheduling/booked/booked-appointments.sql.ts';
import { explain, fullyRead, openFilledDatabase, PLAN_MODES, rowsTouched } from '../../support/plans.ts';

/** Appointments of two practices over ten years, of 500 patients in 20 departments of each. */
const APPOINTMENTS = 40_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO office (organization_id, id, name, time_zone, updated_at)
    SELECT 1 + n % 2, n, 'Office ' || n, 'UTC', now() FROM generate_series(1, 40) n;
    INSERT INTO patient (organization_id, id, first_name, last_name, updated_at)
    SELECT 1 + n % 2, n, 'Ann', 'Lee', now() FROM generate_series(1, 1000) n;
    INSERT INTO appointment (organization_id, id, patient_id, office_id, starts_at, ends_at, local_start, time_zone, duration_minutes, updated_at)
    SELECT 1 + n % 2, n, 1 + (n + 1) % 2 + n / 2 % 499 * 2, 1 + (n + 1) % 2 + n / 2 % 19 * 2, at, at + interval '20 minutes', at AT TIME ZONE 'UTC', 'UTC', 20, now()
      FROM (SELECT n, timestamptz '2020-01-01T00:00:00Z' + n * interval '130 minutes' AS at FROM generate_series(1, ${APPOINTMENTS}) n) slot`,
  'VACUUM (ANALYZE) appointment, patient, office',
);

const open = { from: null, before: null };
const day: BookedFilter = {
  days: { from: '2025-03-09', to: '2025-03-09' },
  stages: ['booked', 'arrived', 'completed'],
  officeIds: null,
  providerIds: null,
  patientIds: null,
  typeIds: null,
  modified: open,
  scheduled: open,
};

it.each<[string, BookedFilter]>([
  ['a day', day],
  ['a day of a department', { ...day, officeIds: [3] }],
  ['all of a patient', { ...day, days: { from: null, to: null }, patientIds: [77] }],
  ['a patient’s from today on', { ...day, days: { from: null, to: null }, fromToday: true, patientIds: [77] }],
])('the list of %s reads little of the table', async (_, filter) => {
  const { text, values } = bookedPage({ organizationId: 1, mayRestricted: false }, filter, { limit: 1_000, offset: 0, after: [] });
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, { text }, values, { mode });
    expect(fullyRead(steps), mode).not.toContain('appointment');
    expect(Math.max(...steps.map(rowsTouched)), mode).toBeLessThan(APPOINTMENTS / 40);
  }
});
