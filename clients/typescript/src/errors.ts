import type { ErrorCode } from './error-codes.ts';

/** A code of the server, or of a later one. */
type AnyErrorCode = ErrorCode | (string & Record<never, never>);

/** A field that the server refused. */
export interface FieldError {
  /** Its name as it was sent; parts of a path have slashes between them. */
  field: string;
  code?: string;
  detail?: string;
}

/** What errors of these codes say besides. */
interface DetailsByCode {
  second_factor_required: { challenge: string; methods: string[]; passkey?: object | null; expires_in: number };
  second_factor_enrolment_required: { enrolment_url: string };
  step_up_required: { max_age: number };
}

type DetailsOf<Code extends AnyErrorCode> = Code extends keyof DetailsByCode ? DetailsByCode[Code] : object;

interface ErrorParts {
  status: number;
  code: string;
  message: string;
  fields: FieldError[];
  requestId: string | null;
  retryAfter: number | undefined;
  details: object;
}

/** A response of the server that is no success. */
export class TriptychError extends Error {
  override readonly name = 'TriptychError';
  readonly status: number;
  /** Stable, such as `patient_not_found` or `rate_limited`; of an answer that is not the server's own, `http_404`. */
  readonly code: AnyErrorCode;
  readonly fields: readonly FieldError[];
  /** Names the request in the log of the server. */
  readonly requestId: string | null;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** The body of the response. */
  readonly details: object;

  constructor({ message, ...parts }: ErrorParts) {
    super(message);
    this.status = parts.status;
    this.code = parts.code;
    this.fields = parts.fields;
    this.requestId = parts.requestId;
    this.retryAfter = parts.retryAfter;
    this.details = parts.details;
  }
}

/** Whether an error is a response with one of these codes; then its `code` and `details` have their types. */
export const hasCode = <Code extends AnyErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is TriptychError & { readonly code: Code; readonly details: DetailsOf<Code> } =>
  error instanceof TriptychError && codes.some((code) => code === error.code);

/** The error of a response, in the form of any of the APIs or of the token endpoint. */
export async function toError(response: Response): Promise<TriptychError> {
  const text = await response.text();
  const body = Object(parsed(text));
  const { code, error, exception, detail, detailedmessage, error_description, message } = body;
  return new TriptychError({
    status: response.status,
    code: response.headers.get('error-code') ?? code ?? (error_description === undefined ? exception : error) ?? `http_${response.status}`,
    message: detail ?? detailedmessage ?? error_description ?? message ?? error ?? `${response.status} ${response.statusText}`.trim(),
    fields: toFieldErrors(body, response.headers.get('error-fields')),
    requestId: response.headers.get('x-request-id'),
    retryAfter: readSeconds(response.headers.get('retry-after')),
    details: body,
  });
}

interface ErrorBody {
  errors?: { pointer: string; code: string; detail: string }[];
  missingfields?: string[];
  invalidfields?: string[];
}

function toFieldErrors({ errors, missingfields = [], invalidfields = [] }: ErrorBody, header: string | null): FieldError[] {
  if (errors) return errors.map(({ pointer, code, detail }) => ({ field: pointer.slice(1), code, detail }));
  const named = [...missingfields, ...invalidfields];
  return (named.length > 0 ? named : (header?.split(/\s*,\s*/) ?? [])).map((field) => ({ field }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Of a `Retry-After` in seconds or as a date. */
function readSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
