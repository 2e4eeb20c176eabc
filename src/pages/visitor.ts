import type { FastifyRequest } from 'fastify';
import type { CallerIdentity } from '../domain/caller.ts';
import { parseSecretLink, type SecretLinkKey } from '../domain/security/secret-links.ts';
import { operationOf } from '../http/error-mapping.ts';
import { unknownLink } from './failure-pages.ts';

/** Somebody who opened a link: nobody signed in, and whoever has the link may do what it is for. */
export interface Visitor extends CallerIdentity {
  link: SecretLinkKey;
}

/**
 * @param token the last part of the address
 * @param kind of link, for events and audit rows: `check_in`
 * @throws Failure not_found for what cannot be a link
 */
export function visitorOf(request: FastifyRequest, token: string, kind: string): Visitor {
  const link = parseSecretLink(token);
  if (!link) throw unknownLink();
  return { ...linkCaller(request, link.organizationId, kind), link };
}

/** Whoever has a link of that kind, to one place of the organization. */
export const linkCaller = (request: FastifyRequest, organizationId: number, kind: string): CallerIdentity => ({
  organizationId,
  actor: `link:${kind}`,
  userId: null,
  role: null,
  scopes: new Set(),
  sessionId: null,
  operation: operationOf(request),
  requestId: request.id,
  address: request.ip,
});
