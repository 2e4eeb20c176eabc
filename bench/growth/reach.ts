import pg from 'pg';
import { z } from 'zod';
import { connectionOptions } from '../../src/database/database.ts';
import type { Statement } from '../../src/database/statements/statement.ts';
import { PATIENT_RECORD_BY_ID, PATIENT_RECORDS_BY_IDS } from '../../src/domain/patients/record/record.sql.ts';
import { type FoundPage, searchStatements } from '../../src/domain/patients/search/search.sql.ts';

/** The part of the database that one statement reads: independent of the clock and of other processes. */
export interface Reach {
  title: string;
  /** Rows returned, or counted by a total. */
  rows: number;
  /** Reads of 8 KiB pages. */
  pages: number;
  /** The kinds of scans, and what they read. */
  scans: string[];
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Node[] | undefined;
}
const node: z.ZodType<Node> = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Shared Hit Blocks': z.number(),
  'Shared Read Blocks': z.number(),
  get Plans() {
    return z.array(node).optional();
  },
});
const explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: node })]) })]);

const listNodes = (plan: Node): Node[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

const PAGE = 50;
const NAME = 'smith';
const BY_LAST_NAME = { lastName: true, firstName: false, office: false };

/** The pages read by the statements of a name search and of one record, with their generic plans. */
export async function reaches(url: string, organizationId: number, patientId: number): Promise<Reach[]> {
  const client = new pg.Client(connectionOptions(url, 60_000));
  await client.connect();
  try {
    await client.query('SET plan_cache_mode = force_generic_plan');
    const { page, pageAfter } = searchStatements(BY_LAST_NAME);
    const first = [organizationId, NAME, PAGE, 0];
    const { rows } = await client.query<FoundPage>(page.text, first);
    const { total, ids } = rows[0] ?? { total: 0, ids: '{}' };
    const found = await readPlan(client, page, first);
    const later = await readPlan(client, pageAfter, [organizationId, NAME, PAGE, 0, NAME, 'm', patientId]);
    return [
      { title: 'ids of a first page of 50', rows: PAGE, ...measureReach(part(found, 'Limit')) },
      { title: 'ids of a page in the middle', rows: PAGE, ...measureReach(part(later, 'Limit')) },
      {
        title: 'records of a page',
        rows: PAGE,
        ...measureReach(await readPlan(client, PATIENT_RECORDS_BY_IDS, [organizationId, ids, '2026-11-01'])),
      },
      { title: 'exact total of the search', rows: total, ...measureReach(part(found, 'Aggregate')) },
      {
        title: 'one patient',
        rows: 1,
        ...measureReach(await readPlan(client, PATIENT_RECORD_BY_ID, [organizationId, patientId, '2026-11-01'])),
      },
    ];
  } finally {
    await client.end();
  }
}

async function readPlan(client: pg.Client, { text }: Statement<pg.QueryResultRow>, values: unknown[]): Promise<Node> {
  await client.query(`PREPARE reached AS ${text}`);
  const literals = values.map((value) => (typeof value === 'number' ? String(value) : client.escapeLiteral(String(value))));
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE reached (${literals.join(', ')})`);
  await client.query('DEALLOCATE reached');
  return explained.parse(rows)[0]['QUERY PLAN'][0].Plan;
}

/** A page's ids and its total are parts of one statement: one ends in a limit, the other in a count. */
function part(plan: Node, kind: 'Limit' | 'Aggregate'): Node {
  const found = plan.Plans?.find((one) => one['Node Type'] === kind);
  if (!found) throw new Error(`the search has no ${kind} in its plan any more`);
  return found;
}

/** PostgreSQL counts the buffers of a node in the node and in all of its ancestors. */
function measureReach(plan: Node): Pick<Reach, 'pages' | 'scans'> {
  const scans = listNodes(plan).flatMap((one) =>
    one['Relation Name'] === undefined ? [] : `${one['Node Type']} of ${one['Index Name'] ?? one['Relation Name']}`,
  );
  return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scans: [...new Set(scans)] };
}
