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

/** `at` is a source and its line; `reads: false` marks a client that does not read our value, as the row's note explains. */
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
export function placesOf({ operation, also = [], field }: Row): { operation: string; path: string[] }[] {
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
