import { isUtf8 } from '../../domain/values/text-form.ts';

export const NOT_UTF_8 = { code: 'not_utf_8', message: 'is not written in UTF-8' };

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of UTF-8 bytes without their byte order mark; null for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Paths of the texts and names within an input that are not UTF-8. */
export function* pathsNotUtf8(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'string' && !isUtf8(value)) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (isUtf8(name)) yield* pathsNotUtf8(part, [...path, name]);
    else yield [...path, name];
  }
}

/**
 * The parameters of a query or a form, as WHATWG's URL standard decodes them. A parameter that occurs several times is a list.
 * Bytes that are not UTF-8 become replacement characters, which readInput refuses by the name of the parameter.
 */
export function parseParameters(encoded: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(encoded)) {
    const known = parameters[name];
    if (known === undefined) parameters[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else parameters[name] = [known, value];
  }
  return parameters;
}
