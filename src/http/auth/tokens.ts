import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SignedIn } from '../../domain/identity/sessions/sessions.ts';
import type { Keys, Signer } from './keys.ts';

/** The issuer of tokens that were signed before it was the address of the server: they are taken until they expire. */
const FORMER_ISSUER = 'triptych';
/** The `client_id` (RFC 9068) of tokens of `POST /login`, where a person signs in without an app that is registered. */
export const NO_REGISTERED_APP = 'triptych';
/** The audience of access tokens (RFC 9068): the APIs of this server. */
export const AUDIENCE = 'triptych';
/** The type in the header of access tokens (RFC 9068), which no other signed text of this server has. */
const TYPE = 'at+jwt';
export const CLIENT_TOKEN_SECONDS = 3_600;
export const USER_TOKEN_SECONDS = 15 * 60;

/** Seconds by which the clock of the process that signed a token may be ahead. */
const CLOCK_TOLERANCE_SECONDS = 120;

const common = { jti: z.uuid(), iat: z.int(), exp: z.int(), iss: z.string(), aud: z.literal(AUDIENCE), client_id: z.string().optional() };
const clientClaims = z.object({ ...common, typ: z.literal('client'), sub: z.string(), scope: z.string() });
const userClaims = z.object({ ...common, typ: z.literal('user'), sub: z.string(), org: z.int(), sid: z.uuid() });

/** An instant as claims write it. */
export const toSeconds = (instant: Date): number => Math.floor(instant.getTime() / 1000);
const claims = z.discriminatedUnion('typ', [clientClaims, userClaims]).refine(isWithinLimits);

/** Whether a token was made by now, and for no longer than its kind lasts. */
function isWithinLimits({ typ, iat, exp }: { typ: 'client' | 'user'; iat: number; exp: number }): boolean {
  const longest = typ === 'client' ? CLIENT_TOKEN_SECONDS : USER_TOKEN_SECONDS;
  return exp - iat <= longest && iat <= Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS;
}

/** Claims of a valid access token. Only the database knows whether it was revoked. */
export type Claims = z.infer<typeof claims>;

/** Access tokens (RFC 9068): signed JWTs (EdDSA), the key named in the header; the issuer is that of the server's metadata (RFC 8414). */
export interface Tokens {
  signForClient(clientId: string, scopes: string[]): Promise<string>;
  /** A signer for one transaction, which must not wait for keys. */
  userSigner(): Promise<(session: SignedIn) => string>;
  /**
   * Null for anything but an unexpired access token of ours: foreign keys, other algorithms, `none`; and with our own signature,
   * another issuer, audience, type, or a longer life than such tokens have.
   */
  verify(token: string): Promise<Claims | null>;
}

export function createTokens(app: FastifyInstance, keys: Keys): Tokens {
  const sign = (key: Signer, payload: object, seconds: number) =>
    app.jwt.sign(
      { ...payload, jti: randomUUID() },
      {
        key: key.privatePem,
        algorithm: 'EdDSA',
        header: { alg: 'EdDSA', typ: TYPE },
        kid: key.id,
        iss: app.origin(),
        aud: AUDIENCE,
        expiresIn: seconds,
      },
    );

  return {
    async signForClient(clientId, scopes) {
      return sign(
        await keys.signing(),
        { typ: 'client', sub: clientId, client_id: clientId, scope: scopes.join(' ') },
        CLIENT_TOKEN_SECONDS,
      );
    },
    async userSigner() {
      const key = await keys.signing();
      return ({ userId, organizationId, sessionId, clientId, scopes, verifiedAt }) => {
        const app = clientId === null ? { client_id: NO_REGISTERED_APP } : { client_id: clientId, scope: scopes.join(' ') };
        const user = { typ: 'user', sub: String(userId), org: organizationId, sid: sessionId, auth_time: toSeconds(verifiedAt) };
        return sign(key, { ...user, ...app }, USER_TOKEN_SECONDS);
      };
    },
    async verify(token) {
      const kid = readKeyId(app, token);
      const key = kid === null ? null : await keys.find(kid);
      if (!key) return null;
      try {
        const payload: unknown = app.jwt.verify(token, {
          key: key.publicPem,
          algorithms: ['EdDSA'],
          allowedAud: AUDIENCE,
          checkTyp: TYPE,
        });
        const read = claims.safeParse(payload).data;
        return read && isOwnIssuer(app, read.iss) ? read : null;
      } catch {
        return null;
      }
    },
  };
}

/** Without PUBLIC_URL, servers of one database are told apart by their port alone; they take each other's tokens. */
function isOwnIssuer(app: FastifyInstance, issuer: string): boolean {
  if (issuer === app.origin() || issuer === FORMER_ISSUER) return true;
  return !app.hasPublicUrl && URL.canParse(issuer) && toHost(issuer) === toHost(app.origin());
}

const toHost = (address: string): string => `${new URL(address).protocol}//${new URL(address).hostname}`;

const header = z.object({ header: z.object({ alg: z.literal('EdDSA'), kid: z.uuid() }) });

function readKeyId(app: FastifyInstance, token: string): string | null {
  try {
    return header.safeParse(app.jwt.decode(token, { complete: true })).data?.header.kid ?? null;
  } catch {
    return null;
  }
}
