import { type ListOrder, listOrder, type SortTerm } from '../../database/statements/list-order.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { type CallerIdentity, listOpenedCharts } from '../caller.ts';
import type { PageStart } from '../values/paging.ts';

export type PatientTable = 'check_in' | 'check_in_review' | 'tracked_condition' | 'monitoring_alert';

/** The rows `r` of a list. */
export interface ListedRows {
  table: PatientTable;
  /** Gives the organization, and the opened charts that are listed too. */
  caller: Pick<CallerIdentity, 'organizationId' | 'openedCharts'>;
  /** Further conditions on `r`. */
  which: readonly Prisma.Sql[];
}

/** Columns of `r`, or names of its patient. Ties are ordered by id. */
export interface ListSort {
  /** One of the sort orders of the list. */
  name: string;
  columns: readonly SortTerm[];
  descending: boolean;
}

/** The order by the name of the patient: last name, then first name. */
export const BY_PATIENT_NAME: readonly SortTerm[] = [
  { sql: `nullif(k.last_key, '')`, isNullable: true },
  { sql: `nullif(k.first_key, '')`, isNullable: true },
];

export const orderOfListed = ({ table }: ListedRows, { name, columns, descending }: ListSort): ListOrder =>
  listOrder(`${table}_${name}_${descending ? 'desc' : 'asc'}`, [...columns, { sql: 'r.id' }], descending);

/** Ids of a page of the rows whose charts are listed. */
export const selectListedPage = (rows: ListedRows, order: ListOrder, { limit, offset, after }: PageStart): Prisma.Sql => Prisma.sql`
  SELECT r.id, ${Prisma.raw(order.position)} AS position ${fromListed(rows)} ${after.length === 0 ? Prisma.empty : isAfter(order, after)}
   ORDER BY ${Prisma.raw(order.by)} LIMIT ${limit} OFFSET ${offset}`;

/** The condition of an order, with the values of the position in it. */
function isAfter(order: ListOrder, after: PageStart['after']): Prisma.Sql {
  const parts = order.after((term) => `:${term}:`).split(/:(\d):/);
  const texts = parts.filter((_, index) => index % 2 === 0);
  return Prisma.sql`AND ${new Prisma.Sql(
    texts,
    parts.flatMap((part, index) => (index % 2 === 0 ? [] : [after[Number(part)] ?? null])),
  )}`;
}

export const countListed = (rows: ListedRows): Prisma.Sql => Prisma.sql`SELECT count(*)::int AS total ${fromListed(rows)}`;

/**
 * Rows `r` with the name keys `k` of their patients, which charts that are not listed lack. OFFSET 0, and bounds of the ordinal instead
 * of its value, leave PostgreSQL the primary key of the name keys alone: while it knows little of new patients it otherwise reads the
 * keys of all of them for each row.
 */
const fromListed = ({ table, caller, which }: ListedRows): Prisma.Sql => Prisma.sql`
    FROM ${Prisma.raw(table)} r
   CROSS JOIN LATERAL (
     SELECT k.last_key, k.first_key FROM patient_name_key k
      WHERE k.organization_id = ${caller.organizationId} AND k.patient_id = r.patient_id AND k.ordinal BETWEEN 1 AND 1${selectOpenedKeys(caller)} OFFSET 0) AS k
   WHERE ${Prisma.join([Prisma.sql`r.organization_id = ${caller.organizationId}`, ...which], ' AND ')}`;

/** The names of charts that the caller has opened, beside the keys of the others. */
function selectOpenedKeys(caller: ListedRows['caller']): Prisma.Sql {
  const opened = listOpenedCharts(caller);
  if (opened.length === 0) return Prisma.empty;
  return Prisma.sql` UNION ALL
     SELECT coalesce(p.last_name_folded, '') COLLATE "C", coalesce(p.first_name_folded, '') COLLATE "C" FROM patient p
      WHERE p.organization_id = ${caller.organizationId} AND p.id = r.patient_id AND p.restricted AND p.status <> 'deleted' AND p.id = ANY (${opened}::int[])`;
}
