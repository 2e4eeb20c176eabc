import { describe, expect, it } from 'vitest';
import { accountLockKey } from '../../src/domain/identity/limits/sign-in-limits.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { http, send, browse } = staffPages(test);

describe('the pages of administration', () => {
  it('change a user, shut them out, and say why not where the rules forbid it', async () => {
    const { organizationId, admin, browser } = await administrator();
    const { user } = await createUser(test.database.prisma, { organizationId, type: 'staff', firstName: 'Bo', lastName: 'Ek' });
    const list = await http.get('/administration/users').set(browser).expect(200);
    expect(list.text).toContain('Bo Ek');
    const form = { first_name: 'Boris', last_name: 'Ek', role: 'provider' };
    await send(`/administration/users/${user.id}`, form, browser).expect(303);
    await send(`/administration/users/${user.id}/deactivate`, {}, browser).expect(303);
    const now = await test.database.prisma.user.findFirstOrThrow({ where: { organizationId, id: user.id } });
    expect(now).toMatchObject({ firstName: 'Boris', type: 'provider', active: false });
    const refused = await send(`/administration/users/${admin.id}/deactivate`, {}, browser).expect(409);
    expect(refused.text).toContain('last active administrator');
  });

  it('invite somebody, and again until they accept', async () => {
    const { organizationId, browser } = await administrator();
    const email = `bo-${organizationId}@clinic.example`;
    const form = { first_name: 'Bo', last_name: 'Ek', role: 'staff', email, privacy_officer: 'yes' };
    await send('/administration/users', form, browser).expect(303);
    const { id } = await test.database.prisma.user.findFirstOrThrow({ where: { organizationId, email, privacyOfficer: true } });
    await send(`/administration/users/${id}/invite`, {}, browser).expect(303);
    await send(`/administration/users/${id}/unlock`, {}, browser).expect(303);
    expect(await test.database.prisma.accountLink.count({ where: { organizationId, userId: id, kind: 'invitation' } })).toBe(2);
    const again = await send('/administration/users', form, browser).expect(409);
    expect(again.text).toContain('is already in use for sign-in');
  });

  it('add a client, show its secret once, rotate it and take it away', async () => {
    const { organizationId, browser } = await administrator();
    const made = await send('/administration/clients', { name: 'Front desk', integration_read: 'yes' }, browser).expect(200);
    const [, secret = ''] = /<code id="client-secret">([\w-]+)</.exec(made.text) ?? [];
    expect(secret).not.toBe('');
    const grant = await test.database.prisma.apiClientGrant.findFirstOrThrow({ where: { organizationId } });
    expect((await http.get('/administration/clients').set(browser).expect(200)).text).not.toContain(secret);
    const rotated = await send(`/administration/clients/${grant.userId}/rotate`, {}, browser).expect(200);
    expect(rotated.text).toContain('client_secret');
    const none = await send(`/administration/clients/${grant.userId}`, { name: 'Front desk' }, browser).expect(400);
    expect(none.text).toContain('at least one of');
    await send(`/administration/clients/${grant.userId}/disable`, {}, browser).expect(303);
    await send(`/administration/clients/${grant.userId}/withdraw`, {}, browser).expect(303);
    expect(await test.database.prisma.apiClientGrant.count({ where: { organizationId } })).toBe(0);
  });

  it('say in the audit which step was taken, and find nobody by characters that no name has', async () => {
    const { organizationId, browser } = await administrator();
    const { user } = await createUser(test.database.prisma, { organizationId, type: 'staff' });
    await send(`/administration/users/${user.id}/deactivate`, {}, browser).expect(303);
    const where = { organizationId, resource: 'user', resourceIds: { has: user.id }, action: 'administer' };
    expect((await test.database.prisma.auditEntry.findFirst({ where }))?.detail).toBe('user.deactivated active');
    expect((await http.get('/administration/audit').set(browser).expect(200)).text).toContain('user.deactivated active');
    expect((await http.get('/administration/users?search=%00').set(browser).expect(200)).text).toContain('Users');
  });

  it('change the security policy, and read and verify the audit', async () => {
    const { organizationId, browser } = await administrator();
    const rules = {
      second_factor: 'required',
      password_sign_in: 'yes',
      session_life_hours: '24',
      session_idle_minutes: '',
      client_secret_days: '90',
    };
    await send('/administration/policies', rules, browser).expect(303);
    expect(await test.database.prisma.securityPolicy.findFirst({ where: { organizationId } })).toMatchObject({
      secondFactor: 'required',
      sessionLifeHours: 24,
      sessionIdleMinutes: null,
      clientSecretDays: 90,
    });
    const wrong = await send('/administration/policies', { ...rules, session_life_hours: '3' }, browser).expect(400);
    expect(wrong.text).toContain('from 12 to 2160');
    const audit = await http.get('/administration/audit?user=1&from=2026-01-01&patient=').set(browser).expect(200);
    expect(audit.text).toContain('No entries match');
    expect((await http.get('/administration/audit').set(browser).expect(200)).text).toContain('administered: organization');
    expect((await send('/administration/audit/verify', {}, browser).expect(200)).text).toContain('The audit is intact');
  });

  it('offer the steps that an account needs, each with what will happen, and take them', async () => {
    const { organizationId, browser } = await administrator();
    const { user, email } = await createUser(test.database.prisma, { organizationId, type: 'staff' });
    const path = `/administration/users/${user.id}`;
    const readPage = async () => (await http.get(path).set(browser).expect(200)).text;
    const isOffered = async (step: string) => (await readPage()).includes(`action="${path}/${step}"`);
    expect(await Promise.all(['unlock', 'invite', 'reset-second-factors', 'activate'].map(isOffered))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    const failures = { key: accountLockKey(test.keyring, email), points: 100, expire: Date.now() + 900_000 };
    await test.database.prisma.signInFailure.create({ data: failures });
    expect(await readPage()).toContain('Too many wrong passwords have locked the account');
    const unlocked = await send(`${path}/unlock`, {}, browser).expect(303);
    expect(
      (
        await http
          .get(unlocked.headers.location ?? '')
          .set(browser)
          .expect(200)
      ).text,
    ).toContain('The account was unlocked.');
    expect(await isOffered('unlock')).toBe(false);

    const factor = { organizationId, userId: user.id, kind: 'authenticator_app', name: 'App', secret: `${test.keyring.currentId}.none` };
    await test.database.prisma.secondFactor.create({ data: factor });
    expect(await readPage()).toContain('they are notified by mail');
    await send(`${path}/reset-second-factors`, {}, browser).expect(303);
    expect(await test.database.prisma.secondFactor.count({ where: { organizationId, userId: user.id } })).toBe(0);

    const theirs = await browse({ email, password: 'correct horse battery' });
    await http.get('/lobby').set(theirs).expect(200);
    await send(`${path}/sign-out`, {}, browser).expect(303);
    await http.get('/lobby').set(theirs).redirects(0).expect(303);
    await send(`${path}/deactivate`, {}, browser).expect(303);
    expect([await isOffered('deactivate'), await isOffered('activate')]).toEqual([false, true]);
    await send(`${path}/activate`, {}, browser).expect(303);
    await browse({ email, password: 'correct horse battery' });
  });

  it('keep what was typed in a refused form, with the reason beside its field, which has the focus', async () => {
    const { organizationId, browser } = await administrator();
    await createUser(test.database.prisma, { organizationId, email: `taken-${organizationId}@clinic.example` });
    const invitation = { first_name: 'Zoë', last_name: '<script>', role: 'provider', email: `taken-${organizationId}@clinic.example` };
    const taken = (await send('/administration/users', invitation, browser).expect(409)).text;
    expect(taken).toContain('value="Zoë"');
    expect(taken).toContain('value="&#60;script&#62;"');
    expect(taken).toContain('<option value="provider" selected>');
    expect(taken).toMatch(/id="email-error">.*is already in use for sign-in/);
    expect(taken).toMatch(/<input[^>]* id="email"[^>]* autofocus/);
    const rules = { second_factor: 'required', session_life_hours: '3', session_idle_minutes: '30', client_secret_days: '' };
    const policies = (await send('/administration/policies', rules, browser).expect(400)).text;
    expect(policies).toMatch(/id="session_life_hours-error">.*from 12 to 2160/);
    expect(policies).toMatch(/id="session_idle_minutes"[^>]* value="30"/);
    expect(policies).not.toMatch(/id="password_sign_in"[^>]* checked/);
    const provider = { issuer: 'http://nowhere', client_id: 'triptych', client_secret: 'never shown', groups_claim: 'groups' };
    const refused = (await send('/administration/single-sign-on', provider, browser).expect(400)).text;
    expect(refused).toMatch(/id="issuer-error"/);
    expect(refused).toContain('value="triptych"');
    expect(refused).not.toContain('never shown');
  });

  it('keep what was typed where it has to be proved again who one is, and save it after that', async () => {
    const { organizationId, admin, browser } = await administrator();
    const verifiedAt = (ago: number) => ({ verifiedAt: new Date(Date.now() - ago) });
    const sessions = { where: { organizationId, userId: admin.id } };
    await test.database.prisma.session.updateMany({ ...sessions, data: verifiedAt(901_000) });
    const form = { name: 'Front desk', integration_read: 'yes' };
    const asked = (await send('/administration/clients', form, browser).expect(401)).text;
    expect(asked).toContain('Confirm in a new window that it is you');
    expect(asked).toContain('value="Front desk"');
    expect(asked).toMatch(/id="integration_read"[^>]* checked/);
    const pressed = await send(`/administration/users/${admin.id}/sign-out`, {}, browser).expect(303);
    const back = new URLSearchParams(pressed.headers.location?.split('?')[1]).get('to') ?? '';
    expect((await http.get(back).set(browser).expect(200)).text).toContain('Nothing has been changed yet');
    expect(await test.database.prisma.apiClientGrant.count({ where: { organizationId } })).toBe(0);
    await test.database.prisma.session.updateMany({ ...sessions, data: verifiedAt(0) });
    await send('/administration/clients', form, browser).expect(200);
  });

  it('save nothing over what another administrator has changed meanwhile, and show both', async () => {
    const { organizationId, browser } = await administrator();
    const colleague = await browse(await createUser(test.database.prisma, { organizationId, type: 'admin' }));
    const { user } = await createUser(test.database.prisma, { organizationId, type: 'staff', firstName: 'Bo', lastName: 'Ek' });
    const path = `/administration/users/${user.id}`;
    const seen = seenOn((await http.get(path).set(browser).expect(200)).text);
    await send(path, { first_name: 'Boris', last_name: 'Ek', role: 'provider', seen }, colleague).expect(303);
    const typed = { first_name: 'Bob', last_name: 'Ek', role: 'staff' };
    const refused = (await send(path, { ...typed, seen }, browser).expect(412)).text;
    expect(refused).toContain('Somebody else changed this');
    expect(refused).toMatch(/id="first_name-error">.*has since saved “Boris” here/);
    expect(refused).toMatch(/id="first_name"[^>]* value="Bob"/);
    expect(refused).toContain('<option value="provider" selected>');
    expect(await findUser(user)).toMatchObject({ firstName: 'Boris', type: 'provider' });
    await send(path, { ...typed, role: 'provider', seen: seenOn(refused) }, browser).expect(303);
    expect(await findUser(user)).toMatchObject({ firstName: 'Bob', type: 'provider' });

    const rules = { second_factor: 'optional', password_sign_in: 'yes', session_life_hours: '48' };
    const policy = seenOn((await http.get('/administration/policies').set(browser)).text);
    await send('/administration/policies', { ...rules, second_factor: 'required', seen: policy }, colleague).expect(303);
    const late = (await send('/administration/policies', { ...rules, seen: policy }, browser).expect(412)).text;
    expect(late).toContain('has since saved Everybody must have one here');
    expect(late).toMatch(/id="session_life_hours"[^>]* value="48"/);
  });

  it('say until when the former secret of a client works, and list what it and each user did, as CSV too', async () => {
    const { organizationId, admin, browser } = await administrator();
    await send('/administration/clients', { name: 'Front desk', integration_read: 'yes' }, browser).expect(200);
    const { userId } = await test.database.prisma.apiClientGrant.findFirstOrThrow({ where: { organizationId } });
    const rotate = `/administration/clients/${userId}/rotate`;
    expect((await send(rotate, { overlap_hours: '168' }, browser).expect(200)).text).toContain('The former secret works until');
    expect((await send(rotate, { overlap_hours: '0' }, browser).expect(200)).text).toContain('The former secret has stopped working');
    await send(rotate, { overlap_hours: '5000' }, browser).expect(400);
    const { text } = await http.get(`/administration/audit?user=${admin.id}&action=administer`).set(browser).expect(200);
    expect(text).toContain('api_client.secret_rotated');
    expect(text).not.toContain('signed in: user');
    const [, link = ''] = /href="([^"]*audit\.csv[^"]*)"/.exec(text) ?? [];
    const csv = await http.get(unescaped(link)).set(browser).expect(200);
    expect(csv.headers['content-disposition']).toContain('audit.csv');
    expect(csv.text.split('\r\n')[0]).toContain('at,actor,action');
    expect(csv.text).toContain('api_client.secret_rotated');
    expect(csv.text).not.toContain('sign_in');
    expect((await http.get(`/administration/audit?client=${userId}`).set(browser).expect(200)).text).toContain('No entries match');
    const wrong = await http.get('/administration/audit?patient=abc&from=2026-12-01').set(browser).expect(200);
    expect(wrong.text).toMatch(/id="patient-error">.*A patient id is a number/);
    const sessions = { where: { organizationId, userId: admin.id }, data: { verifiedAt: new Date(Date.now() - 901_000) } };
    await test.database.prisma.session.updateMany(sessions);
    const asked = await http.get('/administration/audit.csv?action=read').set(browser).redirects(0).expect(303);
    expect(decodeURIComponent(asked.headers.location ?? '')).toBe('/sign-in/confirm?to=/administration/audit?action=read&done=confirmed');
  });

  it('are for administrators who signed in', async () => {
    await http.get('/administration/users').redirects(0).expect(303);
    const { organizationId } = await administrator();
    const staff = await createUser(test.database.prisma, { organizationId, type: 'staff' });
    const browser = await browse(staff);
    for (const page of ['users', `users/${staff.user.id}`, 'clients', 'policies', 'single-sign-on', 'audit', 'audit.csv'])
      await http.get(`/administration/${page}`).set(browser).expect(403);
    const refused = await send('/administration/policies', { second_factor: 'optional' }, browser).expect(403);
    expect(refused.text).toContain('Back to the lobby');
  });
});

/** The values that the form on a page shows as saved. */
function seenOn(page: string): string {
  const [, written = ''] = /name="seen" value="([^"]*)"/.exec(page) ?? [];
  return unescaped(written);
}

const unescaped = (written: string): string => written.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)));

const findUser = ({ organizationId, id }: { organizationId: number; id: number }) =>
  test.database.prisma.user.findFirstOrThrow({ where: { organizationId, id } });

/** The administrator of a new practice, in a browser. */
async function administrator() {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const account = await createUser(test.database.prisma, { organizationId, type: 'admin' });
  const { user: admin } = account;
  return { organizationId, admin, browser: await browse(account) };
}
