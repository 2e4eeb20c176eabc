import { Prisma } from '../../generated/prisma/client.ts';
import { OPERATOR } from '../caller.ts';
import type { AuditAction } from '../journal.ts';
import type { DateRange } from '../values/date-range.ts';

/** The place of an entry in the order of the log. */
export interface EntryPlace {
  /** Null where only the id is known. */
  transactionId: number | null;
  id: number;
}

export interface ChartEntriesSearch {
  organizationId: number;
  patientId: number;
  /** As in AuditSearch. */
  actor?: string | undefined;
  action?: AuditAction | undefined;
  range: DateRange;
  /** Only entries before this place in the order of the log. */
  before?: EntryPlace | undefined;
  limit: number;
}

/**
 * The places of the newest entries about a chart. Each part reads only what its index on patients names; ordered and cut afterwards, so
 * that PostgreSQL does not walk the whole log backwards in the hope of meeting the chart early.
 */
export const chartEntriesQuery = ({
  organizationId,
  patientId,
  actor,
  action,
  range,
  before,
  limit,
}: ChartEntriesSearch): Prisma.Sql => Prisma.sql`
  WITH of_chart AS MATERIALIZED (
    SELECT transaction_id, id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND resource = 'patient' AND record_id = ${patientId}::bigint ${within(range)}
     UNION
    SELECT transaction_id, id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND resource = 'patient' AND resource_ids @> ARRAY[${patientId}::bigint] ${within(range)}
     UNION
    SELECT transaction_id, id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND patient_ids @> ARRAY[${patientId}::int] ${within(range)})
  SELECT transaction_id AS "transactionId", id FROM of_chart
   WHERE (${actor ?? null}::text IS NULL OR actor = ${actor ?? null}::text OR (${actor === OPERATOR} AND starts_with(actor, ${`${OPERATOR}:`})))
     AND (${action ?? null}::text IS NULL OR action = ${action ?? null}::text)
     AND (${before?.id ?? null}::bigint IS NULL
          OR CASE WHEN ${before?.transactionId ?? null}::bigint IS NULL THEN id < ${before?.id ?? null}::bigint
                  ELSE (transaction_id, id) < (${before?.transactionId ?? null}::bigint, ${before?.id ?? null}::bigint) END)
   ORDER BY transaction_id DESC, id DESC
   LIMIT ${limit}::int`;

/** The condition on the instant, in a form by which PostgreSQL passes over the partitions of other months. */
const within = ({ from, before }: DateRange): Prisma.Sql => Prisma.sql`
  ${from === null ? Prisma.empty : Prisma.sql`AND at >= ${from}::timestamptz`} ${before === null ? Prisma.empty : Prisma.sql`AND at < ${before}::timestamptz`}`;
