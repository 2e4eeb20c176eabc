import pg from 'pg';

type Queryable = { query: pg.Pool['query'] | pg.Client['query'] };

/** SQLSTATE of a lock that was waited for in vain. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Makes the partitions of the logs that are missing for this month and the next three, and for past months whose rows have none.
 * @returns names of those that were made
 * @throws the error of PostgreSQL where a table was in use for longer than half a second
 */
export async function makeLogPartitions(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ made: string[] }>('SELECT make_log_partitions() AS made');
  return rows[0]?.made ?? [];
}

/** As `makeLogPartitions`, at a start: what is in use, or not divided yet, is left to the job. */
export async function makeLogPartitionsAtOnce(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ divided: boolean }>(`SELECT to_regproc('make_log_partitions') IS NOT NULL AS divided`);
  if (rows[0]?.divided !== true) return;
  await makeLogPartitions(client).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
  });
}

/** Drops the partitions of events and requests that are empty, and of a month that ended a week ago or earlier. @returns their names */
export async function dropEmptyEventPartitions(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ dropped: string[] }>('SELECT drop_empty_event_partitions() AS dropped');
  return rows[0]?.dropped ?? [];
}

/** A partition that holds the rows from an instant, or from the first one, to another. */
export interface LogPartition {
  log: string;
  name: string;
  lower: string | null;
  upper: string;
}

/** Gives logs without rows these partitions instead of theirs. @param client connected as the owner of the tables, in a transaction */
export async function replaceLogPartitions(client: pg.Client, partitions: readonly LogPartition[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM log_partitions() WHERE upper IS NOT NULL');
  for (const { name } of rows) await client.query(`DROP TABLE ${pg.escapeIdentifier(name)}`);
  for (const { log, name, lower, upper } of partitions)
    await client.query('SELECT attach_log_partition($1, $2, $3, $4)', [log, name, lower, upper]);
}
