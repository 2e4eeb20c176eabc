import { describe, expect, it } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { inviteUser } from '../../src/domain/users/invitations.ts';
import { ownTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';
import { newUser, readStatus, signedIn, signIn } from './support.ts';

const test = await ownTestApp({ SIGN_IN_FAILURES_ACCOUNT: '3' });
const { send, browse } = staffPages(test);
const NEW = 'seven quiet rivers below a lamp';

/** The path in the newest mail to an address. */
async function linkTo(email: string): Promise<string> {
  const find = () => test.database.prisma.mailMessage.findFirst({ where: { toAddress: email }, orderBy: { id: 'desc' } });
  await expect.poll(find, { timeout: 5_000 }).not.toBeNull();
  const mail = await find();
  const body = mail ? fillSealedPlaceholders(test.keyring, 'mail', mail) : '';
  expect(mail?.body).not.toContain('http');
  return new URL(/http\S+/.exec(body)?.[0] ?? 'http://none').pathname;
}

const changePassword = (access: string, current: string, password: string) =>
  test.http.put('/user/password').set('authorization', `Bearer ${access}`).send({ current_password: current, password });

describe('a mailed link', () => {
  it('signs nobody in: who sets a password by one shows the second factor that the practice requires', async () => {
    const {
      email,
      user: { organizationId },
    } = await newUser(test);
    await test.database.prisma.securityPolicy.create({ data: { organizationId, secondFactor: 'required' } });
    await test.http.post('/forgot-password').send({ email });
    const invited = `invited-${email}`;
    const names = { firstName: 'Una', lastName: 'Ray' };
    const deps = { keyring: test.keyring, origin: test.address };
    const input = { type: 'staff', ...names, email: invited } as const;
    await test.services.unitOfWork.write(operator(organizationId, 'test'), (tx) => inviteUser(tx, deps, input));
    for (const [address, fields] of [
      [email, {}],
      [invited, names],
    ] as const) {
      const saved = await send(await linkTo(address), { ...fields, password: NEW }).expect(303);
      expect(saved.headers['set-cookie']).toBeUndefined();
      const asked = await signIn(test, address, NEW).expect(401);
      expect(asked.body.code).toBe('second_factor_enrolment_required');
      expect((await send('/sign-in', { email: address, password: NEW }).expect(401)).headers['set-cookie']).toBeUndefined();
    }
  });
});

describe('a practice that signs in with single sign-on alone', () => {
  it('mails no link for a password, and lets nobody in who has set one by an earlier link or an invitation', async () => {
    const {
      email,
      user: { organizationId },
    } = await newUser(test);
    await test.http.post('/forgot-password').send({ email });
    const earlier = await linkTo(email);
    const invited = `invited-${email}`;
    const names = { firstName: 'Una', lastName: 'Ray' };
    await test.services.unitOfWork.write(operator(organizationId, 'test'), (tx) =>
      inviteUser(tx, { keyring: test.keyring, origin: test.address }, { type: 'staff', ...names, email: invited }),
    );
    await test.database.prisma.securityPolicy.create({ data: { organizationId, passwordSignIn: false } });
    await send(earlier, { password: NEW }).expect(303);
    await send(await linkTo(invited), { ...names, password: NEW }).expect(303);
    for (const address of [email, invited]) expect((await signIn(test, address, NEW).expect(403)).body.code).toBe('sso_required');
    await test.http.post('/forgot-password').send({ email });
    await expect.poll(() => linkTo(email), { timeout: 5_000 }).toBe('/sign-in');
  });
});

describe('a password', () => {
  it.each([
    ['brief words ab', 'too_short'],
    ['una walks a long quiet river', 'ok'],
    ['una walks a long quiet river, and nobody ever asks her where the water is going', 'ok'],
    ['abcdefghijklmnopqrstu', 'too_easy'],
    ['Una walks a long river', 'ok'],
    ['triptych of long rivers', 'contains_name'],
    ['aaaaaaaaaaaaaaaaaaaa', 'too_common'],
    ['password password', 'too_common'],
    ['PasswordPassword12', 'too_common'],
    [`${'long '.repeat(300)}`, 'too_long'],
  ])('%s is %s', async (password, code) => {
    const user = await newUser(test);
    const { access } = await signedIn(test, user);
    const answer = await changePassword(access, user.password, password);
    expect(answer.body.errors?.[0] ?? { code: 'ok' }).toMatchObject(code === 'ok' ? { code } : { pointer: '/password', code });
  });

  it('is changed with the present one, ends all other sessions, and is told by mail', async () => {
    const user = await newUser(test);
    const [here, elsewhere] = [await signedIn(test, user), await signedIn(test, user)];
    expect((await changePassword(here.access, 'wrong', NEW)).body.errors).toMatchObject([
      { pointer: '/current_password', code: 'wrong_password' },
    ]);
    await changePassword(here.access, user.password, NEW).expect(204);
    expect(await readStatus(test, here.access)).toBe(200);
    expect(await readStatus(test, elsewhere.access)).toBe(401);
    expect((await signIn(test, user.email, user.password)).status).toBe(401);
    expect((await signIn(test, user.email, NEW)).status).toBe(200);
    expect(await linkTo(user.email)).toBe('/sign-in/forgot');
  });

  it('is set anew by a mailed link, once, which unlocks the account and ends its sessions', async () => {
    const user = await newUser(test);
    const { access } = await signedIn(test, user);
    const asked = await Promise.all([user.email, 'nobody@example.com'].map((email) => test.http.post('/forgot-password').send({ email })));
    expect(asked[0]?.text).toBe(asked[1]?.text);
    const path = await linkTo(user.email);
    for (let failures = 0; failures < 3; failures += 1) await signIn(test, user.email, 'wrong').expect(401);
    await signIn(test, user.email, user.password).expect(429);
    const weak = await send(path, { password: 'too weak' });
    expect([weak.status, weak.text.includes('too weak')]).toEqual([400, false]);
    await send(path, { password: NEW }).expect(303);
    // The answer may have been lost: the same form is answered alike for an hour, and changes nothing.
    expect((await send(path, { password: NEW }).expect(303)).headers.location).toBe('/password-saved');
    await send(path, { password: 'another one that somebody else has chosen' }).expect(404);
    await test.http.get(path).expect(404);
    await test.database.prisma.accountLink.updateMany({
      where: { userId: user.user.id, usedAt: { not: null } },
      data: { usedAt: new Date(Date.now() - 3_601_000) },
    });
    await send(path, { password: NEW }).expect(404);
    expect((await signIn(test, user.email, NEW)).status).toBe(200);
    await expect.poll(() => readStatus(test, access), { timeout: 3_000 }).toBe(401);
  });

  it('is counted with sign-ins, apart from the pages of patients', async () => {
    const ended = await test.http.get('/reset-password/none').expect(404);
    expect(ended.text).toContain('This link no longer works');
    expect(ended.text).toContain('href="/sign-in/forgot"');
    for (const path of ['/sign-in/forgot', '/reset-password/none', '/invitation/none', '/password-saved'])
      expect([path, (await test.http.get(path)).headers.ratelimit]).toEqual([path, expect.stringMatching(/^"sign-in";/)]);
    expect((await test.http.get('/c/none')).headers.ratelimit).toMatch(/^"address";/);
  });

  it('is mailed for at most three times an hour, and each link works until one is used', async () => {
    const { user, email } = await newUser(test);
    const mails = () => test.database.prisma.mailMessage.count({ where: { toAddress: email } });
    const links: string[] = [];
    for (const count of [1, 2, 3]) {
      await send('/sign-in/forgot', { email }).expect(200);
      await expect.poll(mails, { timeout: 5_000 }).toBe(count);
      links.push(await linkTo(email));
    }
    await send('/sign-in/forgot', { email }).expect(200);
    expect(await mails()).toBe(3);
    const { prisma } = test.database;
    const { id } = await prisma.accountLink.findFirstOrThrow({ where: { userId: user.id }, orderBy: { id: 'asc' } });
    await prisma.accountLink.updateMany({ where: { userId: user.id, id }, data: { expiresAt: new Date() } });
    const states = () => Promise.all(links.map(async (link) => (await test.http.get(link)).status));
    expect(await states()).toEqual([404, 200, 200]);
    await send(links[2] ?? '', { password: NEW }).expect(303);
    expect(await states()).toEqual([404, 404, 404]);
  });
});

it('an invited user chooses the first password in their language, and is verified from then on', async () => {
  const { id } = await createOrganization(test.database.prisma, { name: 'Lakeside Clinic' });
  const email = `invited-${id}@clinic.example`;
  const input = { type: 'staff', firstName: 'Ana', lastName: 'Ruiz', email, languageId: 'es' } as const;
  const deps = { keyring: test.keyring, origin: test.address };
  const user = await test.services.unitOfWork.write(operator(id, 'test'), (tx) => inviteUser(tx, deps, input));
  expect(user.verified).toBe(false);
  const path = await linkTo(email);
  expect((await test.http.get(path).expect(200)).text).toContain('Le damos la bienvenida a Lakeside Clinic');
  expect((await send(path, { firstName: 'Ana', lastName: 'Ruiz', password: 'lakeside rivers below' })).status).toBe(400);
  await send(path, { firstName: 'Anna', lastName: 'Ruiz', password: NEW }).expect(303);
  await send(path, { firstName: 'Anna', lastName: 'Ruiz', password: NEW }).expect(303);
  await send(path, { firstName: 'Eve', lastName: 'Ruiz', password: 'an entirely different phrase' }).expect(404);
  expect((await signIn(test, email, NEW)).status).toBe(200);
  expect(await test.database.prisma.user.findFirst({ where: { organizationId: id } })).toMatchObject({ firstName: 'Anna', verified: true });
});

describe('sessions', () => {
  it('are listed with their devices and ended one by one or all, only by their own user', async () => {
    const user = await newUser(test);
    const stranger = await signedIn(test, await newUser(test));
    const [here, elsewhere] = [await signedIn(test, user), await signedIn(test, user)];
    const cookie = await browse(user);
    const as = (access: string) => ({ authorization: `Bearer ${access}` });
    const { body } = await test.http.get('/user/sessions').set(as(here.access)).expect(200);
    expect(body.data.map(({ kind, current }: { kind: string; current: boolean }) => [kind, current])).toEqual([
      ['page', false],
      ['app', false],
      ['app', true],
    ]);
    const [page, app] = body.data;
    await test.http.delete(`/user/sessions/${page.id}`).set(as(stranger.access)).expect(404);
    await test.http.delete(`/user/sessions/${page.id}`).set(as(here.access)).expect(204);
    await test.http.get('/account').set(cookie).redirects(0).expect(303);
    expect(app.methods).toEqual(['pwd']);
    await test.http.delete('/user/sessions').set(as(here.access)).expect(204);
    expect([await readStatus(test, here.access), await readStatus(test, elsewhere.access)]).toEqual([200, 401]);
  });

  it('are shown and ended on the page of the account', async () => {
    const user = await newUser(test);
    const { access } = await signedIn(test, user);
    const cookie = await browse(user);
    expect((await test.http.get('/account').set(cookie).expect(200)).text).toContain('This device');
    await send('/account/sessions/end-others', {}, cookie).expect(303);
    expect(await readStatus(test, access)).toBe(401);
    const refused = await send('/account/password', { currentPassword: user.password, password: 'short' }, cookie);
    expect([refused.status, refused.text.includes('at least 15')]).toEqual([400, true]);
    await send('/account/password', { currentPassword: user.password, password: NEW }, cookie).expect(303);
  });

  it('end by the policy of the practice, at the latest and without use', async () => {
    const user = await newUser(test);
    const { organizationId } = user.user;
    await test.database.prisma.securityPolicy.create({ data: { organizationId, sessionLifeHours: 12, sessionIdleMinutes: 5 } });
    await signedIn(test, user);
    const session = await test.database.prisma.session.findFirstOrThrow({ where: { organizationId } });
    expect(session.endsAt.getTime() - session.createdAt.getTime()).toBe(12 * 3_600_000);
    expect(session.expiresAt.getTime() - session.createdAt.getTime()).toBe(5 * 60_000);
  });
});

it('a known device gets past the lock of its account, by its cookie or its last refresh token', async () => {
  const user = await newUser(test);
  const first = await signIn(test, user.email, user.password);
  const device = String(first.headers['set-cookie']).split(';', 1)[0] ?? '';
  for (let failures = 0; failures < 3; failures += 1) await signIn(test, user.email, 'wrong').expect(401);
  await signIn(test, user.email, user.password).expect(429);
  await signIn(test, user.email, user.password).set('cookie', device).expect(200);
  const { email, password } = user;
  await test.http.post('/login').send({ email, password, refresh_token: first.body.data.refresh_token }).expect(200);
  const another = await newUser(test);
  for (let failures = 0; failures < 3; failures += 1) await signIn(test, another.email, 'wrong').expect(401);
  await signIn(test, another.email, another.password).set('cookie', device).expect(429);
});

it('ten lock-outs within an hour are told to the administrators of the practice, once', async () => {
  const admin = await newUser(test, 'admin');
  const { organizationId } = admin.user;
  for (let count = 0; count < 11; count += 1) {
    for (let failures = 0; failures < 3; failures += 1) await signIn(test, admin.email, 'wrong').expect(401);
    await test.database.prisma.signInFailure.deleteMany({ where: { key: { startsWith: 'account:' } } });
    await test.database.prisma.signInFailure.deleteMany({ where: { key: { startsWith: 'address:' } } });
  }
  const countLockNotices = () => test.database.prisma.notification.count({ where: { organizationId, kind: 'accounts.locked' } });
  await expect.poll(countLockNotices, { timeout: 5_000 }).toBe(1);
  expect(await test.database.prisma.mailMessage.count({ where: { organizationId, toAddress: admin.email } })).toBe(1);
});
