import type pg from 'pg';
import type { Db } from './database.ts';

/**
 * The packed form of a list of wide rows (see packed-rows.ts): PostgreSQL writes each row as one text, because reading it
 * column by column costs the driver more than all later work on it.
 */
export interface Packed<R extends pg.QueryResultRow> {
  /** The statement for the same rows by columns. */
  readonly byColumns: Statement<R>;
  /** @returns null if a value contains the separator: the rows are then read by columns */
  unpack(rows: readonly (readonly string[])[]): R[] | null;
}

/**
 * A prepared statement of a hot read; `R` is what one of its rows is to the driver. Texts are constants: what differs from
 * call to call is a parameter. All of them stand in this folder, and a test holds each to its plan.
 */
export interface Statement<R extends pg.QueryResultRow> {
  /** Names the statement on each connection, where it is planned once. */
  readonly name: string;
  readonly text: string;
  /** Where it answers with one text a row. */
  readonly packed?: Packed<R>;
  /** Only for its type. */
  readonly row?: R;
}

/** How hot reads reach the database: past Prisma, over the same pool. */
export interface Prepared {
  rows<R extends pg.QueryResultRow>(statement: Statement<R>, values: readonly unknown[]): Promise<R[]>;
}

/** How long what hardly ever changes is remembered, in milliseconds: as long as the database's word on a token is believed. */
const REMEMBERED_MS = 800;
const MOST_REMEMBERED = 5_000;

/**
 * Answers of a question about an organization that many requests ask anew, each kept for less than a second. Only for what
 * nobody looks for at once after changing it.
 */
export function remembering<T>(ask: (prepared: Prepared, organizationId: number) => Promise<T>) {
  const known = new WeakMap<Prepared, Map<number, { until: number; answer: Promise<T> }>>();
  return (prepared: Prepared, organizationId: number): Promise<T> => {
    const answers = known.get(prepared) ?? new Map<number, { until: number; answer: Promise<T> }>();
    known.set(prepared, answers);
    const standing = answers.get(organizationId);
    if (standing && standing.until > performance.now()) return standing.answer;
    if (answers.size >= MOST_REMEMBERED) answers.clear();
    const answer = ask(prepared, organizationId);
    answers.set(organizationId, { until: performance.now() + REMEMBERED_MS, answer });
    answer.catch(() => answers.delete(organizationId));
    return answer;
  };
}

export function statement<R extends pg.QueryResultRow>(name: string, text: string): Statement<R> {
  return { name, text };
}

/** An instant in UTC as it is shown, written by the database: a date of JavaScript costs a list more than its query. */
export const written = (instant: string) => `to_char(${instant}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** @param on the pool, or the connection of a transaction */
export function createPrepared(on: pg.Pool | pg.ClientBase): Prepared {
  const rows = async <R extends pg.QueryResultRow>({ name, text, packed }: Statement<R>, values: readonly unknown[]): Promise<R[]> => {
    const question = { name, text, values: [...values] };
    if (!packed) return (await on.query<R>(question)).rows;
    const answer = await on.query<string[]>({ ...question, rowMode: 'array' });
    return packed.unpack(answer.rows) ?? rows(packed.byColumns, values);
  };
  return { rows };
}

/** The same reads inside a transaction, which sees its own rows. Their texts are constant; what differs are the values. */
export const preparedIn = (db: Db): Prepared => ({
  rows: <R extends pg.QueryResultRow>({ text, packed }: Statement<R>, values: readonly unknown[]) =>
    db.$queryRawUnsafe<R[]>(packed?.byColumns.text ?? text, ...values),
});
