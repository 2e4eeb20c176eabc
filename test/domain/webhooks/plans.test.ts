import { expect, it } from 'vitest';
import {
  CLAIM_DELIVERIES,
  ENDPOINT_ADDRESS,
  FREE_NEXT,
  GIVE_BACK,
  HURRY_DELIVERIES,
  NOTE_FAILING,
  RECORD_ATTEMPTS,
} from '../../../src/domain/webhooks/attempts.sql.ts';
import {
  END_REPLAY,
  ENDPOINT_TO_QUEUE,
  ENDPOINTS_TO_QUEUE,
  ENDPOINTS_TO_SERVE,
  EVENTS_AFTER,
  INSERT_DELIVERIES,
  MOVE_ENDPOINT,
  MOVE_REPLAY,
  OPEN_REPLAY,
} from '../../../src/domain/webhooks/fan-out.sql.ts';
import { explain, fullyRead, openFilledDatabase, PLAN_MODES, rowsTouched } from '../../support/plans.ts';

/** Deliveries of ten endpoints, one in a hundred of which is pending, and events of two practices. */
const DELIVERIES = 40_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO webhook_endpoint (organization_id, id, url, updated_at, last_sequence)
    SELECT 1, n, 'https://h.example.com/' || n, now(), ${DELIVERIES / 10} FROM generate_series(1, 10) n;
    INSERT INTO event (organization_id, id, transaction_id, name, subject_type, subject_id, actor)
    SELECT 1 + n % 2, n, n / 4 + 1, 'item.updated', 'item', n % 500, 'test' FROM generate_series(1, ${DELIVERIES}) n;
    INSERT INTO webhook_delivery (organization_id, id, webhook_endpoint_id, sequence, event_id, event_name, subject_type, subject_id, payload, state, next_attempt_at, finished_at)
    SELECT 1, n, n % 10 + 1, n / 10 + 1, n, 'item.updated', 'item', n % 500, '{}',
           CASE WHEN n % 100 = 7 THEN 'pending' ELSE 'delivered' END::webhook_delivery_state,
           CASE WHEN n % 100 = 7 AND n % 300 <> 7 THEN now() END, CASE WHEN n % 100 <> 7 THEN now() END
      FROM generate_series(1, ${DELIVERIES}) n`,
  'VACUUM (ANALYZE) event, webhook_delivery, webhook_endpoint',
);

it.each([
  { name: 'claiming', statement: CLAIM_DELIVERIES, values: [1, 8, 8, 30] },
  { name: 'giving back', statement: GIVE_BACK, values: [1, [7, 107]] },
  { name: 'the events after a position', statement: EVENTS_AFTER, values: [1, 9_000, 36_000, 9_400, 1_000] },
  { name: 'moving an endpoint', statement: MOVE_ENDPOINT, values: [1, 3, 10, 10, 10] },
  { name: 'hurrying', statement: HURRY_DELIVERIES, values: [1, 3] },
  { name: 'the open replay', statement: OPEN_REPLAY, values: [1, 3] },
  { name: 'moving a replay', statement: MOVE_REPLAY, values: [1, 3, 10, 10, 10] },
  { name: 'the end of a replay', statement: END_REPLAY, values: [1, 3] },
  { name: 'the address', statement: ENDPOINT_ADDRESS, values: [1, 3] },
  { name: 'the failure', statement: NOTE_FAILING, values: [1, 3, new Date()] },
  {
    name: 'recording',
    statement: RECORD_ATTEMPTS,
    values: `1, '{7,107}', '{delivered,pending}', ARRAY[NULL, 5.5]::float8[], '{200,500}', '{NULL,NULL}', '{ok,no}', '2026-11-24T12:00Z'`,
  },
  { name: 'freeing the next', statement: FREE_NEXT, values: `1, 8, '{item,item}', '{7,107}'` },
  {
    name: 'inserting',
    statement: INSERT_DELIVERIES,
    values: `1, 8, NULL, '{90001,90002}', '{1,2}', '{item.updated,item.updated}', '{item,item}', '{7,8}', '{a,b}', '{t,t}'`,
  },
])('$name reads few deliveries and events, however many there are', async ({ statement, values }) => {
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, statement, values, { mode });
    expect(
      fullyRead(steps).filter((table) => table === 'webhook_delivery' || table === 'event'),
      mode,
    ).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched)), mode).toBeLessThan(DELIVERIES / 20);
  }
});

it.each([
  { name: 'which endpoints have something due', statement: ENDPOINTS_TO_SERVE, values: [] },
  { name: 'behind which endpoints the log has grown', statement: ENDPOINTS_TO_QUEUE, values: [2_000_000_000] },
])('$name is a look at an index for each endpoint', async ({ statement, values }) => {
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, statement, values, { mode });
    expect(
      fullyRead(steps).filter((table) => table === 'webhook_delivery' || table === 'event'),
      mode,
    ).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched)), mode).toBeLessThan(20);
  }
});

it('an endpoint is locked by its key', async () => {
  const steps = await explain(client, ENDPOINT_TO_QUEUE, [1, 3], { mode: 'generic', run: false });
  expect(fullyRead(steps)).not.toContain('webhook_delivery');
});
