import { expect, it } from 'vitest';
import {
  ADD_CHANGED_RECORDS,
  BEGIN_SUBSCRIPTION,
  CHANGED_RECORDS,
  HAND_OUT,
  LOCK_SUBSCRIPTION,
  MOVE_SUBSCRIPTION,
} from '../../../src/domain/changes/changed-records.sql.ts';
import type { ChangeFeed } from '../../../src/domain/changes/feeds.ts';
import { listChangeNames } from '../../../src/domain/changes/feeds.ts';
import { APPOINTMENT_RECORDS_BY_IDS } from '../../../src/domain/scheduling/booked/appointment-records.sql.ts';
import { explain, fullyRead, openFilledDatabase, PLAN_MODES, rowsTouched } from '../../support/plans.ts';

/** Records of each kind, each with an event; one in a thousand waits, and one in a thousand was handed out an hour ago. */
const RECORDS = 40_000;

const client = await openFilledDatabase(
  `SET session_replication_role = replica;
   INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now());
   INSERT INTO patient (organization_id, id, last_name, primary_office_id, updated_at)
   SELECT 1, n, 'Example', n % 20, now() FROM generate_series(1, ${RECORDS}) n;
   INSERT INTO appointment (organization_id, id, patient_id, office_id, time_zone, duration_minutes, starts_at, ends_at, local_start, updated_at)
   SELECT 1, n, n, n % 20, 'UTC', 30, '2027-01-05T10:00Z', '2027-01-05T10:30Z', '2027-01-05T10:00', now() FROM generate_series(1, ${RECORDS}) n;
   INSERT INTO provider (organization_id, id, first_name, last_name, updated_at) SELECT 1, n, 'Ann', 'Example', now() FROM generate_series(1, ${RECORDS}) n;
   INSERT INTO change_subscription (organization_id, client_id, feed, change_names, last_transaction_id, last_event_id, updated_at)
   SELECT 1, 'one', f, '{AddPatient}', ${RECORDS - 10}, 0, now() FROM unnest(enum_range(NULL::change_feed)) f;
   INSERT INTO event (organization_id, id, transaction_id, name, subject_type, subject_id, actor, changed)
   SELECT 1, n * 3 + s, n, name, split_part(name, '.', 1), n, 'test', (ARRAY['{restrictions}', '{patientId,undatedAt}', '{active}'])[s]::text[]
     FROM generate_series(1, ${RECORDS}) n, unnest(ARRAY['patient.updated', 'appointment.changed', 'provider.updated']) WITH ORDINALITY AS t (name, s);
   INSERT INTO changed_record (organization_id, client_id, feed, record_id, handed_out_at)
   SELECT 1, 'one', f, n, CASE WHEN n % 1000 = 7 THEN NULL WHEN n % 1000 = 8 THEN now() - interval '1 hour' ELSE now() - interval '9 days' END
     FROM generate_series(1, ${RECORDS}) n, unnest(enum_range(NULL::change_feed)) f`,
  'VACUUM (ANALYZE) event, changed_record, change_subscription, patient, appointment, provider',
);

/** Values of a page of a feed without filters, and of the last day. */
const page = (feed: ChangeFeed) => `1, 'one', '${feed}', NULL, NULL, NULL, false, 1000, 0`;
const lastDay = `now() - interval '1 day', now()`;
const names = (feed: ChangeFeed) => `'{${listChangeNames(feed).join(',')}}'`;

const FEEDS: ChangeFeed[] = ['patients', 'appointments', 'providers'];

it.each([
  { name: 'locking', statement: LOCK_SUBSCRIPTION, values: [1, 'one', 'patients'] },
  { name: 'beginning', statement: BEGIN_SUBSCRIPTION, values: [1, 'two', 'patients', ['AddPatient'], RECORDS + 1] },
  { name: 'adding', statement: ADD_CHANGED_RECORDS, values: [1, 'one', 'patients', [7, 1007], [7]] },
  { name: 'moving', statement: MOVE_SUBSCRIPTION, values: [1, 'one', 'patients', RECORDS, 7] },
  { name: 'handing out', statement: HAND_OUT, values: [1, [7, 1007], new Date()] },
  { name: 'the appointments', statement: APPOINTMENT_RECORDS_BY_IDS, values: [1, [7, 1007], false] },
  ...FEEDS.flatMap((feed) => [
    {
      name: `the changes of ${feed}`,
      statement: CHANGED_RECORDS[feed].scan,
      values: `1, ${RECORDS - 10}, 0, ${names(feed)}, ${RECORDS + 1}`,
    },
    { name: `${feed} that wait`, statement: CHANGED_RECORDS[feed].waiting, values: page(feed) },
    { name: `${feed} that were handed out`, statement: CHANGED_RECORDS[feed].handedOut, values: `${page(feed)}, ${lastDay}` },
  ]),
])('$name reads few rows, however many there are', async ({ statement, values }) => {
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, statement, values, { mode });
    const large = ['event', 'changed_record', 'patient', 'appointment', 'provider'];
    expect(
      fullyRead(steps).filter((table) => large.includes(table)),
      mode,
    ).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched)), mode).toBeLessThan(RECORDS / 20);
  }
});
