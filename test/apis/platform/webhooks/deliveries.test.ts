import { createPublicKey, verify } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { actorWith, clientToken } from '../../../support/actors.ts';
import { createPatient } from '../../../support/factories.ts';
import { eventually } from '../../../support/server-process.ts';
import { ENDPOINTS, hurry, listDeliveries, received, receiver, register, rename, webhookClinic, webhookTestApp } from './webhook-clinic.ts';

const test = await webhookTestApp();
const rows = test.database.prisma;

describe('deliveries', () => {
  it('arrive signed, numbered without gaps, with the event as the feed shows it', async () => {
    const clinic = await webhookClinic(test);
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
    await eventually('both are done', async () => (await listDeliveries(clinic, '?status=delivered')).length === 2);
    expect(await listDeliveries(clinic, '?after_sequence=1')).toMatchObject([
      { sequence: 2, status: 'delivered', attempts: 1, response_status: 204, event: clinic.at.posts[1]?.event },
    ]);
  });

  it('are verified by the libraries of receivers, with the secret before and after a rotation, and with the public key', async () => {
    const clinic = await webhookClinic(test, { signatures: ['v1', 'v1a'], types: ['patient.*'] });
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
    const keys = [rotated.public_key, clinic.endpoint.public_key].map((key: string) => parsePublicKey(key));
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
    const clinic = await webhookClinic(test);
    const [ann, bo] = [await register(clinic.app), await register(clinic.app)];
    await received(clinic.at, 2);
    let broken = true;
    clinic.at.answer((post, response) => void response.writeHead(broken && post.event.subject.id === ann ? 500 : 200).end('no'));
    await rename(clinic.app, ann, 'One');
    await rename(clinic.app, ann, 'Two');
    await rename(clinic.app, bo, 'Three');
    await eventually('Bo was told', async () => clinic.at.posts.some(({ sequence }) => sequence === 5));
    await eventually('Bo’s is recorded', async () => (await listDeliveries(clinic, '?status=pending')).length === 2);
    await eventually('the failure is recorded', async () =>
      (await listDeliveries(clinic, '?status=pending')).some((one: { attempts: number }) => one.attempts === 1),
    );
    expect(await listDeliveries(clinic, '?status=pending')).toMatchObject([
      { sequence: 4, attempts: 0, next_attempt_at: null },
      { sequence: 3, attempts: 1, response_status: 500, response_body: 'no', next_attempt_at: expect.any(String) },
    ]);
    broken = false;
    await hurry(test, clinic);
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

  it('are of the kinds that were asked for, and of charts that the client may see', async () => {
    const clinic = await webhookClinic(test, { types: ['patient.updated', 'webhook_endpoint.*'] });
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
    const clinic = await webhookClinic(test, { types: ['item.ended'] });
    const other = await receiver();
    await clinic.client.post(ENDPOINTS).send({ url: other.url }).expect(201);
    await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/test`).expect(202);
    await received(clinic.at, 1);
    expect(clinic.at.posts).toMatchObject([{ event: { type: 'webhook_endpoint.tested', subject: { id: clinic.endpoint.id } } }]);
    await register(clinic.app);
    const listPostedTypes = () => other.posts.map(({ event }) => event.type);
    await eventually('it was told', async () => listPostedTypes().includes('patient.registered'));
    // Its own creation comes too where a transaction of another test began before it.
    expect(listPostedTypes()).not.toContain('webhook_endpoint.tested');
  });

  it('of the past come once more by a replay: new numbers, the same ids', async () => {
    const clinic = await webhookClinic(test);
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
    expect(await listDeliveries(clinic, '?after_sequence=3')).toMatchObject([{ replay: replayed.id }, { replay: replayed.id }]);

    const replay = () => clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/replay`).send({ from });
    const waiting = { organizationId: clinic.organizationId, webhookEndpointId: clinic.endpoint.id, sequence: 5 };
    await rows.webhookDelivery.updateMany({ where: waiting, data: { state: 'pending', nextAttemptAt: null } });
    expect((await replay().expect(409)).body).toMatchObject({ code: 'replay_open', detail: expect.stringContaining(`${replayed.id}`) });
    await rows.webhookDelivery.updateMany({ where: waiting, data: { state: 'dead' } });
    const together = await Promise.all(Array.from({ length: 4 }, replay));
    expect(together.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);

    await rows.eventLogStart.create({ data: { organizationId: clinic.organizationId, transactionId: 1, eventId: 1 } });
    const refused = await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/replay`).send({ from: '2020-01-01' }).expect(410);
    expect(refused.body).toMatchObject({ code: 'cursor_expired', errors: [{ pointer: '/from' }] });
  });

  it('rest while the client may not have them', async () => {
    const clinic = await webhookClinic(test);
    await rows.apiClient.update({ where: { id: clinic.clientId }, data: { active: false } });
    await register(clinic.app);
    const other = await webhookClinic(test);
    await register(other.app);
    await received(other.at, 1);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(clinic.at.posts).toEqual([]);
    await rows.apiClient.update({ where: { id: clinic.clientId }, data: { active: true } });
    await received(clinic.at, 1);
    expect(clinic.at.posts[0]?.event.type).toBe('patient.registered');
  });
});

const parsePublicKey = (written: string) => {
  const raw = Buffer.from(written.slice('whpk_'.length), 'base64');
  return createPublicKey({ key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]), format: 'der', type: 'spki' });
};
