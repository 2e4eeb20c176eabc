import { isDeepStrictEqual } from 'node:util';

/** An input without its undefined fields. */
export type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * The fields of an input that differ from a record: the columns that an update writes and that its event names. An absent
 * or undefined field is no change.
 * @param before the record; empty for a new one
 */
export function changesTo<T extends object>(before: object, input: T): Given<T> {
  const current: Record<string, unknown> = { ...before };
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && !(Object.hasOwn(current, name) && isDeepStrictEqual(value, current[name]))) changes[name] = value;
  }
  return Object.assign<Given<T>, typeof changes>({}, changes);
}
