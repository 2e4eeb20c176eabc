import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { createPrepared, type Prepared, type Statement, statement } from '../../database/statement.ts';
import { JOURNAL } from '../audit/journal-entries.ts';
import type { KeyedWrite } from './journaled-statement.ts';

/**
 * A unit of work past Prisma. It is tried at once first: nothing is asked, and one statement writes all of it if what it takes
 * for granted holds. Where that does not, it is done again with care: asked first, in one transaction.
 */
export type DirectTransaction = AtOnce | WithCare;

interface Writing {
  /**
   * What is written once the job is done, with the answer that is kept.
   * @param values beside those of the journal
   */
  write(write: KeyedWrite, values: readonly unknown[]): void;
  /** What is written before the job is done, for what it returns; it takes the journal as it is then. */
  writeNow<R extends QueryResultRow>(write: Statement<R>, values: readonly unknown[]): Promise<R>;
}

export interface AtOnce extends Writing {
  careful: false;
  /** An id for a new patient. */
  patientId(): Promise<number>;
}

export interface WithCare extends Writing, Prepared {
  careful: true;
}

/** What a job took for granted does not hold: it is to be done with care. */
export class NotAtOnce extends Error {
  override name = 'NotAtOnce';
}

const BEGIN = statement<never>('begin', 'BEGIN');
const BEGIN_REPEATABLE = statement<never>('begin_repeatable', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
const COMMIT = statement<never>('commit', 'COMMIT');

/** The journal of a job. */
export interface Journaling {
  /** There is nothing in it, or a write has taken it. */
  empty(): boolean;
  /** An answer is kept with it. */
  keyed(): boolean;
  /** Takes it for a write, as values. @throws what keeps it from being written */
  withWrite(): unknown[];
  /** The values of JOURNAL. @throws what keeps it from being written */
  alone(): unknown[];
}

type Ask = Prepared['rows'];
/** Sends a statement whose values are made when there is a connection for it: until then, nothing is about to be written. */
type Send = <R extends QueryResultRow>(to: Statement<R>, values: () => readonly unknown[]) => Promise<R[]>;
type Planned = { write: KeyedWrite; values: readonly unknown[] };

/** The part that both ways have in common: a job that writes with its journal, once. */
async function doAndWrite<T>(send: Send, journal: Journaling, job: (writing: Writing) => Promise<T>): Promise<T> {
  const planned: Planned[] = [];
  const write = async <R extends QueryResultRow>(to: Statement<R>, values: () => readonly unknown[]): Promise<R> => {
    const [row] = await send(to, values);
    if (!row) throw new NotAtOnce('what was taken for granted does not hold');
    return row;
  };
  const result = await job({
    write: (to, values) => {
      planned.push({ write: to, values });
    },
    writeNow: (to, values) => write(to, () => [...journal.withWrite(), ...values]),
  });
  const [last] = planned;
  if (last) await write(journal.keyed() ? last.write.keyed : last.write.plain, () => [...journal.withWrite(), ...last.values]);
  else if (!journal.empty()) await send(JOURNAL, () => journal.alone());
  return result;
}

/** @throws NotAtOnce where it has to be done with care; nothing was written then */
export function runAtOnce<T>(
  pool: Pool,
  patientId: () => Promise<number>,
  journal: Journaling,
  job: (tx: DirectTransaction) => Promise<T>,
): Promise<T> {
  const send: Send = (to, values) => onConnection(pool, (client) => createPrepared(client).rows(to, values()));
  return doAndWrite(send, journal, (writing) => job({ careful: false, patientId, ...writing }));
}

/**
 * In one transaction.
 * @param repeatable one state of the database throughout
 */
export const runWithCare = <T>(
  pool: Pool,
  repeatable: boolean,
  journal: Journaling,
  job: (tx: DirectTransaction) => Promise<T>,
): Promise<T> =>
  inTransaction(
    pool,
    ({ rows }) =>
      doAndWrite(
        (to, values) => rows(to, values()),
        journal,
        (writing) => job({ careful: true, rows, ...writing }),
      ),
    repeatable ? BEGIN_REPEATABLE : BEGIN,
  );

/** Does a job on a connection of its own, past Prisma. */
async function onConnection<T>(pool: Pool, job: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The statement under way hears of a lost connection; unheard beside it, the event would end the process.
  client.on('error', unheard);
  try {
    return await job(client);
  } finally {
    client.off('error', unheard);
    client.release();
  }
}

const unheard = () => {};

/** Commits what a job does on a connection of its own, past Prisma, or takes all of it back. */
export const inTransaction = <T>(pool: Pool, job: (tx: Prepared) => Promise<T>, begin = BEGIN): Promise<T> =>
  onConnection(pool, (client) => committed(client, job, begin));

/**
 * Statements of one turn of the loop leave in one write to the socket, which costs more than most of them: BEGIN goes with the
 * first question.
 */
async function committed<T>(client: PoolClient, job: (tx: Prepared) => Promise<T>, begin: Statement<never>): Promise<T> {
  const { rows } = createPrepared(client);
  const ask: Ask = (read, values) => {
    holdTurn(client);
    return rows(read, values);
  };
  const begun = ask(begin, []);
  // Not waited for here: should it fail, so does what follows it.
  begun.catch(() => {});
  try {
    const result = await job({ rows: ask });
    await Promise.all([begun, ask(COMMIT, [])]);
    return result;
  } catch (error) {
    // Where nobody hears of it, the pool closes the connection (database.ts).
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Keeps what is written to the database until this turn of the loop ends. */
function holdTurn({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
