import { isDeepStrictEqual } from 'node:util';

/** What was given of an input: no field is undefined. */
export type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Of the fields given, those that differ from the standing record: what an update writes and what its event names. A
 * field that is absent or undefined was not given. For a new record, before is empty.
 */
export function changesTo<T extends object>(before: object, input: T): Given<T> {
  const standing = new Map<string, unknown>(Object.entries(before));
  const changes: Given<T> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && !(standing.has(name) && isDeepStrictEqual(value, standing.get(name))))
      Object.assign(changes, { [name]: value });
  }
  return changes;
}
