import { Prisma } from '../../generated/prisma/client.ts';
import { OPERATOR } from '../caller.ts';
import type { AuditAction } from '../journal.ts';
import type { DateRange } from '../values/date-range.ts';

export interface ChartEntriesSearch {
  organizationId: number;
  patientId: number;
  /** As in AuditSearch. */
  actor?: string | undefined;
  action?: AuditAction | undefined;
  range: DateRange;
  /** Only entries older than this one. */
  before?: number | undefined;
  limit: number;
}

/**
 * The ids of the newest entries about a chart. Each half reads only what its index on patients names; ordered and cut afterwards, so
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
    SELECT id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND resource = 'patient' AND resource_ids @> ARRAY[${patientId}::bigint]
     UNION
    SELECT id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND patient_ids @> ARRAY[${patientId}::int])
  SELECT id FROM of_chart
   WHERE (${actor ?? null}::text IS NULL OR actor = ${actor ?? null}::text OR (${actor === OPERATOR} AND starts_with(actor, ${`${OPERATOR}:`})))
     AND (${action ?? null}::text IS NULL OR action = ${action ?? null}::text)
     AND (${range.from}::timestamptz IS NULL OR at >= ${range.from}::timestamptz)
     AND (${range.before}::timestamptz IS NULL OR at < ${range.before}::timestamptz)
     AND (${before ?? null}::bigint IS NULL OR id < ${before ?? null}::bigint)
   ORDER BY id DESC
   LIMIT ${limit}::int`;
