import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { readClientKeys, usableKeys } from '../../src/domain/identity/clients/client-keys.ts';
import { createKeyClient } from '../../src/domain/identity/clients/clients.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { askToken, basic, newClient, readStatus } from './support.ts';

const GRANT = { grant_type: 'client_credentials' };
const TYPE = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
const ALGORITHMS = ['ES256', 'ES384', 'RS384', 'PS256', 'EdDSA', 'Ed25519'];

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const second = await ownTestApp({}, { databaseUrl: test.databaseUrl });
const issuer = test.address;

const pairs = new Map<string, Promise<GenerateKeyPairResult>>();
/** A key pair of an algorithm, made once. */
function pairFor(algorithm: string): Promise<GenerateKeyPairResult> {
  const pair = pairs.get(algorithm) ?? generateKeyPair(algorithm, { extractable: true });
  pairs.set(algorithm, pair);
  return pair;
}

const publicJwk = async (algorithm: string, kid?: string) => ({
  ...(await exportJWK((await pairFor(algorithm)).publicKey)),
  ...(kid === undefined ? {} : { kid }),
});

/** A client that is registered with keys. */
async function keyClient(keys: { jwks?: unknown; jwksUri?: string }): Promise<string> {
  const { id } = await createOrganization(test.database.prisma);
  const input = { name: 'Warehouse', scopes: ['integration.read'], organizationIds: [id], keys: readClientKeys(keys, () => true) };
  return (await createKeyClient(test.database.prisma, input)).clientId;
}

interface Shape {
  algorithm?: string;
  kid?: string;
  claims?: JWTPayload;
}

/** An assertion that is good but for what is given. */
async function signAssertion(client: string, { algorithm = 'ES256', kid, claims = {} }: Shape = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: client, sub: client, aud: issuer, iat: now, exp: now + 60, jti: randomUUID() };
  const header = { alg: algorithm, ...(kid === undefined ? {} : { kid }) };
  return new SignJWT({ ...good, ...claims }).setProtectedHeader(header).sign((await pairFor(algorithm)).privateKey);
}

const ask = (assertion: string, form: Record<string, string> = {}, on = test) =>
  askToken(on, { ...GRANT, ...TYPE, client_assertion: assertion, ...form });

describe('a client with keys', () => {
  it.each(ALGORITHMS)('gets a token for an assertion that is signed with %s', async (algorithm) => {
    const client = await keyClient({ jwks: { keys: [await publicJwk(algorithm, 'k1')] } });
    const answer = await ask(await signAssertion(client, { algorithm, kid: 'k1' }), { client_id: client });
    expect([answer.status, answer.body.scope]).toEqual([200, 'integration.read']);
    expect(await readStatus(test, answer.body.access_token)).toBe(200);
  });

  it('names the token endpoint, the address of the request or the issuer as the audience, and nobody else', async () => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    const status = async (aud: string | string[], path?: string) => {
      const client_assertion = await signAssertion(client, { claims: { aud } });
      return (await askToken(test, { ...GRANT, ...TYPE, client_assertion }, undefined, path)).status;
    };
    expect(await status(`${issuer}/oauth2/v1/token`)).toBe(200);
    expect(await status([issuer, `${issuer}/oauth2/v1/token`])).toBe(200);
    expect(await status(`${issuer}/oauth/token`, '/oauth/token')).toBe(200);
    expect(await status([issuer, 'https://elsewhere.example.com'])).toBe(401);
  });

  it('uses an assertion once, on all servers', async () => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    const claims = { aud: [issuer], jti: 'once' };
    const assertion = await signAssertion(client, { claims });
    const answers = await Promise.all([ask(assertion), ask(assertion)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(answers.find(({ status }) => status === 401)?.body.error_description).toContain('used before');
    const there = await signAssertion(client, { claims: { aud: second.address, jti: 'once' } });
    expect((await ask(there, {}, second)).status).toBe(401);
    const another = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    expect((await ask(await signAssertion(another, { claims }))).status).toBe(200);
  });

  it('introspects and revokes its token', async () => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    const { access_token: token } = (await ask(await signAssertion(client))).body;
    const at = async (path: string) => askToken(test, { token, ...TYPE, client_assertion: await signAssertion(client) }, undefined, path);
    expect((await at('/oauth2/v1/introspect')).body).toMatchObject({ active: true, client_id: client });
    expect((await at('/oauth2/v1/revoke')).status).toBe(200);
    expect((await at('/oauth2/v1/introspect')).body).toEqual({ active: false });
  });

  it('is believed for keys that it has at an address, and the newest of them', async () => {
    const web = { keys: [await publicJwk('ES256', 'first')] };
    const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(web)));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    await closedAfterAll({ close: async () => void server.close() });
    const bound = server.address();
    const port = typeof bound === 'object' ? bound?.port : null;
    const client = await keyClient({ jwksUri: `http://127.0.0.1:${port}/jwks.json` });
    expect((await ask(await signAssertion(client, { kid: 'first' }))).status).toBe(200);
    expect((await ask(await signAssertion(client, { algorithm: 'ES384', kid: 'first' }))).status).toBe(401);
    const nowhere = await keyClient({ jwksUri: 'http://127.0.0.1:1/jwks.json' });
    const answer = await ask(await signAssertion(nowhere, { kid: 'first' }));
    expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
  });
});

describe('an assertion', () => {
  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, RegExp, (client: string) => Shape]>([
    ['another issuer', /iss and the sub/, () => ({ claims: { iss: 'somebody' } })],
    ['another audience', /aud/, () => ({ claims: { aud: 'https://elsewhere.example.com' } })],
    ['no audience', /aud/, () => ({ claims: { aud: [] } })],
    ['an end that is past', /expired/, () => ({ claims: { exp: now() - 60 } })],
    ['an end in ten minutes', /five minutes|5 minutes/, () => ({ claims: { exp: now() + 600 } })],
    ['a beginning an hour ago', /iat .* 5 minutes ago/, () => ({ claims: { iat: now() - 3_600 } })],
    ['a beginning in the future', /not valid yet/, () => ({ claims: { nbf: now() + 60 } })],
    ['an empty jti', /jti/, () => ({ claims: { jti: '' } })],
    ['an algorithm outside of the list', /alg/, () => ({ algorithm: 'RS256' })],
    ['an algorithm that does not fit the key', /not signed with a key/, () => ({ algorithm: 'ES384' })],
    ['an unknown key', /not signed with a key/, () => ({ kid: 'unknown' })],
    ['an unknown client', /not signed with a key/, () => ({ claims: { iss: 'nobody', sub: 'nobody' } })],
  ])('with %s is refused', async (_name, reason, shape) => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256', 'known')] } });
    const answer = await ask(await signAssertion(client, shape(client)));
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.body.error_description).toMatch(reason);
  });

  it('that somebody else has signed, altered or not signed at all is refused', async () => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('EdDSA')] } });
    const [head, body, signature] = (await signAssertion(client, { algorithm: 'EdDSA' })).split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { x } = await publicJwk('EdDSA');
    const forged = [
      await signAssertion(client),
      `${head}.${body}.${'A'.repeat(86)}`,
      `${part({ alg: 'none' })}.${body}.`,
      `${part({ alg: 'HS256' })}.${body}.${signature}`,
      `${part({ alg: 'EdDSA', jwk: { kty: 'OKP', crv: 'Ed25519', x } })}.${body}.${signature}`,
      `${head}.${body}`,
      'nothing',
    ];
    for (const assertion of forged) expect((await ask(assertion)).body.error).toBe('invalid_client');
  });

  it('stands alone: no secret beside it, the right type, the same client_id', async () => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    const errors = async (form: Record<string, string>, authorization?: string) =>
      (await askToken(test, { ...GRANT, ...TYPE, client_assertion: await signAssertion(client), ...form }, authorization)).body.error;
    expect(await errors({ client_secret: 'x' })).toBe('invalid_request');
    expect(await errors({}, basic(client, 'x'))).toBe('invalid_request');
    expect(await errors({ client_assertion_type: 'jwt' })).toBe('invalid_request');
    expect(await errors({ client_assertion: '' })).toBe('invalid_request');
    expect(await errors({ client_id: 'another' })).toBe('invalid_client');
  });

  it('opens nothing for a client that has a secret, or that is switched off', async () => {
    const withSecret = await newClient(test);
    expect((await ask(await signAssertion(withSecret.clientId))).status).toBe(401);
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    expect((await askToken(test, GRANT, basic(client, 'x'))).status).toBe(401);
    await test.database.prisma.apiClient.update({ where: { id: client }, data: { active: false } });
    expect((await ask(await signAssertion(client))).status).toBe(401);
  });

  it('is counted like a secret', async () => {
    const client = await keyClient({ jwks: { keys: [await publicJwk('ES256')] } });
    for (let attempt = 0; attempt < 10; attempt += 1) await ask(await signAssertion(client, { algorithm: 'ES384' }));
    expect((await ask(await signAssertion(client))).status).toBe(429);
  });
});

describe('the keys of a client', () => {
  it('are public, long enough, of a listed kind, and told apart', async () => {
    const good = await publicJwk('ES256');
    const bad: [unknown, RegExp][] = [
      [{ keys: [] }, /at least one/],
      ['text', /JSON Web Key Set/],
      [{ keys: [await exportJWK((await pairFor('ES256')).privateKey)] }, /is secret/],
      [{ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, /is secret/],
      [{ keys: [{ kty: 'RSA', e: 'AQAB', n: 'AQAB' }] }, /fewer than 2048/],
      [{ keys: [{ ...good, crv: 'secp256k1' }] }, /matches none/],
      [{ keys: [{ ...good, use: 'enc' }] }, /matches none/],
      [{ keys: [{ kty: good.kty, crv: good.crv, x: good.x }] }, /matches none/],
      [{ keys: [good, good] }, /no kid/],
      [
        {
          keys: [
            { ...good, kid: 'a' },
            { ...good, kid: 'a' },
          ],
        },
        /same kid/,
      ],
    ];
    for (const [jwks, reason] of bad) expect(() => readClientKeys({ jwks }, () => true)).toThrow(reason);
    expect(() => readClientKeys({ jwksUri: 'https://keys.example.com/' }, () => false)).toThrow(/public internet/);
    expect(() => readClientKeys({}, () => true)).toThrow(/must be given/);
  });

  it('are such that others cannot sign for them: neither e = 1, nor a point off the curve, nor one of small order', async () => {
    const [ec, rsa] = [await publicJwk('ES256'), await publicJwk('PS256')];
    const point = (first: number) => Buffer.from([first, ...new Uint8Array(31)]).toString('base64url');
    const weak = [
      { ...rsa, e: 'AQ' },
      { ...rsa, e: 'Aw' },
      { ...rsa, e: 'AQAA' },
      { ...ec, y: ec.x },
      ...[point(1), point(0), point(2), 'AQ'].map((x) => ({ kty: 'OKP', crv: 'Ed25519', x })),
    ];
    for (const key of weak) {
      expect(() => readClientKeys({ jwks: { keys: [key] } }, () => true), JSON.stringify(key)).toThrow(/is not secure/);
      expect(usableKeys({ keys: [key] })).toEqual([]);
    }
    const strong = [ec, rsa, await publicJwk('EdDSA')].map((key, index) => ({ ...key, kid: String(index) }));
    expect(readClientKeys({ jwks: { keys: strong } }, () => true).jwks?.keys).toHaveLength(3);
    expect(usableKeys({ keys: strong })).toHaveLength(3);
  });
});
