import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/domain/identity/clients/clients.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { askToken, createToken, decoded, newClient, newUser, readStatus, refusedAfter, signedIn, signOut } from './support.ts';

const test = await sharedTestApp();
const second = await secondTestApp();

const ask = (action: 'introspect' | 'revoke', authorization: string, form: Record<string, string>) =>
  supertest(test.address).post(`/oauth2/v1/${action}`).set('authorization', authorization).type('form').send(form);

/** Things that are no token of ours. */
const GARBAGE = ['x', 'a.b.c', '..', `${'a'.repeat(9_000)}`, 'eyJhbGciOiJub25lIn0.e30.', 'token with spaces', '\u0000'];

describe('introspection', () => {
  it('tells a client of its own token', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    const answer = await ask('introspect', client.basic, { token, token_type_hint: 'access_token' });
    const { claims } = decoded(token);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({
      active: true,
      token_type: 'Bearer',
      client_id: client.clientId,
      sub: client.clientId,
      scope: 'integration.read integration.write',
      exp: claims.exp,
      iat: claims.iat,
      jti: claims.jti,
      iss: test.address,
      aud: 'triptych',
    });
  });

  it('knows only the scopes that the client still has', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    await test.database.prisma.apiClient.update({ where: { id: client.clientId }, data: { scopes: ['integration.read'] } });
    expect((await ask('introspect', client.basic, { token })).body.scope).toBe('integration.read');
  });

  it("says nothing of another client's token, nor of one of a stranger's user", async () => {
    const [client, other] = [await newClient(test), await newClient(test)];
    const { access } = await signedIn(test, await newUser(test));
    for (const token of [await createToken(test, other), access]) {
      expect((await ask('introspect', client.basic, { token })).body).toEqual({ active: false });
    }
  });

  it('tells a client of the user of its own organization, until the user is out, and never of refresh tokens', async () => {
    const user = await newUser(test);
    const organizationIds = [user.user.organizationId];
    const { clientId, clientSecret } = await createClient(test.database.prisma, {
      name: 'own',
      scopes: ['practice.read'],
      organizationIds,
    });
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const pair = await signedIn(test, user);
    expect((await ask('introspect', basic, { token: pair.access })).body).toMatchObject({ active: true, sub: String(user.user.id) });
    expect((await ask('introspect', basic, { token: pair.refresh })).body).toEqual({ active: false });
    await signOut(test, pair.access);
    expect((await ask('introspect', basic, { token: pair.access })).body).toEqual({ active: false });
  });

  it.each(GARBAGE)('answers %j with active: false', async (token) => {
    const client = await newClient(test);
    const answer = await ask('introspect', client.basic, { token });
    expect([answer.status, answer.body]).toEqual([200, { active: false }]);
  });

  it.each(['introspect', 'revoke'] as const)('needs a client and a token to %s', async (action) => {
    const client = await newClient(test);
    const nobody = await supertest(test.address).post(`/oauth2/v1/${action}`).type('form').send({ token: 'x' });
    expect([nobody.status, nobody.body.error]).toEqual([401, 'invalid_client']);
    expect(nobody.headers['www-authenticate']).toMatch(/^Basic /);
    const missing = await ask(action, client.basic, {});
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request']);
    const json = await supertest(test.address).post(`/oauth2/v1/${action}`).set('authorization', client.basic).send({ token: 'x' });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    const inBody = await supertest(test.address)
      .post(`/oauth2/v1/${action}`)
      .type('form')
      .send({ token: 'x', ...client.inBody });
    expect(inBody.status).toBe(200);
    const got = await supertest(test.address).get(`/oauth2/v1/${action}`);
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('revocation', () => {
  it("ends a client's own token here at once, and elsewhere within a second", async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    expect([await readStatus(test, token), await readStatus(second, token)]).toEqual([200, 200]);
    expect((await ask('revoke', client.basic, { token, token_type_hint: 'refresh_token' })).status).toBe(200);
    expect(await readStatus(test, token)).toBe(401);
    await refusedAfter(second, token);
    expect((await ask('introspect', client.basic, { token })).body).toEqual({ active: false });
    expect((await ask('revoke', client.basic, { token })).status).toBe(200);
  });

  it("leaves the client's other tokens alone", async () => {
    const client = await newClient(test);
    const [one, another] = [await createToken(test, client), await createToken(test, client)];
    await ask('revoke', client.basic, { token: one });
    expect(await readStatus(test, another)).toBe(200);
  });

  it("leaves another client's token and a user's untouched", async () => {
    const [client, other] = [await newClient(test), await newClient(test)];
    const { access } = await signedIn(test, await newUser(test));
    for (const token of [await createToken(test, other), access]) {
      expect((await ask('revoke', client.basic, { token })).status).toBe(200);
      expect(await readStatus(test, token)).toBe(200);
    }
    expect(await test.database.prisma.revokedToken.count({ where: { id: String(decoded(access).claims.jti) } })).toBe(0);
  });

  it.each(GARBAGE)('takes %j with 200', async (token) => {
    const client = await newClient(test);
    expect((await ask('revoke', client.basic, { token })).status).toBe(200);
  });

  it('ends a token before it was ever used, too', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    await ask('revoke', client.basic, { token });
    expect([await readStatus(second, token), await readStatus(test, token)]).toEqual([401, 401]);
    expect((await askToken(test, { grant_type: 'client_credentials' }, client.basic)).status).toBe(200);
  });
});
