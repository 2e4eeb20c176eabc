import { describe, expect, it } from 'vitest';
import { accountLockKey } from '../../../src/domain/identity/limits/sign-in-limits.ts';
import { signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createUser } from '../../support/factories.ts';

const test = await sharedTestApp();
const USERS = '/platform/v1/users';

/** A practice with one administrator, who signed in. */
const practice = async () => {
  const admin = await signedInUser(test, { type: 'admin' });
  return { admin, organizationId: admin.user.organizationId };
};

describe('users', () => {
  it('are listed with their roles, searched, filtered and sorted', async () => {
    const { admin, organizationId } = await practice();
    await createUser(test.database.prisma, { organizationId, type: 'provider', firstName: 'Zoë', lastName: 'Abel' });
    await createUser(test.database.prisma, { organizationId, type: 'staff', firstName: 'Bo', lastName: 'Ek', active: false });
    await createUser(test.database.prisma, { organizationId, type: 'interface', firstName: 'Front', lastName: 'API' });
    const names = async (query: string) =>
      (await admin.get(`${USERS}${query}`).expect(200)).body.data.map(({ lastname }: { lastname: string }) => lastname);
    expect(await names('?user_type=staff')).toEqual(['Ek']);
    expect(await names('?active=0')).toEqual(['Ek']);
    expect(await names('?search=zoe')).toEqual(['Abel']);
    expect((await names('?sort=name&order=desc')).toReversed()).toEqual(await names(''));
    const { body } = await admin.get(`${USERS}?active=1&limit=1`).expect(200);
    expect(body.meta).toMatchObject({ total: 2, last_page: 2 });
  });

  it('change their names, and with another role they have to sign in again', async () => {
    const { admin, organizationId } = await practice();
    const colleague = await signedInUser(test, { organizationId, type: 'staff' });
    const path = `${USERS}/${colleague.user.id}`;
    const read = await admin.get(path).expect(200);
    const { body } = await admin
      .put(path)
      .set('if-match', String(read.headers.etag))
      .send({ firstname: 'Ada', phone: '919-733-4321' })
      .expect(200);
    expect(body.data).toEqual({ ...read.body.data, firstname: 'Ada', phone: expect.stringContaining('919') });
    await admin.put(path).set('if-match', String(read.headers.etag)).send({ lastname: 'Late' }).expect(412);
    await colleague.get('/user').expect(200);
    expect((await admin.put(path).send({ user_type: 'provider' }).expect(200)).body.data.user_type).toBe('provider');
    await expect.poll(async () => (await colleague.get('/user')).status, { timeout: 5_000 }).toBe(401);
    expect((await admin.put(path).send({ user_type: 'interface' }).expect(400)).body.errors[0].pointer).toBe('/user_type');
  });

  it('are shut out and let in again, and signed out everywhere', async () => {
    const { admin, organizationId } = await practice();
    const colleague = await signedInUser(test, { organizationId, type: 'provider' });
    const path = `${USERS}/${colleague.user.id}`;
    expect((await admin.post(`${path}/deactivate`).expect(200)).body.data.active).toBe(false);
    await expect.poll(async () => (await colleague.get('/user')).status, { timeout: 5_000 }).toBe(401);
    expect((await admin.post(`${path}/activate`).expect(200)).body.data.active).toBe(true);
    const again = await signedInUser(test, { organizationId, type: 'provider' });
    await admin.delete(`${USERS}/${again.user.id}/sessions`).expect(204);
    await expect.poll(async () => (await again.get('/user')).status, { timeout: 5_000 }).toBe(401);
  });

  it('are invited by mail, again until they accept, and not with an address of somebody else', async () => {
    const { admin, organizationId } = await practice();
    const sign_in_email = `new-${organizationId}@clinic.example`;
    const person = { user_type: 'provider', firstname: 'Nora', lastname: 'Lind', sign_in_email, privacy_officer: true };
    const { body } = await admin.post(USERS).send(person).expect(201);
    expect(body.data).toMatchObject({ ...person, verified: false, active: true, locked: false, phone: null });
    const path = `${USERS}/${body.data.uuid}`;
    const mails = () => test.database.prisma.mailMessage.count({ where: { organizationId, toAddress: sign_in_email } });
    await admin.post(`${path}/invite`).expect(200);
    expect(await mails()).toBe(2);
    const other = await practice();
    expect((await other.admin.post(USERS).send(person).expect(409)).body).toMatchObject({
      code: 'email_taken',
      errors: [{ pointer: '/sign_in_email' }],
    });
    await other.admin.post(`${path}/invite`).expect(404);
    await admin.post(`${path}/deactivate`).expect(200);
    expect((await admin.post(`${path}/invite`).expect(409)).body.code).toBe('inactive_user');
    expect((await admin.post(`${USERS}/${admin.user.id}/invite`).expect(409)).body.code).toBe('already_accepted');
    expect((await admin.put(path).send({ privacy_officer: false }).expect(200)).body.data.privacy_officer).toBe(false);
  });

  it('are unlocked after too many wrong passwords', async () => {
    const { admin, organizationId } = await practice();
    const { user, email } = await createUser(test.database.prisma, { organizationId, type: 'staff' });
    await test.database.prisma.signInFailure.create({
      data: { key: accountLockKey(test.keyring, email), points: 100, expire: Date.now() + 900_000 },
    });
    const locked = async () =>
      (await admin.get(`${USERS}?user_type=staff`).expect(200)).body.data.map((one: { locked: boolean }) => one.locked);
    expect(await locked()).toEqual([true]);
    expect((await admin.post(`${USERS}/${user.id}/unlock`).expect(200)).body.data.locked).toBe(false);
    expect(await locked()).toEqual([false]);
    await (await practice()).admin.post(`${USERS}/${user.id}/unlock`).expect(404);
  });

  it('keep one administrator: nobody takes the last one, their own role or themselves', async () => {
    const { admin, organizationId } = await practice();
    const own = `${USERS}/${admin.user.id}`;
    expect((await admin.put(own).send({ user_type: 'staff' }).expect(403)).body.code).toBe('own_role');
    expect((await admin.post(`${own}/deactivate`).expect(409)).body.code).toBe('last_admin');
    const other = await signedInUser(test, { organizationId, type: 'admin' });
    expect((await admin.post(`${own}/deactivate`).expect(409)).body.code).toBe('own_account');
    // Each takes the other at the same time: one of them is late.
    const answers = await Promise.all([
      admin.put(`${USERS}/${other.user.id}`).send({ user_type: 'staff' }),
      other.post(`${own}/deactivate`),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const admins = await test.database.prisma.user.count({ where: { organizationId, type: 'admin', active: true } });
    expect(admins).toBe(1);
  });
});
