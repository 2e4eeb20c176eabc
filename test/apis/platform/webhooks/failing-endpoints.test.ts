import { describe, expect, it } from 'vitest';
import { removeExpiredRows } from '../../../../src/database/logs/expired-rows.ts';
import { signedInUser } from '../../../support/actors.ts';
import { eventually } from '../../../support/server-process.ts';
import {
  ENDPOINTS,
  hurry,
  listDeliveries,
  readEndpoint,
  received,
  receiver,
  register,
  rename,
  webhookClinic,
  webhookTestApp,
} from './webhook-clinic.ts';

const test = await webhookTestApp();
const rows = test.database.prisma;

describe('deliveries', () => {
  it('that fail ten times are dead, are kept with the answer, and go once more when that is asked for', async () => {
    const clinic = await webhookClinic(test);
    clinic.at.answer((_, response) => void response.writeHead(503).end(`\u0000${'é'.repeat(2_000)}`));
    const id = await register(clinic.app);
    await rename(clinic.app, id, 'Kim');
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await eventually(`attempt ${attempt}`, async () => {
        const [first] = await listDeliveries(clinic, '?after_sequence=0');
        return first?.attempts === attempt;
      });
      await hurry(test, clinic);
    }
    const [dead] = await listDeliveries(clinic, '?status=dead');
    expect(dead).toMatchObject({ sequence: 1, attempts: 10, response_status: 503, response_body: `\uFFFD${'é'.repeat(511)}\uFFFD` });
    await eventually('the next one is attempted', async () => clinic.at.posts.some(({ sequence }) => sequence === 2));
    clinic.at.answer(200);
    const { data } = (await clinic.client.post(`/platform/v1/deliveries/${dead.id}/retry`).expect(200)).body;
    expect(data).toMatchObject({ status: 'pending', attempts: 0 });
    await eventually('it arrived', async () =>
      (await listDeliveries(clinic, '?status=delivered')).some((one: { sequence: number }) => one.sequence === 1),
    );
    expect(new Set(clinic.at.posts.filter(({ sequence }) => sequence === 1).map((post) => post.id)).size).toBe(1);
  });

  it('follow no redirection, and wait as long as the receiver asks', async () => {
    const clinic = await webhookClinic(test);
    const elsewhere = await receiver();
    clinic.at.answer((_, response) => void response.writeHead(302, { location: elsewhere.url }).end());
    await register(clinic.app);
    const failed = async () => (await listDeliveries(clinic)).find((one: { attempts: number }) => one.attempts > 0);
    await eventually('the redirection is a failure', async () => (await failed())?.response_status === 302);
    expect(elsewhere.posts).toEqual([]);
    clinic.at.answer((_, response) => void response.writeHead(429, { 'retry-after': '7200' }).end());
    await hurry(test, clinic);
    await eventually('it was asked to wait', async () => (await failed())?.response_status === 429);
    const waits = Date.parse((await failed()).next_attempt_at) - Date.parse((await failed()).last_attempt_at);
    expect(waits).toBeGreaterThanOrEqual(7_199_000);
  });

  it('that wait are sent at once when a receiver is back that was down for more than an hour', async () => {
    const clinic = await webhookClinic(test);
    clinic.at.answer(503);
    const ann = await register(clinic.app);
    await rename(clinic.app, ann, 'Kim');
    const isWaiting = async (attempts: number) => (await listDeliveries(clinic, '?after_sequence=0'))[0]?.attempts === attempts;
    for (const attempt of [1, 2]) {
      await eventually(`attempt ${attempt}`, () => isWaiting(attempt));
      if (attempt < 2) await hurry(test, clinic);
    }
    const where = { id: clinic.endpoint.id };
    await rows.webhookEndpoint.updateMany({ where, data: { failingSince: new Date(Date.now() - 2 * 3_600_000) } });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    clinic.at.answer(200);
    await register(clinic.app);
    await eventually('all arrived', async () => (await listDeliveries(clinic, '?status=delivered')).length === 3);
    expect((await readEndpoint(clinic)).failing_since).toBeNull();
  });

  it('to an endpoint that is gone stop, and go on from there when it is switched on again', async () => {
    const clinic = await webhookClinic(test);
    clinic.at.answer(410);
    await register(clinic.app);
    const endpoint = () => readEndpoint(clinic);
    await eventually('it is switched off', async () => !(await endpoint()).active);
    expect(await endpoint()).toMatchObject({ switched_off: 'gone', switched_off_at: expect.any(String) });
    await clinic.client.post(`${ENDPOINTS}/${clinic.endpoint.id}/test`).expect(409);
    await register(clinic.app);
    clinic.at.answer(200);
    clinic.at.posts.length = 0;
    await clinic.client.put(`${ENDPOINTS}/${clinic.endpoint.id}`).send({ active: true }).expect(200);
    await eventually('all arrived', async () => (await listDeliveries(clinic, '?status=delivered')).length >= 3);
    const registered = clinic.at.posts.filter(({ event }) => event.type === 'patient.registered');
    expect(registered.map(({ sequence }) => sequence)).toEqual([1, expect.any(Number)]);
    expect(await endpoint()).toMatchObject({ active: true, switched_off: null, failing_since: null });
    const sequences = (await listDeliveries(clinic, '?after_sequence=0')).map((one: { sequence: number }) => one.sequence);
    expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1));
  });

  it('to an endpoint that fails for five days stop, and the administrators are told by mail', async () => {
    const clinic = await webhookClinic(test);
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
    await hurry(test, clinic);
    await eventually('it is switched off', async () => !(await stored()).active);
    expect((await stored()).switchedOff).toBe('failing');
    const mails = await rows.mailMessage.findMany({ where: { organizationId: clinic.organizationId } });
    expect(mails).toMatchObject([{ toAddress: admin.email, subject: 'Events are no longer delivered to one of your endpoints' }]);
    expect(await rows.auditEntry.count({ where: { organizationId: clinic.organizationId, detail: 'webhook_endpoint.switched_off' } })).toBe(
      1,
    );
  });

  it('that are being sent are not sent a second time by a retry or a new address, and those behind them wait', async () => {
    const clinic = await webhookClinic(test);
    const held = Promise.withResolvers<void>();
    clinic.at.answer((_, response) => void held.promise.then(() => response.writeHead(204).end()));
    const id = await register(clinic.app);
    await rename(clinic.app, id, 'Kim');
    await received(clinic.at, 1);
    await eventually('the second waits', async () => (await listDeliveries(clinic)).length === 2);
    const [first, second] = await listDeliveries(clinic, '?after_sequence=0');
    expect([first, second]).toMatchObject([
      { status: 'pending', attempts: 0, next_attempt_at: null },
      { status: 'pending', attempts: 0, next_attempt_at: null },
    ]);
    for (const { id: delivery } of [first, second]) await clinic.client.post(`/platform/v1/deliveries/${delivery}/retry`).expect(200);
    await clinic.client
      .put(`${ENDPOINTS}/${clinic.endpoint.id}`)
      .send({ url: `${clinic.at.url}?new` })
      .expect(200);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const ofPatient = () => clinic.at.posts.filter(({ event }) => event.subject.type === 'patient').map(({ sequence }) => sequence);
    expect(ofPatient()).toEqual([1]);
    held.resolve();
    await eventually('all are delivered', async () => (await listDeliveries(clinic, '?status=delivered')).length === 3);
    expect(ofPatient()).toEqual([1, 2]);
  });

  it('to an endpoint whose client has lost the right rest, which the endpoint says, and go on when it has it again', async () => {
    const clinic = await webhookClinic(test);
    const operator = await signedInUser(test, { organizationId: clinic.organizationId, type: 'admin' });
    await rows.apiClient.update({ where: { id: clinic.clientId }, data: { scopes: ['events.read'] } });
    const endpoint = async () => (await operator.get(`${ENDPOINTS}/${clinic.endpoint.id}`).expect(200)).body.data;
    expect(await endpoint()).toMatchObject({ active: true, resting: true });
    expect((await operator.get(ENDPOINTS).expect(200)).body.data).toMatchObject([{ resting: true }]);
    const refused = await operator.post(`${ENDPOINTS}/${clinic.endpoint.id}/test`).expect(409);
    expect(refused.body.code).toBe('endpoint_rests');
    await register(clinic.app);
    await rows.apiClient.update({ where: { id: clinic.clientId }, data: { scopes: ['webhooks.write'] } });
    await received(clinic.at, 1);
    expect(await endpoint()).toMatchObject({ resting: false });
  });

  it('are kept for thirty days from their end, and go with their endpoint', async () => {
    const clinic = await webhookClinic(test);
    await register(clinic.app);
    await register(clinic.app);
    const where = { webhookEndpointId: clinic.endpoint.id };
    await eventually(
      'both are delivered',
      async () => (await rows.webhookDelivery.count({ where: { ...where, state: 'delivered' } })) === 2,
    );
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    await rows.webhookDelivery.updateMany({ where: { ...where, sequence: 1 }, data: { finishedAt: daysAgo(31) } });
    await rows.webhookDelivery.updateMany({ where: { ...where, sequence: 2 }, data: { finishedAt: daysAgo(29) } });
    await removeExpiredRows(rows);
    expect((await rows.webhookDelivery.findMany({ where })).map(({ sequence }) => Number(sequence))).toEqual([2]);
    await clinic.client.delete(`${ENDPOINTS}/${clinic.endpoint.id}`).expect(204);
    await removeExpiredRows(rows);
    expect(await rows.webhookDelivery.count({ where })).toBe(0);
    expect(await rows.webhookEndpoint.count({ where: { id: clinic.endpoint.id } })).toBe(0);
  });
});
