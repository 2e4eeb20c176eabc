import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { clusterNodes, unplacedTables } from '../../src/database/distribution/cluster.ts';
import { downNode } from '../../src/database/errors.ts';
import { databaseSize, tableSizes } from '../../src/database/sizes.ts';
import { jobCaller } from '../../src/domain/caller.ts';
import { findOpenSessions } from '../../src/domain/identity/open-sessions.ts';
import { queueText } from '../../src/domain/messaging/texts/outgoing-texts.ts';
import { findNewNotifications } from '../../src/domain/notifications/notification-feed.ts';
import { recordHeartbeats } from '../../src/domain/telehealth/presence-heartbeats.ts';
import { relayPeerSignals } from '../../src/domain/telehealth/signals.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../src/http/logger.ts';
import { createOutbox } from '../../src/jobs/queue.ts';
import { sealAudit } from '../../src/jobs/seal-audit.ts';
import { freshNumber } from '../apis/mobile/messaging/numbers.ts';
import { ownTestApp } from '../support/app.ts';
import { runAsSuperuser } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { addPhoneNumber } from '../support/phone-numbers.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers } from '../support/server-process.ts';
import { createPractice, type Practice, work } from './practice-requests.ts';
import { startWorker } from './worker.ts';

/** Where nothing listens. */
const CLOSED_PORT = 9;
/** Jobs that wait for the node: one sends a text of its practice, the other makes and drops tables on every node. */
const WAITING_JOBS = ['send-text', 'keep-log-partitions'];

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const { prisma } = test.database;
const url = test.config.DATABASE_URL ?? '';
const folder = await mkdtemp(join(tmpdir(), 'triptych-dead-node-'));

afterAll(async () => {
  await bringBack();
  await killServers();
  await removeFolder(folder);
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

/** The stored answer to a request with a key, which nobody can ask for any more. */
const storeExpired = (organizationId: number) =>
  prisma.$executeRaw`
    INSERT INTO idempotency_record (organization_id, caller, key, fingerprint, status, headers, body, audits, expires_at)
    VALUES (${organizationId}, 'client:test', 'expired', '', 200, '{}', '', '[]', ${new Date(0)})`;
const expired = (organizationId: number) => prisma.idempotencyRecord.count({ where: { organizationId, key: 'expired' } });

/** To all who ask it, the node is down: it has another port than is known. */
const moveNode = (id: number, to: number) => runAsSuperuser(url, `UPDATE pg_dist_node SET nodeport = ${to} WHERE nodeid = ${id}`);

async function bringBack(): Promise<void> {
  if (down) await moveNode(down.id, down.port);
  down = null;
}

it('a node that is down costs its own practices alone: requests, texts, orders of numbers, webhooks, seals and a start of others go on', async () => {
  const create = async () => (await createOrganization(prisma, { quietHoursStart: '00:00', quietHoursEnd: '00:00' })).id;
  const first = await create();
  const { id: node } = await nodeOf(first);
  let other = await create();
  while ((await nodeOf(other)).id === node) other = await create();
  const [others, its] = [await createPractice(test, unitOfWork, other), await createPractice(test, unitOfWork, first)];
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

  for (const practice of [others, its]) await storeExpired(practice.organizationId);
  const whole = await databaseSize(test.database.pool);
  expect(whole.nodesLeftOut).toBe(0);
  expect((await tableSizes(test.database.pool)).get('patient')?.bytes).toBeGreaterThan(0);

  await sealAudit(test.database, test.keyring);
  const sealed = () => prisma.auditLink.count({ where: { organizationId: others.organizationId } });
  const sealedBefore = await sealed();

  down = await nodeOf(its.organizationId);
  await moveNode(down.id, CLOSED_PORT);

  const worker = startWorker(test, folder, { ALLOW_PRIVATE_ADDRESSES: 'true' });
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
  await eventually('what has expired is removed', async () => (await expired(others.organizationId)) === 0, 60_000);
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

  expect((await clusterNodes(test.database.pool)).filter(({ answers }) => !answers)).toEqual([
    { host: expect.any(String), port: CLOSED_PORT, answers: false },
  ]);
  expect(
    downNode(await prisma.patient.findFirst({ where: { organizationId: its.organizationId } }).catch((error: unknown) => error)),
  ).toMatch(/:9$/);
  const { bytes, nodesLeftOut } = await databaseSize(test.database.pool);
  expect(nodesLeftOut).toBe(1);
  expect(bytes).toBeLessThan(whole.bytes);
  await bringBack();
  expect(await expired(its.organizationId)).toBe(1);
  expect((await clusterNodes(test.database.pool)).every(({ answers }) => answers)).toBe(true);
  expect(await unplacedTables(test.database.pool)).toEqual([]);
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
