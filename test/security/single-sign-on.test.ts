import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { proveByWord } from '../../src/domain/identity/single-sign-on/mail-domains.ts';
import { good, openForge, userClaims } from '../contract/forge.ts';
import { actorWith, signedInUser } from '../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { startOidcProvider } from '../support/oidc-provider.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const { prisma } = test.database;
const PROVIDER = '/platform/v1/identity-provider';
const provider = () => closedAfterAll(startOidcProvider({ redirectUris: [test.address], users: {} }));
const issuer = () => `https://${randomUUID()}.example`;

describe('another issuer', () => {
  it('does not get the secret of the one before, by the API and by the page', async () => {
    const admin = await signedInUser(test, { type: 'admin' });
    const { organizationId } = admin;
    const readSecret = async () => (await prisma.identityProvider.findUniqueOrThrow({ where: { organizationId } })).clientSecret;
    const set = (input: object) => admin.put(PROVIDER).send(input).expect(200);
    const first = { issuer: issuer(), client_id: 'triptych' };
    await set({ ...first, client_secret: 'between the two of us' });
    await set({ client_id: 'triptych-2' });
    expect(await readSecret()).not.toBeNull();
    expect((await set({ issuer: issuer() })).body.data.has_secret).toBe(false);
    expect(await readSecret()).toBeNull();
    expect((await set({ issuer: issuer(), client_secret: 'with the new one' })).body.data.has_secret).toBe(true);
    const pages = staffPages(test);
    const form = { issuer: issuer(), client_id: 'triptych', client_secret: '', groups_claim: 'groups', enabled: 'yes' };
    await pages.send('/administration/single-sign-on', form, await pages.browse(admin)).expect(303);
    expect(await readSecret()).toBeNull();
    const event = await prisma.event.findFirst({ where: { organizationId, name: 'identity_provider.changed' }, orderBy: { id: 'desc' } });
    expect(event?.changed).toEqual(expect.arrayContaining(['issuer', 'clientSecret']));
  });
});

describe('a person made by single sign-on', () => {
  it('cannot try the password of a stranger who signs in with the same address', async () => {
    const stranger = await signedInUser(test);
    const guest = await signedInUser(test);
    const { organizationId } = guest;
    await prisma.signIn.deleteMany({ where: { organizationId, userId: guest.user.id } });
    const named = { email: stranger.email, firstName: stranger.email, lastName: '' };
    await prisma.user.update({ where: { organizationId_id: { organizationId, id: guest.user.id } }, data: named });
    const actor = actorWith(test, good(await openForge(test), await userClaims(test, organizationId, guest.user.id)), organizationId);
    const password = 'an altogether different phrase';
    for (const guess of [stranger.password, 'a wrong one']) {
      const refused = await actor.put('/user/password').send({ current_password: guess, password }).expect(409);
      expect(refused.body.code).toBe('no_password');
      expect((await actor.post('/user/step-up').send({ password: guess }).expect(409)).body.code).toBe('no_password');
    }
    await test.http.post('/login').send({ email: stranger.email, password: stranger.password }).expect(200);
  });
});

describe('the mail domain of a practice', () => {
  it('that another practice claims leads nobody to its provider; the first proof wins, by every way', async () => {
    const domain = `${randomUUID()}.example`;
    const [ours, theirs] = [await provider(), await provider()];
    const [owner, thief] = [await signedInUser(test, { type: 'admin' }), await signedInUser(test, { type: 'admin' })];
    const texts = new Set<string>();
    const records = vi.spyOn(test.services.gateways.domainRecords, 'findTexts').mockImplementation(async () => [...texts]);
    onTestFinished(() => records.mockRestore());
    const claim = (admin: typeof owner, { issuer: at }: { issuer: string }, email_domains = [domain]) =>
      admin.put(PROVIDER).send({ issuer: at, client_id: 'triptych', email_domains });
    const hostFor = async (email: string) => {
      const { status, text } = await staffPages(test).send('/sign-in/sso', { email });
      return status === 200 ? /href="(http[^"]*)\/auth\?/.exec(text)?.[1] : status;
    };

    const [proof] = (await claim(thief, theirs).expect(200)).body.data.email_domain_proofs;
    expect(proof).toMatchObject({ domain, is_proven: false, record_name: `_triptych.${domain}` });
    expect(await hostFor(`maria@${domain}`)).toBe(404);

    const [own] = (await claim(owner, ours).expect(200)).body.data.email_domain_proofs;
    expect(own.record_value).not.toBe(proof.record_value);
    texts.add(own.record_value);
    expect((await claim(owner, ours).expect(200)).body.data.email_domain_proofs).toMatchObject([{ is_proven: true }]);
    expect(await hostFor(`maria@${domain}`)).toBe(ours.issuer);
    const { name } = await prisma.organization.findUniqueOrThrow({ where: { id: owner.organizationId } });
    const page = await staffPages(test).send('/sign-in/sso', { email: `maria@${domain}` });
    expect(page.text).toContain(`You sign in to <bdi><strong>${name}</strong></bdi>`);
    expect(page.text).not.toContain('http-equiv="refresh"');

    expect((await claim(thief, theirs).expect(200)).body.data.email_domain_proofs).toMatchObject([{ is_proven: false }]);
    texts.add(proof.record_value);
    expect((await claim(thief, theirs).expect(409)).body.code).toBe('domain_proven');
    const byWord = () => test.services.unitOfWork.write(operator(thief.organizationId, 'test'), (tx) => proveByWord(tx, domain));
    await expect(byWord()).rejects.toMatchObject({ kind: 'conflict', code: 'domain_proven' });
    const form = {
      issuer: theirs.issuer,
      client_id: 'triptych',
      client_secret: '',
      groups_claim: 'groups',
      enabled: 'yes',
      email_domains: domain,
    };
    const pages = staffPages(test);
    await pages.send('/administration/single-sign-on', form, await pages.browse(thief)).expect(409);
    expect(await hostFor(`maria@${domain}`)).toBe(ours.issuer);
    const audited = { organizationId: owner.organizationId, detail: `proved by DNS: ${domain}` };
    expect(await prisma.auditEntry.count({ where: audited })).toBe(1);

    await claim(owner, ours, []).expect(200);
    await byWord();
    expect(await hostFor(`maria@${domain}`)).toBe(theirs.issuer);
    await thief.delete(PROVIDER).expect(204);
    expect(await hostFor(`maria@${domain}`)).toBe(404);
  });
});
