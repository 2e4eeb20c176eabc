import type { FastifyRequest } from 'fastify';
import type { Db } from '../../database/database.ts';
import { Failure } from '../../domain/errors.ts';
import { REQUESTS_SCOPE } from '../../domain/identity/clients/client-scopes.ts';
import { clientAccess } from '../../domain/identity/clients/clients.ts';
import type { OpenedCharts } from '../../domain/identity/sessions/opened-charts.ts';
import { type SignedIn, sessionUser } from '../../domain/identity/sessions/sessions.ts';
import { inPractice } from '../../domain/tx.ts';
import type { Claims, Tokens } from './tokens.ts';

/** The user or client that a token identifies now. */
export type Principal =
  | ({ kind: 'user' } & SignedIn & OpenedCharts)
  | { kind: 'client'; clientId: string; scopes: ReadonlySet<string>; users: ReadonlyMap<number, number> };

/**
 * Milliseconds for which the state of a token is cached. Sign-out and revocation hold on every process
 * within a second; a busy token costs one query a second instead of one a request.
 */
export const CACHED_MS = 800;
/** Milliseconds for which a local revocation holds before the database has it: longer than any transaction. */
const REVOKED_MS = 15_000;
const LARGEST_CACHE = 20_000;

export interface Authenticator {
  /** @throws Failure unauthenticated, with the WWW-Authenticate of RFC 6750; unavailable when the database cannot say */
  authenticate(request: FastifyRequest): Promise<Principal>;
  /** The principal of these claims, read from the database; null where they are revoked or unknown. */
  findPrincipal(claims: Claims): Promise<Principal | null>;
  /** Rejects a session, or one token by its `jti`, on this process immediately, before the transaction that ends it commits. */
  revoke(id: string): void;
  /** Reads what a user may see anew for each of their requests to this process, until every cache has it; others within CACHED_MS. */
  reread(user: { organizationId: number; userId: number | null }): void;
}

export function createAuthenticator(db: Db, tokens: Tokens): Authenticator {
  const findPrincipal = (claims: Claims) => readPrincipal(db, claims);
  const lookUp = createLookUp(tokens, findPrincipal);
  const revocations = createMarks();
  const changedUsers = createMarks();

  return {
    findPrincipal,
    revoke: revocations.add,
    reread: (user) => changedUsers.add(userKey(user)),
    async authenticate(request) {
      const token = bearerToken(request);
      if (token === null) throw unauthenticated('unauthenticated', 'A bearer token is required.');
      const found = await lookUp(token);
      if (!found || revocations.has(revocableId(found.claims))) throw noLongerValid();
      if (found.principal.kind === 'client' || !changedUsers.has(userKey(found.principal))) return found.principal;
      const principal = await findPrincipal(found.claims);
      if (!principal) throw noLongerValid();
      return principal;
    },
  };
}

const noLongerValid = () => unauthenticated('unauthenticated', 'The token is invalid or has expired.', ', error="invalid_token"');
const userKey = ({ organizationId, userId }: { organizationId: number; userId: number | null }): string => `${organizationId} ${userId}`;
const revocableId = (claims: Claims): string => (claims.typ === 'user' ? claims.sid : claims.jti);

async function readPrincipal(db: Db, claims: Claims): Promise<Principal | null> {
  if (claims.typ === 'user') {
    const user = await sessionUser(inPractice(db, claims.org), claims.sid);
    return user && { kind: 'user', ...user };
  }
  const access = await clientAccess(db, claims.sub, claims.jti);
  if (!access) return null;
  const scopes = new Set(claims.scope.split(' ').filter((scope) => access.scopes.has(scope))).add(REQUESTS_SCOPE);
  return { kind: 'client', clientId: claims.sub, scopes, users: access.users };
}

interface Known {
  readAt: number;
  claims: Promise<Claims | null>;
  principal: Promise<Principal | null>;
}

/**
 * Finds the principal of a token. Each token is verified once, and its state is read at most once in CACHED_MS, however many
 * requests bring it. Only valid tokens are cached; the least recently read ones are dropped.
 */
function createLookUp(tokens: Tokens, findPrincipal: Authenticator['findPrincipal']) {
  const known = new Map<string, Known>();

  function recall(token: string): Known {
    // The monotonic clock: an entry must not become older than CACHED_MS because the wall clock was set back.
    const now = performance.now();
    const cached = known.get(token);
    if (cached && now - cached.readAt <= CACHED_MS) return cached;
    const claims = cached?.claims ?? tokens.verify(token);
    const entry = { readAt: now, claims, principal: claims.then((verified) => verified && findPrincipal(verified)) };
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

/** Notes of changes on this process, for as long as the database or a cache may not have it yet. */
function createMarks() {
  const until = new Map<string, number>();
  return {
    add(id: string): void {
      const now = performance.now();
      for (const [old, end] of until) {
        if (end > now) break;
        until.delete(old);
      }
      until.delete(id);
      until.set(id, now + REVOKED_MS);
    },
    has: (id: string): boolean => (until.get(id) ?? 0) > performance.now(),
  };
}

function bearerToken(request: FastifyRequest): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** A failure with the challenge that RFC 9110 requires of every 401. */
export function unauthenticated(code: string, message: string, detail = ''): Failure {
  return new Failure('unauthenticated', code, message, { headers: { 'www-authenticate': `Bearer realm="triptych"${detail}` } });
}
