import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { good, openForge, userClaims } from '../contract/forge.ts';
import { actorWith, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const PROVIDER = '/platform/v1/identity-provider';
const issuer = () => `https://${randomUUID()}.example`;

describe('another issuer', () => {
  it('does not get the secret of the one before, by the API and by the page', async () => {
    const admin = await signedInUser(test, { type: 'admin' });
    const { organizationId } = admin;
    const secretOf = async () => (await prisma.identityProvider.findUniqueOrThrow({ where: { organizationId } })).clientSecret;
    const set = (input: object) => admin.put(PROVIDER).send(input).expect(200);
    const first = { issuer: issuer(), client_id: 'triptych' };
    await set({ ...first, client_secret: 'between the two of us' });
    await set({ client_id: 'triptych-2' });
    expect(await secretOf()).not.toBeNull();
    expect((await set({ issuer: issuer() })).body.data.has_secret).toBe(false);
    expect(await secretOf()).toBeNull();
    expect((await set({ issuer: issuer(), client_secret: 'with the new one' })).body.data.has_secret).toBe(true);
    const pages = staffPages(test);
    const form = { issuer: issuer(), client_id: 'triptych', client_secret: '', groups_claim: 'groups', enabled: 'yes' };
    await pages.send('/administration/single-sign-on', form, await pages.browse(admin)).expect(303);
    expect(await secretOf()).toBeNull();
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
