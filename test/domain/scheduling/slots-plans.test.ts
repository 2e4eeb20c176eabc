import { expect, it } from 'vitest';
import { BUSY, LONGEST_APPOINTMENT_MS } from '../../../src/domain/scheduling/free-time/free-time.sql.ts';
import { explain, fullyRead, openFilledDatabase, PLAN_MODES, rowsTouched } from '../../support/plans.ts';

/** Appointments of two practices over ten years, of 40 providers of each, whose users take part; and as many holds of former days. */
const APPOINTMENTS = 80_000;
const DAY_MS = 86_400_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO office (organization_id, id, name, time_zone, updated_at) VALUES (1, 1, 'North', 'UTC', now()), (2, 2, 'South', 'UTC', now());
    INSERT INTO "user" (organization_id, id, type, first_name, last_name, updated_at)
    SELECT 1 + n % 2, n, 'staff', 'Una', 'User', now() FROM generate_series(1, 80) n;
    INSERT INTO provider (organization_id, id, first_name, last_name, user_id, updated_at)
    SELECT 1 + n % 2, n, 'Ada', 'Doe', n, now() FROM generate_series(1, 80) n;
    INSERT INTO appointment (organization_id, id, provider_id, office_id, starts_at, ends_at, local_start, time_zone, duration_minutes, updated_at)
    SELECT 1 + n % 2, n, 1 + (n - 1) % 80, 1 + n % 2, at, at + interval '20 minutes', at AT TIME ZONE 'UTC', 'UTC', 20, now()
      FROM (SELECT n, timestamptz '2020-01-01T00:00:00Z' + n * interval '65 minutes' AS at FROM generate_series(1, ${APPOINTMENTS}) n) slot;
    INSERT INTO user_appointment (organization_id, appointment_id, user_id, starts_at, ends_at)
    SELECT organization_id, id, provider_id, starts_at, ends_at FROM appointment;
    INSERT INTO slot (organization_id, id, provider_id, office_id, type_id, starts_at, ends_at, capacity, shown_at)
    SELECT organization_id, 1000000 + id, provider_id, office_id, 0, starts_at, ends_at, 1, now() FROM appointment;
    INSERT INTO slot_claim (organization_id, slot_id, seat, provider_id, busy_from, busy_until, holder, appointment_id)
    SELECT organization_id, 1000000 + id, 0, provider_id, starts_at, ends_at, 'user:1', id FROM appointment`,
  'VACUUM (ANALYZE) appointment, user_appointment, slot, slot_claim, provider',
);

it('a search of free times for 20 providers over 31 days reads those alone', async () => {
  const from = Date.parse('2025-03-03T00:00:00Z');
  const range = [new Date(from - LONGEST_APPOINTMENT_MS), new Date(from + 31 * DAY_MS + LONGEST_APPOINTMENT_MS)];
  const providers = Array.from({ length: 20 }, (_, place) => 2 * (place + 1));
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, BUSY, [1, providers, ...range], { mode });
    const tables = fullyRead(steps).filter((table) => ['appointment', 'user_appointment', 'slot', 'slot_claim'].includes(table));
    expect(tables, mode).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched)), mode).toBeLessThan(APPOINTMENTS / 40);
  }
});
