/**
 * The one catalogue of what can go wrong. Domain and HTTP code throw these; each dialect's errors.ts alone makes a
 * status and a body of them. Messages are public: they never hold patient data, SQL or paths.
 */
export type FailureKind =
  | 'invalid' // the input is wrong; `issues` says where
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed' // the path is known, and takes other methods
  | 'conflict'
  | 'gone' // it was there, and is kept no longer
  | 'precondition_failed' // If-Match no longer holds
  | 'unprocessable' // well formed, yet cannot be done
  | 'too_large'
  | 'range_not_satisfiable' // of a file that is shorter
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'unavailable' // the database or a provider does not answer
  | 'internal';

export interface Issue {
  /** The field by the domain's name, which each dialect translates: a name, or a path such as `userIds.0`. */
  field: string;
  code: string;
  message: string;
  /** The field was not sent at all. */
  missing?: boolean;
  /** Another field that may be given instead, named as `field` is. */
  alternative?: string;
}

interface FailureOptions {
  issues?: Issue[];
  retryAfter?: number;
  cause?: unknown;
  /** Response headers that the failure brings along, such as WWW-Authenticate. */
  headers?: Record<string, string>;
  /** Members of the response beside those of every failure, by their names on the wire; for dialects that have room for them. */
  extensions?: Record<string, unknown>;
}

export class Failure extends Error {
  readonly kind: FailureKind;
  /** Stable, for programs: `appointment_not_found`. */
  readonly code: string;
  readonly issues: Issue[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  readonly extensions: Record<string, unknown>;

  constructor(kind: FailureKind, code: string, message: string, options: FailureOptions = {}) {
    const { issues = [], retryAfter, cause, headers = {}, extensions = {} } = options;
    super(message, { cause });
    this.kind = kind;
    this.code = code;
    this.issues = issues;
    this.retryAfter = retryAfter;
    this.headers = headers;
    this.extensions = extensions;
  }
}

export const invalid = (field: string, message: string, code = 'invalid') =>
  new Failure('invalid', 'invalid_input', `${field}: ${message}`, { issues: [{ field, code, message }] });

/** A field is needed, and was not given. */
export const missing = (field: string) =>
  new Failure('invalid', 'invalid_input', `${field}: is missing`, {
    issues: [{ field, code: 'missing', message: 'is missing', missing: true }],
  });

export const neitherGiven = (field: string, alternative: string) =>
  new Failure('invalid', 'invalid_input', `${field}: must be given, or ${alternative}`, {
    issues: [{ field, code: 'missing', message: 'must be given', alternative, missing: true }],
  });

/** Nothing of that kind with that id in the caller's organization; another organization's counts as nothing. */
export const notFound = (resource: string, field?: string) =>
  new Failure(
    'not_found',
    `${resource.replaceAll(/[ -]/g, '_').toLowerCase()}_not_found`,
    `${field ? `${field}: ` : ''}There is no such ${resource}.`,
    {
      issues: field ? [{ field, code: 'not_found', message: `There is no such ${resource}.` }] : [],
    },
  );

export const conflict = (code: string, message: string, field?: string) =>
  new Failure('conflict', code, message, { issues: field ? [{ field, code, message }] : [] });

export const gone = (code: string, message: string, field: string) =>
  new Failure('gone', code, message, { issues: [{ field, code, message }] });

export const forbidden = (code: string, message: string, headers: Record<string, string> = {}) =>
  new Failure('forbidden', code, message, { headers });

/**
 * Collects failures about fields, so that one response names all of them. Where some fields are invalid and others name records
 * that do not exist, the whole is invalid; where all of them name records that do not exist, it is not found.
 */
export class WrongFields {
  readonly #failures: Failure[] = [];

  add(failure: Failure): void {
    this.#failures.push(failure);
  }

  /** The result of a check; undefined where it failed because of fields. @throws any other error of the check */
  async check<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      return this.#addFields(error);
    }
  }

  /** The same of a check that waits for nothing. */
  checkNow<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      return this.#addFields(error);
    }
  }

  #addFields(error: unknown): undefined {
    if (!isAboutFields(error)) throw error;
    this.add(error);
  }

  /** @throws Failure invalid or not_found with the issues of all failures, if there are any */
  throwIfAny(): void {
    const [first] = this.#failures;
    if (!first) return;
    const issues = this.#failures.flatMap((failure) => failure.issues);
    const leading = this.#failures.find(({ kind }) => kind === 'invalid') ?? first;
    const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
    throw this.#failures.length === 1 ? first : new Failure(leading.kind, leading.code, message, { issues });
  }
}

const isAboutFields = (error: unknown): error is Failure =>
  error instanceof Failure && (error.kind === 'invalid' || error.kind === 'not_found') && error.issues.length > 0;

/** Advice where nobody knows the outcome of a request: its commit may have come before the failure. */
const OUTCOME_UNKNOWN = 'Try again in a moment. If you sent a change without an Idempotency-Key, first check whether it was made.';

/** A request that may have been carried out. @param reason a sentence */
export const outcomeUnknown = (reason: string, cause?: unknown) => unavailable(`${reason} ${OUTCOME_UNKNOWN}`, cause);

/** A request that was not carried out. */
export const unavailable = (message: string, cause?: unknown) =>
  new Failure('unavailable', 'unavailable', message, { retryAfter: 2, cause });

/** The failure of a write for which a disk has no room. It comes back by itself when there is some, which takes a person. */
export const noRoom = (cause: unknown) =>
  new Failure('unavailable', 'unavailable', 'The service’s disk is full, and nothing was stored. Try again later.', {
    retryAfter: 30,
    cause,
  });
