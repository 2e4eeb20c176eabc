import { isDeepStrictEqual } from 'node:util';
import type { Fields } from './kind.ts';
import { placeAll } from './placing.ts';
import {
  type Change,
  type Items,
  type Known,
  type Plan,
  type PlannedKind,
  type Problem,
  type Recorded,
  type Step,
  toItemName,
  type Wanted,
} from './planned.ts';
import { mapReferences } from './references.ts';

/** Compares a file with the record: what is to be added, changed and removed, in the order in which it can be done. */
export function plan(kinds: readonly PlannedKind[], wanted: Items<Wanted>, record: Items<Recorded>): Plan {
  const planning: Planning = { known: new Map(), problems: [] };
  const steps = kinds.flatMap((kind) => planKind(planning, kind, wanted.get(kind.name) ?? [], record.get(kind.name) ?? []));
  requireUnreferred(planning, kinds);
  for (const kind of kinds) requireNoCircles(planning, kind);
  const removals = steps.filter(({ action }) => action === 'remove').toReversed();
  return { steps: [...steps.filter(({ action }) => action !== 'remove'), ...removals], problems: planning.problems };
}

interface Planning {
  known: Map<string, Known[]>;
  problems: Problem[];
}

function planKind(planning: Planning, kind: PlannedKind, wanted: readonly Wanted[], record: readonly Recorded[]): Step[] {
  const items: Known[] = record.map((recorded) => ({
    recorded,
    wanted: null,
    name: recorded.name,
    newName: toItemName(kind, recorded.fields),
    fields: recorded.fields,
  }));
  planning.known.set(kind.name, items);
  const resolve = (one: Wanted, own: boolean): Wanted => ({ ...one, fields: withNames(planning, kind, one, own) });
  placeAll(
    planning.problems,
    kind,
    items,
    wanted.map((one) => resolve(one, false)),
  );
  const placed = items.filter(hasWanted);
  for (const item of placed) item.newName = toItemName(kind, { ...item.fields, ...item.wanted.fields });
  for (const item of placed) {
    item.wanted = resolve(item.wanted, true);
    item.fields = { ...item.fields, ...item.wanted.fields };
  }
  return placed.flatMap((item) => planStep(planning, kind, item) ?? []);
}

const hasWanted = (item: Known): item is Known & { wanted: Wanted } => item.wanted !== null;

/** The fields of an item, in which each reference is the name that its item has in this plan. */
function withNames({ known, problems }: Planning, kind: PlannedKind, { path, fields, remove }: Wanted, own: boolean): Fields {
  if (remove) return fields;
  return mapReferences(fields, kind.references ?? {}, (target, written, place) => {
    if ((target === kind.name) !== own) return written;
    const found = findReferred(known.get(target) ?? [], String(written));
    if (found.length === 1) return found[0]?.name;
    const message =
      found.length === 0
        ? `There is no "${written}" among the ${splitWords(target)}.`
        : `Several ${splitWords(target)} are called "${written}". Give the intended one a key.`;
    problems.push({ path: [...path, ...place], message });
    return written;
  });
}

/** Those that a name or a key means: a key before a name, and those in use before others. */
function findReferred(items: readonly Known[], written: string): Known[] {
  const present = items.filter(({ wanted }) => !wanted?.remove);
  const keyed = present.filter(({ recorded, wanted }) => (wanted?.key ?? recorded?.key) === written);
  if (keyed.length > 0) return keyed;
  const named = present.filter(({ name, newName }) => newName === written || (name === written && name.startsWith(newName)));
  const inUse = named.filter(({ fields }) => fields.active !== false);
  return inUse.length > 0 ? inUse : named;
}

function planStep(planning: Planning, kind: PlannedKind, { recorded, wanted, name }: Known & { wanted: Wanted }): Step | null {
  const { path } = wanted;
  const key = wanted.key !== undefined && wanted.key !== recorded?.key ? wanted.key : null;
  const common = { kind: kind.name, name, key, path };
  if (recorded && wanted.remove) return { ...common, action: 'remove', id: recorded.id, changes: [] };
  if (!recorded) {
    planning.problems.push(...missingIn(kind, wanted));
    return {
      ...common,
      action: 'add',
      id: null,
      changes: Object.entries(wanted.fields).map(([field, after]) => ({ field, before: null, after })),
    };
  }
  const changes = changesFrom(kind, recorded.fields, wanted.fields);
  const refused = changes.find(({ field }) => kind.fixed?.fields.includes(field));
  if (refused) planning.problems.push({ path: [...path, refused.field], message: `cannot be changed. ${kind.fixed?.instead}` });
  return changes.length === 0 && key === null ? null : { ...common, action: 'change', id: recorded.id, changes };
}

/** The fields without which there can be no new item. */
function missingIn({ whole, one }: PlannedKind, { path, fields }: Wanted): Problem[] {
  const issues = whole.safeParse(fields).error?.issues ?? [];
  return issues.map((issue) => ({
    path: [...path, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))],
    message: issue.code === 'invalid_type' ? `is missing. A new ${one} needs it.` : issue.message,
  }));
}

function changesFrom({ unordered = [], compared = {} }: PlannedKind, before: Fields, after: Fields): Change[] {
  const form = (field: string, written: unknown = null) => {
    const value = compared[field]?.(written) ?? written;
    return unordered.includes(field) && Array.isArray(value) ? value.map((one: unknown) => JSON.stringify(one)).toSorted() : value;
  };
  return Object.entries(after)
    .filter(([field, value]) => !isDeepStrictEqual(form(field, before[field]), form(field, value)))
    .map(([field, value]) => ({ field, before: before[field] ?? null, after: value }));
}

/** An item to which others refer after the plan is not removed. */
function requireUnreferred({ known, problems }: Planning, kinds: readonly PlannedKind[]): void {
  for (const { name: target, one } of kinds)
    for (const item of known.get(target) ?? []) {
      if (!item.recorded || !item.wanted?.remove) continue;
      const users = kinds.flatMap((kind) => referrersIn(kind, known.get(kind.name) ?? [], target, item.name));
      if (users.length > 0)
        problems.push({
          path: item.wanted.path,
          message: `The ${one} "${item.name}" is not removed. These refer to it: ${users.join(', ')}.`,
        });
    }
}

/** An item that names another one of its kind, as a provider names a supervisor, is not above itself. */
function requireNoCircles({ known, problems }: Planning, { name: kind, references = {} }: PlannedKind): void {
  const items = (known.get(kind) ?? []).filter(({ wanted }) => !wanted?.remove);
  for (const field of Object.keys(references).filter((one) => references[one] === kind)) {
    const above = new Map(items.map(({ name, fields }) => [name, fields[field]]));
    for (const { name, wanted } of items) {
      const way = wanted?.fields[field] === undefined ? null : findCircle(name, above);
      if (wanted && way) problems.push({ path: [...wanted.path, field], message: `makes a circle: ${way.join(', ')}.` });
    }
  }
}

/** The names from one up to itself; null where the way ends. */
function findCircle(name: string, above: ReadonlyMap<string, unknown>): string[] | null {
  const way = [name];
  let next = above.get(name);
  for (; typeof next === 'string' && !way.includes(next); next = above.get(next)) way.push(next);
  return next === name ? [...way, name] : null;
}

function referrersIn(kind: PlannedKind, items: readonly Known[], target: string, name: string): string[] {
  return items.flatMap((item) => {
    if (item.wanted?.remove) return [];
    let refers = false;
    mapReferences(item.fields, kind.references ?? {}, (of, written) => {
      refers ||= of === target && written === name;
      return written;
    });
    return refers ? [`${kind.one} "${item.name}"`] : [];
  });
}

const splitWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
