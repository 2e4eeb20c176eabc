import type { Ids, Plausible } from '../contract/plausible.ts';

type OneId = Pick<Ids, 'id' | 'guid'>;

/** The places of a request that hold an id: `path 2`, `query user`, `body appointment.patient_uuid`. */
export function listPlaces({ path, body }: Plausible, ids: OneId): string[] {
  const [pathname = '', query = ''] = path.split('?');
  const segments = pathname.split('/').flatMap((one, index) => (isId(one, ids) ? [`path ${index}`] : []));
  const parameters = [...new URLSearchParams(query)].flatMap(([name, value]) => (isId(value, ids) ? [`query ${name}`] : []));
  return [...segments, ...new Set(parameters), ...listLeaves(body, ids).map((name) => `body ${name}`)];
}

const isId = (value: unknown, { id, guid }: OneId): boolean => value === id || value === String(id) || value === guid;

function listLeaves(value: unknown, ids: OneId, name: string[] = []): string[] {
  if (isId(value, ids)) return [name.join('.')];
  if (typeof value !== 'object' || value === null || value instanceof Blob) return [];
  return Object.entries(value).flatMap(([key, each]) => listLeaves(each, ids, [...name, key]));
}

/** A request with other ids in one place. */
export function replaced({ path, body }: Plausible, place: string, own: OneId, other: OneId): Plausible {
  const swap = (value: unknown) => (value === own.id ? other.id : value === own.guid ? other.guid : String(other.id));
  const [kind, name = ''] = place.split(' ');
  const [pathname = '', query = ''] = path.split('?');
  if (kind === 'path') {
    const segments = pathname.split('/').map((one, index) => (String(index) === name ? String(swap(one)) : one));
    return { path: [segments.join('/'), query].filter(Boolean).join('?'), body };
  }
  if (kind === 'query') {
    const pairs = [...new URLSearchParams(query)].map(([key, value]): [string, string] => [
      key,
      key === name ? String(swap(value)) : value,
    ]);
    return { path: `${pathname}?${new URLSearchParams(pairs)}`, body };
  }
  return { path, body: body && Object.fromEntries(Object.entries(changedAt(body, name.split('.'), swap))) };
}

function changedAt(value: object, [key = '', ...rest]: string[], swap: (value: unknown) => unknown): object {
  const changed = ([name, each]: [string, unknown]): [string, unknown] => {
    if (name !== key) return [name, each];
    return [name, typeof each === 'object' && each !== null && rest.length > 0 ? changedAt(each, rest, swap) : swap(each)];
  };
  const entries = Object.entries(value).map(changed);
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
