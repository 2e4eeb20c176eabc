import type pg from 'pg';
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

/** Milliseconds by which the clocks of a process and of its database may differ. Codes and links end by the clock of either. */
export const CLOCK_MS = { warn: 2_000, fail: 30_000 } as const;

/**
 * Milliseconds by which this machine's clock is ahead of the database's, from the quickest of some questions: the others waited longer on
 * their way.
 */
export async function measureClock(pool: pg.Pool, { probes = 3 } = {}): Promise<number> {
  const client = await pool.connect();
  try {
    const answers: { took: number; difference: number }[] = [];
    for (let probe = 0; probe < probes; probe += 1) {
      const [asked, begun] = [Date.now(), performance.now()];
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      const took = performance.now() - begun;
      answers.push({ took, difference: Math.round(asked + took / 2 - Number(rows[0]?.now ?? 0)) });
    }
    return answers.sort((one, other) => one.took - other.took)[0]?.difference ?? 0;
  } finally {
    client.release();
  }
}

/** @param difference as of measureClock */
export const describeClock = (difference: number): string =>
  `this machine's clock is ${Math.abs(difference)} ms ${difference < 0 ? 'behind' : 'ahead of'} the database's`;

/** So many milliseconds before an instant. */
export const before = (instant: Date, milliseconds: number): Date => new Date(instant.getTime() - milliseconds);
