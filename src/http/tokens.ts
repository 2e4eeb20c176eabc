import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SignedIn } from '../domain/identity/sessions.ts';
import type { Keys, Signer } from './keys.ts';

export const ISSUER = 'triptych';
/** The audience of access tokens (RFC 9068): the APIs of this server. */
export const AUDIENCE = 'triptych';
/** The type in the header of access tokens (RFC 9068), which no other signed text of this server has. */
const TYPE = 'at+jwt';
export const CLIENT_TOKEN_SECONDS = 3_600;
export const USER_TOKEN_SECONDS = 15 * 60;

/** Seconds by which the clock of the process that signed a token may be ahead. */
const CLOCK_TOLERANCE_SECONDS = 120;

const common = { jti: z.uuid(), iat: z.int(), exp: z.int(), iss: z.literal(ISSUER), aud: z.literal(AUDIENCE) };
const clientClaims = z.object({ ...common, typ: z.literal('client'), sub: z.string(), scope: z.string() });
const userClaims = z.object({ ...common, typ: z.literal('user'), sub: z.string(), org: z.int(), sid: z.uuid() });
const claims = z.discriminatedUnion('typ', [clientClaims, userClaims]).refine(isWithinLimits);

/** Whether a token was made by now, and for no longer than its kind lasts. */
function isWithinLimits({ typ, iat, exp }: { typ: 'client' | 'user'; iat: number; exp: number }): boolean {
  const longest = typ === 'client' ? CLIENT_TOKEN_SECONDS : USER_TOKEN_SECONDS;
  return exp - iat <= longest && iat <= Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS;
}

/** Claims of a valid access token. Only the database knows whether it was revoked. */
export type Claims = z.infer<typeof claims>;

/** Access tokens: signed JWTs (EdDSA), the key named in the header. */
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
        iss: ISSUER,
        aud: AUDIENCE,
        expiresIn: seconds,
      },
    );

  return {
    async signForClient(clientId, scopes) {
      return sign(await keys.signing(), { typ: 'client', sub: clientId, scope: scopes.join(' ') }, CLIENT_TOKEN_SECONDS);
    },
    async userSigner() {
      const key = await keys.signing();
      return ({ userId, organizationId, sessionId }) =>
        sign(key, { typ: 'user', sub: String(userId), org: organizationId, sid: sessionId }, USER_TOKEN_SECONDS);
    },
    async verify(token) {
      const kid = keyIdOf(app, token);
      const key = kid === null ? null : await keys.find(kid);
      if (!key) return null;
      try {
        const payload: unknown = app.jwt.verify(token, {
          key: key.publicPem,
          algorithms: ['EdDSA'],
          allowedIss: ISSUER,
          allowedAud: AUDIENCE,
          checkTyp: TYPE,
        });
        return claims.safeParse(payload).data ?? null;
      } catch {
        return null;
      }
    },
  };
}

const header = z.object({ header: z.object({ alg: z.literal('EdDSA'), kid: z.uuid() }) });

function keyIdOf(app: FastifyInstance, token: string): string | null {
  try {
    return header.safeParse(app.jwt.decode(token, { complete: true })).data?.header.kid ?? null;
  } catch {
    return null;
  }
}
