import { type Filters, list, nullable, type SortOrder, select, sortBy } from '../../database/statements/list.ts';

/** The terms of the order by the name of the patient: last name, then first name. */
const NAME = [nullable(`nullif(k.last_key, '')`), nullable(`nullif(k.first_key, '')`)] as const;
export const BY_PATIENT_NAME = sortBy(...NAME, 'r.id');
export const BY_FIRST_NAME = sortBy(...NAME.toReversed(), 'r.id');

export interface ListedTable<F extends Filters, O extends string> {
  table: 'check_in' | 'check_in_review' | 'tracked_condition' | 'monitoring_alert';
  where?: string;
  filters: F;
  orders: Record<O, SortOrder>;
}

/**
 * Ids of the rows `r` of a table with the name keys `k` of their patients, which charts that are not listed lack. OFFSET 0, and bounds of the
 * ordinal instead of its value, leave PostgreSQL the primary key of the name keys alone: while it knows little of new patients it otherwise
 * reads the keys of all of them for each row.
 */
export const listOfPatients = <F extends Filters, O extends string>({ table, where = 'true', filters, orders }: ListedTable<F, O>) =>
  list({
    name: table,
    select: select<{ id: number }>('r.id'),
    from: `${table} r CROSS JOIN LATERAL (
     SELECT k.last_key, k.first_key FROM patient_name_key k
      WHERE k.organization_id = $1 AND k.patient_id = r.patient_id AND k.ordinal BETWEEN 1 AND 1 OFFSET 0) AS k`,
    where: `r.organization_id = $1 AND ${where}`,
    filters,
    orders,
  });
