import type pg from 'pg';
import type { Prepared, Statement } from './statement.ts';

/** Prepared statements of one practice. */
export interface PracticeRows {
  organizationId: number;
  /** Sends a prepared statement whose `$1` is the practice; the values are those from `$2` on. */
  rows<R extends pg.QueryResultRow>(statement: Statement<R>, values?: readonly unknown[]): Promise<R[]>;
  /** Statements that do not begin with the practice. */
  prepared: Prepared;
}

export const rowsOf = (prepared: Prepared, organizationId: number): PracticeRows => ({
  organizationId,
  prepared,
  rows: (statement, values = []) => prepared.rows(statement, [organizationId, ...values]),
});
