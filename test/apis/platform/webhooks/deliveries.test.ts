import { createPublicKey, verify } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { pause } from '../../../../src/jobs/pause.ts';
import { queueWebhooks } from '../../../../src/jobs/queue-webhooks.ts';
import { serveWebhooks } from '../../../../src/jobs/send-webhooks.ts';
import { type Actor, actorWith, clientToken, integrationClient } from '../../../support/actors.ts';
import { ownTestApp } from '../../../support/app.ts';
import { createOrganization, createPatient } from '../../../support/factories.ts';
import { eventually } from '../../../support/server-process.ts';
import { startReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.ts';

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const rows = test.database.prisma;
const ENDPOINTS = '/platform/v1/webhook-endpoints';

const stopping = new AbortController();
const deps = { ...test.services, origin: test.address };
const serving = Promise.all([
  serveWebhooks(deps, stopping.signal),
  (async () => {
    while (!stopping.signal.aborted) {
      await queueWebhooks(test.database);
      await pause(50, stopping.signal);
    }
  })(),
]);
afterAll(async () => {
  stopping.abort();
  await serving;
});

async function receiver(): Promise<WebhookReceiver> {
  const started = await startReceiver();
  onTestFinished(() => started.close());
  return started;
}

/** A practice with an app that writes charts, and a client with an endpoint at a receiver of its own. */
async function practice(body: object = {}, scopes: string[] = ['webhooks.write']) {
  const { id: organizationId } = await createOrganization(rows);
  const app = await integrationClient(test, { organizationId });
  const { token, clientId } = await clientToken(test, scopes, [organizationId]);
  const client = actorWith(test, token, organizationId);
  const at = await receiver();
  const { data: endpoint } = (
    await client
      .post(ENDPOINTS)
      .send({ url: at.url, ...body })
      .expect(201)
  ).body;
  return { organizationId, app, client, clientId, at, endpoint };
}

const register = async (app: Actor): Promise<number> =>
  Number((await app.post('/patients').send({ fname: 'Ann', lname: 'Lee' }).expect(200)).body.data.uuid);
const rename = (app: Actor, id: number, lname: string) => app.put(`/patients/${id}`).send({ lname }).expect(200);

const received = (at: WebhookReceiver, count: number) => eventually(`${count} posts`, async () => at.posts.length >= count);
const deliveries = async ({ client, endpoint }: { client: Actor; endpoint: { id: number } }, query = '') =>
  (await client.get(`${ENDPOINTS}/${endpoint.id}/deliveries${query}`).expect(200)).body.data;

/** Makes the attempt that a pending delivery waits for due now. */
const hurry = ({ endpoint }: { endpoint: { id: number } }) =>
  rows.webhookDelivery.updateMany({
    where: { webhookEndpointId: endpoint.id, state: 'pending', nextAttemptAt: { gt: new Date() } },
    data: { nextAttemptAt: new Date() },
  });

describe('deliveries', () => {
  it('arrive signed, numbered without gaps, with the event as the feed shows it', async () => {
    const clinic = await practice();
    const id = await register(clinic.app);
    await rename(clinic.app, id, 'Kim');
    await received(clinic.at, 2);
    expect(clinic.at.posts.map(({ sequence, event }) => [sequence, event.type, event.subject])).toEqual([
      [1, 'patient.registered', { type: 'patient', id }],
      [2, 'patient.updated', { type: 'patient', id }],
    ]);
    const [first] = clinic.at.posts;
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': first?.event.id });
    expect(JSON.stringify(clinic.at.posts)).not.toMatch(/Kim|Ann/);
    await eventually('both are done', async () => (await deliveries(clinic, '?status=delivered')).length === 2);
    expect(await deliveries(clinic, '?after_sequence=1')).toMatchObject([
      { sequence: 2, status: 'delivered', attempts: 1, response_status: 204, event: clinic.at.posts[1]?.event },
    ]);
  });

  it('are verified by the libraries of receivers, with the secret before and after a rotation, and with the public key', async () => {
    const clinic = await practice({ signatures: ['v1', 'v1a'], types: ['patient.*'] });
    const rotated = (await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/rotate-secret`).expect(200)).body.data;
    expect(rotated.secret).not.toBe(clinic.endpoint.secret);
    await register(clinic.app);
    await received(clinic.at, 1);
    const [post] = clinic.at.posts;
    if (!post) throw new Error('nothing came');
    const headers = Object.fromEntries(Object.entries(post.headers).map(([name, value]) => [name, String(value)]));
    for (const secret of [clinic.endpoint.secret, rotated.secret]) {
      expect(new StandardWebhook(secret).verify(post.body, headers)).toEqual(post.event);
      expect(new SvixWebhook(secret).verify(post.body, headers)).toEqual(post.event);
      expect(() => new StandardWebhook(secret).verify(`${post.body} `, headers)).toThrow();
    }
    const asymmetric = String(headers['webhook-signature'])
      .split(' ')
      .filter((one) => one.startsWith('v1a,'));
    expect(asymmetric).toHaveLength(2);
    const keys = [rotated.public_key, clinic.endpoint.public_key].map((key: string) => keyOf(key));
    const signed = Buffer.from(`${post.id}.${headers['webhook-timestamp']}.${post.body}`);
    expect(asymmetric.map((one, index) => verify(null, signed, keys[index] ?? '', Buffer.from(one.slice(4), 'base64')))).toEqual([
      true,
      true,
    ]);

    await rows.webhookSecret.updateMany({ where: { expiresAt: { not: null } }, data: { expiresAt: new Date() } });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await register(clinic.app);
    await received(clinic.at, 2);
    const [, later] = clinic.at.posts;
    expect(String(later?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('about one record wait for each other while one fails; those about others do not', async () => {
    const clinic = await practice();
    const [ann, bo] = [await register(clinic.app), await register(clinic.app)];
    await received(clinic.at, 2);
    let broken = true;
    clinic.at.answer((post, response) => void response.writeHead(broken && post.event.subject.id === ann ? 500 : 200).end('no'));
    await rename(clinic.app, ann, 'One');
    await rename(clinic.app, ann, 'Two');
    await rename(clinic.app, bo, 'Three');
    await eventually('Bo was told', async () => clinic.at.posts.some(({ sequence }) => sequence === 5));
    await eventually('the failure is recorded', async () =>
      (await deliveries(clinic, '?status=pending')).some((one: { attempts: number }) => one.attempts === 1),
    );
    expect(await deliveries(clinic, '?status=pending')).toMatchObject([
      { sequence: 4, attempts: 0, next_attempt_at: null },
      { sequence: 3, attempts: 1, response_status: 500, response_body: 'no', next_attempt_at: expect.any(String) },
    ]);
    broken = false;
    await hurry(clinic);
    await received(clinic.at, 6);
    expect(
      clinic.at.posts
        .slice(3)
        .map(({ sequence }) => sequence)
        .filter((sequence) => sequence !== 5),
    ).toEqual(expect.arrayContaining([3, 4]));
    const ofAnn = clinic.at.posts.filter(({ event }) => event.subject.id === ann).map(({ sequence }) => sequence);
    expect(ofAnn).toEqual([1, 3, 3, 4]);
  });

  it('that fail ten times are dead, are kept with the answer, and go once more when that is asked for', async () => {
    const clinic = await practice();
    clinic.at.answer((_, response) => void response.writeHead(503).end(`\u0000${'é'.repeat(2_000)}`));
    const id = await register(clinic.app);
    await rename(clinic.app, id, 'Kim');
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await eventually(`attempt ${attempt}`, async () => {
        const [first] = await deliveries(clinic, '?after_sequence=0');
        return first?.attempts === attempt;
      });
      await hurry(clinic);
    }
    const [dead] = await deliveries(clinic, '?status=dead');
    expect(dead).toMatchObject({ sequence: 1, attempts: 10, response_status: 503, response_body: `\uFFFD${'é'.repeat(511)}\uFFFD` });
    await eventually('the next one is attempted', async () => clinic.at.posts.some(({ sequence }) => sequence === 2));
    clinic.at.answer(200);
    const { data } = (await clinic.client.post(`/platform/v1/deliveries/${dead.id}/retry`).expect(200)).body;
    expect(data).toMatchObject({ status: 'pending', attempts: 0 });
    await eventually('it arrived', async () =>
      (await deliveries(clinic, '?status=delivered')).some((one: { sequence: number }) => one.sequence === 1),
    );
    expect(new Set(clinic.at.posts.filter(({ sequence }) => sequence === 1).map((post) => post.id)).size).toBe(1);
  });

  it('follow no redirection, and wait as long as the receiver asks', async () => {
    const clinic = await practice();
    const elsewhere = await receiver();
    clinic.at.answer((_, response) => void response.writeHead(302, { location: elsewhere.url }).end());
    await register(clinic.app);
    const failed = async () => (await deliveries(clinic)).find((one: { attempts: number }) => one.attempts > 0);
    await eventually('the redirection is a failure', async () => (await failed())?.response_status === 302);
    expect(elsewhere.posts).toEqual([]);
    clinic.at.answer((_, response) => void response.writeHead(429, { 'retry-after': '7200' }).end());
    await hurry(clinic);
    await eventually('it was asked to wait', async () => (await failed())?.response_status === 429);
    const waits = Date.parse((await failed()).next_attempt_at) - Date.parse((await failed()).last_attempt_at);
    expect(waits).toBeGreaterThanOrEqual(7_199_000);
  });

  it('to an endpoint that is gone stop, and go on from there when it is switched on again', async () => {
    const clinic = await practice();
    clinic.at.answer(410);
    await register(clinic.app);
    const endpoint = async () => (await clinic.client.get(`${ENDPOINTS}/${clinic.endpoint.id}`).expect(200)).body.data;
    await eventually('it is switched off', async () => !(await endpoint()).active);
    expect(await endpoint()).toMatchObject({ switched_off: 'gone', switched_off_at: expect.any(String) });
    await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/test`).expect(409);
    await register(clinic.app);
    clinic.at.answer(200);
    clinic.at.posts.length = 0;
    await clinic.client.put(`${ENDPOINTS}/${clinic.endpoint.id}`).send({ active: true }).expect(200);
    await eventually('all arrived', async () => (await deliveries(clinic, '?status=delivered')).length >= 3);
    const registered = clinic.at.posts.filter(({ event }) => event.type === 'patient.registered');
    expect(registered.map(({ sequence }) => sequence)).toEqual([1, expect.any(Number)]);
    expect(await endpoint()).toMatchObject({ active: true, switched_off: null, failing_since: null });
    const sequences = (await deliveries(clinic, '?after_sequence=0')).map((one: { sequence: number }) => one.sequence);
    expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1));
  });

  it('to an endpoint that fails for five days stop, and the administrators are told by mail', async () => {
    const clinic = await practice();
    const admin = await rows.user.create({
      data: { organizationId: clinic.organizationId, type: 'admin', firstName: 'Ada', lastName: 'Roe', email: 'ada@example.com' },
    });
    clinic.at.answer(500);
    await register(clinic.app);
    const stored = () =>
      rows.webhookEndpoint.findUniqueOrThrow({
        where: { organizationId_id: { organizationId: clinic.organizationId, id: clinic.endpoint.id } },
      });
    await eventually('it fails', async () => (await stored()).failingSince !== null);
    await rows.webhookEndpoint.updateMany({
      where: { id: clinic.endpoint.id },
      data: { failingSince: new Date(Date.now() - 5 * 86_400_000 - 1_000) },
    });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await hurry(clinic);
    await eventually('it is switched off', async () => !(await stored()).active);
    expect((await stored()).switchedOff).toBe('failing');
    const mails = await rows.mailMessage.findMany({ where: { organizationId: clinic.organizationId } });
    expect(mails).toMatchObject([{ toAddress: admin.email, subject: 'Events are no longer delivered to one of your endpoints' }]);
    expect(await rows.auditEntry.count({ where: { organizationId: clinic.organizationId, detail: 'webhook_endpoint.switched_off' } })).toBe(
      1,
    );
  });

  it('are of the kinds that were asked for, and of charts that the client may see', async () => {
    const clinic = await practice({ types: ['patient.updated', 'webhook_endpoint.*'] });
    const trusted = actorWith(test, (await clientToken(test, ['webhooks.write', 'restricted.read'], [clinic.organizationId])).token, 0);
    const theirs = await receiver();
    await trusted
      .post(ENDPOINTS)
      .send({ url: theirs.url, types: ['patient.updated'] })
      .expect(201);
    const { id } = await createPatient(rows, { organizationId: clinic.organizationId });
    await rows.privacyRestriction.create({ data: { organizationId: clinic.organizationId, patientId: id, kind: 'record' } });
    await rows.event.create({
      data: { organizationId: clinic.organizationId, name: 'patient.updated', subjectType: 'patient', subjectId: id, actor: 'test' },
    });
    const open = await register(clinic.app);
    await rename(clinic.app, open, 'Kim');
    await received(theirs, 2);
    await eventually('it was told', async () => clinic.at.posts.some(({ event }) => event.subject.id === open));
    expect(theirs.posts.map(({ event }) => event.subject.id)).toEqual([id, open]);
    expect(clinic.at.posts.map(({ event }) => event.type)).toEqual(['webhook_endpoint.created', 'patient.updated']);
  });

  it('of a test go to its endpoint alone', async () => {
    const clinic = await practice({ types: ['item.ended'] });
    const other = await receiver();
    await clinic.client.post(ENDPOINTS).send({ url: other.url }).expect(201);
    await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/test`).expect(202);
    await received(clinic.at, 1);
    expect(clinic.at.posts).toMatchObject([{ event: { type: 'webhook_endpoint.tested', subject: { id: clinic.endpoint.id } } }]);
    await register(clinic.app);
    await received(other, 1);
    expect(other.posts.map(({ event }) => event.type)).toEqual(['patient.registered']);
  });

  it('of the past come once more by a replay: new numbers, the same ids', async () => {
    const clinic = await practice();
    const from = new Date(Date.now() - 60_000).toISOString();
    const [ann, bo] = [await register(clinic.app), await register(clinic.app)];
    await rename(clinic.app, ann, 'Kim');
    await received(clinic.at, 3);
    const before = clinic.at.posts.map(({ id }) => id);
    const replayed = (
      await clinic.client
        .post(`${ENDPOINTS}/${clinic.endpoint.id}/replay`)
        .send({ from, types: ['patient.registered'] })
        .expect(202)
    ).body.data;
    await received(clinic.at, 5);
    const again = clinic.at.posts.slice(3);
    expect(again.map(({ event }) => event.subject.id).sort()).toEqual([ann, bo].sort());
    expect(again.map(({ sequence }) => sequence).sort()).toEqual([4, 5]);
    expect(before).toEqual(expect.arrayContaining(again.map(({ id }) => id)));
    expect(await deliveries(clinic, '?after_sequence=3')).toMatchObject([{ replay: replayed.id }, { replay: replayed.id }]);

    await rows.eventLogStart.create({ data: { organizationId: clinic.organizationId, transactionId: 1, eventId: 1 } });
    const refused = await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/replay`).send({ from: '2020-01-01' }).expect(410);
    expect(refused.body).toMatchObject({ code: 'cursor_expired', errors: [{ pointer: '/from' }] });
  });

  it('rest while the client may not have them', async () => {
    const clinic = await practice();
    await rows.apiClient.update({ where: { id: clinic.clientId }, data: { active: false } });
    await register(clinic.app);
    const other = await practice();
    await register(other.app);
    await received(other.at, 1);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(clinic.at.posts).toEqual([]);
    await rows.apiClient.update({ where: { id: clinic.clientId }, data: { active: true } });
    await received(clinic.at, 1);
    expect(clinic.at.posts[0]?.event.type).toBe('patient.registered');
  });
});

const keyOf = (written: string) => {
  const raw = Buffer.from(written.slice('whpk_'.length), 'base64');
  return createPublicKey({ key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]), format: 'der', type: 'spki' });
};
