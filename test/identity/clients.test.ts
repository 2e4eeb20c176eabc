import { describe, expect, it } from 'vitest';
import { rotateClientSecret } from '../../src/domain/identity/clients/client-secrets.ts';
import { grantClient, setClientActive, withdrawGrant } from '../../src/domain/identity/clients/clients.ts';
import { CACHED_MS } from '../../src/http/auth/authenticate.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { askToken, basic, createToken, newClient, newUser, readStatus, refusedAfter, signedIn, use } from './support.ts';

const GRANT = { grant_type: 'client_credentials' };

const test = await sharedTestApp();
const second = await secondTestApp();

describe('an API client', () => {
  it('is believed for less than a second without asking the database again', () => {
    expect(CACHED_MS).toBeLessThan(1_000);
  });

  it('that is switched off is out on every server, and gets no token', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    expect([await readStatus(test, token), await readStatus(second, token)]).toEqual([200, 200]);
    await setClientActive(test.database.prisma, client.clientId, false);
    await Promise.all([refusedAfter(test, token), refusedAfter(second, token)]);
    const refused = await askToken(test, GRANT, client.basic);
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
    await setClientActive(test.database.prisma, client.clientId, true);
    expect((await askToken(test, GRANT, client.basic)).status).toBe(200);
  });

  it('cannot use the old secret after it was rotated, and can the new one', async () => {
    const client = await newClient(test);
    const secret = await rotateClientSecret(test.database.prisma, client.clientId);
    expect((await askToken(second, GRANT, client.basic)).status).toBe(401);
    expect((await askToken(second, GRANT, basic(client.clientId, secret))).status).toBe(200);
  });

  it('is told that its secret has expired, where it has the secret, and nobody else is', async () => {
    const client = await newClient(test);
    await test.database.prisma.apiClientSecret.updateMany({ where: { clientId: client.clientId }, data: { expiresAt: new Date() } });
    const told = await askToken(test, GRANT, client.basic);
    expect([told.status, told.body]).toEqual([401, { error: 'invalid_client', error_description: expect.stringMatching(/expired/) }]);
    const guessed = await askToken(test, GRANT, basic(client.clientId, 'a guess'));
    expect([guessed.status, guessed.body]).toEqual([
      401,
      { error: 'invalid_client', error_description: expect.not.stringMatching(/expired/) },
    ]);
  });

  it('without its organization may do nothing there any more', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    expect(await readStatus(second, token)).toBe(200);
    await withdrawGrant(test.database.prisma, client.clientId, client.organizationId);
    await expect.poll(() => readStatus(second, token), { timeout: 3_000, interval: 25 }).toBe(403);
  });

  it('belongs to one organization when it may use the integration API', async () => {
    const client = await newClient(test);
    const { id } = await createOrganization(test.database.prisma);
    await expect(grantClient(test.database.prisma, client.clientId, id)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('that lost a scope has lost it in its tokens', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    await test.database.prisma.apiClient.update({ where: { id: client.clientId }, data: { scopes: ['integration.write'] } });
    await expect.poll(() => readStatus(second, token), { timeout: 3_000, interval: 25 }).toBe(403);
  });

  it('is told which scope it misses', async () => {
    const client = await newClient(test);
    const narrow = await askToken(test, { ...GRANT, scope: 'integration.write' }, client.basic);
    const answer = await use(test, narrow.body.access_token);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ exception: 'AuthorizationException', message: expect.stringContaining('integration.read') });
    expect(answer.headers['www-authenticate']).toContain('scope="integration.read"');
  });

  it('cannot call the mobile API, where a user signs out', async () => {
    const client = await newClient(test);
    const token = await createToken(test, client);
    const answer = await test.http.post('/logout').set('authorization', `Bearer ${token}`);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ status: 403, code: 'wrong_token' });
    expect(await readStatus(test, token)).toBe(200);
  });
});

describe('a user who signed in', () => {
  it('may call the integration API, in their own organization', async () => {
    const user = await newUser(test);
    const { appointmentType } = test.database.prisma;
    await appointmentType.create({ data: { organizationId: user.user.organizationId, name: 'Ours' } });
    const answer = await use(test, (await signedIn(test, user)).access);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Ours');
  });
});
