import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Failure, type Issue } from '../domain/errors.ts';

/**
 * Reads one part of a request against its shape.
 * @throws Failure invalid, one issue for each field that is wrong
 */
export function readInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(toIssue);
  throw new Failure('invalid', 'invalid_input', issues.map(({ field, message }) => `${field}: ${message}`).join('; '), { issues });
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const field = issue.path.map(String).join('.') || 'body';
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return { field, code: missing ? 'missing' : issue.code, message: missing ? 'is missing' : plain(issue), missing };
}

/** zod's sentences name types and bounds and never the value; the first letter is lowered to follow a field's name. */
function plain({ message }: z.core.$ZodIssue): string {
  return message.replace(/^Invalid input: /, '').replace(/^./, (letter) => letter.toLowerCase());
}

const MOST_NAMES = 20;

/** Body fields that the shape does not know are ignored, and named in a header so that a slip is noticed. */
export function nameUnknownFields(schema: z.ZodType, body: unknown, reply: FastifyReply): void {
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null) return;
  const unknown = Object.keys(body).filter((name) => !(name in schema.shape));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, MOST_NAMES).map((name) => encodeURIComponent(name.slice(0, 60).toWellFormed()));
  reply.header('warning-fields', names.join(', '));
}
