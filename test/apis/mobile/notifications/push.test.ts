import { beforeEach, describe, expect, it } from 'vitest';
import { ENCRYPTED, encryptIn } from '../../../../src/database/encryption/encrypted-columns.ts';
import { createKeyring } from '../../../../src/database/encryption/keyring.ts';
import { createUnitOfWork } from '../../../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../../../src/http/telemetry/logger.ts';
import { requeueLost } from '../../../../src/jobs/queue/lost-jobs.ts';
import { createOutbox } from '../../../../src/jobs/queue/queue.ts';
import { sendPushes } from '../../../../src/jobs/sending/send-push.ts';
import { signedInUser } from '../../../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';
import { createCheckIn } from '../monitoring/readings/reported.ts';
import { createDevice, type Device, startPushService, verifySender } from './push-service.ts';

const service = await closedAfterAll(startPushService());
const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const nurse = await signedInUser(test);
const organizationId = nurse.organizationId;
const doctor = await signedInUser(test, { organizationId, type: 'provider' });
let devices = 0;
beforeEach(async () => {
  await rows().pushSubscription.deleteMany();
  await rows().notification.deleteMany();
  service.arrived.length = 0;
});

const rows = () => test.database.prisma;
const job = () => {
  const { push } = test.services.gateways;
  return sendPushes({ unitOfWork: createUnitOfWork(test.database), push, keyring: test.keyring });
};

/** A new device of a user, which is subscribed. */
async function subscribed(user = doctor): Promise<Device & { id: number; path: string }> {
  devices += 1;
  const path = `/device/${devices}`;
  const device = createDevice(`${service.address}${path}`);
  const answer = await user.post('/push-subscriptions').send(device.subscription);
  expect(answer.status, answer.text).toBe(201);
  return { ...device, id: answer.body.data.uuid, path };
}

/** The nurse reviews a check-in of the doctor's patient. @returns the doctor's notification */
async function review() {
  const patient = await createPatient(rows(), { organizationId, lastName: 'Confidential' });
  const { id } = await createCheckIn(rows(), { organizationId, patientId: patient.id });
  const body = { checkin_uuid: id, minutes: 5, user_uuid: doctor.user.id, message: 'Dizzy since Monday' };
  const answer = await nurse.post('/remote-patient-monitoring/checkin-reviews').send(body).expect(201);
  const where = { organizationId, subjectId: answer.body.data.uuid, userId: doctor.user.id };
  return { review: answer.body.data, notification: await rows().notification.findFirstOrThrow({ where }) };
}

const find = (id: number) => rows().notification.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });

describe('a device that is subscribed', () => {
  it('receives a push that it alone can read, signed by this server, and that says nothing of the patient', async () => {
    const device = await subscribed();
    const { review: made, notification } = await review();
    expect(await job().run(organizationId, notification.id)).toBe('done');
    const [push, ...others] = service.arrived;
    if (!push) throw new Error('nothing arrived');
    expect(others).toEqual([]);
    expect(push.path).toBe(device.path);
    expect(device.read(push)).toEqual({
      kind: 'checkin_review.created',
      uuid: notification.id,
      subject: { type: 'checkin_review', uuid: made.uuid },
      tag: `notification-${notification.id}`,
    });
    expect(() => createDevice(service.address).read(push)).toThrow();
    expect(push.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', topic: `notification-${notification.id}` });
    const sender = verifySender(push);
    expect(sender).toMatchObject({ aud: service.address, sub: 'mailto:operator@example.org' });
    expect(sender.exp).toBeGreaterThan(Date.now() / 1000);
    expect((await doctor.get('/push-key')).body.data).toEqual({ public_key: sender.publicKey });
    expect(await find(notification.id)).toMatchObject({ pushedAt: expect.any(Date), settledAt: expect.any(Date) });
    expect((await doctor.get('/notifications')).body.data[0].pushed_at).not.toBeNull();
  });

  it('receives one push, however often the job is run', async () => {
    await subscribed();
    const { notification } = await review();
    await job().run(organizationId, notification.id);
    await job().run(organizationId, notification.id);
    expect(service.arrived).toHaveLength(1);
  });

  it('is told again where its push service could not take it, and the others are not', async () => {
    const [well, busy] = [await subscribed(), await subscribed()];
    const { notification } = await review();
    service.answer(busy.path, 503);
    expect(await job().run(organizationId, notification.id)).toEqual({ again: 'push_service_unreachable' });
    expect(await find(notification.id)).toMatchObject({ pushedAt: expect.any(Date), settledAt: null });
    service.answer(busy.path, 201);
    expect(await job().run(organizationId, notification.id)).toBe('done');
    expect(service.arrived.map(({ path }) => path)).toEqual([well.path, busy.path, busy.path]);
  });

  it.each([404, 410])('is forgotten once its push service answers %i', async (status) => {
    const device = await subscribed();
    service.answer(device.path, status);
    const { notification } = await review();
    expect(await job().run(organizationId, notification.id)).toBe('done');
    expect(await rows().pushSubscription.count({ where: { organizationId, id: device.id } })).toBe(0);
    expect(await find(notification.id)).toMatchObject({ pushedAt: null, settledAt: expect.any(Date) });
    await doctor.delete(`/push-subscriptions/${device.id}`).expect(404);
  });

  it('is told no more once its user has signed out, unsubscribed, or wants no notices', async () => {
    const leaving = await signedInUser(test, { organizationId });
    await subscribed(leaving);
    await leaving.post('/logout').expect(204);
    const other = await signedInUser(test, { organizationId });
    const unsubscribed = await subscribed(other);
    await nurse.delete(`/push-subscriptions/${unsubscribed.id}`).expect(404);
    await other.delete(`/push-subscriptions/${unsubscribed.id}`).expect(204);
    const quiet = await signedInUser(test, { organizationId });
    await subscribed(quiet);
    await rows().user.update({ where: { organizationId_id: { organizationId, id: quiet.user.id } }, data: { receivePushNotices: false } });
    const told = [leaving, other, quiet].map(({ user }) => ({
      organizationId,
      userId: user.id,
      kind: 'checkin_review.created',
      subjectType: 'checkin_review',
      subjectId: 1,
    }));
    for (const { id } of await rows().notification.createManyAndReturn({ data: told })) {
      expect(await job().run(organizationId, id)).toBe('done');
      expect(await find(id)).toMatchObject({ pushedAt: null, settledAt: expect.any(Date) });
    }
    expect(service.arrived).toEqual([]);
  });

  it('belongs to who signed in on it last', async () => {
    const device = await subscribed();
    const answer = await nurse.post('/push-subscriptions').send(device.subscription).expect(201);
    expect(answer.body.data.uuid).toBe(device.id);
    const { notification } = await review();
    await job().run(organizationId, notification.id);
    expect(service.arrived).toEqual([]);
  });

  it('is kept where nobody reads it without the master keys', async () => {
    const device = await subscribed();
    const { notification } = await review();
    const kept = await rows().pushSubscription.findFirstOrThrow({ where: { organizationId, id: device.id } });
    expect(kept.subscription).not.toContain(service.address.slice(7));
    expect(kept.subscription).not.toContain(device.subscription.keys.auth);
    expect((await rows().pushKey.findUniqueOrThrow({ where: { id: 1 } })).privateKey.split('.')).toHaveLength(5);
    // Sealed with a key that is gone, it keeps nobody else from being told.
    const other = await subscribed();
    const foreign = createKeyring([{ id: 'gone', key: Buffer.alloc(32, 7) }]);
    const subscription = encryptIn(foreign, ENCRYPTED.pushSubscription, { organizationId, row: device.id }, '{}');
    await rows().pushSubscription.update({ where: { organizationId_id: { organizationId, id: device.id } }, data: { subscription } });
    expect(await job().run(organizationId, notification.id)).toBe('done');
    expect(service.arrived.map(({ path }) => path)).toEqual([other.path]);
    // No command runs beside it.
    await rows().pushSubscription.delete({ where: { organizationId_id: { organizationId, id: device.id } } });
  });

  it('is not among more than twenty of a user', async () => {
    const [first] = await Promise.all([subscribed(nurse)]);
    for (let more = 0; more < 20; more += 1) await subscribed(nurse);
    const kept = await rows().pushSubscription.findMany({ where: { organizationId, userId: nurse.user.id } });
    expect(kept).toHaveLength(20);
    expect(kept.some(({ id }) => id === first?.id)).toBe(false);
  });
});

describe('a notification', () => {
  it('whose job was lost gets another', async () => {
    const { notification } = await review();
    await rows().$executeRaw`DELETE FROM queue.job WHERE name = 'send-push'`;
    await rows().notification.updateMany({ where: { id: notification.id }, data: { createdAt: new Date(Date.now() - 6 * 60_000) } });
    const outbox = createOutbox(test.database, createLogger({ LOG_LEVEL: 'silent' }));
    await requeueLost(test.database, outbox);
    await requeueLost(test.database, outbox);
    await outbox.close();
    expect(await rows().$queryRaw`SELECT (data->>'id')::bigint AS id FROM queue.job WHERE name = 'send-push'`).toEqual([
      { id: notification.id },
    ]);
    await job().giveUp(organizationId, notification.id);
    expect(await find(notification.id)).toMatchObject({ pushedAt: null, settledAt: expect.any(Date) });
  });

  it('leaves the queue, the log and the events without a word of the patient', async () => {
    await subscribed();
    const { notification } = await review();
    await job().run(organizationId, notification.id);
    const queued = await rows().$queryRaw<
      { all: string }[]
    >`SELECT string_agg(data::text, '') AS all FROM queue.job WHERE name = 'send-push'`;
    const events = await rows().event.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    const said = [queued[0]?.all, JSON.stringify(events.map((event) => ({ ...event, id: 0, transactionId: 0 }))), ...test.logs].join('\n');
    expect(said).not.toMatch(/Confidential|Dizzy/);
    expect(events.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['notification.created', 'notification.pushed', 'push_subscription.created']),
    );
  });
});
