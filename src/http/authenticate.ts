import type { FastifyRequest } from 'fastify';
import type { Db } from '../database.ts';
import type { Role } from '../domain/caller.ts';
import { Failure } from '../domain/errors.ts';
import { clientAccess } from '../domain/identity/clients.ts';
import { sessionUser } from '../domain/identity/sessions.ts';
import type { Claims, Tokens } from './tokens.ts';

/** Who a token stands for right now. */
export type Principal =
  | { kind: 'user'; organizationId: number; userId: number; role: Role; sessionId: string }
  | { kind: 'client'; clientId: string; scopes: ReadonlySet<string>; users: ReadonlyMap<number, number> };

/**
 * How long the database's word on a token is believed. Sign-out and revocation hold on every process within a second;
 * a busy token costs one query a second instead of one a request.
 */
const BELIEVED_MS = 800;
const LARGEST_CACHE = 20_000;

interface Known {
  claims: Claims;
  askedAt: number;
  principal: Promise<Principal | null>;
}

export interface Authenticator {
  /** @throws Failure unauthenticated, with the WWW-Authenticate of RFC 6750 */
  authenticate(request: FastifyRequest): Promise<Principal>;
  /** What the database says of these claims now. */
  ask(claims: Claims): Promise<Principal | null>;
  /** Forgets what was believed of a token, so that a sign-out holds here at once. */
  forget(token: string): void;
}

export function createAuthenticator(db: Db, tokens: Tokens): Authenticator {
  const known = new Map<string, Known>();

  async function ask(claims: Claims): Promise<Principal | null> {
    if (claims.typ === 'user') {
      const user = await sessionUser(db, claims.org, claims.sid);
      return user && { kind: 'user', organizationId: claims.org, sessionId: claims.sid, ...user };
    }
    const access = await clientAccess(db, claims.sub, claims.jti);
    if (!access) return null;
    const scopes = new Set(claims.scope.split(' ').filter((scope) => access.scopes.has(scope)));
    return { kind: 'client', clientId: claims.sub, scopes, users: access.users };
  }

  async function lookUp(token: string): Promise<Principal | null> {
    const now = Date.now();
    let entry = known.get(token);
    if (!entry) {
      const claims = await tokens.verify(token);
      if (!claims) return null;
      entry = { claims, askedAt: now, principal: ask(claims) };
      remember(token, entry);
    } else if (now - entry.askedAt > BELIEVED_MS) {
      entry.askedAt = now;
      entry.principal = ask(entry.claims);
    }
    if (entry.claims.exp * 1000 <= now) {
      known.delete(token);
      return null;
    }
    try {
      return await entry.principal;
    } catch (error) {
      known.delete(token);
      throw error;
    }
  }

  function remember(token: string, entry: Known): void {
    const oldest = known.size >= LARGEST_CACHE ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(token, entry);
  }

  return {
    ask,
    forget: (token) => void known.delete(token),
    async authenticate(request) {
      const token = bearerToken(request);
      if (token === null) throw unauthenticated('A bearer token is required.');
      const principal = await lookUp(token);
      if (!principal) throw unauthenticated('The token is not valid, or no longer.', ', error="invalid_token"');
      return principal;
    },
  };
}

/** The token of an `Authorization: Bearer` header, or null. */
export function bearerToken(request: FastifyRequest): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

function unauthenticated(message: string, challenge = ''): Failure {
  return new Failure('unauthenticated', 'unauthenticated', message, { headers: { 'www-authenticate': `Bearer realm="triptych"${challenge}` } });
}
