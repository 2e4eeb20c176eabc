import { Prisma } from '../../generated/prisma/client.ts';
import { type CallerIdentity, openedChartsOf } from '../caller.ts';

/** Tables whose rows belong to a patient. */
export type PatientTable = 'check_in' | 'check_in_review' | 'tracked_condition' | 'monitoring_alert';

/** The rows `r` of a list. */
export interface ListedRows {
  table: PatientTable;
  /** Gives the organization, and the opened charts that are listed too. */
  caller: Pick<CallerIdentity, 'organizationId' | 'openedCharts'>;
  /** Further conditions on `r`. */
  which: readonly Prisma.Sql[];
}

/** A column of `r`, or a name of its patient. */
export interface ListColumn {
  column: Prisma.Sql;
  /** A missing value comes last in both directions. */
  isNullable?: boolean;
}

/** Ties are ordered by id. */
export interface ListOrder {
  columns: readonly ListColumn[];
  descending: boolean;
}

/** The order by the name of the patient: last name, then first name. */
export const BY_PATIENT_NAME: readonly ListColumn[] = [
  { column: Prisma.sql`nullif(k.last_key, '')`, isNullable: true },
  { column: Prisma.sql`nullif(k.first_key, '')`, isNullable: true },
];

/** Ids of a page of the rows whose charts are listed. */
export const listedPage = (rows: ListedRows, order: ListOrder, { take, skip }: { take: number; skip: number }): Prisma.Sql =>
  Prisma.sql`SELECT r.id ${fromListed(rows)} ORDER BY ${inOrder(order)} LIMIT ${take} OFFSET ${skip}`;

/** The number of the rows whose charts are listed. */
export const listedCount = (rows: ListedRows): Prisma.Sql => Prisma.sql`SELECT count(*)::int AS total ${fromListed(rows)}`;

/**
 * Rows `r` with the name keys `k` of their patients, which charts that are not listed lack. OFFSET 0, and bounds of the ordinal instead
 * of its value, leave PostgreSQL the primary key of the name keys alone: while it knows little of new patients it otherwise reads the
 * keys of all of them for each row.
 */
const fromListed = ({ table, caller, which }: ListedRows): Prisma.Sql => Prisma.sql`
    FROM ${Prisma.raw(table)} r
   CROSS JOIN LATERAL (
     SELECT k.last_key, k.first_key FROM patient_name_key k
      WHERE k.organization_id = ${caller.organizationId} AND k.patient_id = r.patient_id AND k.ordinal BETWEEN 1 AND 1${openedKeys(caller)} OFFSET 0) AS k
   WHERE ${Prisma.join([Prisma.sql`r.organization_id = ${caller.organizationId}`, ...which], ' AND ')}`;

/** The names of charts that the caller has opened, beside the keys of the others. */
function openedKeys(caller: ListedRows['caller']): Prisma.Sql {
  const opened = openedChartsOf(caller);
  if (opened.length === 0) return Prisma.empty;
  return Prisma.sql` UNION ALL
     SELECT coalesce(p.last_name_folded, '') COLLATE "C", coalesce(p.first_name_folded, '') COLLATE "C" FROM patient p
      WHERE p.organization_id = ${caller.organizationId} AND p.id = r.patient_id AND p.restricted AND p.status <> 'deleted' AND p.id = ANY (${opened}::int[])`;
}

function inOrder({ columns, descending }: ListOrder): Prisma.Sql {
  const direction = Prisma.raw(descending ? 'DESC' : 'ASC');
  const written = columns.map(({ column, isNullable = false }) =>
    isNullable ? Prisma.sql`${column} ${direction} NULLS LAST` : Prisma.sql`${column} ${direction}`,
  );
  return Prisma.join([...written, Prisma.sql`r.id ${direction}`]);
}
