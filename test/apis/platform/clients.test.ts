import { describe, expect, it } from 'vitest';
import { clientToken, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization } from '../../support/factories.ts';

const test = await sharedTestApp();
const admin = await signedInUser(test, { type: 'admin' });
const { organizationId } = admin.user;
const CLIENTS = '/platform/v1/clients';

const tokenWith = (clientId: string, secret: string) =>
  test.http.post('/oauth2/v1/token').type('form').auth(clientId, secret).send({ grant_type: 'client_credentials' });

describe('clients', () => {
  it('are made with a secret that is shown once, get tokens with it, and are told apart in the audit', async () => {
    const { body } = await admin
      .post(CLIENTS)
      .send({ name: 'Front desk', scopes: ['integration.read'] })
      .expect(201);
    const { uuid, client_id, client_secret } = body.data;
    expect(body.data).toMatchObject({ kind: 'machine', active: true, is_shared: false, has_keys: false, last_used_at: null });
    await tokenWith(client_id, client_secret).expect(200);
    const read = await admin.get(`${CLIENTS}/${uuid}`).expect(200);
    expect(read.text).not.toContain(client_secret);
    expect(read.body.data.secrets).toEqual([
      { created_at: expect.any(String), expires_at: null, last_used_at: expect.anything(), is_old: false },
    ]);
    const listed = await admin.get(CLIENTS).expect(200);
    expect(listed.body.data.map((one: { uuid: number }) => one.uuid)).toContain(uuid);
    const audited = await test.database.prisma.auditEntry.findMany({ where: { organizationId, resource: 'api_client' } });
    expect(audited.map(({ detail }) => detail)).toContain(`api_client.created ${client_id} integration.read`);
  });

  it('are made and rotated once under an Idempotency-Key: a repetition is refused, and names the client', async () => {
    const create = () =>
      admin
        .post(CLIENTS)
        .set('idempotency-key', 'make')
        .send({ name: 'Retried', scopes: ['practice.read'] });
    const { uuid } = (await create().expect(201)).body.data;
    const again = await create().expect(409);
    expect([again.body.code, again.body.detail]).toEqual(['idempotency_key_spent', expect.stringContaining(`api_client ${uuid}`)]);
    const named = await admin.get(CLIENTS).expect(200);
    expect(named.body.data.filter(({ name }: { name: string }) => name === 'Retried')).toHaveLength(1);
    const rotate = () => admin.post(`${CLIENTS}/${uuid}/rotate`).set('idempotency-key', 'rotate').send({ overlap_hours: 1 });
    await rotate().expect(200);
    expect((await rotate().expect(409)).body.code).toBe('idempotency_key_spent');
    expect((await admin.get(`${CLIENTS}/${uuid}`).expect(200)).body.data.secrets).toHaveLength(2);
  });

  it('are at most 200 a practice, also where several are made at once', async () => {
    const other = await signedInUser(test, { type: 'admin' });
    const { organizationId } = other.user;
    const rows = test.database.prisma;
    const clients = Array.from({ length: 198 }, (_, index) => ({
      id: `bound-${organizationId}-${index}`,
      name: 'Made before',
      scopes: [],
    }));
    await rows.apiClient.createMany({ data: clients });
    const people = clients.map(({ name }) => ({ organizationId, type: 'interface' as const, firstName: '', lastName: name }));
    const users = await rows.user.createManyAndReturn({ data: people, select: { id: true } });
    await rows.apiClientGrant.createMany({
      data: users.map(({ id: userId }, index) => ({ organizationId, userId, clientId: clients[index]?.id ?? '' })),
    });
    const create = () => other.post(CLIENTS).send({ name: 'More', scopes: ['practice.read'] });
    const together = await Promise.all(Array.from({ length: 4 }, create));
    expect(together.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect((await create().expect(409)).body.code).toBe('too_many_clients');
  });

  it('have each scope once, and of an app other ones than of a machine', async () => {
    const { body } = await admin
      .post(CLIENTS)
      .send({ name: 'Twice', scopes: ['practice.read', 'practice.read'] })
      .expect(201);
    expect(body.data.scopes).toEqual(['practice.read']);
    const scopes = ['practice.read', 'practice.write', 'practice.write'];
    const changed = await admin.put(`${CLIENTS}/${body.data.uuid}`).send({ scopes }).expect(200);
    expect(changed.body.data.scopes).toEqual(['practice.read', 'practice.write']);
    const app = { name: 'Phone', kind: 'app', redirect_uris: ['https://app.example/back'] };
    for (const wrong of [
      { ...app, scopes: ['practice.read'] },
      { name: 'Program', scopes: ['mobile'] },
    ]) {
      const refused = await admin.post(CLIENTS).send(wrong).expect(400);
      expect(refused.body.errors).toEqual([expect.objectContaining({ pointer: '/scopes' })]);
    }
    const made = await admin.post(CLIENTS).send(app).expect(201);
    expect(made.body.data.scopes).toEqual(['mobile']);
    const asked = ['platform.read', 'platform.manage'];
    expect((await admin.put(`${CLIENTS}/${made.body.data.uuid}`).send({ scopes: asked }).expect(200)).body.data.scopes).toEqual(asked);
  });

  it('change scopes, rotate with an overlap, and are switched off and on', async () => {
    const { body } = await admin
      .post(CLIENTS)
      .send({ name: 'Billing', scopes: ['practice.read'] })
      .expect(201);
    const { uuid, client_id, client_secret } = body.data;
    const path = `${CLIENTS}/${uuid}`;
    const changed = await admin
      .put(path)
      .send({ name: 'Bills', scopes: ['practice.read', 'ssn.read', 'restricted.read'] })
      .expect(200);
    expect(changed.body.data).toMatchObject({ name: 'Bills', scopes: ['practice.read', 'ssn.read', 'restricted.read'] });
    expect(
      (
        await admin
          .put(path)
          .send({ scopes: ['ssn.read'] })
          .expect(400)
      ).body.errors[0],
    ).toMatchObject({ pointer: '/scopes' });
    const rotated = await admin.post(`${path}/rotate`).send({ overlap_hours: 2 }).expect(200);
    await tokenWith(client_id, client_secret).expect(200);
    await tokenWith(client_id, rotated.body.data.client_secret).expect(200);
    await admin.post(`${path}/rotate`).send({ overlap_hours: 0 }).expect(200);
    await tokenWith(client_id, client_secret).expect(401);
    expect((await admin.post(`${path}/disable`).expect(200)).body.data.active).toBe(false);
    expect((await admin.post(`${path}/enable`).expect(200)).body.data.active).toBe(true);
    await admin.delete(path).expect(204);
    await admin.get(path).expect(404);
  });

  it('may be an app, or sign in with keys, and then have no secret', async () => {
    const redirect_uris = ['https://app.example.com/back'];
    const app = await admin.post(CLIENTS).send({ name: 'Phone', kind: 'app', redirect_uris }).expect(201);
    expect(app.body.data).toMatchObject({ kind: 'app', client_secret: null, redirect_uris, secrets: [] });
    const keyed = { name: 'Lab', scopes: ['integration.read'], jwks_uri: 'https://lab.example.com/keys' };
    const made = await admin.post(CLIENTS).send(keyed).expect(201);
    expect(made.body.data).toMatchObject({ has_keys: true, jwks_uri: keyed.jwks_uri, client_secret: null });
    for (const jwks_uri of ['https://10.0.0.1/keys', 'http://lab.example.com/keys'])
      expect(
        (
          await admin
            .post(CLIENTS)
            .send({ ...keyed, jwks_uri })
            .expect(400)
        ).body.errors[0].pointer,
      ).toBe('/jwks_uri');
    const elsewhere = ['https://app.example.com/elsewhere'];
    const moved = await admin.put(`${CLIENTS}/${app.body.data.uuid}`).send({ redirect_uris: elsewhere }).expect(200);
    expect(moved.body.data.redirect_uris).toEqual(elsewhere);
    const keys = 'https://lab.example.com/other-keys';
    const rekeyed = await admin.put(`${CLIENTS}/${made.body.data.uuid}`).send({ jwks_uri: keys }).expect(200);
    expect(rekeyed.body.data.jwks_uri).toBe(keys);
    const stray = { name: 'No app', scopes: ['integration.read'], redirect_uris };
    expect((await admin.post(CLIENTS).send(stray).expect(400)).body.errors[0].pointer).toBe('/redirect_uris');
  });

  it('of several practices are seen and withdrawn, and changed by the operator alone', async () => {
    const elsewhere = (await createOrganization(test.database.prisma)).id;
    const { clientId } = await clientToken(test, ['practice.read'], [organizationId, elsewhere]);
    const { body } = await admin.get(`${CLIENTS}?limit=1000`).expect(200);
    const shared = body.data.find((one: { client_id: string }) => one.client_id === clientId);
    expect(shared.is_shared).toBe(true);
    const path = `${CLIENTS}/${shared.uuid}`;
    for (const refused of [admin.put(path).send({ name: 'Mine' }), admin.post(`${path}/rotate`), admin.post(`${path}/disable`)])
      expect((await refused.expect(409)).body.code).toBe('shared_client');
    await admin.delete(path).expect(204);
    expect(await test.database.prisma.apiClientGrant.findMany({ where: { clientId } })).toMatchObject([{ organizationId: elsewhere }]);
  });
});
