import pg from 'pg';
import { z } from 'zod';
import { connectionOptions } from '../../src/database/database.ts';
import { closedAfterAll, createTestDatabase } from './app.ts';
import { asSuperuser } from './database-roles.ts';

/** A plan for any values, or for the values at hand. */
export const PLAN_MODES = ['generic', 'custom'] as const;
/** Beside them, the plan that PostgreSQL chooses by itself for a statement that a connection runs again and again. */
export type PlanMode = (typeof PLAN_MODES)[number] | 'chosen';

/** From the sixth time on a prepared statement may get a plan for any values. */
const RUNS_BEFORE_A_CHOICE = 6;

/** A step of a plan, in PostgreSQL's words. The figures are there when the statement was run. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Index Cond'?: string | undefined;
  Filter?: string | undefined;
  'Actual Rows'?: number | undefined;
  'Actual Loops'?: number | undefined;
  'Rows Removed by Filter'?: number | undefined;
  Plans?: PlanNode[] | undefined;
}

const planNode: z.ZodType<PlanNode> = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Index Cond': z.string().optional(),
  Filter: z.string().optional(),
  'Actual Rows': z.number().optional(),
  'Actual Loops': z.number().optional(),
  'Rows Removed by Filter': z.number().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
const explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: planNode })]) })]);

/**
 * A database of this test file alone with many rows, and a superuser's connection to it under the settings of the server.
 * @param fill scripts, each sent as a whole: VACUUM needs to stand alone
 */
export async function openFilledDatabase(...fill: string[]): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(asSuperuser(await createTestDatabase()), 60_000));
  await client.connect();
  await closedAfterAll({ close: () => client.end() });
  for (const script of fill) await client.query(script);
  return client;
}

/**
 * The steps of the plan of a statement, from the outermost; unless `run` is false, it is run and the steps have figures. The transaction is
 * rolled back, also one that the caller began: the next statement finds the same rows, whether this one failed or not.
 * @param values a list of them, or the SQL of that list
 */
export async function explain(
  client: pg.Client,
  { text }: { text: string },
  values: unknown[] | string,
  { mode, run = true }: { mode: PlanMode; run?: boolean },
): Promise<PlanNode[]> {
  try {
    await client.query(`BEGIN; SET plan_cache_mode = ${mode === 'chosen' ? 'auto' : `force_${mode}_plan`}`);
    await client.query(`PREPARE explained AS ${text}`);
    const parameters = values.length === 0 ? '' : ` (${typeof values === 'string' ? values : literals(values)})`;
    if (mode === 'chosen') for (let time = 0; time < RUNS_BEFORE_A_CHOICE; time += 1) await client.query(`EXECUTE explained${parameters}`);
    const options = run ? 'ANALYZE, TIMING OFF, FORMAT JSON' : 'FORMAT JSON';
    const { rows } = await client.query(`EXPLAIN (${options}) EXECUTE explained${parameters}`);
    return listSteps(explained.parse(rows)[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('ROLLBACK; DEALLOCATE ALL');
  }
}

const listSteps = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listSteps)];

/** Values as SQL writes them. */
export const literals = (values: unknown[]): string =>
  values
    .map((value) => {
      if (value === null) return 'NULL';
      if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
      return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value));
    })
    .join(', ');

export const nodeTypes = (steps: PlanNode[]): string[] => steps.map((step) => step['Node Type']);

/** The log that a partition belongs to; the name of any other table as it is. */
const toLog = (table: string): string => table.replace(/^(event|audit_entry)_(default|\d{4}_\d\d)$/, '$1');

/** Tables that are read from one end to the other. A partition without rows has no other end. */
export const fullyRead = (steps: PlanNode[]): string[] =>
  steps.flatMap((step) => {
    const table = step['Node Type'] === 'Seq Scan' ? step['Relation Name'] : undefined;
    if (table === undefined) return [];
    const isEmpty = toLog(table) !== table && step['Actual Rows'] !== undefined && rowsTouched(step) === 0;
    return isEmpty ? [] : [toLog(table)];
  });

export const indexesIn = (steps: PlanNode[]): string[] => steps.flatMap((step) => step['Index Name'] ?? []);

/** Rows that one step handed on, over all its loops. */
export const countRows = (step: PlanNode): number => (step['Actual Rows'] ?? 0) * (step['Actual Loops'] ?? 1);

/** Rows that one step looked at, whether it handed them on or not. */
export const rowsTouched = (step: PlanNode): number =>
  ((step['Actual Rows'] ?? 0) + (step['Rows Removed by Filter'] ?? 0)) * (step['Actual Loops'] ?? 1);

/** Rows that the largest step handed on. */
export const mostRows = (steps: PlanNode[]): number => Math.max(...steps.map(countRows));
