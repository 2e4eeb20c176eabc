import { Failure } from '../../domain/errors.ts';
import { isUtf8 } from '../../domain/values/text-form.ts';

export const NOT_UTF_8 = { code: 'not_utf_8', message: 'is not written in UTF-8' };

/** Characters of a field's path that a response names: the names are the caller's own. */
const LONGEST_FIELD = 200;

/** Fields that one response names at most. */
export const MAX_ISSUES = 100;

/** Parameters of a query or a form, at most. */
export const MAX_PARAMETERS = 1_000;
export const TOO_MANY: Record<string, string | string[]> = Object.freeze(Object.create(null));

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of UTF-8 bytes without their byte order mark; null for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** @throws Failure invalid that names, by their paths, the texts within an input that are not UTF-8 */
export function requireUtf8(input: unknown): void {
  const issues = [...pathsNotUtf8(input).take(MAX_ISSUES)].map((path) => ({
    field: path.join('.').slice(0, LONGEST_FIELD) || 'body',
    ...NOT_UTF_8,
  }));
  if (issues.length === 0) return;
  throw new Failure('invalid', NOT_UTF_8.code, issues.map(({ field, message }) => `${field}: ${message}`).join('; '), { issues });
}

/** Paths of the texts and names within an input that are not UTF-8. */
function* pathsNotUtf8(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'string' && !isUtf8(value)) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (isUtf8(name)) yield* pathsNotUtf8(part, [...path, name]);
    else yield [...path, name];
  }
}

/**
 * The parameters of a query or a form, as WHATWG's URL standard decodes them. A parameter that occurs several times is a list.
 * Bytes that are not UTF-8 become replacement characters. TOO_MANY where there are more than MAX_PARAMETERS.
 */
export function parseParameters(encoded: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null);
  if (encoded === '') return parameters;
  if (encoded.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) return TOO_MANY;
  for (const [name, value] of new URLSearchParams(encoded)) {
    const known = parameters[name];
    if (known === undefined) parameters[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else parameters[name] = [known, value];
  }
  return parameters;
}
