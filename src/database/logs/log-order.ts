import type pg from 'pg';
import { isCluster } from '../distribution/cluster.ts';
import { type Prepared, statement } from '../statements/statement.ts';

const HORIZON = statement<{ horizon: number }>('log_horizon', 'SELECT log_horizon() AS horizon');

/**
 * The position in the order of the logs below which all transactions have ended: nothing can be added there. Statements on rows of a
 * practice take it as a value, since the numbers of transactions are those of one machine.
 */
export async function readHorizon(prepared: Prepared): Promise<number> {
  const [row] = await prepared.rows(HORIZON, []);
  if (!row) throw new Error('a statement without rows of its own has one row');
  return row.horizon;
}

/** Highest transaction number in the logs; one step down an index for each organization. */
const highestLogged: OfPractices = (practices) => `
  SELECT (SELECT coalesce(greatest(
    max((SELECT max(e.transaction_id) FROM event e WHERE e.organization_id = o.id)),
    max((SELECT max(a.transaction_id) FROM audit_entry a WHERE a.organization_id = o.id))), 0) FROM ${practices} AS o)::text AS highest`;

/** Where rows are on several nodes, each asks for the practices that it has: those with a user, an office or a seal. */
const PRACTICES_ON_NODES = `(SELECT u.organization_id AS id FROM "user" u
    UNION SELECT o.organization_id FROM office o
    UNION SELECT h.organization_id FROM audit_head h)`;

/** The text of a statement over practices: their ids are rows, as `id`. */
export type OfPractices = (practices: string) => string;

/** Sends a statement over the practices that may have written a log. */
export async function rowsOfPracticesWithLogs<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: OfPractices,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await pool.query<R>(text(await practicesIn(pool)), [...values])).rows;
}

/** The practices that may have written a log. */
const practicesIn = async (db: Queryable): Promise<string> => ((await isCluster(db)) ? PRACTICES_ON_NODES : 'organization');

async function highestIn(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ highest: string }>(highestLogged(await practicesIn(db)));
  return BigInt(rows[0]?.highest ?? 0);
}

type Queryable = { query: pg.Client['query'] };

/** Whether the next transaction number is below those in the logs, as after a restore into another cluster. */
export async function areLogsBehind(db: pg.Pool | pg.Client): Promise<boolean> {
  const highest = await highestIn(db);
  const { rows } = await db.query<{ behind: boolean }>('SELECT $1::bigint >= log_transaction() AS behind', [highest]);
  return rows[0]?.behind === true;
}

/**
 * Transaction numbers that may have been used between the making of a copy and the loss of its database: at a thousand writes a second,
 * those of 49 days. Readers hold positions among them, and new rows of the logs come after.
 */
const LOST_NUMBERS = 2n ** 32n;

/**
 * Transaction ids start low again in a cluster that a dump was restored into, and new log rows would sort before the existing
 * ones: readers with a later cursor would never see them. The offset makes up for the difference. It is raised while nothing
 * is being logged, so that no number between the old and the new order is used later.
 * @param client connected as the owner of the tables
 * @param isCopy whether the database is known to be a copy of an earlier state, which its numbers do not tell where they go on
 */
export async function keepLogsInOrder(client: pg.Client, isCopy: boolean): Promise<void> {
  if (!isCopy && !(await areLogsBehind(client))) return;
  await client.query('BEGIN');
  await client.query('LOCK TABLE event, audit_entry IN SHARE ROW EXCLUSIVE MODE');
  await raiseLogsAbove(client, await highestIn(client));
  await client.query('COMMIT');
}

/**
 * Raises the order of the logs above a position and the present one, and above all that may have been handed out since the copy was made
 * in which they are the last.
 * @param client connected as the owner of the tables, in a transaction
 */
export async function raiseLogsAbove(client: pg.Client, position: bigint): Promise<void> {
  const { rows } = await client.query<{ present: string }>('SELECT log_transaction()::text AS present');
  const present = BigInt(rows[0]?.present ?? 0);
  const raised = (position > present ? position : present) + LOST_NUMBERS;
  await client.query('UPDATE log_epoch SET transaction_offset = transaction_offset + $1::bigint', [raised - present]);
}
