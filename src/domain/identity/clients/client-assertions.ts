import type { JWK } from 'jose';
import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import { unavailable } from '../../errors.ts';
import { hashToken } from '../secrets.ts';
import { type AuthenticatedClient, findMachineClient, toAuthenticated } from './client-authentication.ts';
import type { ClientKeySets } from './client-key-sets.ts';
import { ASSERTION_ALGORITHMS, type AssertionAlgorithm, fitsAlgorithm, readKeySet } from './client-keys.ts';
import { recordClientUse } from './client-secrets.ts';

/** The longest time for which an assertion may be valid: its end is no further ahead, and it was made no longer ago. */
const LONGEST_SECONDS = 5 * 60;
/** Seconds by which the clock of a client may differ from ours. */
const TOLERANCE_SECONDS = 5;
/** Keys of one client against which one assertion is checked; more have an id. */
const MOST_TRIED = 3;

const header = z.object({ alg: z.string().max(20), kid: z.string().max(255).optional() });
const instant = z.number().min(0).max(1e11);
const claims = z.object({
  iss: z.string(),
  sub: z.string().max(255),
  aud: z.union([z.string(), z.array(z.string()).min(1)]),
  exp: instant,
  nbf: instant.optional(),
  iat: instant.optional(),
  jti: z.string().min(1).max(255),
});

/** An assertion as it says of itself; nothing of it is proved. */
export interface ReadAssertion {
  token: string;
  algorithm: AssertionAlgorithm;
  kid: string | undefined;
  clientId: string;
  jti: string;
  expiresAt: Date;
}

/** The client that an assertion says it is from; null where it says none. */
export const claimedClient = (token: string): string | null =>
  z.object({ sub: z.string().max(255) }).safeParse(parseTokenPart(token, 1)).data?.sub ?? null;

/**
 * Reads an assertion (RFC 7523 3) without checking its signature.
 * @param audiences the names of this server, of which it must have one and may have no other
 * @returns the fault, for the client's developer, where there is one: it speaks of the assertion alone
 */
export function readAssertion(token: string, audiences: readonly string[], now = Date.now() / 1000): ReadAssertion | { fault: string } {
  const head = header.safeParse(parseTokenPart(token, 0)).data;
  const body = claims.safeParse(parseTokenPart(token, 1));
  if (!head || token.split('.').length !== 3) return { fault: 'The client_assertion is not a signed JWT.' };
  const algorithm = ASSERTION_ALGORITHMS.find((known) => known === head.alg);
  if (!algorithm) return { fault: `The alg of the client_assertion must be one of ${ASSERTION_ALGORITHMS.join(', ')}.` };
  if (!body.success) return { fault: `The client_assertion lacks a usable ${String(body.error.issues[0]?.path[0])}.` };
  const { iss, sub, aud, exp, nbf, iat, jti } = body.data;
  if (iss !== sub) return { fault: 'The iss and the sub of the client_assertion must both be the client_id.' };
  if (![aud].flat().every((one) => audiences.includes(one)))
    return { fault: `The aud of the client_assertion must be ${audiences[0]} and nothing else.` };
  if (exp <= now - TOLERANCE_SECONDS) return { fault: 'The client_assertion has expired.' };
  if (exp > now + LONGEST_SECONDS + TOLERANCE_SECONDS)
    return { fault: `The exp of the client_assertion must be at most ${LONGEST_SECONDS / 60} minutes ahead.` };
  if (iat !== undefined && iat < now - LONGEST_SECONDS - TOLERANCE_SECONDS)
    return { fault: `The iat of the client_assertion must be at most ${LONGEST_SECONDS / 60} minutes ago.` };
  if (Math.max(nbf ?? 0, iat ?? 0) > now + TOLERANCE_SECONDS) return { fault: 'The client_assertion is not valid yet.' };
  return { token, algorithm, kid: head.kid, clientId: sub, jti, expiresAt: new Date((exp + TOLERANCE_SECONDS) * 1000) };
}

/** A part of a compact JWS as JSON; null for anything else. */
function parseTokenPart(token: string, index: number): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/**
 * The client that signed an assertion, which is thereby used.
 * @returns the fault otherwise: one sentence for an unknown client, a client without keys, an unknown key and a wrong signature
 * @throws Failure unavailable where the client's keys are at an address that does not answer
 */
export async function authenticateByAssertion(
  db: Db,
  keySets: ClientKeySets,
  assertion: ReadAssertion,
): Promise<AuthenticatedClient | { fault: string }> {
  const client = await findMachineClient(db, assertion.clientId);
  const keys = client ? await findKeys(client, keySets, assertion.kid) : [];
  const { kid, algorithm } = assertion;
  const fitting = keys.filter((key) => fitsAlgorithm(key, algorithm) && (kid === undefined || key.kid === undefined || key.kid === kid));
  const signed = await isSignedByAny(fitting.slice(0, MOST_TRIED), assertion);
  if (!client || !signed) return { fault: 'The client_assertion is not signed with a key of this client.' };
  if (!(await useOnce(db, assertion))) return { fault: 'The jti of the client_assertion was used before.' };
  await recordClientUse(db, client.id, null);
  return toAuthenticated(client);
}

async function findKeys(
  { jwks, jwksUri }: { jwks: unknown; jwksUri: string | null },
  keySets: ClientKeySets,
  kid: string | undefined,
): Promise<JWK[]> {
  if (jwksUri === null) return jwks === null ? [] : readKeySet(jwks).keys;
  const keys = await keySets.find(jwksUri, kid);
  if (keys === null) throw unavailable('The key set of this client cannot be read now. Try again in a minute.');
  return keys;
}

async function isSignedByAny(keys: readonly JWK[], { token, algorithm }: ReadAssertion): Promise<boolean> {
  const { compactVerify, importJWK } = await import('jose');
  for (const key of keys) {
    try {
      await compactVerify(token, await importJWK({ ...key, alg: algorithm }, algorithm), { algorithms: [algorithm] });
      return true;
    } catch {
      // The next key may have signed it.
    }
  }
  return false;
}

/** Writes down an assertion until it expires. @returns false where it stands there already, on whichever process it was used */
async function useOnce(db: Db, { clientId, jti, expiresAt }: ReadAssertion): Promise<boolean> {
  const { count } = await db.clientAssertion.createMany({ data: [{ clientId, jtiHash: hashToken(jti), expiresAt }], skipDuplicates: true });
  return count === 1;
}
