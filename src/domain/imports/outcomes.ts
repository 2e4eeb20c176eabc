import { Failure, type Issue } from '../errors.ts';
import type { Decision } from './import-kinds.ts';

/** The outcome of a row: `match` is the chart of the same person, where that is how the row was decided. */
export type Outcome =
  | { outcome: 'created' | 'updated' | 'skipped'; match?: number }
  | { outcome: 'refused'; issues: readonly Pick<Issue, 'field' | 'message'>[] };

export interface ReadRow<T> {
  values: T;
  decision: Decision;
}

export type Refusal = Extract<Outcome, { outcome: 'refused' }>;

/** The result of `work` on a row, or the failure with which it refuses the row. @throws any error that is no refusal */
export function orFailure<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error;
  }
}

/** The refusal of a row. @throws the error itself where it is no refusal */
export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof Failure) || ['unavailable', 'internal'].includes(error.kind)) throw error;
  return { outcome: 'refused', issues: error.issues.length > 0 ? error.issues : [{ field: '', message: error.message }] };
}
