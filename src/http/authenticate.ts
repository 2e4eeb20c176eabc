import type { FastifyRequest } from 'fastify';
import type { Db } from '../database/database.ts';
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
 * How long the database's word on a token is believed, in milliseconds. Sign-out and revocation hold on every process
 * within a second; a busy token costs one query a second instead of one a request.
 */
export const BELIEVED_MS = 800;
/** How long a refusal holds that is told here before the database knows of it: longer than any transaction. */
const REFUSED_MS = 15_000;
const LARGEST_CACHE = 20_000;

export interface Authenticator {
  /** @throws Failure unauthenticated, with the WWW-Authenticate of RFC 6750; unavailable when the database cannot say */
  authenticate(request: FastifyRequest): Promise<Principal>;
  /** What the database says of these claims now. */
  ask(claims: Claims): Promise<Principal | null>;
  /** Refuses a session, or one token by its `jti`, here and at once, before the transaction that ends it is through. */
  refuse(id: string): void;
}

export function createAuthenticator(db: Db, tokens: Tokens): Authenticator {
  const ask = (claims: Claims) => principalOf(db, claims);
  const lookUp = createLookUp(tokens, ask);
  const refusals = createRefusals();

  return {
    ask,
    refuse: refusals.add,
    async authenticate(request) {
      const token = bearerToken(request);
      if (token === null) throw unauthenticated('unauthenticated', 'A bearer token is required.');
      const standing = await lookUp(token);
      if (!standing || refusals.has(standing.claims)) {
        throw unauthenticated('unauthenticated', 'The token is not valid, or no longer.', ', error="invalid_token"');
      }
      return standing.principal;
    },
  };
}

async function principalOf(db: Db, claims: Claims): Promise<Principal | null> {
  if (claims.typ === 'user') {
    const user = await sessionUser(db, claims.org, claims.sid);
    return user && { kind: 'user', ...user };
  }
  const access = await clientAccess(db, claims.sub, claims.jti);
  if (!access) return null;
  const scopes = new Set(claims.scope.split(' ').filter((scope) => access.scopes.has(scope)));
  return { kind: 'client', clientId: claims.sub, scopes, users: access.users };
}

interface Known {
  askedAt: number;
  claims: Promise<Claims | null>;
  principal: Promise<Principal | null>;
}

/**
 * Finds what a token stands for. Each is verified once, and asked after at most once in BELIEVED_MS however many
 * requests bring it. Tokens that are not ours are not kept; of the others the most recently asked after are.
 */
function createLookUp(tokens: Tokens, ask: Authenticator['ask']) {
  const known = new Map<string, Known>();

  function recall(token: string): Known {
    // A clock that is never set back: a belief must not grow older than it is allowed to.
    const now = performance.now();
    const standing = known.get(token);
    if (standing && now - standing.askedAt <= BELIEVED_MS) return standing;
    const claims = standing?.claims ?? tokens.verify(token);
    const entry = { askedAt: now, claims, principal: claims.then((told) => told && ask(told)) };
    known.delete(token);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= LARGEST_CACHE) known.delete(oldest);
    known.set(token, entry);
    return entry;
  }

  return async (token: string): Promise<{ claims: Claims; principal: Principal } | null> => {
    const entry = recall(token);
    const forget = () => known.get(token) === entry && known.delete(token);
    const [claims, principal] = await Promise.all([entry.claims, entry.principal]).catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!claims || claims.exp * 1000 <= Date.now()) {
      forget();
      return null;
    }
    return principal && { claims, principal };
  };
}

/** Sessions and tokens that are out on this process, for as long as the database may not know it yet. */
function createRefusals() {
  const until = new Map<string, number>();
  return {
    add(id: string): void {
      const now = performance.now();
      for (const [old, end] of until) {
        if (end > now) break;
        until.delete(old);
      }
      until.delete(id);
      until.set(id, now + REFUSED_MS);
    },
    has: (claims: Claims): boolean => (until.get(claims.typ === 'user' ? claims.sid : claims.jti) ?? 0) > performance.now(),
  };
}

/** The token of an `Authorization: Bearer` header, or null. */
function bearerToken(request: FastifyRequest): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** A refusal with the challenge that RFC 9110 asks of every 401. */
export function unauthenticated(code: string, message: string, detail = ''): Failure {
  return new Failure('unauthenticated', code, message, { headers: { 'www-authenticate': `Bearer realm="triptych"${detail}` } });
}
