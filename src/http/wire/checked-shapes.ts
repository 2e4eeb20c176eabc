import { z } from 'zod';
import { Failure, type Issue } from '../../domain/errors.ts';

/** Values of the fields that are right by themselves, by their names on the wire. */
type Fields = ReadonlyMap<string, unknown>;

interface Checks {
  /** Pairs of fields with one meaning: both may be sent where they agree, or where one is null or an empty list, or of another kind. */
  same?: readonly (readonly [string, string])[];
  /**
   * Checks of texts that the domain makes too, together with those that need the database. They are made here only where another
   * field of the request is wrong, so that one response names all. Each throws the domain's Failure.
   */
  besideOthers?: Readonly<Record<string, (written: string) => void>>;
}

const remembered = new WeakMap<z.ZodType, Checks>();

/**
 * Gives a shape checks beyond those of its fields. Unlike refinements of zod, they are made whatever else is wrong. Call it last,
 * since each method of a shape makes another one.
 */
export function withChecks<T extends z.ZodObject>(shape: T, checks: Checks): T {
  remembered.set(shape, checks);
  return shape;
}

/**
 * The issues that the further checks of a shape find.
 * @param parsed what zod made of the input
 * @param othersWrong whether another field of the request is wrong
 */
export function findFurtherIssues(shape: z.ZodType, sent: unknown, parsed: z.ZodSafeParseResult<unknown>, othersWrong: boolean): Issue[] {
  const checks = remembered.get(shape);
  if (!checks || !(shape instanceof z.ZodObject)) return [];
  const fields = parsed.success ? toFields(parsed.data) : rightFields(shape, toFields(sent));
  const contradictions = (checks.same ?? []).flatMap((pair) => disagreement(fields, pair));
  if (!othersWrong && contradictions.length === 0) return [];
  const texts = Object.entries(checks.besideOthers ?? {}).flatMap(([field, check]) => {
    const written = fields.get(field);
    return typeof written === 'string' ? listFaults(() => check(written)).map((issue) => ({ ...issue, field })) : [];
  });
  return [...contradictions, ...texts];
}

const toFields = (value: unknown): Fields => new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);

/** The fields of an input that their own shapes take. */
function rightFields(shape: z.ZodObject, sent: Fields): Fields {
  const fields: [string, z.ZodType][] = Object.entries(shape.shape);
  return new Map(fields.map(([name, field]) => [name, field.safeParse(sent.get(name)).data]));
}

function disagreement(fields: Fields, [one, other]: readonly [string, string]): Issue[] {
  const [first, second] = [fields.get(one), fields.get(other)];
  if (!isGiven(first) || !isGiven(second) || typeof first !== typeof second || String(first) === String(second)) return [];
  return contradiction([one, other]);
}

/** The issues of fields that have one meaning and different values. */
export const contradiction = (fields: readonly string[]): Issue[] =>
  fields.map((field) => ({
    field,
    code: 'contradiction',
    message: `differs from ${fields.filter((other) => other !== field).join(' and ')}`,
  }));

/** False for null and for an empty list: beside a value under another name of the same field they are as if not sent. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** The value of a field that a request may name in several ways: the first that is given; else null or the empty list, if sent. */
export const prefer = <T>(...values: (T | null | undefined)[]): T | null | undefined =>
  values.find(isGiven) ?? values.find((value) => value !== undefined);

/** The issues of fields that a check finds. @throws any error of it that is not about a field */
export function listFaults(check: () => void): readonly Issue[] {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || error.issues.length === 0) throw error;
    return error.issues;
  }
  return [];
}
