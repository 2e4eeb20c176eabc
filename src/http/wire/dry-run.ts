import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { isBlank } from '../../domain/values/text-form.ts';

/** The names by which a request asks only what would happen. */
export const DRY_RUN_NAMES = ['dry_run', 'dryrun', 'dryRun', 'dry-run'] as const;

/**
 * Refuses a request that asks only what would happen of an operation that cannot tell: it would be done.
 * @param unknown names of the query and of the body that the operation does not know
 * @throws Failure invalid
 */
export function requireNoDryRun(request: FastifyRequest, unknown: readonly string[]): void {
  if (request.method === 'GET') return;
  const names = unknown.filter(isDryRunName);
  if (names.length === 0) return;
  const sent = [request.query, request.body].map(toObject);
  const asked = names.find((name) => sent.some((part) => Object.hasOwn(part, name) && !REFUSALS.has(String(part[name]).toLowerCase())));
  if (asked !== undefined) throw invalid(asked, 'is not supported by this operation; nothing was done', 'no_dry_run');
}

const REFUSALS = new Set(['false', '0', 'null']);
const isDryRunName = (name: string): boolean => ['dryrun', 'dry_run', 'dry-run'].includes(name.toLowerCase());
const toObject = (part: unknown) => z.record(z.string(), z.unknown()).safeParse(part).data ?? {};

/** Whether the query names a dry run without a value, as in `?dry_run`: elsewhere such a parameter counts as left out. */
export function namesDryRun({ query }: FastifyRequest): boolean {
  const sent = toObject(query);
  return DRY_RUN_NAMES.some(
    (name) => Object.hasOwn(sent, name) && [sent[name]].flat().every((one) => typeof one === 'string' && isBlank(one)),
  );
}
