import { describe, expect, it, vi } from 'vitest';
import { actorWith, integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';

const test = await sharedTestApp();
const admin = await signedInUser(test, { type: 'admin' });
const { organizationId } = admin.user;
const URL = '/platform/v1/policies';
const DEFAULTS = {
  second_factor: 'optional',
  password_sign_in: true,
  session_life_hours: 720,
  session_idle_minutes: null,
  client_secret_days: null,
  event_days: 90,
  messaging_service_sid: null,
};

describe('the security policy', () => {
  it('has the present rules until an administrator changes some, and keeps the others', async () => {
    const read = await admin.get(URL).expect(200);
    expect(read.body).toEqual({ data: DEFAULTS });
    const changes = { second_factor: 'required', session_idle_minutes: 30, client_secret_days: '90' };
    const changed = await admin.put(URL).set('if-match', String(read.headers.etag)).send(changes).expect(200);
    expect(changed.body.data).toEqual({ ...DEFAULTS, ...changes, client_secret_days: 90 });
    await admin.put(URL).set('if-match', String(read.headers.etag)).send({ session_life_hours: 12 }).expect(412);
    await admin.put(URL).send({ second_factor: 'optional', session_idle_minutes: null, client_secret_days: '' }).expect(200);
    expect((await admin.get(URL).expect(200)).body.data).toEqual(DEFAULTS);
    const events = await test.database.prisma.event.findMany({ where: { organizationId, name: 'security_policy.changed' } });
    expect(events.map(({ actor, changed: fields }) => [actor, fields])).toEqual([
      [`user:${admin.user.id}`, ['secondFactor', 'sessionIdleMinutes', 'clientSecretDays']],
      [`user:${admin.user.id}`, ['secondFactor', 'sessionIdleMinutes', 'clientSecretDays']],
    ]);
  });

  it('says whom a stricter one would concern', async () => {
    const chief = await signedInUser(test, { type: 'admin' });
    const organization = { organizationId: chief.organizationId };
    const counts = async () => (await chief.get(`${URL}/coverage`).expect(200)).body.data;
    const alone = { users: 1, users_without_second_factor: 1, admins_without_second_factor: 1, clients_with_old_secrets: 0 };
    expect(await counts()).toEqual(alone);
    await signedInUser(test, { ...organization, type: 'staff' });
    const { user } = await signedInUser(test, { ...organization, type: 'admin' });
    const { prisma } = test.database;
    const factor = { userId: user.id, kind: 'authenticator_app', name: 'App', secret: `${test.keyring.currentId}.none` };
    await prisma.secondFactor.create({ data: { ...organization, ...factor } });
    const { clientId } = await integrationClient(test, organization);
    await prisma.apiClientSecret.updateMany({ where: { clientId }, data: { createdAt: new Date('2024-01-01') } });
    expect(await counts()).toEqual({ ...alone, users: 3, users_without_second_factor: 2, clients_with_old_secrets: 1 });
  });

  it('asks for a second factor at the next sign-in: open sessions go on until they end or are ended', async () => {
    const chief = await signedInUser(test, { type: 'admin' });
    const nurse = await signedInUser(test, { organizationId: chief.organizationId, type: 'staff' });
    await chief.put(URL).send({ second_factor: 'required' }).expect(200);
    const { email, password } = nurse;
    const refused = await test.http.post('/login').send({ email, password }).expect(401);
    expect(refused.body.code).toBe('second_factor_enrolment_required');
    await nurse.get('/user').expect(200);
    await chief.delete(`/platform/v1/users/${nurse.user.id}/sessions`).expect(204);
    await vi.waitFor(() => nurse.get('/user').expect(401), 10_000);
  });

  it.each([
    ['session_life_hours', 11],
    ['session_life_hours', 2161],
    ['session_idle_minutes', 4],
    ['client_secret_days', 0],
    ['client_secret_days', 1.5],
    ['second_factor', 'sometimes'],
    ['password_sign_in', 'perhaps'],
  ])('refuses %s %s by name', async (field, value) => {
    const { body } = await admin
      .put(URL)
      .send({ [field]: value })
      .expect(400);
    expect(body).toMatchObject({ code: 'invalid_input', errors: [{ pointer: `/${field}` }] });
  });

  it('is for administrators who signed in alone', async () => {
    const provider = await signedInUser(test, { organizationId, type: 'provider' });
    expect((await provider.get(URL).expect(403)).body.code).toBe('insufficient_role');
    const { token } = await integrationClient(test, { organizationId });
    expect((await actorWith(test, token, organizationId).get(URL).expect(403)).body.code).toBe('wrong_token');
    expect((await test.http.get('/platform/v1/nothing').expect(404)).body.code).toBe('unknown_path');
  });
});
