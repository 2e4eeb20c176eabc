import { type Statement, statement } from '../../database/statements/statement.ts';
import type { ExportFilterName, ExportKind } from './export-kinds.sql.ts';

export interface ExportPageRow {
  /** Rows that were looked at; fewer than the limit at the end. */
  scanned: number;
  /** The last of their ids; null where there was none. */
  last: number | null;
  /** Records as JSON, a line each. */
  lines: string;
  /** Ids of the records, and of the patients that they are about, without those of records that are gone. */
  ids: number[];
  patientIds: number[];
}

/** Values of the statements before those of filters: organization, the id before the page, limit, whether restricted charts are seen. */
const FIRST_FILTER = 5;

/** The parameters of each filter, in the order of their values; null does not filter. */
const CONDITIONS: Readonly<Record<ExportFilterName, { count: number; sql: (column: string, n: number) => string }>> = {
  patient: { count: 1, sql: (column, n) => `($${n}::int IS NULL OR ${column} = $${n})` },
  office: { count: 1, sql: (column, n) => `($${n}::int IS NULL OR ${column} = $${n})` },
  provider: { count: 1, sql: (column, n) => `($${n}::int IS NULL OR ${column} = $${n})` },
  status: { count: 1, sql: (column, n) => `($${n}::text IS NULL OR ${column}::text = $${n})` },
  time: {
    count: 2,
    sql: (column, n) => `($${n}::timestamptz IS NULL OR ${column} >= $${n}) AND ($${n + 1}::timestamptz IS NULL OR ${column} < $${n + 1})`,
  },
};

const FILTERS = ['patient', 'office', 'provider', 'status', 'time'] as const satisfies readonly ExportFilterName[];

/** The filters of a kind, in the order of their values. */
export const listFilters = ({ filters }: ExportKind): ExportFilterName[] => FILTERS.filter((name) => filters[name] !== undefined);

/** @returns the conditions, and the number of the next free parameter */
function whereFiltered(kind: ExportKind): { conditions: string; next: number } {
  let next = FIRST_FILTER;
  const conditions = listFilters(kind).map((name) => {
    const { count, sql } = CONDITIONS[name];
    next += count;
    return sql(kind.filters[name] ?? 'NULL', next - count);
  });
  return { conditions: conditions.join(' AND '), next };
}

const joinChart = ({ table }: ExportKind): string =>
  table === 'patient' ? '' : 'LEFT JOIN patient p ON p.organization_id = $1 AND p.id = t.patient_id';

const selectRecord = ({ columns }: ExportKind): string =>
  `row_to_json((SELECT r FROM (SELECT ${Object.entries(columns)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(', ')}) AS r))::text`;

/** @param rows with id, line, patient_id and is_there */
const selectPage = (rows: string, scanned: string, last: string): string => `
  SELECT ${scanned} AS scanned, ${last} AS last, coalesce(string_agg(x.line, E'\\n' ORDER BY x.id), '') AS lines,
         coalesce(json_agg(x.id ORDER BY x.id) FILTER (WHERE x.is_there), '[]') AS ids,
         coalesce(json_agg(DISTINCT x.patient_id) FILTER (WHERE x.is_there AND x.patient_id IS NOT NULL), '[]') AS "patientIds"
    FROM (${rows}) AS x`;

/** All records of a kind, by id. */
export function exportPage(name: string, kind: ExportKind): Statement<ExportPageRow> {
  const { conditions } = whereFiltered(kind);
  const rows = `
    SELECT t.id, ${kind.patientId} AS patient_id, ${selectRecord(kind)} AS line, true AS is_there
      FROM ${kind.table} t ${joinChart(kind)}
     WHERE t.organization_id = $1 AND t.id > $2 AND ${kind.listed} AND ${kind.visible} AND ${conditions}
     ORDER BY t.id LIMIT $3`;
  return statement(`export_${name}`, selectPage(rows, 'count(*)::int', 'max(x.id)'));
}

/**
 * Those that events name after a cursor, whose two numbers follow the values of filters; of a record that is not there any more, a line says so.
 */
export function selectChangedPage(name: string, kind: ExportKind): Statement<ExportPageRow> {
  const { conditions, next } = whereFiltered(kind);
  const events = `e.organization_id = $1 AND e.subject_type = '${kind.subject}' AND (e.transaction_id, e.id) > ($${next}::bigint, $${next + 1}::bigint)`;
  const changed = kind.changedWithPatient
    ? `SELECT t.id FROM ${kind.table} t WHERE t.organization_id = $1 AND t.id > $2 AND t.patient_id IN (
         SELECT e.subject_id FROM event e WHERE ${events} AND ${kind.changedWithPatient}) ORDER BY t.id LIMIT $3`
    : `SELECT DISTINCT e.subject_id AS id FROM event e WHERE ${events} AND e.subject_id > $2 ORDER BY 1 LIMIT $3`;
  const isThere = `coalesce(t.id IS NOT NULL AND ${kind.listed}, false)`;
  const rows = `
    SELECT c.id, ${kind.patientId} AS patient_id, ${isThere} AS is_there,
           CASE WHEN ${isThere} THEN ${selectRecord(kind)} ELSE json_build_object('id', c.id, 'gone', true)::text END AS line
      FROM changed c LEFT JOIN ${kind.table} t ON t.organization_id = $1 AND t.id = c.id ${joinChart(kind)}
     WHERE coalesce(${kind.visible}, true) AND ${conditions}`;
  const page = selectPage(rows, '(SELECT count(*)::int FROM changed)', '(SELECT max(c.id) FROM changed c)');
  return statement(`export_changed_${name}`, `WITH changed AS MATERIALIZED (${changed})${page}`);
}
