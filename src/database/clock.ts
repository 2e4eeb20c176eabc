import type { Db } from './database.ts';

/**
 * The current time of the database, which all processes share; not the time at which the transaction began. Statements on rows of a
 * practice take it as a value: the clock of the machine that has the rows may be another one.
 */
export async function databaseTime(db: Db): Promise<Date> {
  const [clock] = await db.$queryRaw<{ now: Date }[]>`SELECT date_trunc('milliseconds', clock_timestamp()) AS now`;
  return clock?.now ?? new Date();
}

/** So many milliseconds before an instant. */
export const before = (instant: Date, milliseconds: number): Date => new Date(instant.getTime() - milliseconds);
