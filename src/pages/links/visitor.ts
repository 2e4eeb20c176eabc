import type { FastifyRequest } from 'fastify';
import type { CallerIdentity } from '../../domain/caller.ts';
import { parseSecretLink, type SecretLinkKey } from '../../domain/identity/secret-links.ts';
import { linkCaller } from '../../http/sign-in/sign-in.ts';
import { unknownLink } from '../failures/failure-pages.ts';

/** A caller who opened a secret link. The link itself is the authorization. */
export interface Visitor extends CallerIdentity {
  link: SecretLinkKey;
}

/**
 * @param token the last part of the address of the link
 * @param kind of link, for events and audit rows, such as `check_in`
 * @throws Failure not_found for a malformed token
 */
export function requireVisitor(request: FastifyRequest, token: string, kind: string): Visitor {
  const link = parseSecretLink(token);
  if (!link) throw unknownLink();
  return { ...linkCaller(request, link.organizationId, kind), link };
}
