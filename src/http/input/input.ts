import { z } from 'zod';
import { Failure, type Issue } from '../../domain/errors.ts';
import { findFurtherIssues } from '../wire/checked-shapes.ts';
import { MAX_ISSUES } from './utf8.ts';
import { validationMessage } from './validation-messages.ts';

/** Reads one part of a request against its shape. @throws Failure invalid, one issue for each field that is wrong */
export function readInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = checkInput(schema, value);
  if (read.issues) throw invalidInput(read.issues);
  return read.data;
}

type Checked<T extends z.ZodType> = { data: z.output<T>; issues?: never } | { issues: Issue[] };

interface CheckOptions {
  /** Names by which fields were sent, where the shape has other ones; those within others by their path. */
  sentAs?: ReadonlyMap<string, string> | undefined;
  /** Whether another part of the request is wrong. */
  othersWrong?: boolean;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** One part of a request, or what is wrong with it: one issue for each field. */
export function checkInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
  { sentAs = NO_NAMES, othersWrong = false }: CheckOptions = {},
): Checked<T> {
  const issues = new Map<string, Issue>();
  const add = (issue: Issue) => void (issues.has(issue.field) || issues.set(issue.field, issue));
  const toFieldName = ([name = 'body', ...within]: readonly string[]) =>
    sentAs.get([name, ...within].join('.')) ?? [sentAs.get(name) ?? name, ...within].join('.');
  const parsed = schema.safeParse(value, { error: validationMessage, reportInput: true });
  for (const issue of (parsed.error?.issues ?? []).flatMap(withinUnion).slice(0, MAX_ISSUES)) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        add({ field: toFieldName([...issue.path.map(String), key]), code: 'unknown_field', message: unknownTo(schema) });
      continue;
    }
    const missing = (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined;
    add({ field: toFieldName(issue.path.map(String)), code: missing ? 'missing' : toIssueCode(issue), message: issue.message, missing });
  }
  for (const { field, ...issue } of findFurtherIssues(schema, value, parsed, othersWrong || issues.size > 0))
    add({ ...issue, field: toFieldName([field]) });
  return parsed.success && issues.size === 0 ? { data: parsed.data } : { issues: [...issues.values()] };
}

/** Of a shape that takes no further members, since one that is misspelled would change much, such as a filter. */
const unknownTo = (schema: z.ZodType): string =>
  schema instanceof z.ZodObject ? `is unknown; known are ${Object.keys(schema.shape).join(', ')}` : 'is unknown';

/** Of several shapes, the issues of the only one that takes such a value at all and finds something wrong within it. */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [within, another] = issue.errors.filter((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
  if (!within || another) return [issue];
  return within.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(withinUnion);
}

/** A shape's own check may have a code of its own, as the same check of the domain has. */
function toIssueCode(issue: z.core.$ZodIssue): string {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  if (typeof code === 'string') return code;
  return issue.code === 'custom' ? 'invalid' : issue.code;
}

/** The failure that names all wrong fields of a request. */
export function invalidInput(issues: readonly Issue[]): Failure {
  const named = issues.slice(0, MAX_ISSUES);
  return new Failure('invalid', 'invalid_input', named.map(({ field, message }) => `${field}: ${message}`).join('; '), { issues: named });
}
