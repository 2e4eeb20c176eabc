import { statement } from '../../database/statements/statement.ts';
import type { Event, WebhookReplay } from '../../generated/prisma/client.ts';
import type { EventName } from '../events/catalogue.ts';
import type { EventDialect } from '../events/dialect-names.ts';

/** API clients are on the coordinator of a cluster: what is asked of them names no column of the endpoint, so that it is asked first. */
const whereServed = (client: string) => `e.active
   AND EXISTS (SELECT FROM organization o WHERE o.id = e.organization_id AND o.active)
   AND (e.client_id IS NULL OR ${client})`;

/**
 * The condition that deliveries go to an endpoint `e`: it is switched on, and who made it may still have some. An endpoint of an API
 * client whose right has ended rests until the client has it again.
 */
const SERVED = whereServed("e.client_id IN (SELECT c.id FROM api_client c WHERE c.active AND 'webhooks.write' = ANY (c.scopes))");

/** Whether the client of the endpoint $2 of the practice $1 is as the condition on `c` says: one step down each of two keys. */
const clientIs = (condition: string) => `EXISTS (
   SELECT 1 FROM api_client c
    WHERE c.id = (SELECT w.client_id FROM webhook_endpoint w WHERE w.organization_id = $1::int AND w.id = $2::int) AND ${condition})`;

/** SERVED, of the endpoint $2 of the practice $1. */
export const IS_SERVED = whereServed(clientIs("c.active AND 'webhooks.write' = ANY (c.scopes)"));

export interface EndpointRow {
  organizationId: number;
  endpointId: number;
}

/**
 * Endpoints behind which the log has grown, or for which a replay is open. In the order of the log, for which each of its partitions has
 * an index: without it, a partition without a later event might be read whole. Values: the horizon of
 * the log.
 */
export const ENDPOINTS_TO_QUEUE = statement<EndpointRow>(
  'webhook_endpoints_to_queue',
  `SELECT e.organization_id AS "organizationId", e.id AS "endpointId"
     FROM webhook_endpoint e
    WHERE ${SERVED}
      AND ((SELECT v.id FROM event v
             WHERE v.organization_id = e.organization_id AND (v.transaction_id, v.id) > (e.last_transaction_id, e.last_event_id)
               AND v.transaction_id < (SELECT $1::bigint)
             ORDER BY v.transaction_id, v.id LIMIT 1) IS NOT NULL
        OR EXISTS (
            SELECT FROM webhook_replay r
             WHERE r.organization_id = e.organization_id AND r.webhook_endpoint_id = e.id AND r.finished_at IS NULL))
    ORDER BY e.organization_id, e.id`,
  { overAllPractices: 'the job looks for endpoints that have work' },
);

/** Endpoints that have deliveries which are due, and since when: one look at an index for each, however many are due. No values. */
export const ENDPOINTS_TO_SERVE = statement<EndpointRow & { dueSince: Date }>(
  'webhook_endpoints_to_serve',
  `SELECT e.organization_id AS "organizationId", e.id AS "endpointId", due.since AS "dueSince"
     FROM webhook_endpoint e
    CROSS JOIN LATERAL (
      SELECT d.next_attempt_at AS since FROM webhook_delivery d
       WHERE d.organization_id = e.organization_id AND d.webhook_endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= now()
       ORDER BY d.next_attempt_at
       LIMIT 1) due
    WHERE ${SERVED}
    ORDER BY e.organization_id, e.id`,
  { overAllPractices: 'the job looks for endpoints that have work' },
);

/** First key of the advisory lock under which one process queues for an endpoint; the second one is the endpoint's id. */
export const QUEUE_LOCK = 7_410_257;

/** Values: both keys of the lock. */
export const LOCK_QUEUE = statement<{ locked: boolean }>(
  'webhook_lock_queue',
  'SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS locked',
);

export interface QueueingRow {
  /** Names and patterns, as whoever made it wrote them; none: all. */
  eventNames: string[];
  dialect: EventDialect | null;
  seesRestricted: boolean;
  lastTransactionId: number;
  lastEventId: number;
  lastSequence: number;
}

/**
 * An endpoint for which deliveries are about to be queued. It stays locked against those who finish deliveries (DELIVERIES_FINISHED), so
 * that none is queued behind one that is being finished. Values: organization, endpoint.
 */
export const ENDPOINT_TO_QUEUE = statement<QueueingRow>(
  'webhook_endpoint_to_queue',
  `SELECT e.event_names AS "eventNames", e.dialect::text AS dialect, e.last_transaction_id AS "lastTransactionId", e.last_event_id AS "lastEventId",
          e.last_sequence AS "lastSequence",
          ${clientIs("'restricted.read' = ANY (c.scopes)")} AS "seesRestricted"
     FROM webhook_endpoint e
    WHERE e.organization_id = $1::int AND e.id = $2::int AND ${IS_SERVED}
      FOR NO KEY UPDATE OF e`,
);

export interface EventRow extends Pick<Event, 'subjectType' | 'subjectId' | 'changed' | 'actor' | 'requestId' | 'occurredAt'> {
  id: number;
  transactionId: number;
  name: EventName;
  /** It is about a restricted or blocked chart. */
  restricted: boolean;
  /** It is about a chart that was deleted or erased. */
  gone: boolean;
}

/** Values: organization, the position after which to read (transaction, event), the horizon, the most events. */
export const EVENTS_AFTER = statement<EventRow>(
  'webhook_events_after',
  `SELECT e.id, e.transaction_id AS "transactionId", e.name, e.subject_type AS "subjectType", e.subject_id AS "subjectId", e.changed,
          e.actor, e.request_id AS "requestId", e.occurred_at AS "occurredAt",
          e.subject_type = 'patient' AND EXISTS (
            SELECT FROM patient p WHERE p.organization_id = $1 AND p.id = e.subject_id AND p.restricted) AS restricted,
          e.subject_type = 'patient' AND NOT EXISTS (
            SELECT FROM patient p WHERE p.organization_id = $1 AND p.id = e.subject_id AND p.status <> 'deleted') AS gone
     FROM event e
    WHERE e.organization_id = $1::int AND (e.transaction_id, e.id) > ($2::bigint, $3::bigint) AND e.transaction_id < $4::bigint
    ORDER BY e.transaction_id, e.id
    LIMIT $5::int`,
);

/**
 * Queues deliveries. One is due at once unless an earlier one of its record is not done. Values: organization, endpoint, replay or null;
 * then, each a list: sequences, ids and names of the events, kinds and ids of their records, payloads, and whether the delivery is the
 * first about its record in this list.
 */
export const INSERT_DELIVERIES = statement<never>(
  'webhook_insert_deliveries',
  `INSERT INTO webhook_delivery
     (organization_id, webhook_endpoint_id, replay_id, sequence, event_id, event_name, subject_type, subject_id, payload, next_attempt_at)
   SELECT $1::int, $2::int, $3::int, n.sequence, n.event_id, n.event_name, n.subject_type, n.subject_id, n.payload,
          CASE WHEN n.is_first AND NOT EXISTS (
            SELECT FROM webhook_delivery d
             WHERE d.organization_id = $1::int AND d.webhook_endpoint_id = $2::int AND d.subject_type = n.subject_type
               AND d.subject_id = n.subject_id AND d.state = 'pending') THEN now() END
     FROM unnest($4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::boolean[])
       AS n (sequence, event_id, event_name, subject_type, subject_id, payload, is_first)`,
);

/** Values: organization, endpoint, the position after the last event that was looked at, the last sequence. */
export const MOVE_ENDPOINT = statement<never>(
  'webhook_move_endpoint',
  `UPDATE webhook_endpoint SET last_transaction_id = $3::bigint, last_event_id = $4::bigint, last_sequence = $5::bigint
    WHERE organization_id = $1::int AND id = $2::int`,
);

export type ReplayRow = Pick<WebhookReplay, 'id' | 'fromTime' | 'toTime' | 'eventNames' | 'lastTransactionId' | 'lastEventId'>;

/** The oldest open replay of an endpoint. Values: organization, endpoint. */
export const OPEN_REPLAY = statement<ReplayRow>(
  'webhook_open_replay',
  `SELECT r.id, r.from_time AS "fromTime", r.to_time AS "toTime", r.event_names AS "eventNames",
          r.last_transaction_id AS "lastTransactionId", r.last_event_id AS "lastEventId"
     FROM webhook_replay r
    WHERE r.organization_id = $1::int AND r.webhook_endpoint_id = $2::int AND r.finished_at IS NULL
    ORDER BY r.id
    LIMIT 1`,
);

/** Values: organization, replay, the position after the last event that was looked at, deliveries queued just now. */
export const MOVE_REPLAY = statement<never>(
  'webhook_move_replay',
  `UPDATE webhook_replay
      SET last_transaction_id = $3::bigint, last_event_id = $4::bigint, queued = queued + $5::int
    WHERE organization_id = $1::int AND id = $2::int`,
);

/** Values: organization, replay. */
export const END_REPLAY = statement<never>(
  'webhook_end_replay',
  'UPDATE webhook_replay SET finished_at = now() WHERE organization_id = $1::int AND id = $2::int',
);
