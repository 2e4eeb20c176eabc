import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createAuthenticator } from '../../../../support/authenticator.ts';
import { personWithApp } from '../../../../support/authenticator-app.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

type Person = Awaited<ReturnType<typeof signedInUser>>;

const withApp = (options: Parameters<typeof signedInUser>[1] = {}) => personWithApp(test, options);

async function withPasskey(options: Parameters<typeof signedInUser>[1] = {}) {
  const person = await signedInUser(test, options);
  const authenticator = createAuthenticator(test.address);
  const { body } = await person.post('/user/second-factors/passkeys/options').send({}).expect(200);
  const { challenge, options: creation } = body.data;
  const sent = { challenge, name: 'Laptop', passkey: authenticator.create(creation) };
  const { body: added } = await person.post('/user/second-factors/passkeys').send(sent).expect(201);
  return { ...person, authenticator, sent, factor: Number(added.data.factor.uuid) };
}

const login = ({ email, password }: Pick<Person, 'email' | 'password'>) => test.http.post('/login').send({ email, password });
const second = (body: object) => test.http.post('/login/second-factor').send(body);

async function passkeyLogin(authenticator: ReturnType<typeof createAuthenticator>, flags?: number) {
  const { body } = await test.http.post('/login/passkey/options').send({}).expect(200);
  return { challenge: body.data.challenge, passkey: authenticator.get(body.data.options, flags) };
}

/** What a person was told by mail, the oldest first. */
const mailsTo = async ({ email }: Person) =>
  (await prisma.mailMessage.findMany({ where: { toAddress: email }, orderBy: { id: 'asc' } })).map(({ subject }) => subject);

const setPolicy = (organizationId: number, secondFactor: 'required' | 'required_for_admins') =>
  prisma.securityPolicy.upsert({ where: { organizationId }, create: { organizationId, secondFactor }, update: { secondFactor } });

it('gives recovery codes once under an Idempotency-Key', async () => {
  const person = await withPasskey();
  const codes = () => person.post('/user/second-factors/recovery-codes').set('idempotency-key', 'codes').send();
  await codes().expect(201);
  expect((await codes().expect(409)).body.code).toBe('idempotency_key_spent');
});

/** Their session was opened, and proved, an hour ago. */
const longAgo = ({ organizationId, user }: Person) =>
  prisma.session.updateMany({ where: { organizationId, userId: user.id }, data: { verifiedAt: new Date(Date.now() - 3_600_000) } });

describe('a second factor', () => {
  it('is asked for after the password, and a code of the app is taken once', async () => {
    const una = await withApp();
    const { body } = await login(una).expect(401);
    expect(body).toMatchObject({ code: 'second_factor_required', methods: ['otp', 'recovery'], passkey: null, expires_in: 300 });
    const code = await una.codeAt(0);
    await second({ challenge: body.challenge, code: '000000' }).expect(401);
    const { body: tokens } = await second({ challenge: body.challenge, code }).expect(200);
    await test.http.get('/user').set('authorization', `Bearer ${tokens.data.access_token}`).expect(200);
    await second({ challenge: body.challenge, code: await una.codeAt(30) }).expect(401);
    const again = await login(una).expect(401);
    await second({ challenge: again.body.challenge, code }).expect(401);
    const session = await prisma.session.findFirstOrThrow({
      where: { organizationId: una.organizationId },
      orderBy: { createdAt: 'desc' },
    });
    expect(session.methods.sort()).toEqual(['otp', 'pwd']);
    expect(test.logs.join('\n')).not.toContain(code);
  });

  it('is refused after five wrong codes, in whichever challenge, and not for other people', async () => {
    const una = await withApp();
    for (let guess = 0; guess < 5; guess += 1) {
      const { body } = await login(una).expect(401);
      await second({ challenge: body.challenge, code: '000000' }).expect(401);
    }
    const { body } = await login(una).expect(401);
    const refused = await second({ challenge: body.challenge, code: await una.codeAt(0) }).expect(429);
    expect(refused.body.code).toBe('too_many_wrong_codes');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const bo = await withApp();
    const other = await login(bo).expect(401);
    await second({ challenge: other.body.challenge, code: await bo.codeAt(0) }).expect(200);
  });

  it('can be a recovery code, once, in any spelling', async () => {
    const una = await withApp();
    const [first = ''] = una.codes;
    expect(una.codes).toHaveLength(10);
    for (const code of una.codes) expect(code).toMatch(/^[2-9a-hjkmnp-z]{4}(-[2-9a-hjkmnp-z]{4}){5}$/);
    const one = await login(una).expect(401);
    await second({ challenge: one.body.challenge, recovery_code: first.replaceAll('-', '').toUpperCase() }).expect(200);
    const two = await login(una).expect(401);
    await second({ challenge: two.body.challenge, recovery_code: first }).expect(401);
    expect((await una.get('/user/second-factors').expect(200)).body.data.recovery_codes_left).toBe(9);
    expect(await mailsTo(una)).toEqual(['An authenticator app was added', 'A recovery code was used']);
    const [told] = await prisma.mailMessage.findMany({ where: { toAddress: una.email }, orderBy: { id: 'desc' }, take: 1 });
    expect(told?.body).not.toContain(first);
  });

  it('is told by mail when it comes and goes, and makes the device known', async () => {
    const una = await withPasskey();
    const { body, headers } = await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(una.authenticator))
      .expect(200);
    expect(String(headers['set-cookie'])).toContain('device=');
    const again = await login(una).expect(401);
    expect(again.headers['set-cookie']).toBeUndefined();
    const shown = { challenge: again.body.challenge, passkey: una.authenticator.get(again.body.passkey) };
    expect(String((await second(shown).expect(200)).headers['set-cookie'])).toContain('device=');
    const as = { authorization: `Bearer ${body.data.access_token}` };
    await test.http.post('/user/second-factors/recovery-codes').set(as).send({}).expect(201);
    await test.http.delete(`/user/second-factors/${una.factor}`).set(as).expect(204);
    expect(await mailsTo(una)).toEqual(['A passkey was added', 'New recovery codes were created', 'A second factor was deleted']);
  });

  it('is of one person: a challenge of somebody else, an altered one and one of another step are worth nothing', async () => {
    const [una, bo] = [await withApp(), await withApp()];
    const { body } = await login(una).expect(401);
    await second({ challenge: body.challenge, code: await bo.codeAt(0) }).expect(401);
    await second({ challenge: `${body.challenge}x`, code: await una.codeAt(0) }).expect(401);
    const stepUp = await una.post('/user/step-up/options').send({}).expect(200);
    await second({ challenge: stepUp.body.data.challenge, code: await una.codeAt(0) }).expect(401);
  });
});

describe('a passkey', () => {
  it('signs in without a password, once a challenge, and is a second factor too', async () => {
    const una = await withPasskey();
    const shown = await passkeyLogin(una.authenticator);
    await test.http.post('/login/passkey').send(shown).expect(200);
    await test.http.post('/login/passkey').send(shown).expect(401);
    const { body } = await login(una).expect(401);
    expect(body.methods).toContain('hwk');
    await second({ challenge: body.challenge, passkey: una.authenticator.get(body.passkey) }).expect(200);
    await una.post('/user/second-factors/passkeys').send(una.sent).expect(401);
  });

  it('signs in nowhere where the practice has switched all ways but single sign-on off', async () => {
    const una = await withPasskey();
    await prisma.securityPolicy.create({ data: { organizationId: una.organizationId, passwordSignIn: false } });
    const refused = await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(una.authenticator))
      .expect(403);
    expect(refused.body.code).toBe('sso_required');
    await prisma.securityPolicy.update({ where: { organizationId: una.organizationId }, data: { passwordSignIn: true } });
    await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(una.authenticator))
      .expect(200);
  });

  it('is refused where its count goes backwards, where nobody was verified, and where it is of nobody here', async () => {
    const una = await withPasskey();
    await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(una.authenticator))
      .expect(200);
    una.authenticator.countFrom(0);
    await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(una.authenticator))
      .expect(401);
    const audit = await prisma.auditEntry.findFirst({ where: { organizationId: una.organizationId, detail: 'a passkey that was copied' } });
    expect(audit?.action).toBe('sign_in_refused');
    una.authenticator.countFrom(50);
    await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(una.authenticator, 0x01))
      .expect(401);
    await test.http
      .post('/login/passkey')
      .send(await passkeyLogin(createAuthenticator(test.address)))
      .expect(401);
  });
});

describe('a practice that requires a second factor', () => {
  it('opens no session without one, and leaves nobody without their last one', async () => {
    const una = await signedInUser(test, { type: 'admin' });
    await setPolicy(una.organizationId, 'required_for_admins');
    const { body } = await login(una).expect(401);
    expect(body).toMatchObject({ code: 'second_factor_enrolment_required', enrolment_url: `${test.address}/sign-in` });
    const sam = await signedInUser(test, { organizationId: una.organizationId });
    await setPolicy(una.organizationId, 'required');
    await login(sam).expect(401);
  });

  it('keeps the last factor, and gives it up where it is optional', async () => {
    const una = await withApp();
    await setPolicy(una.organizationId, 'required');
    expect((await una.delete(`/user/second-factors/${una.factor}`).expect(409)).body.code).toBe('last_second_factor');
    await prisma.securityPolicy.delete({ where: { organizationId: una.organizationId } });
    const bo = await signedInUser(test, { organizationId: una.organizationId });
    await bo.delete(`/user/second-factors/${una.factor}`).expect(404);
    await una.delete(`/user/second-factors/${una.factor}`).expect(204);
    await login(una).expect(200);
  });
});

describe('proving again who one is', () => {
  it('is asked for a quarter of an hour after sign-in: by password, or by the second factor of who has one', async () => {
    const una = await signedInUser(test);
    await longAgo(una);
    const refused = await una.post('/user/second-factors/passkeys/options').send({}).expect(401);
    expect(refused.body).toMatchObject({ code: 'step_up_required', max_age: 900 });
    expect(refused.headers['www-authenticate']).toMatch(/error="insufficient_user_authentication".*max_age=900/);
    await una.post('/user/step-up').send({ password: 'wrong' }).expect(401);
    await una.post('/user/step-up').send({ password: una.password }).expect(200);
    await una.post('/user/second-factors/passkeys/options').send({}).expect(200);

    const bo = await withApp();
    await longAgo(bo);
    await bo.post('/user/step-up').send({ password: bo.password }).expect(400);
    await bo
      .post('/user/step-up')
      .send({ code: await bo.codeAt(0) })
      .expect(200);
    await bo.post('/user/second-factors/recovery-codes').expect(201);
  });

  it('can be done with a passkey, and holds for tables as CSV', async () => {
    const una = await withPasskey({ type: 'admin' });
    await longAgo(una);
    const csv = () => una.get('/remote-patient-monitoring/ledger?month=2026-10&format=csv');
    await csv().expect(401);
    const { body } = await una.post('/user/step-up/options').send({}).expect(200);
    expect(body.data.methods).toEqual(['hwk', 'recovery']);
    await una
      .post('/user/step-up')
      .send({ challenge: body.data.challenge, passkey: una.authenticator.get(body.data.passkey) })
      .expect(200);
    await csv().expect(200);
  });
});
