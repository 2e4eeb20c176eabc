import { describe, expect, it } from 'vitest';
import { ASSIGNMENTS, ASSIGNMENTS_OF_USERS, type AssignmentSort } from '../../../../src/domain/scheduling/lists/user-appointments.sql.ts';
import { explain, fullyRead, mostRows, openFilledDatabase } from '../../../support/plans.ts';

/** Enough that a plan which reads all of them would not be chosen by chance: 500 a day, of 50 users. */
const APPOINTMENTS = 30_000;

const client = await openFilledDatabase(`
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO "user" (organization_id, id, type, first_name, last_name, updated_at)
    SELECT o, n, 'staff', 'Una', 'User', now() FROM generate_series(1, 2) o, generate_series(1, 50) n;
    INSERT INTO appointment (organization_id, id, time_zone, duration_minutes, starts_at, ends_at, local_start, status, updated_at)
    SELECT 1 + n % 2, n, 'UTC', 15, at, at + interval '15 minutes', at AT TIME ZONE 'UTC',
           CASE WHEN n % 11 = 0 THEN 'cancelled' ELSE 'scheduled' END::appointment_status, now()
      FROM generate_series(1, ${APPOINTMENTS}) n, LATERAL (SELECT timestamptz '2031-01-01' + n / 500 * interval '1 day' + n % 40 * interval '15 minutes') t (at);
    INSERT INTO user_appointment (organization_id, user_id, appointment_id) SELECT 1 + n % 2, 1 + n / 2 % 50, n FROM generate_series(1, ${APPOINTMENTS}) n;
    ANALYZE`);

const DAY = ['2031-02-01T00:00:00Z', '2031-02-02T00:00:00Z'];
const EVER = ['-infinity', 'infinity'];

describe.each(['chosen', 'custom'] as const)('with a %s plan a list of assignments', (mode) => {
  it.each<[string, number[] | undefined, AssignmentSort, string[], number]>([
    ['of one user’s day', [7], { order: 'startsAt', descending: false }, DAY, 20],
    ['of two users’ day', [7, 8], { order: 'startsAt', descending: false }, DAY, 40],
    ['of everybody’s day', undefined, { order: 'startsAt', descending: false }, DAY, 600],
    ['by id', undefined, { order: 'id', descending: false }, EVER, 300],
    ['by id, backwards', undefined, { order: 'id', descending: true }, EVER, 300],
    ['by start', undefined, { order: 'startsAt', descending: true }, EVER, 600],
  ])('%s reads what it shows, not all', async (_, userIds, sort, range, most) => {
    const of = userIds ? ASSIGNMENTS_OF_USERS : ASSIGNMENTS;
    const steps = await explain(client, of.page(sort, { userIds }), [1, ...range, ...of.values({ userIds }), 100], { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(most);
  });

  it('of one user’s day is counted from the index of the user', async () => {
    const steps = await explain(client, ASSIGNMENTS_OF_USERS.count({ userIds: [7] }), [1, ...DAY, [7]], { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(20);
  });
});
