import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isNodeDown } from '../../src/database/errors.ts';
import { createPrepared } from '../../src/database/statement.ts';
import { jobCaller } from '../../src/domain/caller.ts';
import { findOpenSessions } from '../../src/domain/identity/open-sessions.ts';
import { queueText } from '../../src/domain/messaging/texts/outgoing-texts.ts';
import { raiseAlerts } from '../../src/domain/monitoring/alerts/raise-alerts.ts';
import { findNewNotifications } from '../../src/domain/notifications/notification-feed.ts';
import { recordHeartbeats } from '../../src/domain/telehealth/presence-heartbeats.ts';
import { mayRelay } from '../../src/domain/telehealth/signals.sql.ts';
import { relayPeerSignals } from '../../src/domain/telehealth/signals.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../src/http/logger.ts';
import { createOutbox } from '../../src/jobs/queue.ts';
import { sealAudit } from '../../src/jobs/seal-audit.ts';
import { freshNumber } from '../apis/mobile/messaging/numbers.ts';
import { type Actor, actorWith, clientToken, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createSurvey } from '../support/check-ins.ts';
import { runAsSuperuser } from '../support/database-roles.ts';
import { createAppointmentType, createOffice, createOrganization } from '../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../support/phone-numbers.ts';
import { eventually, killServers, startServer } from '../support/server-process.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Where nothing listens. */
const CLOSED_PORT = 9;
/** Every answer comes within 5 s; a busy machine is given a little more. */
const IN_TIME_MS = 6_500;
/** Jobs that wait for the node: one sends a text of its practice, the others change or read every practice at once. */
const WAITING_JOBS = ['send-text', 'clean-up', 'keep-log-partitions', 'measure-size'];

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const { prisma } = test.database;
const url = test.config.DATABASE_URL ?? '';
const folder = await mkdtemp(join(tmpdir(), 'triptych-dead-node-'));

afterAll(async () => {
  await bringBack();
  await killServers();
  await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

/** The node with the rows of a practice. */
async function nodeOf(organizationId: number): Promise<{ id: number; port: number }> {
  const [node] = await prisma.$queryRaw<{ id: number; port: number }[]>`
    SELECT n.nodeid AS id, n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
     WHERE p.shardid = get_shard_id_for_distribution_column('patient', ${organizationId}::int)`;
  if (!node) throw new Error('a practice has a node');
  return node;
}

const outbox = createOutbox(test.database, createLogger({ LOG_LEVEL: 'silent' }));
const unitOfWork = createUnitOfWork(test.database, outbox.enqueue);
let down: { id: number; port: number } | null = null;

/** To all who ask it, the node is down: it has another port than is known. */
const moveNode = (id: number, to: number) => runAsSuperuser(url, `UPDATE pg_dist_node SET nodeport = ${to} WHERE nodeid = ${id}`);

async function bringBack(): Promise<void> {
  if (down) await moveNode(down.id, down.port);
  down = null;
}

interface Practice {
  receiver: WebhookReceiver;
  organizationId: number;
  practice: Actor;
  integration: Actor;
  staff: Actor;
  clients: { clientId: string; clientSecret: string }[];
  officeId: number;
  typeId: number;
}

async function createPractice(organizationId: number): Promise<Practice> {
  const office = await createOffice(prisma, { organizationId });
  const type = await createAppointmentType(prisma, { organizationId });
  const number = { organizationId, kind: 'plain', carrier: 'local' } as const;
  await addPhoneNumber(prisma, { ...number, number: anyNumber(), carrierId: 'PN-1' });
  const practice = await practiceClient(test, { organizationId });
  const integration = await integrationClient(test, { organizationId });
  const staff = await signedInUser(test, { organizationId, type: 'admin' });
  const { token } = await clientToken(test, ['webhooks.write'], [organizationId]);
  const receiver = await startReceiver();
  await actorWith(test, token, organizationId).post('/platform/v1/webhook-endpoints').send({ url: receiver.url }).expect(201);
  await practice.post('/patients/changed/subscription').expect(200);
  return { receiver, organizationId, practice, integration, staff, clients: [practice, integration], officeId: office.id, typeId: type.id };
}

/** Raises an alert as a check-in that nobody answers does. @returns 200, or 503 where the database does not answer */
async function raiseAlert(organizationId: number, patientId: number): Promise<{ status: number }> {
  try {
    const survey = await createSurvey(test, organizationId);
    const { id: checkInId } = await prisma.checkIn.create({
      data: {
        organizationId,
        patientId,
        surveyTypeId: survey.id,
        channel: 'sms',
        message: '?',
        linkHash: randomBytes(32),
        expiresAt: new Date(),
      },
    });
    const alert = { kind: 'missed_check_in', checkInId, patientId, occurredAt: new Date() } as const;
    const raise = () => unitOfWork.write(jobCaller(organizationId, 'test'), (db, caller) => raiseAlerts(db, caller, [alert]));
    await raise();
    return { status: 200 };
  } catch (error) {
    if (!isNodeDown(error)) throw error;
    return { status: 503 };
  }
}

/** The statuses of a day's work, each of which came in time. */
async function work({ organizationId, practice, integration, staff, clients, officeId, typeId }: Practice, chart: number) {
  const statuses: Record<string, number> = {};
  const did = async <A extends { status: number }>(what: string, request: PromiseLike<A>): Promise<A> => {
    const start = performance.now();
    const answer = await request;
    expect(performance.now() - start, what).toBeLessThan(IN_TIME_MS);
    statuses[what] = answer.status;
    return answer;
  };
  for (const [n, { clientId, clientSecret }] of clients.entries()) {
    const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    await did(`token ${n}`, test.http.post('/oauth2/v1/token').type('form').send(grant));
  }
  const form = { firstname: 'Ada', lastname: 'Lovelace', dob: '12/10/1985', departmentid: String(officeId), email: 'ada@example.com' };
  await did('register', practice.post('/patients').set('idempotency-key', `key-${chart}`).type('form').send(form));
  await did('change', practice.put(`/patients/${chart}`).type('form').send({ city: 'Apex' }));
  await did('change by integration', integration.put(`/patients/${chart}`).send({ city: 'Cary' }));
  await did('read', practice.get(`/patients/${chart}`));
  await did('search', practice.get('/patients?lastname=lovelace'));
  await did('ask what changed', practice.get('/patients/changed'));
  await did('raise an alert', raiseAlert(organizationId, chart));
  const booking = { patient_id: chart, appointment_date: '2031-03-04T09:30:00', appointment_type_id: typeId };
  const booked = await did('book', integration.post('/appointments').send(booking));
  await did('list users', staff.get('/users'));
  await did('text', staff.post(`/appointments/${booked.body.data?.uuid ?? 1}/send-sms`).send({ message: 'See you.' }));
  return statuses;
}

it('a node that is down costs its own practices alone: requests, texts, orders of numbers, webhooks, seals and a start of others go on', async () => {
  const ids: number[] = [];
  for (let count = 0; count < 6; count += 1)
    ids.push((await createOrganization(prisma, { quietHoursStart: '00:00', quietHoursEnd: '00:00' })).id);
  const nodes = await Promise.all(ids.map(nodeOf));
  const [first] = nodes;
  const other = nodes.findIndex(({ id }) => id !== first?.id);
  if (!first || other < 0) throw new Error('six practices are on more than one node');
  const [others, its] = [await createPractice(ids[other] ?? 0), await createPractice(ids[0] ?? 0)];
  const register = async ({ practice, officeId }: Practice) => {
    const form = { firstname: 'Bea', lastname: 'Bee', dob: '01/02/1990', departmentid: String(officeId), mobilephone: '9195550123' };
    return Number((await practice.post('/patients').type('form').send(form).expect(200)).body[0].patientid);
  };
  const charts = [await register(others), await register(its)] as const;
  await outbox.open();
  const orders: number[] = [];
  for (const { organizationId } of [others, its]) {
    orders.push(
      (await addPhoneNumber(prisma, { organizationId, number: freshNumber(), kind: 'plain', carrier: 'local', state: 'ordered' })).id,
    );
    await unitOfWork.write(jobCaller(organizationId, 'test'), (db, caller) =>
      queueText(db, caller, { to: '+19195550123', body: 'Queued before' }),
    );
  }

  await sealAudit(test.database, test.keyring);
  const sealed = () => prisma.auditLink.count({ where: { organizationId: others.organizationId } });
  const sealedBefore = await sealed();

  down = await nodeOf(its.organizationId);
  await moveNode(down.id, CLOSED_PORT);

  const masterKeys = test.config.MASTER_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  const { DATABASE_URL = '', DATABASE_DIRECT_URL } = test.config;
  const direct = DATABASE_DIRECT_URL ? { DATABASE_DIRECT_URL } : {};
  const env = {
    ...direct,
    DATABASE_URL,
    MASTER_KEYS: masterKeys,
    MIGRATE_ON_START: 'false',
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'info',
  };
  const worker = startServer(folder, env, { command: [process.execPath, 'scripts/worker.mjs'] });
  await eventually('a worker works', async () => worker.screen().includes('worker started'), 60_000);

  const done = await work(others, charts[0]);
  expect(Object.entries(done).filter(([, status]) => status >= 300)).toEqual([]);
  const { organizationId } = others;
  await eventually(
    'its texts are sent',
    async () => (await prisma.smsMessage.count({ where: { organizationId, state: 'delivered' } })) === 2,
    60_000,
  );
  const numberOf = (practice: Practice, n: number) =>
    prisma.phoneNumber.findFirst({ where: { organizationId: practice.organizationId, id: orders[n] ?? 0 } });
  await eventually('its number is bought', async () => (await numberOf(others, 0))?.state === 'active', 60_000);
  await eventually('its events are delivered', async () => others.receiver.posts.length >= 5, 60_000);
  await eventually('its audit is sealed', async () => (await sealed()) > sealedBefore, 60_000);

  // What a process does for people of several practices at once.
  const beats = [its, others].map(
    ({ organizationId: of }) => ({ kind: 'participant', organizationId: of, id: 1, connection: randomUUID(), age: 0 }) as const,
  );
  expect(await recordHeartbeats(prisma, beats)).toEqual(new Set([beats[1]?.connection]));
  const waiting = [its, others].map(
    ({ organizationId: of }) => ({ kind: 'visit', organizationId: of, id: 1, connection: randomUUID(), age: 0 }) as const,
  );
  expect(await recordHeartbeats(prisma, waiting)).toEqual(new Set([waiting[1]?.connection]));
  const signals = [its, others].map(({ organizationId: of }) => ({ organizationId: of, sessionId: 1, from: 1, to: 2, data: {} }));
  expect(await relayPeerSignals(prisma, signals)).toEqual([false, false]);
  expect(await mayRelay(createPrepared(test.database.pool), signals)).toEqual([false, false]);
  const sessions = [its, others].map(({ organizationId: of }) => ({ organizationId: of, sessionId: randomUUID() }));
  expect(await findOpenSessions(prisma, sessions)).toEqual(new Set());
  const followers = [its, others].map(({ organizationId: of }) => ({
    organizationId: of,
    userId: 1,
    cursor: { transactionId: 0n, id: 0n },
  }));
  expect(await findNewNotifications(prisma, followers)).toEqual([[], []]);

  const refused = await work(its, charts[1]);
  expect(Object.entries(refused).filter(([what, status]) => status !== 503 && !what.startsWith('token'))).toEqual([]);
  const failedJobs = new Set(Array.from(worker.screen().matchAll(/"job":"([a-z-]+)"/g), ([, job]) => job));
  expect([...failedJobs].filter((job) => !WAITING_JOBS.includes(job ?? ''))).toEqual([]);

  await bringBack();
  await eventually('the others follow', async () => (await numberOf(its, 1))?.state === 'active', 60_000);
  const { organizationId: behind } = its;
  await eventually(
    'its text is sent',
    async () => (await prisma.smsMessage.count({ where: { organizationId: behind, state: 'delivered' } })) === 1,
    120_000,
  );
  const later = await work(its, charts[1]);
  expect(Object.entries(later).filter(([, status]) => status >= 300)).toEqual([]);
  await Promise.all([others, its].map(({ receiver }) => receiver.close()));
  await outbox.close();
  worker.kill('SIGTERM');
  expect(await worker.exited).toMatchObject({ code: 0 });
}, 600_000);
