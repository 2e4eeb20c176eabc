import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { hashingLoad } from '../../src/domain/identity/secrets.ts';
import { ownTestApp, sharedTestApp, startTestApp } from '../support/app.ts';
import { askToken, basic, createToken, decoded, newClient, newUser, readStatus, signedIn } from './support.ts';

const GRANT = { grant_type: 'client_credentials' };

const test = await sharedTestApp();

describe('the token endpoint', () => {
  it.each(['/oauth2/v1/token', '/oauth/token', '/oauthpreview/token', '/oauthopenpreview/token'])(
    'gives a token for an hour at %s, by Basic and by the body',
    async (path) => {
      const client = await newClient(test);
      const byHeader = await askToken(test, GRANT, client.basic, path);
      const byBody = await askToken(test, { ...GRANT, ...client.inBody }, undefined, path);
      for (const answer of [byHeader, byBody]) {
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual({
          access_token: expect.any(String),
          token_type: 'Bearer',
          expires_in: 3600,
          scope: 'integration.read integration.write',
        });
        expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
        expect(await readStatus(test, answer.body.access_token)).toBe(200);
      }
    },
  );

  it('has the older addresses of the variants that are served, and no others', async () => {
    const served = await ownTestApp({ API_VARIANTS: 'v1,openpreview1' });
    const client = await newClient(served);
    const statuses = ['/oauth2/v1/token', '/oauth/token', '/oauthpreview/token', '/oauthopenpreview/token'].map(
      async (path) => (await askToken(served, GRANT, client.basic, path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 404, 200]);
  });

  it('signs with EdDSA, names its key, and says an hour inside too', async () => {
    const client = await newClient(test);
    const { header, claims } = decoded((await askToken(test, GRANT, client.basic)).body.access_token);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3600);
    expect(claims).toMatchObject({ sub: client.clientId, client_id: client.clientId, iss: test.address, aud: 'triptych' });
  });

  it('signs as the issuer of its metadata, and takes no token of another one where it has a public address', async () => {
    const env = { PUBLIC_URL: 'https://clinic.example.com' };
    const named = await startTestApp(env, { databaseUrl: test.databaseUrl });
    const client = await newClient(test);
    const { access } = await signedIn(named, await newUser(test));
    const metadata = await named.http.get('/.well-known/oauth-authorization-server');
    const { issuer } = metadata.body;
    expect(decoded(access).claims).toMatchObject({ iss: issuer, client_id: 'triptych' });
    expect(decoded(await createToken(named, client)).claims.iss).toBe(issuer);
    expect(await readStatus(named, access)).toBe(200);
    expect(await readStatus(named, await createToken(test, client))).toBe(401);
    await named.close();
  });

  it('gives the part of the scopes that was asked for, once each', async () => {
    const client = await newClient(test, ['practice.read', 'practice.write', 'ssn.read']);
    const answer = await askToken(test, { ...GRANT, scope: 'practice.read ssn.read practice.read' }, client.basic);
    expect(answer.body.scope).toBe('practice.read ssn.read');
  });

  it.each(['practice.read', 'integration.read practice.read', 'nothing', 'integration.read "', '*'])(
    'refuses the scope %s that the client does not have',
    async (scope) => {
      const client = await newClient(test);
      const answer = await askToken(test, { ...GRANT, scope }, client.basic);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ error: 'invalid_scope', error_description: expect.any(String) });
    },
  );

  it('leaves aside the scopes of another vendor, which clients that move over go on asking for', async () => {
    const client = await newClient(test);
    const theirs = await askToken(test, { ...GRANT, scope: 'vendor/service/Everything.*' }, client.basic);
    expect(theirs.body.scope).toBe('integration.read integration.write');
    const both = await askToken(test, { ...GRANT, scope: 'vendor/service/Everything.* integration.read' }, client.basic);
    expect(both.body.scope).toBe('integration.read');
    const foreign = await askToken(test, { ...GRANT, scope: 'vendor/service/Everything.* practice.read' }, client.basic);
    expect(foreign.body.error).toBe('invalid_scope');
  });

  it('takes an empty scope for none', async () => {
    const client = await newClient(test);
    const answer = await askToken(test, { ...GRANT, scope: '' }, client.basic);
    expect(answer.body.scope).toBe('integration.read integration.write');
  });

  it('reads Basic credentials as form-encoded, and allows a colon and spaces in them', async () => {
    const client = await newClient(test);
    const encoded = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
    expect((await askToken(test, GRANT, basic(encoded(client.clientId), encoded(client.clientSecret)))).status).toBe(200);
    expect((await askToken(test, GRANT, basic(client.clientId, `${client.clientSecret}:x+y`))).status).toBe(401);
    expect((await askToken(test, GRANT, client.basic.replace('Basic', 'bAsIc'))).status).toBe(200);
  });

  it.each([
    ['the wrong secret', (id: string) => basic(id, 'wrong')],
    ['an unknown client', () => basic('nobody', 'wrong')],
    ['an id that cannot be stored', () => basic('no\0body', 'wrong')],
    ['an id without end', () => basic('x'.repeat(5_000), 'wrong')],
    ['a broken percent-encoding', (id: string) => basic(`${id}%zz`, 'wrong')],
    ['Basic without a colon', () => `Basic ${Buffer.from('nocolon').toString('base64')}`],
    ['Basic that is not base64', () => 'Basic {}'],
    ['a bearer token', () => 'Bearer abc'],
  ])('answers %s by Basic with invalid_client and a challenge', async (_name, header) => {
    const client = await newClient(test);
    const answer = await askToken(test, GRANT, header(client.clientId));
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'invalid_client', error_description: expect.any(String) });
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="/);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['no secret', { client_secret: '' }],
    ['no id', { client_id: '' }],
  ])('answers %s in the body with invalid_client', async (_name, wrong) => {
    const client = await newClient(test);
    const answer = await askToken(test, { ...GRANT, ...client.inBody, ...wrong });
    expect(answer.status).toBe(401);
    expect(answer.body.error).toBe('invalid_client');
  });

  it('says the same of a wrong secret and of an unknown client', async () => {
    const client = await newClient(test);
    const wrong = await askToken(test, GRANT, basic(client.clientId, 'wrong'));
    const unknown = await askToken(test, GRANT, basic('5b6a6f4e-0000-4000-8000-000000000000', 'wrong'));
    expect(unknown.text).toBe(wrong.text);
  });

  it('works as hard for an unknown client as for a known one', async () => {
    const client = await newClient(test);
    const work = async (authorization: string) => {
      const before = hashingLoad().done;
      await askToken(test, GRANT, authorization);
      return hashingLoad().done - before;
    };
    expect(await work(basic(client.clientId, 'wrong'))).toBe(1);
    expect(await work(basic('nobody', 'wrong'))).toBe(1);
    expect(await work(basic('no\0body', 'wrong'))).toBe(1);
  });

  it('refuses two ways of authentication at once', async () => {
    const client = await newClient(test);
    const twice = await askToken(test, { ...GRANT, ...client.inBody }, client.basic);
    expect(twice.status).toBe(400);
    expect(twice.body.error).toBe('invalid_request');
    const idRepeated = await askToken(test, { ...GRANT, client_id: client.clientId }, client.basic);
    expect(idRepeated.status).toBe(200);
  });

  it('names a missing grant type and one that it does not know', async () => {
    const client = await newClient(test);
    const missing = await askToken(test, {}, client.basic);
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request']);
    for (const grant_type of ['password', 'refresh_token', 'authorization_code', 'urn:ietf:params:oauth:grant-type:device_code', 'x']) {
      const answer = await askToken(test, { grant_type }, client.basic);
      expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_grant_type']);
    }
  });

  it.each([
    'grant_type=client_credentials&grant_type=client_credentials',
    'grant_type=client_credentials&scope=integration.read&scope=integration.write',
  ])('refuses the repeated parameter in %s', async (form) => {
    const client = await newClient(test);
    const answer = await supertest(test.address).post('/oauth2/v1/token').set('authorization', client.basic).type('form').send(form);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['application/json', JSON.stringify(GRANT)],
    ['application/json', '{'],
    ['text/plain', 'grant_type=client_credentials'],
    ['application/xml', '<grant_type>client_credentials</grant_type>'],
  ])('refuses a body of %s in its own form', async (type, body) => {
    const client = await newClient(test);
    const answer = await supertest(test.address)
      .post('/oauth2/v1/token')
      .set('authorization', client.basic)
      .set('content-type', type)
      .send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('refuses a body that is too large, and one that is missing', async () => {
    const client = await newClient(test);
    const large = await askToken(test, { ...GRANT, x: 'x'.repeat(16_384) }, client.basic);
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request']);
    const missing = await supertest(test.address).post('/oauth2/v1/token').set('authorization', client.basic);
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request']);
  });

  it.each(['get', 'put', 'patch', 'delete'] as const)('allows no %s', async (method) => {
    const answer = await supertest(test.address)[method]('/oauth2/v1/token?grant_type=client_credentials');
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
    expect(answer.body.error).toBe('invalid_request');
  });
});
