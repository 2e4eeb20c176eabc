import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { call } from '../contract/calls.ts';
import { type Claims, clientClaims, type Forge, good, jwt, openForge, userClaims } from '../contract/forge.ts';
import { anyPath } from '../contract/plausible.ts';
import { isOfUsers, watchedTestApp, writeRoute } from '../contract/routes.ts';
import { clientToken, signedInUser } from '../support/actors.ts';
import { createOrganization } from '../support/factories.ts';

const watched = await watchedTestApp();
const test = watched.test;
const routes = watched.routes.filter(({ config, method }) => config.protected && method !== 'HEAD');
const organizationId = (await createOrganization(test.database.prisma)).id;
const client = await clientToken(test, [...CLIENT_SCOPES], [organizationId]);
const { user } = await signedInUser(test, { organizationId, type: 'admin' });
const person = await userClaims(test, organizationId, user.id);
const forge = await openForge(test);
const foreign = generateKeyPairSync('ed25519');
const byForeigner = (input: string) => sign(null, Buffer.from(input), foreign.privateKey);
const JWK = { ...foreign.publicKey.export({ format: 'jwk' }), kid: 'mine', alg: 'EdDSA', use: 'sig' };

/** A token of a foreign key, with a header that says where to look for it. */
const withHeader =
  (header: object) =>
  ({ header: ours }: Forge, claims: Claims) =>
    jwt({ ...ours, ...header }, claims, byForeigner);

/** Tokens of claims that would be good; those of the walls (test/contract/forge.ts) are not repeated. */
const FORGERIES: Record<string, (forge: Forge, claims: Claims) => string> = {
  'with its own key in its header': withHeader({ jwk: JWK }),
  'with its own key and its own key id': withHeader({ jwk: JWK, kid: 'mine' }),
  'with the address of its key': withHeader({ jku: 'https://evil.example/jwks.json' }),
  'with the address of its certificate': withHeader({ x5u: 'https://evil.example/cert.pem' }),
  'with a file for a key id': withHeader({ kid: '../../../../dev/null' }),
  'with SQL for a key id': withHeader({ kid: "' UNION SELECT 'x' --" }),
  'with a NUL in its key id': withHeader({ kid: 'a\u0000b' }),
  'with a number for a key id': withHeader({ kid: 1 }),
  'of ES256 with a signature of nothing': ({ header }, claims) => jwt({ ...header, alg: 'ES256' }, claims, () => Buffer.alloc(64)),
  'with a signature of nothing': ({ header }, claims) => jwt(header, claims, () => Buffer.alloc(64)),
  'of alg NoNe': ({ header }, claims) => jwt({ ...header, alg: 'NoNe' }, claims, () => ''),
  'of no alg': ({ header: { kid, typ } }, claims) => jwt({ kid, typ }, claims, byForeigner),
  'for another audience': (own, claims) => good(own, { ...claims, aud: 'someone else' }),
  'for nobody': (own, { aud: _, ...claims }) => good(own, claims),
  'of a type that is no access token': (own, claims) => jwt({ ...own.header, typ: 'JWT' }, claims, own.ours),
  'that lives longer than ours': (own, claims) => good(own, { ...claims, exp: Number(claims.iat) + 10 * 365 * 86_400 }),
  'of a kind that there is not': (own, claims) => good(own, { ...claims, typ: 'operator' }),
  'of nobody': (own, { sub: _, ...claims }) => good(own, claims),
  'of a session that there is not': (own, claims) =>
    good(own, claims.sid ? { ...claims, sid: '00000000-0000-4000-8000-000000000001' } : { ...claims, sub: 'nobody' }),
  'of a user in another practice': (own, claims) => good(own, claims.org ? { ...claims, org: 1_999_999_992 } : { ...claims, sub: '' }),
};

describe('every operation', () => {
  it.each(Object.entries(FORGERIES))('refuses a token %s with 401', async (_, forged) => {
    const wrong: string[] = [];
    for (const route of routes) {
      const claims = isOfUsers(route.dialect) ? person : clientClaims(client.clientId, CLIENT_SCOPES);
      const request = { path: anyPath(route, organizationId), body: undefined };
      const { status, text } = await call(test, route, request, `Bearer ${forged(forge, claims)}`);
      if (status !== 401) wrong.push(`${writeRoute(route)}: ${status} ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  it('takes a token in the header alone: not in the query, and not as a cookie', async () => {
    const token = good(forge, person);
    const wrong: string[] = [];
    for (const route of routes.filter(({ dialect }) => isOfUsers(dialect))) {
      const path = `${anyPath(route, organizationId)}?access_token=${token}&token=${token}&authorization=Bearer%20${token}`;
      const cookie = ['access_token', 'token', 'authorization', 'staff', '__Host-staff'].map((name) => `${name}=${token}`).join('; ');
      const { status } = await call(test, route, { path, body: undefined }, undefined, { cookie });
      if (status !== 401) wrong.push(`${writeRoute(route)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});
