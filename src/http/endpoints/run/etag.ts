import { hash } from 'node:crypto';
import { Failure } from '../../../domain/errors.ts';

/** The entity tag of a representation: a hash of its bytes, so that it is right also when what it shows lies in other rows. */
export const entityTag = (body: string): string => `"${hash('sha1', body, 'base64url')}"`;

/**
 * Whether a tag is listed in an If-Match or If-None-Match header; `*` alone lists all (RFC 9110 13.1).
 * @param comparison a weak tag (`W/"…"`) is never the same strongly; If-Match compares strongly, If-None-Match weakly
 */
export function lists(header: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => (comparison === 'weak' ? part.trim().replace(/^W\//, '') : part.trim()) === tag);
}

/**
 * @param record the present representation; null where there is none, which nothing matches
 * @throws Failure precondition_failed when the record is no longer what the caller last saw
 */
export function requireMatch(header: string, record: object | null): void {
  if (record === null || !lists(header, entityTag(JSON.stringify(record)), 'strong')) {
    throw new Failure('precondition_failed', 'precondition_failed', 'The record has changed since you read it. Read it again.');
  }
}
