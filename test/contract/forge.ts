import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { liveSigningKeys } from '../../src/domain/identity/signing-keys.ts';
import type { TestApp } from '../support/app.ts';

export type Claims = Record<string, unknown>;
type Signer = (input: string) => Buffer | string;

/** A JWT of any header, any claims and any signature. */
export function jwt(header: object, claims: Claims, signer: Signer): string {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = signer(input);
  return `${input}.${typeof signature === 'string' ? signature : signature.toString('base64url')}`;
}

/** Signing keys for tokens: the server's own key and a foreign one. */
export interface Forge {
  header: { alg: string; typ: string; kid: string };
  publicPem: string;
  ours: Signer;
  theirs: Signer;
}

export async function openForge({ database, keyring }: TestApp): Promise<Forge> {
  const keys = await liveSigningKeys(database.prisma, keyring);
  const { id: kid, publicPem, privatePem } = keys.find((key) => key.privatePem !== null) ?? {};
  if (!kid || !publicPem || !privatePem) throw new Error('the server has not signed anything yet');
  const foreign = generateKeyPairSync('ed25519').privateKey;
  return {
    header: { alg: 'EdDSA', typ: 'at+jwt', kid },
    publicPem,
    ours: (input) => sign(null, Buffer.from(input), privatePem),
    theirs: (input) => sign(null, Buffer.from(input), foreign),
  };
}

/** A token as the server signs it. */
export const good = ({ header, ours }: Forge, claims: Claims): string => jwt(header, claims, ours);

const hoursAgo = (hours: number) => Math.floor(Date.now() / 1000) - hours * 3600;

/** Always the same: for each one that is new, the server looks whether another process has just made it. */
const UNKNOWN_KEY = randomUUID();

/** Tokens of claims that would be good, each with one thing wrong. */
export const FORGERIES: Record<string, (forge: Forge, claims: Claims) => string> = {
  'that has expired': (forge, claims) => good(forge, { ...claims, iat: hoursAgo(2), exp: hoursAgo(1) }),
  'that never ends': (forge, { exp: _, ...claims }) => good(forge, claims),
  'of another issuer': (forge, claims) => good(forge, { ...claims, iss: 'someone else' }),
  'of our key id and a foreign key': ({ header, theirs }, claims) => jwt(header, claims, theirs),
  'of an unknown key id': ({ header, theirs }, claims) => jwt({ ...header, kid: UNKNOWN_KEY }, claims, theirs),
  'without a key id': ({ ours }, claims) => jwt({ alg: 'EdDSA', typ: 'JWT' }, claims, ours),
  'that is not signed (alg none)': ({ header }, claims) => jwt({ ...header, alg: 'none' }, claims, () => ''),
  'of alg none with a good signature': ({ header, ours }, claims) => jwt({ ...header, alg: 'none' }, claims, ours),
  'whose secret is our public key (HS256)': ({ header, publicPem }, claims) =>
    jwt({ ...header, alg: 'HS256' }, claims, (input) => createHmac('sha256', publicPem).update(input).digest()),
  'whose claims were changed': (forge, claims) => {
    const [head, , signature] = good(forge, claims).split('.');
    return [head, Buffer.from(JSON.stringify({ ...claims, jti: randomUUID() })).toString('base64url'), signature].join('.');
  },
};

/** Claims of an access token that is good now. */
const current = (seconds = 3600) => {
  const iat = Math.floor(Date.now() / 1000);
  return { iss: 'triptych', aud: 'triptych', jti: randomUUID(), iat, exp: iat + seconds };
};

export const clientClaims = (clientId: string, scopes: readonly string[]): Claims => ({
  ...current(),
  typ: 'client',
  sub: clientId,
  scope: scopes.join(' '),
});

/** Claims for a user, in a session opened for them here. */
export async function userClaims({ database }: TestApp, organizationId: number, userId: number): Promise<Claims> {
  const id = randomUUID();
  const tomorrow = new Date(Date.now() + 86_400_000);
  await database.prisma.session.create({ data: { organizationId, id, userId, expiresAt: tomorrow, endsAt: tomorrow } });
  return { ...current(900), typ: 'user', sub: String(userId), org: organizationId, sid: id };
}
