import { isDeepStrictEqual } from 'node:util';

/** An input without its undefined fields. */
export type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * The fields of an input that differ from a record: the columns that an update writes and that its event names. An absent
 * or undefined field is no change.
 * @param before the record; empty for a new one
 */
export function changesTo<T extends object>(before: object, input: T): Given<T> {
  const current = new Map<string, unknown>(Object.entries(before));
  const changes: Given<T> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && !(current.has(name) && isDeepStrictEqual(value, current.get(name))))
      Object.assign(changes, { [name]: value });
  }
  return changes;
}
