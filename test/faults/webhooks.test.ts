import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createOrganization } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';
import { type ReceivedPost, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Events, endpoints, and times that each of two workers is killed: 10,000, 20 and 5 are the proof; with a small KILLS, fewer. */
const IS_SMALL = Number(process.env.KILLS ?? 100) < 100;
const [EVENTS, ENDPOINTS, ROUNDS] = IS_SMALL ? [500, 4, 2] : [10_000, 20, 5];
/** Records that the events are about: each has many. */
const SUBJECTS = IS_SMALL ? 25 : 250;
/** Endpoints beside one that answers nothing at all. */
const NEIGHBOURS = IS_SMALL ? 9 : 49;

const folders: string[] = [];
const receivers: WebhookReceiver[] = [];
afterAll(async () => {
  await killServers();
  await Promise.all(receivers.map((one) => one.close()));
  for (const folder of folders) await removeFolder(folder);
});

const ENV = { ALLOW_PRIVATE_ADDRESSES: 'true', LOG_LEVEL: 'info' };

interface Clinic {
  folder: string;
  server: ServerProcess;
  database: Database;
  organizationId: number;
}

/** A server that runs no jobs, with a practice. */
async function startClinic(): Promise<Clinic> {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-webhooks-'));
  folders.push(folder);
  const server = startServer(folder, { ...ENV, RUN_JOBS: 'false' });
  await server.ready;
  const database = openDatabase({ url: await databaseUrl(folder), poolSize: 5 });
  const { id: organizationId } = await createOrganization(database.prisma);
  return { folder, server, database, organizationId };
}

async function stop({ server, database }: Clinic, ...workers: ServerProcess[]): Promise<void> {
  await database.close();
  for (const one of [...workers, server]) {
    one.kill('SIGTERM');
    expect(await one.exited).toMatchObject({ code: 0 });
  }
}

async function startWorker({ folder }: Clinic): Promise<ServerProcess> {
  const worker = startServer(folder, ENV, { command: [process.execPath, join(process.cwd(), 'scripts', 'worker.mjs')] });
  await eventually('a worker works', async () => worker.screen().includes('worker started'), 60_000);
  return worker;
}

/** An endpoint at a receiver of its own. It signs with no secret: what is proved here is what arrives. */
async function addEndpoint({ database, organizationId }: Clinic): Promise<{ at: WebhookReceiver; id: number }> {
  const at = await startReceiver();
  receivers.push(at);
  const { id } = await database.prisma.webhookEndpoint.create({ data: { organizationId, url: at.url } });
  return { at, id };
}

/** Events about the records in turn. */
const writeEvents = ({ database, organizationId }: Clinic, count: number) =>
  database.prisma.$executeRaw`
    INSERT INTO event (organization_id, name, subject_type, subject_id, actor)
    SELECT ${organizationId}, 'item.updated', 'item', n % ${SUBJECTS} + 1, 'test' FROM generate_series(1, ${count}) n`;

/** The first time that each event came, in the order of its coming. */
const firsts = (posts: readonly ReceivedPost[]): ReceivedPost[] =>
  [...new Map(posts.toReversed().map((post) => [post.id, post])).values()].reverse();

/** Places where a later event of a record came before an earlier one had come for the first time. */
function outOfOrder(posts: readonly ReceivedPost[]): number {
  const latest = new Map<number, number>();
  return firsts(posts).filter(({ event, sequence }) => {
    const before = latest.get(event.subject.id) ?? 0;
    latest.set(event.subject.id, Math.max(before, sequence));
    return sequence < before;
  }).length;
}

it(`delivers ${EVENTS} events to ${ENDPOINTS} endpoints at least once, in order a record, numbered without gaps, while both workers are killed again and again`, {
  timeout: 900_000,
}, async () => {
  const clinic = await startClinic();
  const endpoints = await Promise.all(Array.from({ length: ENDPOINTS }, () => addEndpoint(clinic)));
  const began = performance.now();
  let workers = [await startWorker(clinic), await startWorker(clinic)];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let part = 0; part < 10; part += 1) await writeEvents(clinic, EVENTS / ROUNDS / 10);
    await sleep(randomInt(500, 2_500));
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers.map((worker) => worker.exited));
    workers = [await startWorker(clinic), await startWorker(clinic)];
  }
  const isThere = () => endpoints.every(({ at }) => new Set(at.posts.map(({ id }) => id)).size === EVENTS);
  await eventually('all arrived', async () => isThere(), 600_000);
  const seconds = (performance.now() - began) / 1_000;
  const { prisma } = clinic.database;
  await eventually(
    'all are recorded',
    async () => (await prisma.webhookDelivery.count({ where: { state: { not: 'delivered' } } })) === 0,
    120_000,
  );
  for (const { at } of endpoints) {
    expect(outOfOrder(at.posts)).toBe(0);
    const sequences = firsts(at.posts)
      .map(({ sequence }) => sequence)
      .sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1));
  }
  const posts = endpoints.reduce((sum, { at }) => sum + at.posts.length, 0);
  console.log(
    `  ${EVENTS * ENDPOINTS} deliveries in ${seconds.toFixed(0)} s with ${2 * ROUNDS} kills: lost 0, sent again ${posts - EVENTS * ENDPOINTS}`,
  );
  await stop(clinic, ...workers);
});

it(`delivers to ${NEIGHBOURS} endpoints within 2 s (99 of 100) while one beside them takes connections and answers nothing`, {
  timeout: 300_000,
}, async () => {
  const clinic = await startClinic();
  const [hole, ...neighbours] = await Promise.all(Array.from({ length: NEIGHBOURS + 1 }, () => addEndpoint(clinic)));
  hole?.at.answer(() => {});
  const worker = await startWorker(clinic);
  const written: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    written.push(Date.now());
    await writeEvents(clinic, 10);
    await sleep(500);
  }
  const count = 10 * written.length;
  await eventually('all arrived', async () => neighbours.every(({ at }) => at.posts.length >= count), 120_000);
  const waits = neighbours
    .flatMap(({ at }) => at.posts.map((post) => post.at - (written[Math.floor((post.sequence - 1) / 10)] ?? 0)))
    .sort((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
  console.log(`  ${waits.length} deliveries beside a black hole: p50 ${waits[Math.floor(waits.length / 2)]} ms, p99 ${p99} ms`);
  // Machines are shared: the proof on a quiet one is 2 s; what fails here is that the black hole's 15 s hold others up.
  expect(p99).toBeLessThan(IS_SMALL ? 10_000 : 2_000);
  expect(hole?.at.posts.length).toBeLessThanOrEqual(16);
  await stop(clinic, worker);
});

it('catches up by itself with a receiver that was down for a day', { timeout: 300_000 }, async () => {
  const clinic = await startClinic();
  const { at, id } = await addEndpoint(clinic);
  let isDown = true;
  at.answer((_, response) => void (isDown ? response.destroy() : response.writeHead(200).end()));
  const worker = await startWorker(clinic);
  await writeEvents(clinic, 300);
  const { prisma } = clinic.database;
  const ofEndpoint = { webhookEndpointId: id };
  const pending = () => prisma.webhookDelivery.findMany({ where: { ...ofEndpoint, state: 'pending' }, orderBy: { sequence: 'asc' } });
  // A day passes: each attempt of the schedule fails until the sum of its times is past 24 hours.
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await eventually(
      `attempt ${attempt} of each record's first`,
      async () => {
        const waiting = (await pending()).filter(({ nextAttemptAt }) => nextAttemptAt !== null);
        return waiting.length === SUBJECTS && waiting.every((one) => one.attempts === attempt);
      },
      60_000,
    );
    await prisma.webhookDelivery.updateMany({
      where: { ...ofEndpoint, state: 'pending', nextAttemptAt: { not: null } },
      data: { nextAttemptAt: new Date() },
    });
  }
  isDown = false;
  at.posts.length = 0;
  await eventually(
    'all is delivered',
    async () => {
      await prisma.webhookDelivery.updateMany({
        where: { ...ofEndpoint, state: 'pending', attempts: { gt: 0 }, nextAttemptAt: { gt: new Date(Date.now() + 60_000) } },
        data: { nextAttemptAt: new Date() },
      });
      return (await prisma.webhookDelivery.count({ where: { ...ofEndpoint, state: 'delivered' } })) === 300;
    },
    120_000,
  );
  expect(outOfOrder(at.posts)).toBe(0);
  expect(new Set(at.posts.map(({ sequence }) => sequence)).size).toBe(300);
  expect((await prisma.webhookEndpoint.findFirstOrThrow({ where: { id } })).failingSince).toBeNull();
  await stop(clinic, worker);
});
