import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClock } from '../../src/domain/values/test-practices.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { sendMails } from '../../src/jobs/sending/send-mails.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { AWAKE, openQueueing, practiceWithNumber } from '../jobs/outgoing.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';

/** Of each test the practice that it makes. */
const testPracticeIds = [0];
const test = await ownTestApp({}, { testPracticeIds });
const rows = () => test.database.prisma;
const sending = openQueueing(test);
afterAll(() => sending.outbox.close());

const writeClock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
/** Quiet hours in which everybody is now, for three hours more. */
const ASLEEP = { timeZone: 'UTC', quietHoursStart: writeClock(-2), quietHoursEnd: writeClock(3) };

let organizationId: number;
beforeEach(async () => {
  organizationId = await practiceWithNumber(test, ASLEEP);
  await rows().testPractice.create({ data: { organizationId } });
  testPracticeIds.splice(0, 1, organizationId);
});

// Practices of other files in this process have the same ids.
afterEach(() => setClock(organizationId, 0));

const control = (what: 'clock' | 'faults', body: object) => test.http.post(`/sandbox/${what}`).send(body);
const texts = () =>
  sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier: createLocalCarrier(rows(), test.keyring), statusUrl: null });

/** Queues a text to a patient of a practice, and lets the job try it. @returns its row */
async function text(practice: number) {
  const { id: patientId } = await createPatient(rows(), { organizationId: practice, mobilePhone: anyNumber('1919') });
  const { id } = await sending.text(practice, { patientId, body: 'See you tomorrow.' });
  const attempt = async () => {
    const outcome = await texts().run(practice, id);
    return { outcome, ...(await rows().smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId: practice, id } } })) };
  };
  return { id, attempt };
}

describe('POST /sandbox/clock', () => {
  it('lets pass what is due: quiet hours, holds, links and the queue, of the demo alone', async () => {
    const real = await practiceWithNumber(test, ASLEEP);
    const [ours, theirs] = [await text(organizationId), await text(real)];
    expect(await ours.attempt()).toMatchObject({ state: 'queued' });
    const endsAt = async () =>
      (
        await rows().$queryRaw<{ at: Date }[]>`
        SELECT max(start_after) AS at FROM queue.job WHERE (data ->> 'organizationId')::int = ${organizationId}`
      )[0]?.at.getTime() ?? 0;
    expect(await endsAt()).toBeGreaterThan(Date.now());

    expect((await control('clock', {})).body.data).toEqual([{ practice: organizationId, now: expect.any(String), ahead_seconds: 0 }]);
    const advanced = await control('clock', { advance: '4h' });
    expect(advanced.status, advanced.text).toBe(200);
    expect(advanced.body.data).toMatchObject([{ practice: organizationId, ahead_seconds: 14_400 }]);
    expect(Math.abs(Date.parse(advanced.body.data[0].now) - Date.now() - 14_400_000)).toBeLessThan(60_000);
    expect(await endsAt()).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await ours.attempt()).toMatchObject({ state: 'sent' });
    expect(await theirs.attempt()).toMatchObject({ state: 'queued' });
  });

  it('leaves tokens as they are', async () => {
    const client = await integrationClient(test, { organizationId });
    expect((await control('clock', { advance: '30d' })).status).toBe(200);
    expect((await client.get('/patients')).status).toBe(200);
  });

  it.each([{ advance: '14' }, { advance: '0h' }, { advance: '-1h' }, { advance: '401d' }, { advance: 5 }, { advanec: '1h' }])(
    'refuses %o and says what it takes',
    async (body) => {
      const { status, body: problem } = await control('clock', body);
      expect(status).toBe(400);
      expect(problem.errors.length).toBeGreaterThan(0);
    },
  );

  it('is for this machine, and for an administrator of a demo practice', async () => {
    const ask = (token?: string) => {
      const request = test.http.post('/sandbox/clock').set('x-forwarded-for', '203.0.113.9');
      return (token === undefined ? request : request.set('authorization', `Bearer ${token}`)).send({});
    };
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    const staff = await signedInUser(test, { organizationId, type: 'staff' });
    const elsewhere = await signedInUser(test, { type: 'admin' });
    expect((await ask()).status).toBe(404);
    expect((await ask(admin.token)).body.data).toMatchObject([{ practice: organizationId }]);
    for (const { token } of [staff, elsewhere]) expect((await ask(token)).status).toBe(404);
  });
});

describe('POST /sandbox/faults', () => {
  it('makes the carrier, the mail server and this server fail, until the next set', async () => {
    await rows().organization.update({ where: { id: organizationId }, data: AWAKE });
    const client = await integrationClient(test, { organizationId });
    const set = { carrier: 'unreachable', mail: 'bounce', webhook_delay_ms: 50, unavailable: { client: client.clientId, rate: 1 } };
    expect((await control('faults', set)).body.data).toEqual([{ practice: organizationId, ...set }]);
    expect((await control('faults', {})).body.data).toEqual([{ practice: organizationId, ...set }]);

    const failing = await client.get('/patients');
    expect(failing.status).toBe(503);
    expect(Number(failing.headers['retry-after'])).toBeGreaterThan(0);
    const other = await integrationClient(test, { organizationId });
    expect((await other.get('/patients')).status).toBe(200);

    const sent = await text(organizationId);
    expect(await sent.attempt()).toMatchObject({ outcome: { again: 'carrier_unreachable' }, state: 'queued' });
    const mail = await sending.mail(organizationId, { to: 'ann@example.com', subject: 'Hello', body: 'Hello' });
    const mailer = { name: 'local' as const, send: () => Promise.reject(new Error('sent')), check: async () => {} };
    await sendMails({ unitOfWork: sending.unitOfWork, keyring: test.keyring, mailer }).run(organizationId, mail.id);
    expect(await rows().mailMessage.findFirst({ where: { organizationId, id: mail.id } })).toMatchObject({ state: 'failed' });

    expect((await control('faults', { carrier: 'refuse' })).body.data).toMatchObject([{ mail: null, unavailable: null }]);
    expect(await sent.attempt()).toMatchObject({ state: 'failed', reason: 'carrier_refused' });
    expect((await control('faults', { carrier: null })).body.data).toMatchObject([{ carrier: null }]);
    expect((await client.get('/patients')).status).toBe(200);
  });

  it.each([{ carrier: 'slow' }, { webhook_delay_ms: -1 }, { unavailable: { client: 'x', rate: 2 } }, { male: 'bounce' }])(
    'refuses %o',
    async (body) => {
      expect((await control('faults', body)).status).toBe(400);
    },
  );
});
