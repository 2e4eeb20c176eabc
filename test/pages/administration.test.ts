import { describe, expect, it } from 'vitest';
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
    expect(again.text).toContain('signs in with this email already');
  });

  it('add a client, show its secret once, rotate it and take it away', async () => {
    const { organizationId, browser } = await administrator();
    const made = await send('/administration/clients', { name: 'Front desk', integration_read: 'yes' }, browser).expect(200);
    const [, secret = ''] = /client_secret <code>([\w-]+)</.exec(made.text) ?? [];
    expect(secret).not.toBe('');
    const grant = await test.database.prisma.apiClientGrant.findFirstOrThrow({ where: { organizationId } });
    expect((await http.get('/administration/clients').set(browser).expect(200)).text).not.toContain(secret);
    const rotated = await send(`/administration/clients/${grant.userId}/rotate`, {}, browser).expect(200);
    expect(rotated.text).toContain('client_secret');
    const none = await send(`/administration/clients/${grant.userId}`, {}, browser).expect(400);
    expect(none.text).toContain('at least one of');
    await send(`/administration/clients/${grant.userId}/disable`, {}, browser).expect(303);
    await send(`/administration/clients/${grant.userId}/withdraw`, {}, browser).expect(303);
    expect(await test.database.prisma.apiClientGrant.count({ where: { organizationId } })).toBe(0);
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
    expect(audit.text).toContain('Nothing of that kind was done');
    expect((await http.get('/administration/audit').set(browser).expect(200)).text).toContain('administer');
    expect((await send('/administration/audit/verify', {}, browser).expect(200)).text).toContain('The audit holds');
  });

  it('are for administrators who signed in', async () => {
    await http.get('/administration/users').redirects(0).expect(303);
    const { organizationId } = await administrator();
    const staff = await createUser(test.database.prisma, { organizationId, type: 'staff' });
    const browser = await browse(staff);
    for (const page of ['users', 'clients', 'policies', 'audit']) await http.get(`/administration/${page}`).set(browser).expect(403);
    await send('/administration/policies', { second_factor: 'optional' }, browser).expect(403);
  });
});

/** The administrator of a new practice, in a browser. */
async function administrator() {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const account = await createUser(test.database.prisma, { organizationId, type: 'admin' });
  const { user: admin } = account;
  return { organizationId, admin, browser: await browse(account) };
}
