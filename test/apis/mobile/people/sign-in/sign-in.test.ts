import { describe, expect, it } from 'vitest';
import { hashToken } from '../../../../../src/domain/identity/secrets.ts';
import { actorWith } from '../../../../support/actors.ts';
import { secondTestApp, sharedTestApp, type TestApp } from '../../../../support/app.ts';
import { createOrganization, createUser } from '../../../../support/factories.ts';

/** Sessions of a phone and a tablet at two servers. Single sessions are tested in test/identity. */

const test = await sharedTestApp();
const second = await secondTestApp();

interface Account {
  organizationId: number;
  userId: number;
  email: string;
  password: string;
}

async function newAccount(): Promise<Account> {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const { user, email, password } = await createUser(test.database.prisma, { organizationId });
  return { organizationId, userId: user.id, email, password };
}

/** A device that signed in at one of the servers. */
async function device(server: TestApp, { organizationId, email, password }: Account) {
  const answer = await server.http.post('/login').send({ email, password });
  expect(answer.status, answer.text).toBe(200);
  return { ...actorWith(server, answer.body.data.access_token, organizationId), refreshToken: String(answer.body.data.refresh_token) };
}

const refresh = (server: TestApp, token: string) => server.http.post('/refresh').send({ token });
const statusAt = async (server: TestApp, token: string) => (await actorWith(server, token, 0).get('/client')).status;

/** Lets a refresh token have been used so many seconds ago. */
async function usedBefore(token: string, seconds: number) {
  const hash = hashToken(token);
  await test.database.prisma.refreshToken.updateMany({ where: { hash }, data: { usedAt: new Date(Date.now() - seconds * 1_000) } });
}

describe('two devices of one person', () => {
  it('are signed in at once, see the same person, and sign out one by one', async () => {
    const account = await newAccount();
    const [phone, tablet] = await Promise.all([device(test, account), device(second, account)]);
    const answers = await Promise.all([phone.get('/client'), tablet.get('/client'), phone.get('/user'), tablet.get('/user')]);
    expect(answers.map(({ status, body }) => [status, body.data.uuid])).toEqual(Array(4).fill([200, account.userId]));
    expect((await phone.post('/logout')).status).toBe(204);
    expect((await phone.get('/client')).status).toBe(401);
    expect((await refresh(second, phone.refreshToken)).status).toBe(401);
    expect((await tablet.get('/client')).status).toBe(200);
    expect((await refresh(test, tablet.refreshToken)).status).toBe(200);
  });
});

describe('a refresh race', () => {
  it('of twenty at two servers gives one new pair, which works everywhere', async () => {
    const phone = await device(test, await newAccount());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => refresh(n % 2 ? test : second, phone.refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const pairs = new Set(answers.map(({ body }) => `${body.data.access_token} ${body.data.refresh_token}`));
    expect(pairs.size).toBe(1);
    const [access = '', next = ''] = [...pairs].join('').split(' ');
    expect([await statusAt(test, access), await statusAt(second, access)]).toEqual([200, 200]);
    expect((await refresh(second, next)).status).toBe(200);
  });

  it.each([1, 5, 8])('that ends %i seconds late revokes nothing', async (seconds) => {
    const phone = await device(test, await newAccount());
    const { access_token: access, refresh_token: next } = (await refresh(test, phone.refreshToken)).body.data;
    await usedBefore(phone.refreshToken, seconds);
    expect((await refresh(second, phone.refreshToken)).body.data.refresh_token).toBe(next);
    expect(await statusAt(test, access)).toBe(200);
  });

  it('is none a minute later: the token was stolen, and every token of the device ends, but not of another', async () => {
    const account = await newAccount();
    const [phone, tablet] = [await device(test, account), await device(test, account)];
    const next = (await refresh(test, phone.refreshToken)).body.data;
    await usedBefore(phone.refreshToken, 61);
    const reuse = await refresh(second, phone.refreshToken);
    expect([reuse.status, reuse.body.code]).toEqual([401, 'refresh_token_reused']);
    expect(await statusAt(second, next.access_token)).toBe(401);
    await expect.poll(() => statusAt(test, next.access_token), { timeout: 3_000, interval: 25 }).toBe(401);
    expect((await refresh(test, next.refresh_token)).status).toBe(401);
    expect((await tablet.get('/client')).status).toBe(200);
  });
});

describe('who signed in', () => {
  it('is asked for a token at /client and /user, and an API client’s is not taken', async () => {
    for (const path of ['/client', '/user']) {
      const answer = await test.http.get(path);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="triptych"']);
    }
  });
});
