import { describe, expect, it } from 'vitest';
import { actorWith, clientToken, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOrganization } from '../../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const ENDPOINTS = '/platform/v1/webhook-endpoints';
const url = 'https://hooks.example.com/triptych?key=abc';

async function practice() {
  const { id: organizationId } = await createOrganization(rows);
  const client = async (scopes = ['webhooks.write', 'events.read']) =>
    actorWith(test, (await clientToken(test, scopes, [organizationId])).token, organizationId);
  const admin = await signedInUser(test, { organizationId, type: 'admin' });
  return { organizationId, client, admin };
}

describe('webhook endpoints', () => {
  it('are made with a secret that is shown once, changed, and deleted', async () => {
    const clinic = await practice();
    const client = await clinic.client();
    const made = (
      await client
        .post(ENDPOINTS)
        .send({ url, description: 'Billing', types: ['appointment.*'] })
        .expect(201)
    ).body.data;
    expect(made).toMatchObject({
      url,
      description: 'Billing',
      types: ['appointment.*'],
      signatures: ['v1'],
      public_key: null,
      active: true,
      switched_off: null,
      failing_since: null,
      last_sequence: 0,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const one = `${ENDPOINTS}/${made.id}`;
    const { secret, ...shown } = made;
    expect((await client.get(one).expect(200)).body.data).toEqual(shown);
    expect((await client.get(ENDPOINTS).expect(200)).body).toMatchObject({ data: [shown], meta: { total: 1 } });

    const changed = (
      await client
        .put(one)
        .send({ types: [], signatures: ['v1', 'v1a'] })
        .expect(200)
    ).body.data;
    expect(changed).toMatchObject({ url, description: 'Billing', types: [], signatures: ['v1', 'v1a'] });
    expect(changed.public_key).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    expect(
      (
        await client
          .put(one)
          .send({ signatures: ['v1'], active: false })
          .expect(200)
      ).body.data,
    ).toMatchObject({
      public_key: null,
      active: false,
    });
    const rotated = (await client.post(`${one}/rotate-secret`).expect(200)).body.data;
    expect(rotated.secret).not.toBe(secret);
    expect((await client.post(`${one}/test`).expect(409)).body).toMatchObject({ code: 'endpoint_is_off' });
    await client.delete(one).expect(204);
    await client.get(one).expect(404);
    expect((await client.get(ENDPOINTS).expect(200)).body.data).toEqual([]);

    const events = await rows.event.findMany({
      where: { organizationId: clinic.organizationId, subjectType: 'webhook_endpoint' },
      orderBy: { id: 'asc' },
      select: { name: true, changed: true },
    });
    expect(events).toEqual([
      { name: 'webhook_endpoint.created', changed: [] },
      { name: 'webhook_endpoint.updated', changed: ['types', 'signatures'] },
      { name: 'webhook_endpoint.updated', changed: ['active', 'signatures'] },
      { name: 'webhook_endpoint.secret_rotated', changed: [] },
      { name: 'webhook_endpoint.deleted', changed: [] },
    ]);
    const stored = JSON.stringify(await rows.webhookSecret.findMany({ where: { organizationId: clinic.organizationId } }));
    expect(stored).toBe('[]');
    expect(test.logs.join()).not.toContain('key=abc');
  });

  it('are made once under an Idempotency-Key: a repetition is refused, and names the endpoint', async () => {
    const client = await (await practice()).client();
    const keyed = () => client.post(ENDPOINTS).set('idempotency-key', 'make').send({ url });
    const { id } = (await keyed().expect(201)).body.data;
    const again = await keyed().expect(409);
    expect([again.body.code, again.body.detail]).toEqual(['idempotency_key_spent', expect.stringContaining(`webhook_endpoint ${id}`)]);
    expect((await client.get(ENDPOINTS).expect(200)).body.meta.total).toBe(1);
  });

  it('belong to the client that made them; administrators see all of the practice', async () => {
    const clinic = await practice();
    const [mine, other] = [await clinic.client(), await clinic.client()];
    const made = (await mine.post(ENDPOINTS).send({ url }).expect(201)).body.data;
    const ofAdmin = (await clinic.admin.post(ENDPOINTS).send({ url }).expect(201)).body.data;
    expect(ofAdmin.client_id).toBeNull();
    const one = `${ENDPOINTS}/${made.id}`;
    expect((await other.get(ENDPOINTS).expect(200)).body.data).toEqual([]);
    await other.get(one).expect(404);
    await other.put(one).send({ active: false }).expect(404);
    await other.post(`${one}/rotate-secret`).expect(404);
    await other.post(`${one}/test`).expect(404);
    await other.get(`${one}/deliveries`).expect(404);
    await other.post(`${one}/replay`).send({ from: '2026-01-01' }).expect(404);
    await other.delete(one).expect(404);
    expect((await clinic.admin.get(ENDPOINTS).expect(200)).body.data.map(({ id }: { id: number }) => id)).toEqual([made.id, ofAdmin.id]);
    expect((await mine.get(ENDPOINTS).expect(200)).body.data).toHaveLength(1);
    await (await clinic.client(['events.read'])).get(ENDPOINTS).expect(403);
    await (await signedInUser(test, { organizationId: clinic.organizationId, type: 'staff' })).get(ENDPOINTS).expect(403);
  });

  it.each([
    [{ url: 'http://hooks.example.com' }, '/url'],
    [{ url: 'https://user:secret@hooks.example.com' }, '/url'],
    [{ url: 'https://127.0.0.1/hook' }, '/url'],
    [{ url: 'https://[::1]/hook' }, '/url'],
    [{ url: 'https://0x7f.1/hook' }, '/url'],
    [{ url: 'https://169.254.169.254/latest' }, '/url'],
    [{ url: 'https://printer.local' }, '/url'],
    [{ url: 'ftp://hooks.example.com' }, '/url'],
    [{ url: 'nonsense' }, '/url'],
    [{ url: `https://hooks.example.com/${'a'.repeat(2_000)}` }, '/url'],
    [{ url, types: ['patient.registered', 'patient.eaten'] }, '/types/1'],
    [{ url, types: 'patient.registered' }, '/types'],
    [{ url, signatures: ['v2'] }, '/signatures/0'],
    [{ url, active: 'perhaps' }, '/active'],
    [{ url, description: 'x'.repeat(501) }, '/description'],
    [{}, '/url'],
  ])('name what is wrong with %j', async (body, pointer) => {
    const { admin } = await practice();
    const answer = await admin.post(ENDPOINTS).send(body);
    expect([400, 422]).toContain(answer.status);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  it('are at most 50 a practice, also where several are made at once, and page', async () => {
    const clinic = await practice();
    await rows.webhookEndpoint.createMany({
      data: Array.from({ length: 48 }, (_, index) => ({ organizationId: clinic.organizationId, url: `https://h${index}.example.com/` })),
    });
    const together = await Promise.all(Array.from({ length: 6 }, () => clinic.admin.post(ENDPOINTS).send({ url })));
    expect(together.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expect((await clinic.admin.post(ENDPOINTS).send({ url }).expect(409)).body).toMatchObject({ code: 'too_many_endpoints' });
    const last = (await clinic.admin.get(`${ENDPOINTS}?page=2&limit=30`).expect(200)).body;
    expect(last).toMatchObject({ meta: { total: 50, from: 31, to: 50 }, links: { next: null } });
  });

  it('list their deliveries by sequence, state and time, page by page in both directions', async () => {
    const clinic = await practice();
    const { id } = (await clinic.admin.post(ENDPOINTS).send({ url }).expect(201)).body.data;
    const toDelivery = (sequence: number) => ({
      organizationId: clinic.organizationId,
      webhookEndpointId: id,
      sequence,
      eventId: sequence,
      eventName: 'item.updated',
      subjectType: 'item',
      subjectId: 1,
      payload: JSON.stringify({
        id: `evt_${sequence}`,
        type: 'item.updated',
        occurred_at: '2026-03-08T07:30:00Z',
        subject: { type: 'item', id: 1 },
        changed: [],
        actor: 'test',
        request_id: null,
      }),
      state: sequence % 2 === 0 ? ('dead' as const) : ('delivered' as const),
      createdAt: new Date(`2026-03-0${sequence}T12:00:00Z`),
      finishedAt: new Date(),
    });
    await rows.webhookDelivery.createMany({ data: [1, 2, 3, 4, 5].map(toDelivery) });
    const list = async (query: string) => (await clinic.admin.get(`${ENDPOINTS}/${id}/deliveries${query}`).expect(200)).body;
    const numbers = ({ data }: { data: { sequence: number }[] }) => data.map(({ sequence }) => sequence);
    const first = await list('?limit=2');
    expect(numbers(first)).toEqual([5, 4]);
    expect(numbers(await list(new URL(first.links.next).search))).toEqual([3, 2]);
    const upwards = await list('?after_sequence=1&limit=3');
    expect(numbers(upwards)).toEqual([2, 3, 4]);
    const rest = await list(new URL(upwards.links.next).search);
    expect([numbers(rest), rest.links.next]).toEqual([[5], null]);
    expect(numbers(await list('?status=dead'))).toEqual([4, 2]);
    expect(numbers(await list('?from=2026-03-02&to=2026-03-04T12:00:00Z'))).toEqual([4, 3, 2]);
    for (const [query, pointer] of [
      ['?status=late', 'status'],
      ['?from=yesterday', 'from'],
      ['?after_sequence=-1', 'after_sequence'],
      ['?limit=0', 'limit'],
    ])
      expect((await clinic.admin.get(`${ENDPOINTS}/${id}/deliveries${query}`).expect(400)).text).toContain(pointer);
    const [dead] = (await list('?status=dead')).data;
    const stranger = (await practice()).admin;
    await stranger.post(`/platform/v1/deliveries/${dead.id}/retry`).expect(404);
    await (await clinic.client()).post(`/platform/v1/deliveries/${dead.id}/retry`).expect(404);
    expect((await clinic.admin.post(`/platform/v1/deliveries/${dead.id}/retry`).expect(200)).body.data).toMatchObject({
      status: 'pending',
    });
  });
});
