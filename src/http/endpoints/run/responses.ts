import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';

/** A response ready to be sent, or to be stored under an Idempotency-Key. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serializes a response as JSON.
 * @param check whether to hold it against its declared shape
 * @throws Failure internal where it does not have that shape; the log names the fields
 */
export function checkedJson<A extends z.ZodType>(shape: A, wire: z.input<A>, check: boolean): string {
  if (check) {
    const parsed = shape.safeParse(wire);
    if (!parsed.success) {
      const fields = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`).join(', ');
      throw new Failure('internal', 'internal_error', 'The response did not have its declared shape.', {
        cause: new ResponseShapeError(fields),
      });
    }
  }
  return JSON.stringify(wire) ?? '';
}

/** Names the wrong fields, never values, in its code, which is logged. */
class ResponseShapeError extends Error {
  override name = 'ResponseShapeError';
  readonly code: string;
  constructor(fields: string) {
    super('A response did not have its declared shape.');
    this.code = fields;
  }
}

/** Sends a response, unless the request's deadline (limitResponseTime) has passed and a 503 was sent instead. */
export function send(reply: FastifyReply, { status, headers, body }: HttpResponse): void {
  if (reply.sent) return;
  reply.code(status).headers(headers);
  if (status === 204) reply.send();
  else reply.header('content-type', JSON_TYPE).send(body);
}

/** Sends a single record with its ETag, or 304 where the caller has this version. */
export function sendIfChanged(request: FastifyRequest, reply: FastifyReply, body: string): void {
  const etag = entityTag(body);
  const known = request.headers['if-none-match'];
  if (known !== undefined && hasTag(known, etag, 'weak') && !reply.sent) reply.code(304).header('etag', etag).send();
  else send(reply, { status: 200, headers: { etag }, body });
}

/** The entity tag of a representation: a hash of its bytes, so that it is right also when what it shows lies in other rows. */
const entityTag = (body: string): string => `"${hash('sha1', body, 'base64url')}"`;

/** The tag of the record in an answer to a write: warnings about the request are no part of it. */
export function recordTag(wire: unknown, body: string): string {
  if (typeof wire !== 'object' || wire === null || !('warnings' in wire)) return entityTag(body);
  const { warnings: _, ...record } = wire;
  return entityTag(JSON.stringify(record));
}

/**
 * Whether a tag is listed in an If-Match or If-None-Match header; `*` alone lists all (RFC 9110 13.1).
 * @param comparison a weak tag (`W/"…"`) is never the same strongly; If-Match compares strongly, If-None-Match weakly
 */
export function hasTag(header: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => (comparison === 'weak' ? part.trim().replace(/^W\//, '') : part.trim()) === tag);
}

/**
 * @param record the present representation; null where there is none, which nothing matches
 * @throws Failure precondition_failed when the record is no longer what the caller last saw
 */
export function requireMatch(header: string, record: unknown): void {
  if (record === null || !hasTag(header, entityTag(JSON.stringify(record)), 'strong')) {
    throw new Failure('precondition_failed', 'precondition_failed', 'The record has changed since you read it. Read it again.');
  }
}
