import { afterAll, expect, it } from 'vitest';
import { createQueueHandlers } from '../../src/jobs/queue/queue-handlers.ts';
import { ACCOUNT, startTwilioDouble, TOKEN } from '../gateways/twilio-double.ts';
import { AWAKE, openQueueing, practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { closedAfterAll, ownTestApp, startTestApp } from '../support/app.ts';
import { createUser } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { staffPages } from '../support/staff-pages.ts';

const SETTINGS = {
  SANDBOX: 'on',
  TRIPTYCH_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: TOKEN,
};
const testPracticeIds: number[] = [];
const double = await closedAfterAll(startTwilioDouble());
const test = await ownTestApp({ ...SETTINGS, TWILIO_BASE_URL: double.url }, { testPracticeIds });
const rows = test.database.prisma;
const sending = openQueueing(test);
afterAll(() => sending.outbox.close());

const real = await practiceWithNumber(test, AWAKE);
const trial = await practiceWithNumber(test, AWAKE);
await rows.testPractice.create({ data: { organizationId: trial } });
testPracticeIds.push(trial);

const queue = createQueueHandlers(test.services);

it('texts of a test practice stay here, and those of others leave by the carrier', async () => {
  const [ours, theirs] = [anyNumber('1919'), anyNumber('1919')];
  for (const [practice, to] of [
    [trial, ours],
    [real, theirs],
  ] as const) {
    const { id } = await sending.text(practice, { to, body: 'See you tomorrow.' });
    await queue['send-text'].run(practice, id);
    expect(await rows.smsMessage.findFirst({ where: { organizationId: practice, id } })).toMatchObject({ state: 'sent' });
  }
  expect(double.messages.map(({ to }) => to)).toEqual([theirs]);
  expect(await rows.carrierText.count({ where: { toNumber: ours } })).toBe(1);
});

it('a test practice buys no number of the carrier', async () => {
  const admin = await signedInUser(test, { organizationId: trial, type: 'admin' });
  const asked = double.requests.length;
  const [{ number }] = (await admin.get('/available-numbers?areaCode=336')).body.data;
  expect((await admin.post('/available-numbers').send({ number })).status).toBe(201);
  expect(double.requests.length).toBe(asked);
  expect(await rows.phoneNumber.findFirst({ where: { number: `+1${number}` } })).toMatchObject({ carrier: 'local' });
});

it('its users open the sandbox from anywhere, and nobody else does', async () => {
  const { http, browse } = staffPages(test);
  const open = async (organizationId: number) => {
    const { email, password } = await createUser(rows, { organizationId });
    return http.get('/sandbox').set({ ...(await browse({ email, password })), 'x-forwarded-for': '203.0.113.9' });
  };
  expect((await open(trial)).status).toBe(200);
  expect((await open(real)).status).toBe(404);
  expect((await http.get('/sandbox').set('x-forwarded-for', '203.0.113.9')).status).toBe(404);
});

it('a clock that one process advances is ahead in another within seconds', async () => {
  const other = await startTestApp({ ...SETTINGS, TWILIO_BASE_URL: double.url }, { databaseUrl: test.databaseUrl, testPracticeIds });
  try {
    const ahead = async () => (await other.http.post('/sandbox/clock').send({})).body.data[0].ahead_seconds;
    await rows.testPractice.update({ where: { organizationId: trial }, data: { aheadMs: 7_200_000 } });
    await expect.poll(ahead, { timeout: 20_000 }).toBe(7_200);
    expect((await other.http.post('/sandbox/clock').send({ reset: true, advance: '1h' })).body.data[0].ahead_seconds).toBe(3_600);
    expect(Number((await rows.testPractice.findUniqueOrThrow({ where: { organizationId: trial } })).aheadMs)).toBe(3_600_000);
  } finally {
    await other.http.post('/sandbox/clock').send({ reset: true });
    await other.close();
  }
});
