import { generate } from 'otplib';
import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { http, send, browse } = staffPages(test);
const { prisma } = test.database;

/** The value of a hidden field of a page. */
const findField = (page: string, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
const findRecoveryKey = (page: string): string => /<code class="recovery-code">([A-Z2-7 ]+)</.exec(page)?.[1]?.replaceAll(' ', '') ?? '';
const listCodes = (page: string): string[] => [...page.matchAll(/<li><code>([^<]+)</g)].map(([, code = '']) => code);
/** The challenge beside the form of the app, which is the last one on the page. */
const lastField = (page: string, name: string): string =>
  [...page.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].at(-1)?.[1] ?? '';
const createCode = (secret: string, seconds = 0) => generate({ secret, epoch: Math.floor(Date.now() / 1000) + seconds });
const readOptions = (page: string, kind: string): unknown =>
  JSON.parse(
    (new RegExp(`data-passkey="${kind}" data-options="([^"]*)"`).exec(page)?.[1] ?? '').replaceAll('&quot;', '"').replaceAll('&#34;', '"'),
  );

async function somebody() {
  const { id: organizationId } = await createOrganization(prisma);
  const { user, email, password } = await createUser(prisma, { organizationId, type: 'admin' });
  return { organizationId, user, email, password };
}

describe('the pages of second factors', () => {
  it('add an app, show recovery codes once, and ask for a code at the next sign-in', async () => {
    const una = await somebody();
    const headers = await browse(una);
    expect((await http.get('/account').set(headers).expect(200)).text).toContain('Add a second factor');
    const { text: page } = await http.get('/account/second-factors').set(headers).expect(200);
    expect(page).toContain('<svg');
    const key = findRecoveryKey(page);
    const wrong = await send(
      '/account/second-factors/authenticator-app',
      { challenge: lastField(page, 'challenge'), code: '000000' },
      headers,
    ).expect(400);
    expect(findRecoveryKey(wrong.text)).toBe(key);
    const added = await send(
      '/account/second-factors/authenticator-app',
      { challenge: lastField(wrong.text, 'challenge'), code: await createCode(key, -30) },
      headers,
    ).expect(200);
    const [first = ''] = listCodes(added.text);
    expect(listCodes(added.text)).toHaveLength(10);

    const asked = await send('/sign-in', { ...una, to: '/monitoring' }).expect(401);
    expect(asked.headers['set-cookie']).toBeUndefined();
    const challenge = findField(asked.text, 'challenge');
    const again = await send('/sign-in/second-factor', { challenge, code: '000000' }).expect(401);
    expect(findField(again.text, 'challenge')).toBe(challenge);
    const done = await send('/sign-in/second-factor', { challenge, code: await createCode(key), to: '/monitoring' }).expect(303);
    expect(done.headers.location).toBe('/monitoring');
    expect(done.headers['set-cookie']).toBeDefined();
    const other = await send('/sign-in', una).expect(401);
    await send('/sign-in/second-factor', { challenge: findField(other.text, 'challenge'), recovery_code: first }).expect(303);
  });

  it('sign in with a passkey alone, and lead whoever has no factor to adding one where the practice requires it', async () => {
    const una = await somebody();
    await prisma.securityPolicy.create({ data: { organizationId: una.organizationId, secondFactor: 'required' } });
    const asked = await send('/sign-in', una).expect(401);
    expect(asked.headers['set-cookie']).toBeUndefined();
    const authenticator = createAuthenticator(test.address);
    const passkey = JSON.stringify(authenticator.create(readOptions(asked.text, 'create')));
    const form = { token: findField(asked.text, 'token'), challenge: findField(asked.text, 'challenge'), passkey };
    const enrolled = await send('/sign-in/enrol', form).expect(200);
    expect(listCodes(enrolled.text)).toHaveLength(10);
    expect(enrolled.headers['set-cookie']).toBeDefined();
    await send('/sign-in/enrol', form).expect(401);

    const { body } = await test.http.post('/login/passkey/options').send({}).expect(200);
    const shown = JSON.stringify(authenticator.get(body.data.options));
    await send('/sign-in/passkey', { challenge: body.data.challenge, passkey: shown }).expect(303);
    await send('/sign-in/passkey', { challenge: body.data.challenge, passkey: shown }).expect(401);
    await send('/sign-in/passkey', { challenge: '', passkey: 'nonsense' }).expect(400);
  });

  it('ask again who it is after a quarter of an hour', async () => {
    const una = await somebody();
    const headers = await browse(una);
    await prisma.session.updateMany({ where: { userId: una.user.id }, data: { verifiedAt: new Date(Date.now() - 3_600_000) } });
    const sent = await http.get('/account/second-factors').set(headers).redirects(0).expect(303);
    expect(sent.headers.location).toBe('/sign-in/confirm?to=%2Faccount%2Fsecond-factors');
    await send('/account/second-factors/recovery-codes', {}, headers).expect(303);
    await http.get('/sign-in/confirm').set(headers).expect(200);
    await send('/sign-in/confirm', { password: 'wrong', to: '/account/second-factors' }, headers).expect(401);
    const proved = await send('/sign-in/confirm', { password: una.password, to: '/account/second-factors' }, headers).expect(303);
    expect(proved.headers.location).toBe('/account/second-factors');
    await http.get('/account/second-factors').set(headers).expect(200);
  });

  it('names the practice and its reader on every page of the account, and at an unknown address', async () => {
    const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
    const headers = { ...(await browse(await createUser(prisma, { organizationId }))), accept: 'text/html' };
    for (const path of [
      '/account',
      '/account/second-factors',
      '/account/confirmed',
      '/sign-in/confirm',
      '/nothing',
      '/administration/users',
    ])
      expect((await http.get(path).set(headers)).text, path).toMatch(/Harbor Clinic[\s\S]*Signed in as [\s\S]*Una User/);
    expect((await http.get('/nothing').set(headers).expect(404)).text).toContain('Page not found');
    const unknown = await http.get('/monitoring/nothing').set('accept', 'text/html').expect(404);
    expect(unknown.text).toContain('Page not found');
    expect((await http.get('/nothing').set('accept', 'text/html').expect(404)).text).toMatch(
      /This link does not work[\s\S]*href="\/sign-in"/,
    );
  });
});
