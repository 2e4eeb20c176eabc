import type { Config } from '../../config/config.ts';
import { describeError } from '../../database/connections/single-connection.ts';
import type { Session } from '../terminal/session.ts';

export type State = 'ok' | 'warn' | 'fail';

/** The result of one check. It names no patient, and no value of a record. */
export interface Finding {
  /** Name of the check, which never changes: probes read it. */
  check: string;
  state: State;
  found: string;
  /** A sentence about what to do; null where nothing has to be done. */
  advice: string | null;
  /** Numbers behind the sentence, in the unit that the name ends with. */
  figures: Readonly<Record<string, number>>;
}

/** A finding without the name of its check. */
export type Result = Omit<Finding, 'check'>;

type Figures = Finding['figures'];

export const ok = (found: string, figures: Figures = {}): Result => ({ state: 'ok', found, advice: null, figures });
export const warn = (found: string, advice: string, figures: Figures = {}): Result => ({ state: 'warn', found, advice, figures });
export const fail = (found: string, advice: string, figures: Figures = {}): Result => ({ state: 'fail', found, advice, figures });

/** A result by how far a number has come. @param limits from which on it is a warning, and a failure */
export function byLimit(
  value: number,
  limits: { warn: number; fail: number },
  { found, advice, figures }: { found: string; advice: string; figures: Figures },
): Result {
  if (value < limits.warn) return ok(found, figures);
  return value < limits.fail ? warn(found, advice, figures) : fail(found, advice, figures);
}

/** Looks at one thing. It changes nothing that anybody would notice. */
export interface Check<Subject> {
  name: string;
  look(subject: Subject): Promise<Result>;
}

/** A look at what surrounds the server; the database may be down. */
export type OutsideCheck = Check<Config>;

/** A look at the database, or with its help. */
export type DatabaseCheck = Check<Session>;

/** The message of an error in one line of at most 200 characters. */
export const describeInOneLine = (error: unknown): string => describeError(error).replaceAll(/\s+/g, ' ').trim().slice(0, 200);
