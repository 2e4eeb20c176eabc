import { describe, expect, it } from 'vitest';
import { decoded } from '../identity/support.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { appSteps, appStory } from '../support/app-story.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { decide, exchange, signIn } = appSteps(test);
const STRONG_CLIENT = { name: 'Outlives the app', scopes: ['integration.read', 'ssn.read', 'restricted.read'] };

describe('an app of an administrator', () => {
  it('with the scope mobile does what that names, and nothing of an administrator', async () => {
    const one = await appStory(test, { type: 'admin' });
    const app = await signIn(one, { max_age: '900' });
    await app.get('/user').expect(200);
    const other = await signedInUser(test, { organizationId: one.organizationId });
    const refused = await Promise.all([
      app.post('/platform/v1/clients').send(STRONG_CLIENT),
      app.get('/platform/v1/audit'),
      app.put(`/platform/v1/users/${other.user.id}`).send({ user_type: 'admin' }),
      app.put('/platform/v1/policies').send({ second_factor: 'optional' }),
      app.get('/api/appointments/types'),
      app.post('/platform/v1/break-glass').send({ patient_id: 1, reason: 'because' }),
      app.post('/user/second-factors/authenticator-app/options').send({}),
      app.post('/user/step-up').send({ password: one.person.password }),
      app.put('/user/password').send({ current_password: one.person.password, password: 'a wholly new pass phrase' }),
      app.delete('/user/sessions'),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    const { organizationId } = one;
    expect(await test.database.prisma.apiClientGrant.count({ where: { organizationId } })).toBe(1);
    expect(await test.database.prisma.session.count({ where: { organizationId, revokedAt: { not: null } } })).toBe(0);
  });

  it('with the scope platform.manage inherits no proof of the page; one that it asks for counts in its own session alone', async () => {
    const one = await appStory(test, { type: 'admin', scopes: ['mobile', 'platform.manage'] });
    const unproved = await signIn(one);
    const refused = await unproved.post('/platform/v1/clients').send(STRONG_CLIENT).expect(401);
    expect([refused.body.code, refused.headers['www-authenticate']]).toEqual(['step_up_required', expect.stringContaining('max_age=900')]);
    const proved = await signIn(one, { max_age: '900' });
    await proved.post('/platform/v1/clients').send(STRONG_CLIENT).expect(201);
    await unproved.post('/platform/v1/clients').send(STRONG_CLIENT).expect(401);
    await proved.get('/platform/v1/audit').expect(403);
    const { organizationId, clientId } = one;
    const audit = await test.database.prisma.auditEntry.findMany({ where: { organizationId, detail: { contains: clientId } } });
    expect(audit.map(({ detail }) => detail)).toContain(`app ${clientId}: mobile platform.manage`);
    const later = { verifiedAt: new Date(Date.now() - 901_000) };
    await test.database.prisma.session.updateMany({ where: { organizationId, clientId }, data: later });
    await proved.post('/platform/v1/clients').send(STRONG_CLIENT).expect(401);
  });

  it('loses its sessions with a scope that is taken from it', async () => {
    const one = await appStory(test, { type: 'admin', scopes: ['mobile', 'platform.read'] });
    const app = await signIn(one);
    const account = await staffPages(test).http.get('/account').set(one.browser).expect(200);
    expect(account.text).toContain('Rounds &#60;b&#62; (mobile, platform.read)');
    const admin = await signedInUser(test, { organizationId: one.organizationId, type: 'admin' });
    const [{ uuid }] = (await admin.get('/platform/v1/clients').expect(200)).body.data;
    await admin
      .put(`/platform/v1/clients/${uuid}`)
      .send({ scopes: ['mobile'] })
      .expect(200);
    await expect.poll(async () => (await app.get('/user')).status, { timeout: 3_000 }).toBe(401);
  });
});

describe('a form that skips the question', () => {
  it('gets no code where the app asks for a fresh proof, or that nobody is asked', async () => {
    const one = await appStory(test, { type: 'admin' });
    const { organizationId } = one;
    await test.database.prisma.session.updateMany({ where: { organizationId }, data: { verifiedAt: new Date(Date.now() - 3_600_000) } });
    const answer = (parameters: Record<string, string>) => decide({ ...one, request: { ...one.request, ...parameters } });
    expect((await answer({ prompt: 'none' })).searchParams.get('error')).toBe('consent_required');
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }, { prompt: 'login consent', max_age: '7200' }])
      expect((await answer(parameters)).pathname).toBe('/sign-in/confirm');
    expect(await test.database.prisma.authorizationCode.count({ where: { organizationId } })).toBe(0);
    const agreed = { organizationId, detail: { contains: 'let the app' } };
    expect(await test.database.prisma.auditEntry.count({ where: agreed })).toBe(0);
  });

  it('tells the app and whoever introspects its token when the person proved who they are', async () => {
    const one = await appStory(test);
    const { organizationId } = one;
    const provedAt = new Date(Date.now() - 120_000);
    await test.database.prisma.session.updateMany({ where: { organizationId }, data: { verifiedAt: provedAt } });
    const code = (await decide({ ...one, request: { ...one.request, max_age: '600' } })).searchParams.get('code');
    const { body } = await exchange(one, code);
    const told = { auth_time: Math.floor(provedAt.getTime() / 1000), scope: 'mobile', client_id: one.clientId };
    expect(decoded(body.access_token).claims).toMatchObject(told);
    const api = await integrationClient(test, { organizationId });
    const form = { token: body.access_token, client_id: api.clientId, client_secret: api.clientSecret };
    const seen = await test.http.post('/oauth2/v1/introspect').type('form').send(form).expect(200);
    expect(seen.body).toMatchObject({ active: true, ...told });
  });
});
