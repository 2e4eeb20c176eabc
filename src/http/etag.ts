import { hash } from 'node:crypto';
import { Failure } from '../domain/errors.ts';

/** The entity tag of a representation: a hash of its bytes, so that it is right also when what it shows lies in other rows. */
export const entityTag = (body: string): string => `"${hash('sha1', body, 'base64url')}"`;

/** Whether a tag is listed in an If-Match or If-None-Match header; `*` lists all. */
export function lists(header: string, tag: string): boolean {
  return header.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === tag);
}

/** @throws Failure precondition_failed when the record is no longer what the caller last saw */
export function requireMatch(header: string, tag: string): void {
  if (!lists(header, tag)) {
    throw new Failure('precondition_failed', 'precondition_failed', 'The record has changed since you read it. Read it again.');
  }
}
