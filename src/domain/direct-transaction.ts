import type { PoolClient } from 'pg';
import { createPrepared, type Prepared, type Statement, statement } from './reads/statement.ts';
import { JOURNAL, type WriteWithJournal } from './recording.ts';

/**
 * A unit of work past Prisma, on one connection: questions, and at the end one write that takes the journal with it. A write is
 * one statement, so it needs no transaction to be all or nothing.
 */
export interface DirectTransaction extends Prepared {
  /** From here on everything is in one transaction, for locks that are to last until its end. */
  begin(): void;
  /** The job was overtaken before: what it is going to change it should now hold. */
  anew: boolean;
  /** What is written once the job is done. It says itself when what was read before no longer stands, and then writes nothing. */
  write(write: WriteWithJournal, values: readonly unknown[]): void;
}

/** What a write found was not as it was read: another came first. */
export class Overtaken extends Error {
  override name = 'Overtaken';
}

const BEGIN = statement<never>('begin', 'BEGIN');
const BEGIN_REPEATABLE = statement<never>('begin_repeatable', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
const COMMIT = statement<never>('commit', 'COMMIT');

export interface DirectOptions {
  /** One state of the database throughout. */
  repeatable: boolean;
  /** In a transaction from the start. */
  locks: boolean;
  anew: boolean;
  /** The values of the journal, once the job is done; null where there is nothing to write. @throws what keeps it from being written */
  finish: () => unknown[] | null;
}

/**
 * Runs a job and then its write. Statements of one turn of the loop leave in one write to the socket, which costs more than
 * most of them: BEGIN goes with the first question, COMMIT with the write.
 * @throws Overtaken when the write did nothing
 */
export async function runDirectly<T>(
  client: PoolClient,
  job: (tx: DirectTransaction) => Promise<T>,
  { repeatable, locks, anew, finish }: DirectOptions,
): Promise<T> {
  const { rows } = createPrepared(client);
  const sent: Promise<unknown>[] = [];
  let begun = false;
  let last: { write: WriteWithJournal; values: readonly unknown[] } | null = null;
  const ask: Prepared['rows'] = (read, values) => {
    holdTurn(client);
    return rows(read, values);
  };
  /** Not waited for here: should it fail, so does what follows it. */
  const send = (control: Statement<never>) => {
    const done = ask(control, []);
    done.catch(() => {});
    sent.push(done);
  };
  const begin = () => {
    if (!begun) send(repeatable ? BEGIN_REPEATABLE : BEGIN);
    begun = true;
  };
  const plan: DirectTransaction['write'] = (write, values) => {
    last = { write, values };
  };
  try {
    if (repeatable || locks || anew) begin();
    const result = await job({ rows: ask, begin, anew, write: plan });
    const written = write(ask, last, finish());
    if (begun) send(COMMIT);
    await Promise.all([written, ...sent]);
    return result;
  } catch (error) {
    // Where nobody hears of it, the pool closes the connection (database.ts).
    if (begun) await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function write(
  ask: Prepared['rows'],
  last: { write: WriteWithJournal; values: readonly unknown[] } | null,
  journal: unknown[] | null,
): Promise<void> {
  if (last === null) {
    if (journal) await ask(JOURNAL, journal);
    return;
  }
  if (journal === null) throw new Error('a write leaves nothing in the journal');
  const [outcome] = await ask(last.write, [...journal, ...last.values]);
  if (!outcome?.done) throw new Overtaken('what was read was changed by another');
}

/** Keeps what is written to the database until this turn of the loop ends. */
function holdTurn({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
