import { describe, expect, it } from 'vitest';
import { checkPassword } from '../../src/domain/identity/accounts.ts';
import { hashingLoad } from '../../src/domain/identity/secrets.ts';
import { openPageSession } from '../../src/domain/identity/sessions/sessions.ts';
import { raiseSignInEpoch } from '../../src/domain/identity/sessions/sign-in-epoch.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { decoded, newUser, oneByOne, readStatus, signedIn, signIn } from './support.ts';

const test = await sharedTestApp();

/** Headers that may differ between two refusals that must look the same. */
const looks = ({ status, text, headers }: Awaited<ReturnType<typeof signIn>>) => {
  const { date: _, ratelimit: __, ...same } = headers;
  return { status, text, headers: same };
};

describe('signing in', () => {
  it.each(['admin', 'provider', 'staff'] as const)('gives a person of type %s both tokens and says who they are', async (type) => {
    const { user, email, password } = await newUser(test, type);
    const answer = await signIn(test, email, password);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({
      data: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        user: { uuid: user.id, org_uuid: user.organizationId, user_type: type },
      },
    });
    const { claims } = decoded(answer.body.data.access_token);
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
    expect(await readStatus(test, answer.body.data.access_token)).toBe(200);
  });

  it('takes an email in any case and with spaces around it', async () => {
    const { email, password } = await newUser(test);
    expect((await signIn(test, ` ${email.toUpperCase()} `, password)).status).toBe(200);
  });

  it('takes a password only exactly as it is', async () => {
    const { email, password } = await newUser(test);
    for (const wrong of [password.toUpperCase(), ` ${password}`, `${password} `, '\u0000', password.slice(0, -1)]) {
      expect((await signIn(test, email, wrong)).status).not.toBe(200);
    }
  });

  it('lets no interface user in', async () => {
    const { email, password } = await newUser(test, 'interface');
    expect((await signIn(test, email, password)).status).toBe(401);
  });

  it('lets no inactive user in', async () => {
    const organizationId = (await createOrganization(test.database.prisma)).id;
    const { email, password } = await createUser(test.database.prisma, { organizationId, active: false });
    expect((await signIn(test, email, password)).status).toBe(401);
  });

  it('does not tell a wrong password from an address that is unknown, inactive or of an interface', async () => {
    const known = await newUser(test);
    const inactive = await newUser(test);
    await test.database.prisma.user.updateMany({ where: { id: inactive.user.id }, data: { active: false } });
    const machine = await newUser(test, 'interface');
    const attempts = [
      [known.email, 'wrong'],
      ['nobody@example.com', 'wrong'],
      [inactive.email, inactive.password],
      [machine.email, machine.password],
    ] as const;
    const answers = await oneByOne(attempts, ([email, password]) => signIn(test, email, password).set('x-request-id', 'same'));
    const [first, ...others] = answers.map(looks);
    expect(first).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="triptych"' } });
    for (const other of others) expect(other).toEqual(first);
  });

  it('works as hard for an unknown, an inactive and a known address', async () => {
    const known = await newUser(test);
    const inactive = await newUser(test);
    await test.database.prisma.user.updateMany({ where: { id: inactive.user.id }, data: { active: false } });
    for (const email of [known.email, 'nobody@example.com', inactive.email]) {
      const before = hashingLoad().done;
      await signIn(test, email, 'wrong');
      expect(hashingLoad().done - before).toBe(1);
    }
  });

  it('leaves an audit row, also when it was refused', async () => {
    const { user, email, password } = await newUser(test);
    await signIn(test, email, 'wrong');
    await signIn(test, email, password);
    const where = { organizationId: user.organizationId, resourceIds: { has: user.id } };
    const actions = async () => {
      const rows = await test.database.prisma.auditEntry.findMany({ where, select: { action: true, actor: true }, orderBy: { id: 'asc' } });
      return rows.map(({ action, actor }) => `${action} ${actor}`).sort();
    };
    await expect.poll(actions, { timeout: 5_000 }).toEqual([`sign_in user:${user.id}`, 'sign_in_refused anonymous']);
  });

  it.each([
    [{}, ['/email', '/password']],
    [{ email: 'a@example.com' }, ['/password']],
    [{ email: 'a@example.com', password: '' }, ['/password']],
    [{ email: 7, password: ['x'] }, ['/email', '/password']],
    [{ email: 'a\u0000@example.com', password: 'x' }, ['/email']],
    [{ email: `${'a'.repeat(300)}@example.com`, password: 'x' }, ['/email']],
  ])('names what is wrong in %j', async (body, pointers) => {
    const answer = await test.http.post('/login').send(body);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });

  it('opens no session where the account was changed after its password was right', async () => {
    const { user, email, password } = await newUser(test);
    const { prisma } = test.database;
    const holder = await checkPassword(prisma, email, password);
    if (!holder) throw new Error('the password is right');
    await raiseSignInEpoch(prisma, { organizationId: user.organizationId, userId: user.id });
    const details = { methods: ['pwd'] as const, address: null, userAgent: null, deviceId: null };
    await expect(prisma.$transaction((tx) => openPageSession(tx, holder, details))).rejects.toMatchObject({ code: 'account_changed' });
    expect(await prisma.session.count({ where: { organizationId: user.organizationId, userId: user.id } })).toBe(0);
    expect((await signIn(test, email, password)).status).toBe(200);
  });

  it('ends for all tokens of a user who is made inactive', async () => {
    const user = await newUser(test);
    const { access, refresh } = await signedIn(test, user);
    expect(await readStatus(test, access)).toBe(200);
    await test.database.prisma.user.updateMany({ where: { id: user.user.id }, data: { active: false } });
    await expect.poll(() => readStatus(test, access), { timeout: 3_000, interval: 25 }).toBe(401);
    expect((await test.http.post('/refresh').send({ token: refresh })).status).toBe(401);
  });
});
