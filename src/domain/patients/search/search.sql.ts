import { type ListOrder, listOrder } from '../../../database/statements/list-order.ts';
import { type Statement, statement, unnamed } from '../../../database/statements/statement.ts';
import type { SoughtCharts } from './chart-filters.sql.ts';
import { KEYS_WITH_RESTRICTED, type NameFilter, onNameKeys } from './name-keys.sql.ts';

/** The filters of a search, and whether it also finds restricted and blocked charts: sixteen combinations. */
export type SearchKind = NameFilter & { restricted?: boolean };

/** `total` is exact; `ids` is the text of an array of one row more than the page, and `end` the position of the row before that one. */
export type FoundPage = { total: number; ids: string; end: string | null };

/** Statements of one kind of search. Values: organization, then last name, first name and office where they filter, and then: */
export interface SearchStatements {
  order: ListOrder;
  /** Limit, one more than the page has rows, and offset. */
  page: Statement<FoundPage>;
  /** The same, and the position before the page. */
  pageAfter: Statement<FoundPage>;
}

/**
 * Each statement reads its page from an index of patient_name_key that has the order of the result, so that it sorts nothing,
 * and counts by a range of an index.
 */
function createStatements(kind: SearchKind, charts?: SoughtCharts): SearchStatements {
  const name = `patient_search${kind.lastName ? '_last' : ''}${kind.firstName ? '_first' : ''}${kind.office ? '_office' : ''}${kind.restricted ? '_restricted' : ''}`;
  const table = kind.restricted ? KEYS_WITH_RESTRICTED : 'patient_name_key';
  // `shared_length` is -1 for the first key of a patient (prisma/schema/patients.prisma), and is a column of these indexes.
  const names = onNameKeys(kind, 2, 'k.shared_length < 0');
  const where = [...names.found, ...(charts ? [charts.condition(names.next)] : [])].join(' AND ');
  const next = names.next + (charts?.values.length ?? 0);
  const prepare = <R extends object>(suffix: string, text: string): Statement<R> =>
    charts ? unnamed(text) : statement(`${name}_${suffix}`, text);
  const byFirst = kind.firstName && !kind.lastName;
  const keys = byFirst ? ['k.first_key', 'k.last_key'] : ['k.last_key', 'k.first_key'];
  const order = listOrder(
    `search_${byFirst ? 'first' : 'last'}`,
    [...keys, 'k.patient_id'].map((sql) => ({ sql })),
  );
  const from = `FROM ${table} k WHERE k.organization_id = $1 AND ${where}`;
  // A count of all patients reads the narrowest index.
  const all = !kind.lastName && !kind.firstName && !kind.office && !charts;
  const counted = all ? `FROM ${table} k WHERE k.organization_id = $1 AND k.ordinal = 1` : from;
  const [limit, offset] = [`$${next}::int`, `$${next + 1}::int`];
  // The rows of a WITH are read in their order.
  const page = (after: string) => `
    WITH found AS MATERIALIZED (
      SELECT k.patient_id, k.last_key, k.first_key ${from}${after} ORDER BY ${order.by} LIMIT ${limit} OFFSET ${offset})
    SELECT (SELECT count(*) ${counted})::int AS total, ARRAY(SELECT k.patient_id FROM found k)::text AS ids,
           (SELECT ${order.position} FROM found k OFFSET ${limit} - 2 LIMIT 1) AS "end"`;
  return {
    order,
    page: prepare('page', page('')),
    pageAfter: prepare('after', page(` AND ${order.after((term) => `$${next + 2 + term}`)}`)),
  };
}

const toIndex = ({ restricted = false, lastName, firstName, office }: SearchKind): number =>
  Number(restricted) * 8 + Number(lastName) * 4 + Number(firstName) * 2 + Number(office);

const BY_KIND = Array.from({ length: 16 }, (_, at) =>
  createStatements({ restricted: (at & 8) !== 0, lastName: (at & 4) !== 0, firstName: (at & 2) !== 0, office: (at & 1) !== 0 }),
);

/** @param charts whose values follow those of the kind */
export function searchStatements(kind: SearchKind, charts?: SoughtCharts): SearchStatements {
  if (charts) return createStatements(kind, charts);
  const found = BY_KIND[toIndex(kind)];
  if (!found) throw new RangeError('There is no such search.');
  return found;
}
