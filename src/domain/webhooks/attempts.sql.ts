import { statement } from '../../database/statements/statement.ts';
import type { WebhookDelivery } from '../../generated/prisma/client.ts';
import { IS_SERVED } from './fan-out.sql.ts';

/**
 * Seconds for which a process has a delivery to itself. An attempt takes 15 seconds at most; of a killed process, others take
 * the delivery after this time.
 */
export const CLAIM_SECONDS = 30;

export type ClaimedRow = Pick<WebhookDelivery, 'id' | 'eventId' | 'sequence' | 'payload' | 'attempts' | 'subjectType' | 'subjectId'>;

/**
 * Claims deliveries that are due, in their order, by putting off their next attempt. A killed process so costs none of the attempts.
 * Values: organization, endpoint, the most deliveries, seconds.
 */
export const CLAIM_DELIVERIES = statement<ClaimedRow>(
  'webhook_claim_deliveries',
  `WITH due AS (
     SELECT d.id FROM webhook_delivery d
      WHERE d.organization_id = $1::int AND d.webhook_endpoint_id = $2::int AND d.state = 'pending' AND d.next_attempt_at <= now()
      ORDER BY d.next_attempt_at, d.sequence
      LIMIT $3::int
        FOR UPDATE SKIP LOCKED)
   UPDATE webhook_delivery d SET next_attempt_at = now() + make_interval(secs => $4::int), claimed_until = now() + make_interval(secs => $4::int)
     FROM due
    WHERE d.organization_id = $1::int AND d.id = due.id
   RETURNING d.id, d.event_id AS "eventId", d.sequence, d.payload, d.attempts, d.subject_type AS "subjectType", d.subject_id AS "subjectId"`,
);

/** Gives claimed deliveries back, which were not sent. Values: organization, deliveries. */
export const GIVE_BACK = statement<never>(
  'webhook_give_back',
  `UPDATE webhook_delivery SET next_attempt_at = now(), claimed_until = NULL
    WHERE organization_id = $1::int AND id = ANY ($2::bigint[]) AND state = 'pending'`,
);

/**
 * Locks an endpoint against those who queue for it (ENDPOINT_TO_QUEUE): while a delivery is being finished, none is queued behind it.
 * Values: organization, endpoint.
 */
export const LOCK_ENDPOINT = statement<{ id: number }>(
  'webhook_lock_endpoint',
  'SELECT id FROM webhook_endpoint WHERE organization_id = $1::int AND id = $2::int FOR SHARE',
);

/**
 * Records how attempts went. Values: organization, then, each a list: deliveries, states, seconds until
 * the next attempts, statuses, failures, answers; and the time of the database, to which seconds are added in UTC as in `later`.
 */
export const RECORD_ATTEMPTS = statement<never>(
  'webhook_record_attempts',
  `UPDATE webhook_delivery d
      SET state = n.state, attempts = d.attempts + 1, next_attempt_at = (($8::timestamptz AT TIME ZONE 'UTC' + make_interval(secs => n.seconds)) AT TIME ZONE 'UTC'), claimed_until = NULL,
          last_attempt_at = $8::timestamptz,
          status = n.status, failure = n.failure, answer = n.answer, finished_at = CASE WHEN n.state <> 'pending' THEN $8::timestamptz END
     FROM unnest($2::bigint[], $3::webhook_delivery_state[], $4::float8[], $5::int[], $6::text[], $7::text[])
       AS n (id, state, seconds, status, failure, answer)
    WHERE d.organization_id = $1::int AND d.id = n.id AND d.state = 'pending'`,
);

/**
 * Makes the earliest pending delivery about each of these records due, where it waited for one that is done. Values: organization,
 * endpoint, kinds and ids of the records, each a list.
 */
export const FREE_NEXT = statement<never>(
  'webhook_free_next',
  `UPDATE webhook_delivery d SET next_attempt_at = now()
     FROM (SELECT DISTINCT type, id FROM unnest($3::text[], $4::bigint[]) AS s (type, id)) subject
    CROSS JOIN LATERAL (
      SELECT w.id, w.next_attempt_at FROM webhook_delivery w
       WHERE w.organization_id = $1::int AND w.webhook_endpoint_id = $2::int AND w.subject_type = subject.type
         AND w.subject_id = subject.id AND w.state = 'pending'
       ORDER BY w.sequence
       LIMIT 1) earliest
    WHERE d.organization_id = $1::int AND d.id = earliest.id AND earliest.next_attempt_at IS NULL`,
);

/** Values: organization, endpoint, since when nothing was delivered, or null. Writes only where that begins or ends. */
export const NOTE_FAILING = statement<never>(
  'webhook_note_failing',
  `UPDATE webhook_endpoint SET failing_since = $3::timestamptz
    WHERE organization_id = $1::int AND id = $2::int AND (failing_since IS NULL) <> ($3::timestamptz IS NULL)`,
);

/** Makes what waits for a later attempt due, in the order of the log, but for what is being sent. Values: organization, endpoint. */
export const HURRY_DELIVERIES = statement<never>(
  'webhook_hurry_deliveries',
  `UPDATE webhook_delivery SET next_attempt_at = now()
    WHERE organization_id = $1::int AND webhook_endpoint_id = $2::int AND state = 'pending' AND next_attempt_at > now()
      AND (claimed_until IS NULL OR claimed_until <= now())`,
);

export interface ServedEndpointRow {
  url: string;
  failingSince: Date | null;
}

/** Where the deliveries of an endpoint go, while it may have some. Values: organization, endpoint. */
export const ENDPOINT_ADDRESS = statement<ServedEndpointRow>(
  'webhook_endpoint_address',
  `SELECT e.url, e.failing_since AS "failingSince" FROM webhook_endpoint e
    WHERE e.organization_id = $1::int AND e.id = $2::int AND ${IS_SERVED}`,
);
