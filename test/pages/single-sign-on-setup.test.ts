import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operator } from '../../src/domain/caller.ts';
import { type IdentityProviderInput, setIdentityProvider } from '../../src/domain/identity/single-sign-on/identity-providers.ts';
import { createOperator } from '../admin/command-line.ts';
import { signedInUser } from '../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { OIDC_SECRET, startOidcProvider } from '../support/oidc-provider.ts';

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const prisma = test.database.prisma;
const http = supertest(test.address);
const FORM = { origin: test.address };
const toCallback = ({ id }: { id: number }) => `${test.address}/sign-in/sso/callback/${id}`;
const idp = await closedAfterAll(startOidcProvider({ redirectUris: [toCallback({ id: 1 })], users: {} }));
const SETTINGS = { issuer: idp.issuer, clientId: idp.clientId, clientSecret: OIDC_SECRET };

async function setUp(organizationId: number, input: IdentityProviderInput): Promise<void> {
  await test.services.unitOfWork.write(operator(organizationId, 'test'), (tx) =>
    setIdentityProvider(tx, input, { keyring: test.keyring, accepts: test.services.gateways.guarded.accepts }),
  );
}
const listCookies = (answer: supertest.Response) =>
  [answer.headers['set-cookie'] ?? []].flat().map((line: string) => line.split(';')[0] ?? '');

describe('the setup of single sign-on', () => {
  it('is the only way in where the practice says so, once the administrator who says it has signed in with it', async () => {
    const admin = await signedInUser(test, { type: 'admin', user: { email: 'chief@only.example' } });
    const { organizationId, email, password } = admin;
    const off = () => admin.put('/platform/v1/policies').send({ password_sign_in: false });
    const refuse = async (sentence: string) =>
      expect((await off().expect(409)).body.errors).toEqual([
        expect.objectContaining({
          pointer: '/password_sign_in',
          code: 'single_sign_on_not_proven',
          detail: expect.stringContaining(sentence),
        }),
      ]);
    await refuse('no identity provider in use');
    await setUp(organizationId, { ...SETTINGS, emailDomains: ['only.example'] });
    await refuse('You have not signed in');
    const colleague = await signedInUser(test, { organizationId });
    const known = (userId: number, issuer: string) =>
      prisma.externalIdentity.create({ data: { organizationId, issuer, subject: `${userId}`, userId, lastUsedAt: new Date() } });
    await known(colleague.user.id, idp.issuer);
    await known(admin.user.id, 'https://former.example');
    await refuse('You have not signed in');
    const told = await createOperator(test).apply(organizationId, { policies: { password_sign_in: false } });
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining('No active administrator has signed in') });
    await prisma.externalIdentity.create({
      data: { organizationId, issuer: idp.issuer, subject: 'chief', userId: admin.user.id, lastUsedAt: new Date() },
    });
    await off().expect(200);
    await http.post('/login').send({ email, password: 'wrong' }).expect(401);
    const refused = await http.post('/login').send({ email, password }).expect(403);
    expect(refused.body).toMatchObject({ code: 'sso_required', sso_url: `/sign-in/sso?practice=${organizationId}` });
    const page = await http.post('/sign-in').set(FORM).type('form').send({ email, password }).expect(403);
    expect(page.text).toContain('only single sign-on');
    expect((await admin.delete('/platform/v1/identity-provider').expect(409)).body.code).toBe('only_way_in');
    await admin.put('/platform/v1/identity-provider').send({ enabled: false }).expect(409);
    await admin.put('/platform/v1/policies').send({ password_sign_in: true }).expect(200);
    await http.post('/login').send({ email, password }).expect(200);
    await admin.delete('/platform/v1/identity-provider').expect(204);
  });

  it('is taken from a user by the operator, whom the next sign-in links anew', async () => {
    const { organizationId, email, user } = await signedInUser(test);
    await prisma.externalIdentity.create({ data: { organizationId, issuer: idp.issuer, subject: 'linked', userId: user.id } });
    const unlink = () => createOperator(test).ask(z.object({ unlinked: z.boolean() }), `users unlink ${email}`);
    expect([await unlink(), await unlink()]).toEqual([{ unlinked: true }, { unlinked: false }]);
  });

  it('is set up by an administrator, who never sees the secret again', async () => {
    const admin = await signedInUser(test, { type: 'admin' });
    const path = '/platform/v1/identity-provider';
    await admin.get(path).expect(404);
    const settings = {
      issuer: idp.issuer,
      client_id: 'triptych',
      client_secret: 'very secret',
      group_roles: [{ group: 'it', role: 'admin' }],
    };
    const made = await admin.put(path).send(settings).expect(200);
    expect(made.body.data).toMatchObject({
      has_secret: true,
      enabled: true,
      just_in_time: false,
      groups_claim: 'groups',
      scopes: ['openid', 'profile', 'email'],
      redirect_uri: toCallback({ id: admin.organizationId }),
    });
    expect(JSON.stringify((await admin.get(path).expect(200)).body)).not.toContain('very secret');
    const stored = await prisma.identityProvider.findUnique({ where: { organizationId: admin.organizationId } });
    expect(stored?.clientSecret).not.toContain('very secret');
    expect((await admin.get(`${path}/check`).expect(200)).body.data).toMatchObject({ works: true, issuer: idp.issuer, keys: 1 });
    for (const wrong of [{ email_domains: ['gmail.com'] }, { email_domains: ['no domain'] }, { issuer: 'javascript:alert(1)' }])
      await admin.put(path).send(wrong).expect(400);
    const staff = await signedInUser(test, { organizationId: admin.organizationId });
    await staff.get(path).expect(403);
  });

  it('is set up on a page of administration too, which tests the connection', async () => {
    const admin = await signedInUser(test, { type: 'admin' });
    const path = '/administration/single-sign-on';
    const { email, password } = admin;
    const signedIn = await http.post('/sign-in').set(FORM).type('form').send({ email, password }).redirects(0).expect(303);
    const headers = { ...FORM, cookie: listCookies(signedIn).find((pair) => pair.startsWith('staff=')) ?? '' };
    const send = (form: object, address = path) => http.post(address).set(headers).type('form').send(form).redirects(0);
    expect((await http.get(path).set(headers).expect(200)).text).toContain(toCallback({ id: admin.organizationId }));
    const form = { issuer: idp.issuer, client_id: 'triptych', client_secret: 'very secret', groups_claim: 'groups', enabled: 'yes' };
    expect((await send({ ...form, group_roles: 'managers' }).expect(400)).text).toContain('a group and its role');
    expect((await send({ ...form, email_domains: 'gmail.com' }).expect(400)).text).toContain('is a public mail domain');
    await send({ ...form, group_roles: 'managers=admin\r\nfront desk = staff', email_domains: '@Page.example' }).expect(303);
    const stored = await prisma.identityProvider.findUnique({ where: { organizationId: admin.organizationId } });
    expect(stored).toMatchObject({ emailDomains: ['page.example'], roles: { managers: 'admin', 'front desk': 'staff' }, enabled: true });
    const checked = await http.get(`${path}?test=yes`).set(headers).expect(200);
    expect(checked.text).toContain(`answers as ${idp.issuer}`);
    expect(checked.text).not.toContain('very secret');
    await send({}, `${path}/remove`).expect(303);
    expect(await prisma.identityProvider.count({ where: { organizationId: admin.organizationId } })).toBe(0);
  });
});
