import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { hashToken } from '../../src/domain/identity/secrets.ts';
import { secondTestApp, sharedTestApp, type TestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { newUser, type Pair, readStatus, refresh, refusedAfter, signedIn, signOut, toPair } from './support.ts';

const test = await sharedTestApp();
const second = await secondTestApp();

const toRow = (token: string) => ({ hash: hashToken(token) });

/** Lets a token have been used some time ago. */
const ageUse = (token: string, seconds: number) =>
  test.database.prisma.refreshToken.updateMany({ where: toRow(token), data: { usedAt: new Date(Date.now() - seconds * 1000) } });

const findSession = async (token: string) => {
  const row = await test.database.prisma.refreshToken.findFirstOrThrow({ where: toRow(token), include: { session: true } });
  return row.session;
};

async function refreshed(server: TestApp, token: string): Promise<Pair> {
  const answer = await refresh(server, token);
  if (answer.status !== 200) throw new Error(`no new pair: ${answer.status} ${answer.text}`);
  return toPair(answer);
}

describe('refreshing', () => {
  it('gives a new pair and the same user, and retires the old token', async () => {
    const user = await newUser(test);
    const old = await signedIn(test, user);
    const answer = await refresh(second, old.refresh);
    expect(answer.body.data).toMatchObject({ token_type: 'Bearer', expires_in: 900, user: { uuid: user.user.id, user_type: 'staff' } });
    expect(answer.headers['cache-control']).toBe('no-store');
    const next = toPair(answer);
    expect(next.refresh).not.toBe(old.refresh);
    expect(await readStatus(test, next.access)).toBe(200);
    await ageUse(old.refresh, 11);
    expect((await refresh(test, old.refresh)).status).toBe(401);
  });

  it('gives twenty devices that race with one token one and the same pair, and ends nothing', async () => {
    const { refresh: token } = await signedIn(test, await newUser(test));
    const race = Array.from({ length: 20 }, (_, index) => refreshed(index % 2 ? test : second, token));
    const pairs = await Promise.all(race);
    expect(new Set(pairs.map((pair) => pair.refresh)).size).toBe(1);
    expect(new Set(pairs.map((pair) => pair.access)).size).toBe(1);
    expect((await findSession(token)).revokedAt).toBeNull();
    const next = await refreshed(test, pairs[0]?.refresh ?? '');
    expect(await readStatus(second, next.access)).toBe(200);
    // A straggler of the race, after the next trade.
    expect((await refreshed(second, token)).refresh).toBe(pairs[0]?.refresh);
  });

  it('with a token that was used before ends the whole family, on every server', async () => {
    const old = await signedIn(test, await newUser(test));
    const next = await refreshed(test, old.refresh);
    const newest = await refreshed(test, next.refresh);
    expect([await readStatus(test, newest.access), await readStatus(second, newest.access)]).toEqual([200, 200]);
    await ageUse(old.refresh, 11);
    const reuse = await refresh(test, old.refresh);
    expect(reuse.status).toBe(401);
    expect(reuse.body.code).toBe('refresh_token_reused');
    expect(await findSession(old.refresh)).toMatchObject({ revokedReason: 'reuse' });
    expect(await readStatus(test, newest.access)).toBe(401);
    await refusedAfter(second, newest.access);
    for (const token of [old.refresh, next.refresh, newest.refresh]) {
      expect((await refresh(second, token)).body.code).toBe('invalid_refresh_token');
    }
  });

  it('leaves an audit row when a family ends by reuse', async () => {
    const user = await newUser(test);
    const old = await signedIn(test, user);
    await refreshed(test, old.refresh);
    await ageUse(old.refresh, 11);
    await refresh(test, old.refresh);
    const where = { organizationId: user.user.organizationId, action: 'sign_out' };
    expect(
      await test.database.prisma.auditEntry.findMany({ where, select: { actor: true, detail: true }, orderBy: { id: 'asc' } }),
    ).toEqual([{ actor: `user:${user.user.id}`, detail: 'a refresh token was used twice' }]);
  });

  it('of one device leaves the other alone', async () => {
    const user = await newUser(test);
    const [phone, tablet] = [await signedIn(test, user), await signedIn(test, user)];
    const [newPhone, newTablet] = await Promise.all([refreshed(test, phone.refresh), refreshed(second, tablet.refresh)]);
    await ageUse(phone.refresh, 11);
    await refresh(test, phone.refresh);
    expect(await readStatus(test, newPhone.access)).toBe(401);
    expect(await readStatus(test, newTablet.access)).toBe(200);
    expect((await refresh(test, newTablet.refresh)).status).toBe(200);
  });

  it('begins the thirty days anew, after which nothing is given', async () => {
    const { refresh: token } = await signedIn(test, await newUser(test));
    const days = async (of: string) => ((await findSession(of)).expiresAt.getTime() - Date.now()) / 86_400_000;
    expect(await days(token)).toBeCloseTo(30, 2);
    const { id, organizationId } = await findSession(token);
    const expire = (ms: number) =>
      test.database.prisma.session.updateMany({ where: { id, organizationId }, data: { expiresAt: new Date(Date.now() + ms) } });
    await expire(60_000);
    const next = await refreshed(test, token);
    expect(await days(next.refresh)).toBeCloseTo(30, 2);
    await expire(-1);
    expect((await refresh(test, next.refresh)).body.code).toBe('invalid_refresh_token');
    await expect.poll(() => readStatus(test, next.access), { timeout: 3_000, interval: 25 }).toBe(401);
  });

  it('gives nothing for a token under the number of another organization', async () => {
    const { refresh: token } = await signedIn(test, await newUser(test));
    const other = await createOrganization(test.database.prisma);
    const [, secret] = token.split('.');
    for (const prefix of [other.id, 0, -1, '1e3', '', 99_999_999_999, '2147483648', `0${token.split('.')[0]}`]) {
      const answer = await refresh(test, `${prefix}.${secret}`);
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_refresh_token']);
    }
    expect((await refresh(test, token)).status).toBe(200);
  });

  it('gives nothing for an access token, nor the other way round', async () => {
    const pair = await signedIn(test, await newUser(test));
    expect((await refresh(test, pair.access)).status).not.toBe(200);
    expect(await readStatus(test, pair.refresh)).toBe(401);
  });

  it.each([[{}], [{ token: '' }], [{ token: 7 }], [{ token: 'x'.repeat(201) }], [{ token: 'a\u0000' }]])(
    'names what is wrong in %j',
    async (body) => {
      const answer = await test.http.post('/refresh').send(body);
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, '/token']);
    },
  );

  it('forgets what it kept for the race once the race is long over', async () => {
    const first = await signedIn(test, await newUser(test));
    const next = await refreshed(test, first.refresh);
    await ageUse(first.refresh, 61);
    await refreshed(test, next.refresh);
    const kept = async (token: string) => (await test.database.prisma.refreshToken.findFirst({ where: toRow(token) }))?.successor ?? null;
    expect(await kept(first.refresh)).toBeNull();
    expect(await kept(next.refresh)).not.toBeNull();
  });

  it('lets go of tokens that nobody could use any more', async () => {
    const first = await signedIn(test, await newUser(test));
    const next = await refreshed(test, first.refresh);
    await ageUse(first.refresh, 31 * 86_400);
    await refreshed(test, next.refresh);
    expect(await test.database.prisma.refreshToken.findFirst({ where: toRow(first.refresh) })).toBeNull();
  });
});

describe('signing out', () => {
  it('ends both tokens here at once, and on another server within a second', async () => {
    const pair = await signedIn(test, await newUser(test));
    expect([await readStatus(test, pair.access), await readStatus(second, pair.access)]).toEqual([200, 200]);
    expect((await signOut(test, pair.access)).status).toBe(204);
    expect(await readStatus(test, pair.access)).toBe(401);
    expect((await refresh(second, pair.refresh)).status).toBe(401);
    await refusedAfter(second, pair.access);
    expect((await signOut(test, pair.access)).status).toBe(401);
  });

  it('ends the earlier access tokens of the device too, while they are in use', async () => {
    const old = await signedIn(test, await newUser(test));
    const next = await refreshed(test, old.refresh);
    expect([await readStatus(test, old.access), await readStatus(test, next.access)]).toEqual([200, 200]);
    await signOut(test, next.access);
    expect([await readStatus(test, old.access), await readStatus(test, next.access)]).toEqual([401, 401]);
  });

  it('holds here while requests with the token keep coming', async () => {
    const { access } = await signedIn(test, await newUser(test));
    let out = false;
    const after: number[] = [];
    const busy = Array.from({ length: 8 }, async () => {
      while (after.length < 40) {
        const begunAfter = out;
        const status = await readStatus(test, access);
        if (begunAfter) after.push(status);
      }
    });
    await sleep(50);
    await signOut(test, access);
    out = true;
    await Promise.all(busy);
    expect(new Set(after)).toEqual(new Set([401]));
  });

  it('of one device leaves the other signed in', async () => {
    const user = await newUser(test);
    const [phone, tablet] = [await signedIn(test, user), await signedIn(test, user)];
    await signOut(test, phone.access);
    expect(await readStatus(test, tablet.access)).toBe(200);
    expect((await refresh(test, tablet.refresh)).status).toBe(200);
  });

  it('loses against no refresh at the same moment', async () => {
    const { access, refresh: token } = await signedIn(test, await newUser(test));
    const [, traded] = await Promise.all([signOut(test, access), refresh(second, token)]);
    if (traded.status !== 200) return;
    const next = toPair(traded);
    expect((await refresh(second, next.refresh)).status).toBe(401);
    await refusedAfter(second, next.access);
  });
});
