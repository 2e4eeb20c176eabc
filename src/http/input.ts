import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Failure, type Issue } from '../domain/errors.ts';
import { validationMessage } from './validation-messages.ts';

/** Issues that one response lists at most; a body with thousands of wrong entries has the first hundred listed. */
const MAX_ISSUES = 100;

/**
 * Reads one part of a request against its shape.
 * @throws Failure invalid, one issue for each field that is wrong
 */
export function readInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = checkInput(schema, value);
  if (read.issues) throw invalidInput(read.issues);
  return read.data;
}

/** One part of a request, or what is wrong with it: one issue for each field. */
export function checkInput<T extends z.ZodType>(schema: T, value: unknown): { data: z.output<T>; issues?: never } | { issues: Issue[] } {
  const parsed = schema.safeParse(value, { error: validationMessage, reportInput: true });
  if (parsed.success) return { data: parsed.data };
  const issues = new Map<string, Issue>();
  for (const issue of parsed.error.issues.slice(0, MAX_ISSUES)) {
    const field = issue.path.map(String).join('.') || 'body';
    const missing = issue.code === 'invalid_type' && issue.input === undefined;
    if (!issues.has(field)) issues.set(field, { field, code: missing ? 'missing' : codeOf(issue), message: issue.message, missing });
  }
  return { issues: [...issues.values()] };
}

/** A shape's own check may have a code of its own, as the same check of the domain has. */
function codeOf(issue: z.core.$ZodIssue): string {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  return typeof code === 'string' ? code : issue.code;
}

/** The failure that names all wrong fields of a request. */
export function invalidInput(issues: readonly Issue[]): Failure {
  const named = issues.slice(0, MAX_ISSUES);
  return new Failure('invalid', 'invalid_input', named.map(({ field, message }) => `${field}: ${message}`).join('; '), { issues: named });
}

/** Names that the header lists at most. */
const MAX_NAMES = 20;

/**
 * Body fields that the shape does not know are ignored, and named in the header Warning-Fields so that a misspelled name is noticed.
 * @param unusable names of fields that the shape knows, but whose values the endpoint cannot use and ignores
 */
export function nameIgnoredFields(schema: z.ZodType, body: unknown, reply: FastifyReply, unusable: readonly string[] = []): void {
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null) return;
  const ignored = [...unusable, ...Object.keys(body).filter((name) => !Object.hasOwn(schema.shape, name))];
  if (ignored.length === 0) return;
  const names = ignored.slice(0, MAX_NAMES).map((name) => encodeURIComponent(name.slice(0, 60).toWellFormed()));
  reply.header('warning-fields', names.join(', '));
}
