import { type Statement, statement } from '../../database/statements/statement.ts';
import { unrestrictedUnless, whereVisibleChart } from '../patients/restrictions/restricted-charts.sql.ts';
import { CHANGE_FEEDS, type ChangeFeed } from './feeds.ts';

/** Events that one statement looks at, so that its time is bounded, however long nobody asked. */
const SCANNED = 50_000;

/** Values: organization, client, feed. Locks the subscription until the transaction ends: those who ask at once follow one another. */
export const LOCK_SUBSCRIPTION = statement<{ changeNames: string[]; lastTransactionId: number; lastEventId: number }>(
  'change_subscription_lock',
  `SELECT change_names AS "changeNames", last_transaction_id AS "lastTransactionId", last_event_id AS "lastEventId"
     FROM change_subscription WHERE organization_id = $1 AND client_id = $2 AND feed = $3::change_feed FOR UPDATE`,
);

/** A subscription to what happens from now on. Values: organization, client, feed, names of its changes, the horizon. */
export const BEGIN_SUBSCRIPTION = statement<never>(
  'change_subscription_begin',
  `INSERT INTO change_subscription (organization_id, client_id, feed, change_names, last_transaction_id, last_event_id, updated_at)
   VALUES ($1, $2, $3::change_feed, $4::text[], $5::bigint, 0, now())`,
);

/** The records of events, in the order of their first change, and the position behind these. */
interface ScannedChanges {
  recordIds: number[];
  /** Those among them that were withdrawn. */
  withdrawnIds: number[];
  transactionId: number;
  eventId: number;
  /** There are events behind it. */
  isCut: boolean;
}

/** Values: organization, the position's transaction and event, the names that are subscribed, the horizon. */
const scanChanges = (feed: ChangeFeed): Statement<ScannedChanges & { [name: string]: unknown }> => {
  const { subject, changes, besides } = CHANGE_FEEDS[feed];
  const wanted = changes.flatMap(({ name, when }) => (when === null ? [] : [`('${name}' = ANY ($4::text[]) AND ${when})`]));
  const others = besides
    ? `UNION ALL SELECT r.id, e.transaction_id, e.id, false FROM scanned e ${besides.records} AND '${besides.name}' = ANY ($4::text[])`
    : '';
  return statement(
    `changed_${feed}_scan`,
    `WITH scanned AS MATERIALIZED (
       SELECT id, transaction_id, name, subject_type, subject_id, changed FROM event
        WHERE organization_id = $1 AND (transaction_id, id) > ($2::bigint, $3::bigint) AND transaction_id < $5::bigint
        ORDER BY transaction_id, id LIMIT ${SCANNED}
     ), told AS (
       SELECT e.subject_id AS record_id, e.transaction_id, e.id, e.name = 'patient.withdrawn' AS withdrawn FROM scanned e
        WHERE e.subject_type = '${subject}' AND (${wanted.join(' OR ')}) ${others}
     ), first AS (
       SELECT DISTINCT ON (record_id) record_id, transaction_id, id FROM told ORDER BY record_id, transaction_id, id
     ), next AS (
       (SELECT transaction_id, id, true AS cut FROM scanned ORDER BY transaction_id, id OFFSET ${SCANNED - 1})
       UNION ALL SELECT $5::bigint, 0, false ORDER BY cut DESC LIMIT 1
     )
     SELECT transaction_id AS "transactionId", id AS "eventId", cut AS "isCut",
            (SELECT coalesce(jsonb_agg(record_id ORDER BY transaction_id, id, record_id), '[]') FROM first) AS "recordIds",
            (SELECT coalesce(jsonb_agg(DISTINCT record_id), '[]') FROM told WHERE withdrawn) AS "withdrawnIds" FROM next`,
  );
};

/** Adds records to those that wait. Values: organization, client, feed, the records, those among them that were withdrawn. */
export const ADD_CHANGED_RECORDS = statement<never>(
  'changed_records_add',
  `INSERT INTO changed_record AS c (organization_id, client_id, feed, record_id, withdrawn)
   SELECT $1, $2, $3::change_feed, r.id, r.id = ANY ($5::bigint[]) FROM unnest($4::bigint[]) WITH ORDINALITY AS r (id, place) ORDER BY r.place
   ON CONFLICT (organization_id, client_id, feed, record_id) WHERE handed_out_at IS NULL
   DO UPDATE SET withdrawn = true WHERE NOT c.withdrawn AND excluded.withdrawn`,
);

/** Values: organization, client, feed, the position's transaction and event. */
export const MOVE_SUBSCRIPTION = statement<never>(
  'change_subscription_move',
  `UPDATE change_subscription SET last_transaction_id = $4::bigint, last_event_id = $5::bigint
    WHERE organization_id = $1 AND client_id = $2 AND feed = $3::change_feed`,
);

/** The records of a feed beside the row `c`, with the conditions of its filters and of what the caller may see. */
const RECORDS: Readonly<Record<ChangeFeed, string>> = {
  // A chart that was withdrawn passes a filter by office: the client may have it of any.
  patients: `LEFT JOIN patient r ON r.organization_id = c.organization_id AND r.id = c.record_id AND ${whereVisibleChart('r', '$7')}
      WHERE (r.id IS NOT NULL OR c.withdrawn)
        AND ($4::int[] IS NULL OR r.id IS NULL OR r.primary_office_id = ANY ($4::int[]))
        AND ($5::int[] IS NULL OR c.record_id = ANY ($5::int[])) AND $6::int[] IS NULL`,
  appointments: `JOIN appointment r ON r.organization_id = c.organization_id AND r.id = c.record_id
                    AND (r.starts_at IS NOT NULL OR r.undated_at IS NOT NULL)
      LEFT JOIN patient p ON p.organization_id = c.organization_id AND p.id = r.patient_id AND p.status <> 'deleted' AND ${unrestrictedUnless('p', '$7')}
      WHERE ($4::int[] IS NULL OR r.office_id = ANY ($4::int[])) AND ($5::int[] IS NULL OR p.id = ANY ($5::int[]))
        AND ($6::int[] IS NULL OR r.provider_id = ANY ($6::int[]))`,
  providers: `JOIN provider r ON r.organization_id = c.organization_id AND r.id = c.record_id
      WHERE $4::int[] IS NULL AND $5::int[] IS NULL AND $6::int[] IS NULL AND $7::boolean IS NOT NULL`,
};

const ofSubscription = 'c.organization_id = $1 AND c.client_id = $2 AND c.feed = $3::change_feed';

/** A page of changed records: `ids` of the rows, `recordIds` of the records, and how many rows there are without a page. */
export interface ChangedPageRow {
  total: number;
  ids: number[];
  recordIds: number[];
  /** Those among them that are told as withdrawn. */
  withdrawnIds: number[];
}

const selectPage = (found: string) => `
  WITH found AS MATERIALIZED (${found}), page AS (SELECT * FROM found ORDER BY at, id LIMIT $8::int OFFSET $9::int)
  SELECT (SELECT count(*)::int FROM found) AS total,
         (SELECT coalesce(jsonb_agg(id ORDER BY at, id), '[]') FROM page) AS ids,
         (SELECT coalesce(jsonb_agg(record_id ORDER BY at, id), '[]') FROM page) AS "recordIds",
         (SELECT coalesce(jsonb_agg(record_id), '[]') FROM page WHERE is_gone) AS "withdrawnIds"`;

/** Records that wait, in the order of their changes. Values: organization, client, feed, offices, patients, providers, may see restricted charts, limit, offset. */
const selectWaiting = (feed: ChangeFeed): Statement<ChangedPageRow & { [name: string]: unknown }> =>
  statement(
    `changed_${feed}_waiting`,
    selectPage(`SELECT c.id, c.record_id, NULL::timestamptz AS at, r.id IS NULL AS is_gone FROM changed_record c ${RECORDS[feed]}
      AND ${ofSubscription} AND c.handed_out_at IS NULL`),
  );

/** Records that were handed out in a time, each where it was first. Values: as those that wait, then the time, including its start. */
const selectHandedOut = (feed: ChangeFeed): Statement<ChangedPageRow & { [name: string]: unknown }> =>
  statement(
    `changed_${feed}_handed_out`,
    selectPage(`SELECT min(c.id) AS id, c.record_id, min(c.handed_out_at) AS at, bool_and(r.id IS NULL) AS is_gone FROM changed_record c ${RECORDS[feed]}
      AND ${ofSubscription} AND c.handed_out_at >= coalesce($10::timestamptz, '-infinity') AND c.handed_out_at < coalesce($11::timestamptz, 'infinity')
      GROUP BY c.record_id`),
  );

/** Values: organization, ids of the rows, the instant. */
export const HAND_OUT = statement<never>(
  'changed_record_hand_out',
  'UPDATE changed_record SET handed_out_at = $3::timestamptz WHERE organization_id = $1 AND id = ANY ($2::bigint[])',
);

const createStatements = (feed: ChangeFeed) => ({
  scan: scanChanges(feed),
  waiting: selectWaiting(feed),
  handedOut: selectHandedOut(feed),
});

export const CHANGED_RECORDS = {
  patients: createStatements('patients'),
  appointments: createStatements('appointments'),
  providers: createStatements('providers'),
};
