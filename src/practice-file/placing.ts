import { isDeepStrictEqual } from 'node:util';
import { fold } from '../domain/values/same-text.ts';
import { type Known, type PlannedKind, type Problem, toItemName, type Wanted } from './planned.ts';

/** The ways in which an item of the file finds its item of the record. The surer way goes first, for all items. */
const WAYS = [byIdOrKey, byWholeName, byGivenNames];

/** Gives each item of the file its item of the record, or a place of its own. */
export function placeAll(problems: Problem[], kind: PlannedKind, items: Known[], wanted: readonly Wanted[]): void {
  const isTwice = (one: Wanted, index: number) => wanted.slice(0, index).some((other) => isSame(kind, other, one));
  for (const { path } of wanted.filter(isTwice)) problems.push({ path, message: `This ${kind.one} is in the file twice.` });
  let left: readonly Wanted[] = wanted.filter((one, index) => !isTwice(one, index));
  for (const way of WAYS)
    left = left.filter((one) => {
      const found = way(kind, items.filter(isFree), one);
      const [item] = found;
      if (found.length === 1 && item) item.wanted = one;
      if (found.length > 1)
        problems.push({
          path: one.path,
          message: `Several are called "${toItemName(kind, one.fields)}". Name one by its id: ${listIds(found)}.`,
        });
      return found.length === 0;
    });
  for (const one of left) placeNew(problems, kind, items, one);
}

const isFree = ({ recorded, wanted }: Known): boolean => recorded !== null && wanted === null;

function placeNew(problems: Problem[], kind: PlannedKind, items: Known[], wanted: Wanted): void {
  if (wanted.id !== undefined)
    return void problems.push({ path: wanted.path, message: `There is no ${kind.one} with the id ${wanted.id}.` });
  if (wanted.remove) return;
  const alike = wanted.key === undefined && items.find((item) => isAlike(kind, item, wanted));
  if (alike) {
    const known = `"${alike.newName}"${alike.recorded ? ` (id ${alike.recorded.id})` : ''}`;
    const message = `The name differs from ${known} only in case or accents. Use that name, or give the new ${kind.one} a key.`;
    problems.push({ path: wanted.path, message });
  }
  const name = freeName(items, toItemName(kind, wanted.fields) || (wanted.key ?? ''), wanted.key);
  items.push({ recorded: null, wanted, name, newName: name, fields: wanted.fields });
}

/** Whether two names differ by case and accents alone. Another item that is part of a name is meant as it is written. */
function isAlike({ names, references }: PlannedKind, item: Known, { fields }: Wanted): boolean {
  const form = (field: string, value: unknown) => (typeof value === 'string' && !references?.[field] ? fold(value) : (value ?? null));
  const given = names.filter((field) => fields[field] !== undefined);
  return (
    !item.wanted?.remove &&
    given.every((field) => isDeepStrictEqual(form(field, item.fields[field]), form(field, fields[field]))) &&
    given.some((field) => item.fields[field] !== fields[field])
  );
}

const listIds = (items: readonly Known[]): string => items.flatMap(({ recorded }) => recorded?.id ?? []).join(', ');

function byIdOrKey(kind: PlannedKind, free: readonly Known[], { id, key }: Wanted): Known[] {
  if (kind.single) return free.slice(0, 1);
  return free.filter(({ recorded }) => (id === undefined ? key !== undefined && recorded?.key === key : recorded?.id === id));
}

function byWholeName(kind: PlannedKind, free: readonly Known[], wanted: Wanted): Known[] {
  return byName(kind, free, wanted, (field) => wanted.fields[field] ?? null);
}

/** Of several fields that make the name, those that are left out may be any. */
function byGivenNames(kind: PlannedKind, free: readonly Known[], wanted: Wanted): Known[] {
  return byName(kind, free, wanted, (field) => wanted.fields[field]);
}

/** Those that have the name and no key of their own; of several, those in use. Whoever removes by key means the key alone. */
function byName(
  { names }: PlannedKind,
  free: readonly Known[],
  { key, id, remove, fields }: Wanted,
  valueIn: (field: string) => unknown,
): Known[] {
  const [first = ''] = names;
  if (id !== undefined || fields[first] === undefined || (remove && key !== undefined)) return [];
  const named = free.filter(
    ({ recorded }) =>
      recorded !== null &&
      (key === undefined || recorded.key === null) &&
      names.every((field) => valueIn(field) === undefined || isDeepStrictEqual(recorded.fields[field] ?? null, valueIn(field))),
  );
  // A removal would otherwise remove the next one of the name when it is applied again.
  if (remove) return named;
  const inUse = named.filter(({ recorded }) => recorded?.fields.active !== false);
  return inUse.length > 0 ? inUse : named.slice(-1);
}

/** A key, or an id, is that of one item, whatever else is said of it. */
const isSame = ({ names }: PlannedKind, other: Wanted, one: Wanted): boolean =>
  (one.key !== undefined && other.key === one.key) ||
  (one.id !== undefined && other.id === one.id) ||
  ([one, other].every(({ key, id }) => key === undefined && id === undefined) &&
    names.every((field) => isDeepStrictEqual(other.fields[field] ?? null, one.fields[field] ?? null)));

const freeName = (items: readonly Known[], name: string, key = 'new'): string =>
  items.some((item) => item.name === name) ? `${name} [${key}]` : name;
