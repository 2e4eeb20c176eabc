import { statement, unnamed } from '../../../database/statements/statement.ts';
import { MOVING_TABLES } from './merged-tables.ts';

/** A row of `patient` as JSON, by its columns. */
export type ChartColumns = Readonly<Record<string, unknown>>;

export interface ChartToMerge {
  chart: ChartColumns;
  copies: number;
}

/** Locks charts, in the order of their ids, and reads them. Values: organization, charts. */
export const LOCK_CHARTS = statement<{ id: number }>(
  'lock_charts_to_merge',
  'SELECT p.id FROM patient p WHERE p.organization_id = $1 AND p.id = ANY ($2::int[]) ORDER BY p.id FOR UPDATE',
);

/** Values: organization, chart. */
export const CHART_TO_MERGE = statement<ChartToMerge>(
  'chart_to_merge',
  `SELECT to_jsonb(p) AS chart, (SELECT count(*)::int FROM patient c WHERE c.organization_id = $1 AND c.enterprise_id = $2) AS copies
     FROM patient p WHERE p.organization_id = $1 AND p.id = $2`,
);

/** Gives a chart columns of another one. Values: organization, the chart, the other. */
export const takeColumns = (columns: readonly string[]) =>
  unnamed<never>(`UPDATE patient w SET updated_at = now(), ${columns.map((column) => `${column} = l.${column}`).join(', ')}
     FROM patient l WHERE w.organization_id = $1 AND w.id = $2 AND l.organization_id = $1 AND l.id = $3`);

/** Gives a chart the values of columns back. Values: organization, chart, the values as JSON. */
export const restoreColumns = (columns: readonly string[]) =>
  unnamed<never>(`UPDATE patient w SET updated_at = now(), ${columns.map((column) => `${column} = r.${column}`).join(', ')}
     FROM jsonb_populate_record(NULL::patient, $3::jsonb) AS r WHERE w.organization_id = $1 AND w.id = $2`);

/** Gives or takes a medical record number. Values: organization, chart, the number or null. */
export const SET_RECORD_NUMBER = statement<never>(
  'merge_record_number',
  'UPDATE patient SET medical_record_no = $3::text WHERE organization_id = $1 AND id = $2',
);

/** Values: organization, chart, status, the chart that it leads to or null. */
export const SET_MERGED_INTO = statement<never>(
  'set_merged_into',
  `UPDATE patient SET status = $3::patient_status, merged_into_id = $4::int, updated_at = now() WHERE organization_id = $1 AND id = $2`,
);

/** Lets charts that lead to one chart lead to another. Values: organization, from, to. */
export const LEAD_ON = statement<never>(
  'merged_lead_on',
  'UPDATE patient SET merged_into_id = $3::int WHERE organization_id = $1 AND merged_into_id = $2::int',
);

/** Lets charts that were merged into the one that is there again lead to it. Values: organization, the one, to which they lead. */
export const LEAD_BACK = statement<never>(
  'merged_lead_back',
  `UPDATE patient p SET merged_into_id = $2::int FROM patient_merge m
    WHERE p.organization_id = $1 AND p.merged_into_id = $3::int AND p.id <> $2::int
      AND m.organization_id = $1 AND m.patient_id = $2::int AND m.from_patient_id = p.id AND m.undone_at IS NULL`,
);

/** Makes the database look again whether charts are restricted: its trigger decides. Values: organization, charts. */
export const RENEW_RESTRICTED = statement<never>(
  'renew_restricted',
  'UPDATE patient SET restricted = NOT restricted WHERE organization_id = $1 AND id = ANY ($2::int[])',
);

/** The rows of a table that move, and their new numbers where they have some. */
function whereMoving({ table, of = 'patient_id', by, only, unless, numbered }: (typeof MOVING_TABLES)[number], chosen: string): string {
  const next =
    numbered === undefined
      ? ''
      : `, (SELECT coalesce(max(w.${numbered}), 0) FROM ${table} w WHERE w.organization_id = $1 AND w.patient_id = $3::int)
           + row_number() OVER (ORDER BY t.${numbered}) AS next`;
  const kept =
    unless === undefined ? '' : ` AND NOT EXISTS (SELECT FROM ${table} w WHERE w.organization_id = $1 AND w.${of} = $3::int AND ${unless})`;
  return `SELECT t.${by} AS key${next} FROM ${table} t WHERE t.organization_id = $1 AND t.${of} = $2::int AND ${chosen}${only === undefined ? '' : ` AND ${only}`}${kept}`;
}

const writeMove = (moves: (typeof MOVING_TABLES)[number], chosen: string) => {
  const { table, of = 'patient_id', by, also, numbered } = moves;
  const sets = [of, also].flatMap((column) => (column === undefined ? [] : `${column} = $3::int`));
  const number = numbered === undefined ? [] : [`${numbered} = n.next`];
  return `WITH n AS MATERIALIZED (${whereMoving(moves, chosen)})
   UPDATE ${table} t SET ${[...sets, ...number].join(', ')} FROM n
    WHERE t.organization_id = $1 AND t.${of} = $2::int AND t.${by} = n.key
   RETURNING n.key`;
};

/** For each table, what moves its rows from a chart to another. Values: organization, from, to. */
export const MOVES = MOVING_TABLES.map((of) => ({
  table: of.name,
  move: statement<{ key: string | number }>(`merge_${of.name}`, writeMove(of, 'true')),
  /** Of the rows that moved before, those that are still where they went. Values: organization, from, to, keys. */
  moveBack: statement<{ key: string | number }>(`unmerge_${of.name}`, writeMove(of, `t.${of.by}::text = ANY ($4::text[])`)),
}));

/** A month that was closed since an instant. Values: organization, the instant. */
export const MONTHS_CLOSED_SINCE = statement<{ month: string }>(
  'months_closed_since',
  'SELECT c.month FROM closed_month c WHERE c.organization_id = $1 AND c.closed_at > $2::timestamptz ORDER BY c.month LIMIT 1',
);
