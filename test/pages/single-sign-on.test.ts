import { createHash, randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { createApp } from '../../src/domain/identity/clients/clients.ts';
import { type IdentityProviderInput, setIdentityProvider } from '../../src/domain/identity/single-sign-on/identity-providers.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { type ExternalUser, OIDC_SECRET, startOidcProvider } from '../support/oidc-provider.ts';

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const prisma = test.database.prisma;
const http = supertest(test.address);
const FORM = { origin: test.address };

const hospital = await createOrganization(prisma, { name: 'Harbor Hospital' });
const branch = await createOrganization(prisma, { name: 'Harbor Branch' });
const stranger = await createOrganization(prisma, { name: 'Elsewhere', languageId: 'es' });
const toCallback = ({ id }: { id: number }) => `${test.address}/sign-in/sso/callback/${id}`;

const PEOPLE: Record<string, ExternalUser> = {
  maria: { email: 'Maria@Harbor.example', givenName: 'María', familyName: 'Chen', groups: ['clinicians', 'everybody'] },
  nadia: { email: 'nadia@harbor.example', givenName: 'Nadia', familyName: 'New', groups: ['front desk'] },
  guest: { email: 'guest@harbor.example', groups: ['everybody'] },
};
const idp = await closedAfterAll(
  startOidcProvider({
    redirectUris: [toCallback(hospital), toCallback(branch)],
    backChannelLogoutUri: `${test.address}/sign-in/sso/back-channel-logout/${hospital.id}`,
    postLogoutUris: [`${test.address}/sign-in`],
    users: PEOPLE,
  }),
);
const other = await closedAfterAll(
  startOidcProvider({ redirectUris: [toCallback(stranger)], users: { maria: { email: 'maria@harbor.example', groups: ['boss'] } } }),
);

async function setUp(organizationId: number, input: IdentityProviderInput): Promise<void> {
  const { unitOfWork, keyring, gateways } = test.services;
  await unitOfWork.write(operator(organizationId, 'test'), (tx) =>
    setIdentityProvider(tx, input, { keyring, accepts: gateways.guarded.accepts, recorded: input.emailDomains ?? [] }),
  );
}
const ROLES = { clinicians: 'provider', 'front desk': 'staff', managers: 'admin' } as const;
const SETTINGS = { issuer: idp.issuer, clientId: idp.clientId, clientSecret: OIDC_SECRET, roles: ROLES, justInTime: true };
await setUp(hospital.id, { ...SETTINGS, emailDomains: ['harbor.example'] });
await setUp(branch.id, { ...SETTINGS, emailDomains: ['branch.example'] });
await setUp(stranger.id, {
  issuer: other.issuer,
  clientId: other.clientId,
  clientSecret: OIDC_SECRET,
  roles: { boss: 'admin' },
  justInTime: true,
  emailDomains: ['elsewhere.example'],
});

const listCookies = (answer: supertest.Response) =>
  [answer.headers['set-cookie'] ?? []].flat().map((line: string) => line.split(';')[0] ?? '');

/** Begins at the practice's own address. @returns the provider's address, and the cookie that binds the browser */
async function begin({ id }: { id: number }, to?: string) {
  const answer = await http
    .get('/sign-in/sso')
    .query({ practice: id, ...(to === undefined ? {} : { to }) })
    .redirects(0)
    .expect(303);
  return { address: String(answer.headers.location), cookie: listCookies(answer).join('; ') };
}

/** Comes back from the provider. */
const comeBack = (address: string, cookie: string) => http.get(address.slice(test.address.length)).set({ cookie }).redirects(0);

/** Signs in from end to end. */
async function signIn(practice: { id: number }, name: string, browser = (practice === stranger ? other : idp).browser()) {
  const { address, cookie } = await begin(practice);
  const answer = await comeBack(await browser.signIn(address, name), cookie);
  return { answer, browser, headers: { ...FORM, cookie: listCookies(answer).find((pair) => pair.startsWith('staff=')) ?? '' } };
}
/** The address that a page opens by itself. */
const findOnward = ({ text }: supertest.Response) =>
  (/content="0;url=([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&#61;', '=').replaceAll('&#38;', '&');
const findIdentity = (organizationId: number, subject: string) =>
  prisma.externalIdentity.findFirst({ where: { organizationId, subject }, include: { user: true } });

describe('single sign-on', () => {
  it('makes the user on the first sign-in, with the role of their groups, and shows the pages of their practice', async () => {
    const { answer, headers } = await signIn(hospital, 'nadia');
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<meta http-equiv="refresh" content="0;url=/lobby">');
    expect((await http.get('/lobby').set(headers).expect(200)).text).toContain('Harbor Hospital');
    const link = await findIdentity(hospital.id, 'nadia');
    expect(link?.user).toMatchObject({ type: 'staff', firstName: 'Nadia', lastName: 'New', email: 'nadia@harbor.example', active: true });
    const session = await prisma.session.findFirst({ where: { organizationId: hospital.id, userId: link?.userId ?? 0 } });
    expect(session).toMatchObject({ methods: ['sso'], kind: 'page' });
  });

  it('links the user with the verified email of the practice, once, and never one of another practice', async () => {
    const { user } = await createUser(prisma, { organizationId: hospital.id, type: 'staff', email: 'maria@harbor.example' });
    await signIn(hospital, 'maria');
    expect(await findIdentity(hospital.id, 'maria')).toMatchObject({ userId: user.id, user: { type: 'provider' } });
    // The same subject at another issuer and in another practice, with the same email, is somebody else.
    const elsewhere = await signIn(stranger, 'maria');
    expect(elsewhere.answer.status).toBe(200);
    const stranded = await findIdentity(stranger.id, 'maria');
    expect(stranded?.user).toMatchObject({ organizationId: stranger.id, type: 'admin', languageId: 'es' });
    // The same issuer for another practice: a user of their own there.
    await signIn(branch, 'maria');
    const atBranch = await findIdentity(branch.id, 'maria');
    expect(atBranch?.user).toMatchObject({ organizationId: branch.id, type: 'provider' });
    expect(await prisma.externalIdentity.count({ where: { organizationId: hospital.id, subject: 'maria' } })).toBe(1);
  });

  it('refuses whom no group, no verified email and no open account lets in, in plain words, and audits it', async () => {
    const refused = async (name: string, words: string, practice = hospital) => {
      const { answer } = await signIn(practice, name);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain(words);
      expect(listCookies(answer).some((pair) => pair.startsWith('staff='))).toBe(false);
    };
    await refused('guest', 'None of your groups');
    idp.users.set('impostor', { email: 'victim@harbor.example', emailVerified: false, groups: ['managers'] });
    await createUser(prisma, { organizationId: hospital.id, type: 'admin', email: 'victim@harbor.example' });
    await refused('impostor', 'has not verified');
    // Of a domain that is not the practice's.
    idp.users.set('outsider', { email: 'outsider@elsewhere.example', groups: ['managers'] });
    await createUser(prisma, { organizationId: hospital.id, type: 'admin', email: 'outsider@elsewhere.example' });
    await refused('outsider', 'has not verified');
    await signIn(hospital, 'nadia');
    const nadia = await findIdentity(hospital.id, 'nadia');
    const where = { organizationId_id: { organizationId: hospital.id, id: nadia?.userId ?? 0 } };
    await prisma.user.update({ where, data: { active: false } });
    await refused('nadia', 'is closed');
    await prisma.user.update({ where, data: { active: true } });
    const audited = await prisma.auditEntry.findMany({ where: { organizationId: hospital.id, action: 'sign_in_refused' } });
    expect(audited.map(({ detail }) => detail).toSorted()).toEqual(
      ['deactivated', 'email_not_verified', 'email_not_verified', 'no_group'].map((reason) => `single sign-on: ${reason}`),
    );
  });

  it('gives the role of the groups at each sign-in, but for the last admin', async () => {
    idp.users.set('boss', { email: 'boss@harbor.example', groups: ['managers', 'clinicians'] });
    const practice = branch;
    await signIn(practice, 'boss');
    expect((await findIdentity(practice.id, 'boss'))?.user.type).toBe('admin');
    idp.users.set('boss', { email: 'boss@harbor.example', groups: ['clinicians'] });
    await signIn(practice, 'boss');
    expect((await findIdentity(practice.id, 'boss'))?.user.type).toBe('admin');
    await createUser(prisma, { organizationId: practice.id, type: 'admin' });
    await signIn(practice, 'boss');
    expect((await findIdentity(practice.id, 'boss'))?.user.type).toBe('provider');
  });

  it('takes a response only in the browser that began, once, and for the practice that it was begun for', async () => {
    const { address, cookie } = await begin(hospital, '/monitoring?page=2');
    const back = await idp.browser().signIn(address, 'maria');
    expect((await comeBack(back, '')).status).toBe(400);
    const another = await begin(hospital);
    expect((await comeBack(back, another.cookie)).status).toBe(403);
    const elsewhere = back.replace(`/callback/${hospital.id}?`, `/callback/${branch.id}?`);
    expect((await comeBack(elsewhere, cookie)).status).toBe(400);
    const answer = await comeBack(back, cookie);
    expect(findOnward(answer)).toBe('/monitoring?page=2');
    expect((await comeBack(back, cookie)).status).toBe(403);
    expect(String(answer.headers['set-cookie'])).toMatch(/single-sign-on=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax/);
  });

  it('finds the practice by the domain of a mail address, whoever has it, and says the same for each address of a domain', async () => {
    const send = (email: string) => http.post('/sign-in/sso').set(FORM).type('form').send({ email }).redirects(0);
    const known = await send('maria@harbor.example').expect(200);
    const unknown = await send('nobody@HARBOR.example').expect(200);
    for (const { text } of [known, unknown]) expect(text).toContain(`href="${idp.issuer}/auth?`);
    expect((await send('maria@nowhere.example').expect(404)).text).toContain('No practice uses single sign-on');
    await http.get('/sign-in/sso').query({ practice: 2_000_000_000 }).expect(404);
  });

  it('ends the session here when it ends at the provider, and leads there at sign-out', async () => {
    const { browser, headers } = await signIn(hospital, 'maria');
    await http.get('/lobby').set(headers).expect(200);
    const out = await http.post('/sign-out').set(headers).redirects(0).expect(200);
    const address = findOnward(out);
    expect(address).toContain(`${idp.issuer}/session/end?id_token_hint=`);
    await http.get('/lobby').set(headers).redirects(0).expect(303);
    // The provider tells this server of the sign-out as well, whose session has ended already.
    expect(await browser.signOut(address)).toBe(`${test.address}/sign-in`);
    const again = await signIn(hospital, 'maria');
    const other = await signIn(hospital, 'maria');
    await http.get('/lobby').set(again.headers).expect(200);
    await again.browser.signOut(`${idp.issuer}/session/end`);
    await http.get('/lobby').set(again.headers).redirects(0).expect(303);
    await http.get('/lobby').set(other.headers).expect(200);
    const path = `/sign-in/sso/back-channel-logout/${hospital.id}`;
    for (const logout_token of ['', 'a.b.c']) await http.post(path).type('form').send({ logout_token }).expect(400);
  });

  it('lets an app act for a person, as long as their session at the provider lasts', async () => {
    const redirectUri = 'https://rounds.example.com/signed-in';
    const app = await createApp(prisma, { name: 'Rounds', organizationIds: [hospital.id], redirectUris: [redirectUri] });
    const verifier = randomBytes(32).toString('base64url');
    const request = {
      client_id: app.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      state: 'a state',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const asked = `/oauth2/v1/authorize?${new URLSearchParams(request)}`;
    const { address, cookie } = await begin(hospital, asked);
    const browser = idp.browser();
    const answer = await comeBack(await browser.signIn(address, 'maria'), cookie);
    expect(answer.status).toBe(200);
    const headers = { ...FORM, cookie: listCookies(answer).find((pair) => pair.startsWith('staff=')) ?? '' };
    const agreed = await http
      .post('/oauth2/v1/authorize')
      .set(headers)
      .type('form')
      .send({ ...request, decision: 'continue' })
      .redirects(0)
      .expect(303);
    const code = new URL(String(agreed.headers.location)).searchParams.get('code');
    const grant = { grant_type: 'authorization_code', client_id: app.clientId, redirect_uri: redirectUri, code_verifier: verifier };
    const { body } = await http
      .post('/oauth2/v1/token')
      .type('form')
      .send({ ...grant, code })
      .expect(200);
    const asApp = { authorization: `Bearer ${body.access_token}` };
    await http.get('/user').set(asApp).expect(200);
    await browser.signOut(`${idp.issuer}/session/end`);
    await http.get('/user').set(asApp).expect(401);
  });

  it('sends those who have to prove again who they are to the provider, and leaves them their password', async () => {
    const { headers } = await signIn(hospital, 'maria');
    const page = await http.get('/sign-in/confirm').query({ to: '/account' }).set(headers).expect(200);
    expect(page.text).toMatch(/sign-in\/sso\/confirm\?to(=|&#61;)%2Faccount/);
    const form = await http.get('/sign-in/confirm').query({ otherwise: 'yes' }).set(headers).expect(200);
    expect(form.text).toContain('name="password"');
    const onward = await http.get('/sign-in/sso/confirm').query({ to: '/account' }).set(headers).redirects(0).expect(303);
    expect(String(onward.headers.location)).toMatch(/prompt=login/);
  });

  it('says that a provider does not answer', async () => {
    const lost = await createOrganization(prisma, { name: 'Lost' });
    await setUp(lost.id, { ...SETTINGS, issuer: 'http://127.0.0.1:9' });
    const answer = await http.get('/sign-in/sso').query({ practice: lost.id }).redirects(0).expect(503);
    expect(answer.text).toContain('cannot be reached');
    expect(answer.headers['retry-after']).toBe('30');
  });
});
