import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const kind = z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']);

/** The value that a field has in our answers, so that the clients read it. */
const answer = z.strictObject({
  type: z.union([kind, z.array(kind)]),
  items: kind.optional(),
  format: z.enum(['mm/dd/yyyy', 'mm/dd/yyyy hh24:mi', 'date-time', 'int32']).optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).optional(),
  /** The texts that a field may have which is a number otherwise. */
  string_values: z.array(z.string()).optional(),
  null: z.literal(true).optional(),
  optional: z.boolean().optional(),
});
export type Answer = z.infer<typeof answer>;

/**
 * `at` is a source and its line; `reads: false` marks a client that does not read our value as it is by default, as the row's note
 * explains.
 */
const client = z.strictObject({
  at: z.string(),
  parses: z.string(),
  null: z.string().optional(),
  name: z.string().optional(),
  format: z.string().optional(),
  reads: z.literal(false).optional(),
});

const row = z.strictObject({
  /** `METHOD /path`, and after ` · ` the place of the object in the body, or `request`. */
  operation: z.string(),
  also: z.array(z.string()).optional(),
  /** A path within the object; `[]` for each entry of a list. */
  field: z.string(),
  /** The type in the source document. */
  document: z.string(),
  answer: answer.optional(),
  /** The value where PRACTICE_TYPES is native. */
  native: answer.optional(),
  request: z.strictObject({ accept: z.array(z.string()).optional(), format: z.string().optional() }).optional(),
  served: z.literal(true).optional(),
  /** The field has a value in none of our answers. */
  left_out: z.literal(true).optional(),
  note: z.string().optional(),
  clients: z.array(client),
  recorded: z
    .array(z.strictObject({ at: z.string(), type: z.string(), value: z.unknown().optional(), name: z.string().optional() }))
    .optional(),
});
export type Row = z.infer<typeof row>;

const table = z.strictObject({
  sources: z.record(z.string(), z.looseObject({ repository: z.string(), path: z.string() })),
  rows: z.array(row),
});

/**
 * Field by field, what public clients of the practice and the integration API parse, and what recorded answers have, each with
 * its repository, commit, file and line.
 */
export const { sources, rows } = table.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'clients.json'), 'utf8')));

/** The places of a row: the operation, and the path of the field in its body. */
export function listPlaces({ operation, also = [], field }: Row): { operation: string; path: string[] }[] {
  return [operation, ...also].map((one) => {
    const [name = '', place] = one.split(' · ');
    return { operation: name, path: [...(place?.split('.') ?? []), ...field.split('.')] };
  });
}

/** The values at a path of a body; undefined where an object lacks the field, and nothing where there is no object. */
export function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const name = step.replace('[]', '');
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  const each = step.endsWith('[]') ? (Array.isArray(found) ? found : []) : [found];
  return each.flatMap((one) => valuesAt(one, rest));
}

const FORMATS = {
  'mm/dd/yyyy': /^(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])\/\d{4}$/,
  'mm/dd/yyyy hh24:mi': /^(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])\/\d{4} ([01]\d|2[0-3]):[0-5]\d$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/,
  int32: /^-?\d{1,10}$/,
};

/** Whether a value is what a row says. */
export function fits(value: unknown, expected: Answer): boolean {
  if (value === undefined) return expected.optional === true;
  if (value === null) return expected.null === true;
  const type = [expected.type].flat().find((one) => isOfKind(value, one));
  if (type === undefined) return false;
  if (Array.isArray(value)) return value.every((one) => expected.items === undefined || isOfKind(one, expected.items));
  const text = String(value);
  if (type === 'string' && expected.string_values) return expected.string_values.includes(text);
  return (
    (!expected.format || FORMATS[expected.format].test(text)) &&
    (!expected.pattern || new RegExp(expected.pattern).test(text)) &&
    (!expected.enum || expected.enum.includes(text))
  );
}

export function isOfKind(value: unknown, one: z.infer<typeof kind>): boolean {
  if (one === 'integer') return Number.isSafeInteger(value);
  if (one === 'array') return Array.isArray(value);
  if (one === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === one;
}

/** The kinds of value that a type of some language is read from: libraries write numbers and booleans into texts, but no text into them. */
const READ_BY = { boolean: /bool|string/i, integer: /int|string/i, number: /int|string|number/i };

/** Whether a client of the table parses a value of JSON's own types. */
export function readsKind({ parses }: Row['clients'][number], { type }: Answer): boolean {
  return [type].flat().every((one) => (one === 'boolean' || one === 'integer' || one === 'number') && READ_BY[one].test(parses));
}

/** Bodies of answers, by operation as the table names it. */
export type Answers = Map<string, unknown[]>;

/**
 * @param expected of a row's fields; undefined where nothing is
 * @returns what does not fit the table, and the fields that are in no answer although the table has them, or the other way round
 */
export function judge(judged: readonly Row[], given: Answers, expected: (row: Row) => Answer | undefined) {
  const wrong = new Set<string>();
  const never: string[][] = [];
  for (const row of judged) {
    const answer = expected(row);
    let isSeen = false;
    for (const { operation, path } of listPlaces(row)) {
      const bodies = given.get(operation) ?? [];
      if (bodies.length === 0) wrong.add(`${operation} was not asked`);
      for (const value of answer ? bodies.flatMap((body) => valuesAt(body, path)) : []) {
        isSeen ||= value !== undefined && value !== null;
        if (answer && !fits(value, answer)) wrong.add(`${operation} ${path.join('.')}: ${JSON.stringify(value)?.slice(0, 80)}`);
      }
    }
    if (answer && isSeen === (row.left_out === true)) never.push([row.operation, row.field]);
  }
  return { wrong: [...wrong], never };
}

/** Runs the tasks, eight at a time. */
export async function each<T>(values: readonly T[], task: (value: T) => Promise<unknown>): Promise<void> {
  const left = [...values].values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const value of left) await task(value);
    }),
  );
}
