import type { Db } from './database.ts';
import { type Prepared, preparedIn, statement } from './statements/statement.ts';

const CLOCK = statement<{ now: Date }>('database_clock', `SELECT date_trunc('milliseconds', clock_timestamp()) AS now`);

/**
 * The current time of the database, which all processes share; not the time at which the transaction began. Statements on rows of a
 * practice take it as a value: the clock of the machine that has the rows may be another one.
 */
export const databaseTime = (db: Db): Promise<Date> => readClock(preparedIn(db));

/** As databaseTime, for who has prepared statements. */
export async function readClock(prepared: Prepared): Promise<Date> {
  const [clock] = await prepared.rows(CLOCK, []);
  return clock?.now ?? new Date();
}

/** So many milliseconds before an instant. */
export const before = (instant: Date, milliseconds: number): Date => new Date(instant.getTime() - milliseconds);
