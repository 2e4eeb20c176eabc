import type pg from 'pg';
import { type Prepared, type Statement, statement } from '../database/statements/statement.ts';
import { type CallerIdentity, listOpenedCharts } from './caller.ts';

type Opener = Pick<CallerIdentity, 'openedCharts'>;

/**
 * The statements for a caller: to a user who has opened restricted charts in an emergency, these read as if they were not restricted,
 * in every list and record. To all others the statements are as they stand.
 */
export function preparedFor(prepared: Prepared, caller: Opener): Prepared {
  const opened = listOpenedCharts(caller);
  if (opened.length === 0) return prepared;
  return {
    async rows<R extends pg.QueryResultRow>(query: Statement<R>, values: readonly unknown[]): Promise<R[]> {
      if (!readsCharts(query.text)) return prepared.rows(query, values);
      const charts = await findChartTable(prepared);
      return prepared.rows(asIfOpen(query, charts, values.length + 1), [...values, opened]);
    },
  };
}

/** Statements that write or lock see every chart as it is: they have conditions of their own. */
const readsCharts = (text: string): boolean =>
  /\bpatient(_name_key)?\b/.test(text) && !/\b(INSERT INTO|UPDATE|DELETE FROM|FOR (KEY )?SHARE)\b/.test(text);

/** The schema of the charts, and their columns but for `restricted`. */
interface ChartTable {
  schema: string;
  columns: string;
}

const CHART_TABLE: Statement<ChartTable> = statement(
  'chart_table',
  `SELECT quote_ident(n.nspname) AS schema, string_agg('p.' || quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'restricted'
    WHERE c.oid = 'patient'::regclass GROUP BY n.nspname`,
);

let known: ChartTable | undefined;

async function findChartTable(prepared: Prepared): Promise<ChartTable> {
  if (known) return known;
  const [found] = await prepared.rows(CHART_TABLE, []);
  if (!found) throw new Error('there is no table of charts');
  known = found;
  return found;
}

/**
 * A statement before which the tables of charts and of their name keys are replaced by queries of the same names: in them the opened
 * charts are not restricted, and have keys. One without a name stays without: a connection knows one text under each name.
 * @param last number of the parameter with the ids of the opened charts
 */
const asIfOpen = <R extends pg.QueryResultRow>({ name, text }: Statement<R>, charts: ChartTable, last: number): Statement<R> => ({
  name: name === '' ? '' : `${name}_opened`,
  text: withTables(text, withOpenedTables(charts, `$${last}::int[]`)),
});

const withOpenedTables = ({ schema, columns }: ChartTable, opened: string) => `
  patient_name_key AS NOT MATERIALIZED (
    SELECT organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length FROM ${schema}.patient_name_key WHERE organization_id = $1
     UNION ALL
    SELECT p.organization_id, p.id, n.ordinal, n.last_key COLLATE "C", without_separators(coalesce(p.first_name_folded, '')) COLLATE "C", p.primary_office_id, n.shared_length
      FROM ${schema}.patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) n
     WHERE p.restricted AND p.status <> 'deleted' AND p.organization_id = $1 AND p.id = ANY (${opened})),
  patient AS NOT MATERIALIZED (
    SELECT ${columns}, p.restricted AND p.id <> ALL (${opened}) AS restricted FROM ${schema}.patient p WHERE p.organization_id = $1)`;

/** @param tables in front of the statement's own common table expressions, if it has any */
function withTables(text: string, tables: string): string {
  const own = /^\s*WITH\s+(RECURSIVE\s+)?/.exec(text);
  return own ? `WITH ${own[1] ?? ''}${tables}, ${text.slice(own[0].length)}` : `WITH ${tables} ${text}`;
}
