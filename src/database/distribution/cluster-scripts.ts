import type pg from 'pg';
import { isCluster } from './cluster.ts';
import { SETTINGS, writePlacement } from './steps.ts';

/** Parts in which a semicolon ends no statement: texts, quoted names, bodies between dollars, comments. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|;/g;

/** The statements of a script, in their order. Texts with backslashes before a quote are not used in ours. */
function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const match of script.matchAll(PARTS)) {
    if (match[0] !== ';') continue;
    statements.push(script.slice(start, match.index));
    start = match.index + 1;
  }
  statements.push(script.slice(start));
  return statements.map((each) => each.trim()).filter((each) => each.replaceAll(/--[^\n]*/g, '').trim() !== '');
}

type Client = Pick<pg.ClientBase, 'query'>;

/** Where a database is on its way into a cluster. */
type Stage = 'one machine' | 'not distributed yet' | 'distributed';

async function readStage(client: Client): Promise<Stage> {
  if (!(await isCluster(client))) return 'one machine';
  const { rows } = await client.query<{ distributed: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE partmethod = 'h') AS distributed",
  );
  return rows[0]?.distributed ? 'distributed' : 'not distributed yet';
}

/** Until the tables have their places, the other nodes learn of none: what they need is made there with the places. */
export async function keepToCoordinator(client: Client): Promise<void> {
  if ((await readStage(client)) === 'not distributed yet') await client.query('SET citus.enable_ddl_propagation = off');
}

/**
 * Runs a script as one transaction. In a distributed database it is sent statement by statement, since the engine sends each on to the
 * nodes; a table that is made gets its place at once, so that keys may lead to others.
 * @param lockWaitMs milliseconds that a statement waits for a lock
 */
export async function runInStage(client: Client, script: string, lockWaitMs: number): Promise<void> {
  const stage = await readStage(client);
  if (stage === 'not distributed yet') await keepToCoordinator(client);
  if (stage !== 'distributed') {
    await client.query(`SET lock_timeout = ${lockWaitMs};\n${script}`);
    return;
  }
  await client.query('BEGIN');
  for (const setting of [`SET lock_timeout = ${lockWaitMs}`, ...SETTINGS]) await client.query(setting);
  for (const statement of splitStatements(script)) {
    await client.query(statement);
    const placing = writePlacement(statement);
    if (placing !== null) await client.query(placing);
  }
  await client.query('COMMIT');
}
