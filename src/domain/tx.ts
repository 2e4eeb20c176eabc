import type { Db } from '../database/database.ts';
import { type PracticeRows, rowsOf } from '../database/statements/practice-rows.ts';
import { preparedIn, type Statement } from '../database/statements/statement.ts';
import { sendLater } from '../database/transaction.ts';
import type { Caller, CallerIdentity } from './caller.ts';
import { emptyJournal } from './journal.ts';
import { preparedFor } from './opened-charts.sql.ts';

/**
 * One practice on a connection. Statements of one turn of the event loop leave together, so send those that do not depend on each other
 * before you await one.
 */
export interface PracticeTx extends PracticeRows {
  /** Prisma's client, for what is rare. */
  prisma: Db;
  /** Sends a write, whose `$1` is the practice too, and whose answer nobody needs: it leaves with the next statements, the commit at the latest. */
  later(write: Statement<never>, values?: readonly unknown[]): void;
  /** The practice in a query of Prisma: `{ ...tx.practice, patientId }`. */
  practice: { readonly organizationId: number };
  /** A row of the practice, for Prisma. */
  key<I>(id: I): { organizationId_id: { organizationId: number; id: I } };
}

/** The same with who acts there, before a unit of work. */
export interface IdentityTx extends PracticeTx, CallerIdentity {}

/** One practice on a connection, who acts there, and the journal of what is done: the first parameter of nearly all functions of the domain. */
export interface Tx extends PracticeTx, Caller {}

/** @param db a client of Prisma, or of a transaction that inDbTransaction began */
export function inPractice(db: Db, organizationId: number, prepared = preparedIn(db)): PracticeTx {
  return {
    ...rowsOf(prepared, organizationId),
    prisma: db,
    practice: { organizationId },
    later: (write, values = []) => sendLater(db, write, [organizationId, ...values]),
    key: (id) => ({ organizationId_id: { organizationId, id } }),
  };
}

/** The same for a caller, to whom restricted charts that they have opened read as others, in writes too. */
export const txOf = <C extends Pick<Caller, 'organizationId' | 'openedCharts'>>(db: Db, caller: C): PracticeTx & C => ({
  ...caller,
  ...inPractice(db, caller.organizationId, preparedFor(preparedIn(db), caller)),
});

/** The same without the charts that the caller opened: for what must not depend on who acts. */
export const withoutOpened = (tx: Tx): Tx => ({ ...tx, ...inPractice(tx.prisma, tx.organizationId) });

/** The same for looks at a record that are part of something which is recorded by itself, and that show it to nobody. */
export const unrecorded = (tx: Tx): Tx => ({ ...tx, journal: emptyJournal() });
