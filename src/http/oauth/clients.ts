import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { authenticateByAssertion, claimedClient, readAssertion } from '../../domain/identity/clients/client-assertions.ts';
import { type AuthenticatedClient, authenticateBySecret } from '../../domain/identity/clients/client-authentication.ts';
import type { ClientKeySets } from '../../domain/identity/clients/client-key-sets.ts';
import type { SignInLimits } from '../../domain/identity/limits/sign-in-limits.ts';
import { isRefusal, logRefusedSignIn } from '../sign-in/refused-sign-ins.ts';
import { readOrigin } from '../wire/links.ts';
import { TOKEN_PATH } from './metadata.ts';
import { type ClientCredentials, clientCredentials, type Form, OAuthFailure } from './wire.ts';

export interface ClientAuthDeps {
  db: Db;
  signInLimits: SignInLimits;
  keySets: ClientKeySets;
}

/**
 * The machine client that sent a request, by its secret or by an assertion. Failures are counted per client and address: client ids
 * are not secret, and failures of others must not lock a client out. The failures of an address are counted apart from those of people.
 * @throws OAuthFailure invalid_client or invalid_request
 * @throws Failure too_many_requests
 */
export async function authenticateClient(deps: ClientAuthDeps, request: FastifyRequest, form: Form): Promise<AuthenticatedClient> {
  const credentials = clientCredentials(request, form);
  if (credentials.kind === 'none') throw new OAuthFailure(401, 'invalid_client', 'Client authentication is required.');
  let fault = 'Client authentication failed.';
  const check = async () => {
    const checked = await checkCredentials(deps, credentials, request);
    if (!('fault' in checked)) return checked;
    fault = checked.fault ?? fault;
    return null;
  };
  const id = credentials.kind === 'secret' ? credentials.id : (claimedClient(credentials.token) ?? '');
  try {
    const client = await deps.signInLimits.attempt(`client ${id}`, request.ip, check, { by: 'machine' });
    if (client) return client;
    throw new OAuthFailure(401, 'invalid_client', fault);
  } catch (error) {
    // A text without the form of an id may be a secret in the wrong field.
    const client = isClientId(id) ? id : undefined;
    if (error instanceof OAuthFailure) logRefusedSignIn(request, { client, reason: error.error });
    if (isRefusal(error)) logRefusedSignIn(request, { client, reason: error.code });
    throw error;
  }
}

const isClientId = (id: string): boolean => z.uuid().safeParse(id).success;

type Shown = Exclude<ClientCredentials, { kind: 'none' }>;

/** @returns the fault otherwise: null for one that is not to be told, because strangers could learn from it */
async function checkCredentials(
  { db, keySets }: ClientAuthDeps,
  credentials: Shown,
  request: FastifyRequest,
): Promise<AuthenticatedClient | { fault: string | null }> {
  if (credentials.kind === 'secret') {
    const client = await authenticateBySecret(db, credentials.id, credentials.secret);
    if (client === 'expired') return { fault: 'The secret has expired. Use the new one.' };
    return client ?? { fault: null };
  }
  const assertion = readAssertion(credentials.token, audiencesAt(request));
  if ('fault' in assertion) return assertion;
  if (credentials.id !== null && credentials.id !== assertion.clientId)
    return { fault: 'The client_id differs from that of the client_assertion.' };
  return authenticateByAssertion(db, keySets, assertion);
}

/** The names of this server in an assertion: its issuer, its token endpoint, and the address of the request itself. */
function audiencesAt(request: FastifyRequest): string[] {
  const origin = readOrigin(request);
  return [origin, `${origin}${TOKEN_PATH}`, `${origin}${request.routeOptions.url ?? ''}`];
}
