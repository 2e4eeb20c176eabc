import { z } from 'zod';
import type { Issue } from '../../domain/errors.ts';
import { isBlank } from '../../domain/values/text-form.ts';
import { contradiction } from '../wire/checked-shapes.ts';
import { toSentShape } from './ignored-fields.ts';
import { otherNames } from './query.ts';

/** A body under the names of its shape. */
interface NamedBody {
  body: unknown;
  /** The path by which a field was sent under another name, by its path in the shape: `recipients.0.channel`. */
  sentAs: ReadonlyMap<string, string>;
  /** Names of one field with different values. */
  issues: readonly Issue[];
}

/** The fields of a shape that have other names (`alsoNamed`), and those within its fields and elements. */
interface Names {
  ofFields: readonly (readonly [name: string, others: readonly string[]])[];
  within: ReadonlyMap<string, Names>;
}

/** The name under which a list's elements stand in `within`. */
const ELEMENT = '[]';

const remembered = new WeakMap<z.core.$ZodType, Names | null>();

/** Null for a shape without other names, which is almost every one. */
function namesIn(shape: z.core.$ZodType): Names | null {
  const known = remembered.get(shape);
  if (known !== undefined) return known;
  const names = findNames(toSentShape(shape));
  remembered.set(shape, names);
  return names;
}

function findNames(shape: z.core.$ZodType): Names | null {
  // Of several shapes, such as an id or an object, at most one has fields with other names.
  if (shape instanceof z.ZodUnion) return shape.options.map(namesIn).find((names) => names !== null) ?? null;
  const parts: [string, z.core.$ZodType][] =
    shape instanceof z.ZodArray ? [[ELEMENT, shape.element]] : shape instanceof z.ZodObject ? Object.entries(shape.shape) : [];
  const within = parts.flatMap(([name, part]) => {
    const names = namesIn(part);
    return names ? [[name, names] as const] : [];
  });
  const ofFields = shape instanceof z.ZodObject ? [...otherNames(shape)].filter(([, others]) => others.length > 0) : [];
  return ofFields.length + within.length === 0 ? null : { ofFields, within: new Map(within) };
}

/** Brings the fields of a body that were sent under one of their other names to their own; a field that is sent empty gives way. */
export function renameAliases(shape: z.ZodType, sent: unknown): NamedBody {
  const names = namesIn(shape);
  if (!names) return { body: sent, sentAs: new Map(), issues: [] };
  const sentAs = new Map<string, string>();
  const issues: Issue[] = [];
  return { body: renameFields(names, sent, '', { sentAs, issues }), sentAs, issues };
}

interface Findings {
  sentAs: Map<string, string>;
  issues: Issue[];
}

function renameFields(names: Names, sent: unknown, path: string, found: Findings): unknown {
  if (typeof sent !== 'object' || sent === null) return sent;
  if (Array.isArray(sent)) {
    const element = names.within.get(ELEMENT);
    return element ? sent.map((one: unknown, index) => renameFields(element, one, `${path}${index}.`, found)) : sent;
  }
  const fields = new Map<string, unknown>(Object.entries(sent));
  for (const [name, others] of names.ofFields) {
    const spellings = [name, ...others].filter((spelling) => fields.has(spelling));
    const given = spellings.filter((spelling) => isGiven(fields.get(spelling)));
    const [used = spellings[0]] = given;
    if (used === undefined) continue;
    if (new Set(given.map((spelling) => JSON.stringify(fields.get(spelling)))).size > 1)
      found.issues.push(...contradiction(given.map((spelling) => `${path}${spelling}`)));
    if (used !== name) found.sentAs.set(`${path}${name}`, `${path}${used}`);
    const value = fields.get(used);
    for (const spelling of spellings) fields.delete(spelling);
    fields.set(name, value);
  }
  for (const [name, inner] of names.within)
    if (fields.has(name)) fields.set(name, renameFields(inner, fields.get(name), `${path}${name}.`, found));
  return Object.fromEntries(fields);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && !(typeof value === 'string' && isBlank(value));
