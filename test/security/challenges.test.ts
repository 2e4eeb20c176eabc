import { generate } from 'otplib';
import { describe, expect, it } from 'vitest';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { personWithApp } from '../support/authenticator-app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const { send, browse } = staffPages(test);

const listFields = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map(([, value = '']) => value);
const findRecoveryKey = (page: string): string => /<code class="recovery-code">([A-Z2-7 ]+)</.exec(page)?.[1]?.replaceAll(' ', '') ?? '';
const createCode = (secret: string) => generate({ secret, epoch: Math.floor(Date.now() / 1000) - 30 });

interface Account {
  organizationId: number;
  userId: number;
  email: string;
  password: string;
}

/** A sign-in of somebody who has shown the password and must add a factor, and the form with which they would. */
async function beginEnrolment(account: Account): Promise<Record<string, string>> {
  const { text } = await send('/sign-in', account).expect(401);
  return {
    token: listFields(text, 'token')[0] ?? '',
    challenge: listFields(text, 'challenge').at(-1) ?? '',
    code: await createCode(findRecoveryKey(text)),
  };
}

/** A practice that requires second factors, with an administrator who is signed in, and a user without one. */
async function practiceWith(): Promise<{ admin: Awaited<ReturnType<typeof signedInUser>>; account: Account }> {
  const { id: organizationId } = await createOrganization(prisma);
  const admin = await signedInUser(test, { organizationId, type: 'admin' });
  const { user, email, password } = await createUser(prisma, { organizationId, type: 'staff' });
  return { admin, account: { organizationId, userId: user.id, email, password } };
}

const requireFactors = (organizationId: number) => prisma.securityPolicy.create({ data: { organizationId, secondFactor: 'required' } });

describe('a challenge from before', () => {
  it.each([
    [
      'an administrator ended the sessions',
      ({ admin, account }) => admin.delete(`/platform/v1/users/${account.userId}/sessions`).expect(204),
    ],
    ['the factors were reset', ({ admin, account }) => admin.post(`/platform/v1/users/${account.userId}/reset-second-factors`).expect(200)],
    [
      'the account was closed and opened',
      async ({ admin, account }) => {
        await admin.post(`/platform/v1/users/${account.userId}/deactivate`).expect(200);
        await admin.post(`/platform/v1/users/${account.userId}/activate`).expect(200);
      },
    ],
  ] satisfies [string, (given: Awaited<ReturnType<typeof practiceWith>>) => PromiseLike<unknown>][])(
    '%s adds no factor and opens no session',
    async (_, end) => {
      const given = await practiceWith();
      const { organizationId, userId } = given.account;
      await requireFactors(organizationId);
      const form = await beginEnrolment(given.account);
      await end(given);
      const answer = await send('/sign-in/enrol', form).expect(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(await prisma.secondFactor.count({ where: { organizationId, userId } })).toBe(0);
      const refused = { organizationId, action: 'sign_in_refused', detail: 'a step that is void or was done' };
      expect(await prisma.auditEntry.count({ where: refused })).toBe(1);
      await send('/sign-in/enrol', await beginEnrolment(given.account)).expect(200);
    },
  );

  it('the person changed the password, or signed out everywhere, opens no session', async () => {
    const una = await personWithApp(test);
    const begin = async (password: string) =>
      (await test.http.post('/login').send({ email: una.email, password }).expect(401)).body.challenge;
    const show = async (challenge: string) => test.http.post('/login/second-factor').send({ challenge, recovery_code: una.codes[0] });
    const early = await begin(una.password);
    const password = 'an altogether different phrase';
    await una.put('/user/password').send({ current_password: una.password, password }).expect(204);
    expect((await show(early)).body.code).toBe('invalid_challenge');
    const late = await begin(password);
    await una.delete('/user/sessions').expect(204);
    expect((await show(late)).body.code).toBe('invalid_challenge');
    await test.http
      .post('/login/second-factor')
      .send({ challenge: await begin(password), recovery_code: una.codes[0] })
      .expect(200);
  });

  it('a mailed link set another password opens no session', async () => {
    const una = await personWithApp(test);
    const { body } = await test.http.post('/login').send({ email: una.email, password: una.password }).expect(401);
    await test.http.post('/forgot-password').send({ email: una.email });
    const mailed = async () => {
      const mail = await prisma.mailMessage.findFirst({ where: { toAddress: una.email }, orderBy: { id: 'desc' } });
      return /\/reset-password\/\S+/.exec(mail ? fillSealedPlaceholders(test.keyring, 'mail', mail) : '')?.[0] ?? null;
    };
    await expect.poll(mailed, { timeout: 5_000 }).not.toBeNull();
    const link = await mailed();
    await send(link ?? '', { password: 'seven quiet rivers below a lamp' }).expect(303);
    const late = await test.http.post('/login/second-factor').send({ challenge: body.challenge, recovery_code: una.codes[0] });
    expect(late.body.code).toBe('invalid_challenge');
  });

  it('another factor was added is no way in beside it', async () => {
    const { account } = await practiceWith();
    const { organizationId, userId } = account;
    await requireFactors(organizationId);
    const [first, second] = [await beginEnrolment(account), await beginEnrolment(account)];
    await send('/sign-in/enrol', second).expect(200);
    await send('/sign-in/enrol', first).expect(401);
    expect(await prisma.secondFactor.count({ where: { organizationId, userId } })).toBe(1);
  });

  it('sessions were ended adds no factor in a session that came later', async () => {
    const { account } = await practiceWith();
    const { organizationId, userId } = account;
    const page = await staffPages(test)
      .http.get('/account/second-factors')
      .set(await browse(account))
      .expect(200);
    const form = { challenge: listFields(page.text, 'challenge').at(-1) ?? '', code: await createCode(findRecoveryKey(page.text)) };
    const later = await browse(account);
    await send('/account/sessions/end-others', {}, later).expect(303);
    await send('/account/second-factors/authenticator-app', form, later).expect(401);
    expect(await prisma.secondFactor.count({ where: { organizationId, userId } })).toBe(0);
  });
});
