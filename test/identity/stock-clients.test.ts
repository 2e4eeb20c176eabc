import type { webcrypto } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { readClientKeys } from '../../src/domain/identity/clients/client-keys.ts';
import { createApp, createKeyClient } from '../../src/domain/identity/clients/clients.ts';
import { actorWith } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';
import { newClient, readStatus } from './support.ts';

const test = await sharedTestApp();
const LOOPBACK = { [oauth.allowInsecureRequests]: true };
const REDIRECT = 'http://127.0.0.1/signed-in';

/** The server as oauth4webapi finds it. */
async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(test.address);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...LOOPBACK }));
}

const byOpenidClient = (id: string, method: openid.ClientAuth) =>
  openid.discovery(new URL(test.address), id, undefined, method, { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] });

const WEB_KEYS: Record<string, webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams | { name: 'Ed25519' }> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  Ed25519: { name: 'Ed25519' },
};

/** A client with a key pair of an algorithm, and the private half. */
async function keyClient(algorithm: string): Promise<{ id: string; key: webcrypto.CryptoKey }> {
  const pair = await crypto.subtle.generateKey(WEB_KEYS[algorithm] ?? { name: 'Ed25519' }, true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new Error('no pair');
  const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const jwk = Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined));
  const organization = await createOrganization(test.database.prisma);
  const keys = readClientKeys({ jwks: { keys: [jwk] } }, () => false);
  const input = { name: 'Stock', scopes: ['integration.read'], organizationIds: [organization.id], keys };
  return { id: (await createKeyClient(test.database.prisma, input)).clientId, key: pair.privateKey };
}

/** A person, and an app of their practice. */
async function personAndApp(redirectUris = [REDIRECT]) {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const person = await createUser(test.database.prisma, { organizationId, type: 'provider', firstName: 'Ada', lastName: 'Lopez' });
  const app = await createApp(test.database.prisma, { name: 'Rounds', organizationIds: [organizationId], redirectUris });
  return { organizationId, person, clientId: app.clientId };
}

/** A browser in which a person is signed in: it opens an address, agrees, and answers where it was sent. */
async function agreeAt(address: URL, cookie: string, decision = 'continue'): Promise<URL> {
  const page = await supertest(test.address).get(`${address.pathname}${address.search}`).set('cookie', cookie);
  expect(page.status).toBe(200);
  const fields = Object.fromEntries(
    [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, n, v]) => [n, v]),
  );
  const answer = await supertest(test.address)
    .post('/oauth2/v1/authorize')
    .set({ cookie, 'sec-fetch-site': 'same-origin' })
    .type('form')
    .send({ ...fields, decision });
  expect(answer.status).toBe(303);
  return new URL(String(answer.headers.location));
}

describe('oauth4webapi', () => {
  it('discovers the server, and gets, introspects and revokes a token with a secret, by Basic and by the body', async () => {
    const as = await discovered();
    const client = await newClient(test);
    for (const method of [oauth.ClientSecretBasic(client.clientSecret), oauth.ClientSecretPost(client.clientSecret)]) {
      const me = { client_id: client.clientId };
      const answer = await oauth.clientCredentialsGrantRequest(as, me, method, {}, LOOPBACK);
      const { access_token: token } = await oauth.processClientCredentialsResponse(as, me, answer);
      expect(await readStatus(test, token)).toBe(200);
      const introspect = async () =>
        oauth.processIntrospectionResponse(as, me, await oauth.introspectionRequest(as, me, method, token, LOOPBACK));
      expect(await introspect()).toMatchObject({ active: true, client_id: client.clientId });
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, me, method, token, LOOPBACK));
      expect((await introspect()).active).toBe(false);
    }
  });

  it.each(Object.keys(WEB_KEYS))('gets a token with private_key_jwt and %s', async (algorithm) => {
    const as = await discovered();
    const { id, key } = await keyClient(algorithm);
    const answer = await oauth.clientCredentialsGrantRequest(as, { client_id: id }, oauth.PrivateKeyJwt(key), {}, LOOPBACK);
    const { access_token: token } = await oauth.processClientCredentialsResponse(as, { client_id: id }, answer);
    expect(await readStatus(test, token)).toBe(200);
  });

  it('signs a person in to an app with PKCE, refreshes, and signs out', async () => {
    const as = await discovered();
    const { person, clientId } = await personAndApp();
    const me = { client_id: clientId };
    const verifier = oauth.generateRandomCodeVerifier();
    const redirect = 'http://127.0.0.1:51234/signed-in';
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const asked = { client_id: clientId, redirect_uri: redirect, response_type: 'code', code_challenge: challenge };
    const address = new URL(String(as.authorization_endpoint));
    address.search = String(new URLSearchParams({ ...asked, code_challenge_method: 'S256', state: 'a state', scope: 'mobile' }));
    const back = await agreeAt(address, (await staffPages(test).browse(person)).cookie);
    expect(back.origin).toBe('http://127.0.0.1:51234');
    const parameters = oauth.validateAuthResponse(as, me, back, 'a state');
    const exchange = () => oauth.authorizationCodeGrantRequest(as, me, oauth.None(), parameters, redirect, verifier, LOOPBACK);
    const first = await oauth.processAuthorizationCodeResponse(as, me, await exchange());
    expect(first).toMatchObject({ scope: 'mobile', expires_in: 900 });
    const refresh = async (token = '') =>
      oauth.processRefreshTokenResponse(as, me, await oauth.refreshTokenGrantRequest(as, me, oauth.None(), token, LOOPBACK));
    const second = await refresh(first.refresh_token);
    const asPerson = () => actorWith(test, second.access_token, 0).get('/user');
    await asPerson().expect(200);
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, me, oauth.None(), String(second.refresh_token), LOOPBACK));
    await asPerson().expect(401);
    await expect(refresh(second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await (await exchange()).json()).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('openid-client', () => {
  it('gets tokens with a secret and with private_key_jwt', async () => {
    const client = await newClient(test);
    const bySecret = await byOpenidClient(client.clientId, openid.ClientSecretPost(client.clientSecret));
    const token = await openid.clientCredentialsGrant(bySecret, { scope: 'integration.read' });
    expect([token.scope, await readStatus(test, token.access_token)]).toEqual(['integration.read', 200]);
    expect((await openid.tokenIntrospection(bySecret, token.access_token)).active).toBe(true);
    const { id, key } = await keyClient('ES384');
    const byKey = await byOpenidClient(id, openid.PrivateKeyJwt(key));
    expect((await openid.clientCredentialsGrant(byKey)).scope).toBe('integration.read');
    await openid.tokenRevocation(byKey, token.access_token);
  });

  it('signs a person in to an app with PKCE, refreshes, and signs out', async () => {
    const { person, clientId } = await personAndApp(['com.example.rounds:/signed-in']);
    const config = await byOpenidClient(clientId, openid.None());
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: 'com.example.rounds:/signed-in',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: 'xyz',
    });
    const back = await agreeAt(address, (await staffPages(test).browse(person)).cookie);
    const pair = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState: 'xyz' });
    const next = await openid.refreshTokenGrant(config, String(pair.refresh_token));
    await openid.tokenRevocation(config, next.access_token);
    await expect(openid.refreshTokenGrant(config, String(next.refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});
