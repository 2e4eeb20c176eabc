import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { jobCaller } from '../../src/domain/caller.ts';
import { queueText } from '../../src/domain/messaging/queue/queued-texts.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { createOutbox } from '../../src/jobs/queue/queue.ts';
import { runSql } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseOwnerUrl, databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

/** Texts to send, and rounds in which a worker is killed: 1,000 in 20 are the proof; with a small KILLS, 100 in 10. */
const [MESSAGES, ROUNDS] = Number(process.env.KILLS ?? 100) < 100 ? [100, 10] : [1_000, 20];
/** Milliseconds after the texts of a round in which the kill falls: workers look every second. */
const KILL_WITHIN_MS = 1_800;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-sending-'));
});
afterAll(async () => {
  await killServers();
  await removeFolder(dataDir);
});

const startWorker = () => startServer(dataDir, { LOG_LEVEL: 'info' }, { command: [process.execPath, 'scripts/worker.mjs'] });

it(`delivers each of ${MESSAGES} texts exactly once with two workers, one of which is killed again and again`, {
  timeout: 600_000,
}, async () => {
  const server = startServer(dataDir, { RUN_JOBS: 'false' });
  await server.ready;
  const database = openDatabase({ url: await databaseUrl(dataDir), poolSize: 5 });
  const { prisma } = database;
  const outbox = createOutbox(database, createLogger({ LOG_LEVEL: 'silent' }));
  await outbox.open();
  const { id: organizationId } = await createOrganization(prisma, { quietHoursStart: '00:00', quietHoursEnd: '00:00' });
  await prisma.phoneNumber.create({
    data: { organizationId, number: '+19105550100', kind: 'plain', carrier: 'local', carrierId: 'PN-1' },
  });
  const unitOfWork = createUnitOfWork(database, outbox.enqueue);
  const queueOne = (index: number) =>
    unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => queueText(tx, { to: '+19195550123', body: `Text ${index}` }));

  // A carrier takes its time, so that kills fall into it.
  await runSql(
    await databaseOwnerUrl(dataDir),
    `CREATE FUNCTION slow_carrier() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(random() * 0.4); RETURN NEW; END $$;
     CREATE TRIGGER slow_carrier BEFORE INSERT ON carrier_text FOR EACH ROW EXECUTE FUNCTION slow_carrier()`,
  );
  const steady = startWorker();
  await eventually('a worker works', async () => steady.screen().includes('worker started'), 60_000);
  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = startWorker();
    await eventually('it works', async () => victim.screen().includes('worker started'), 60_000);
    const perRound = MESSAGES / ROUNDS;
    for (let index = 0; index < perRound; index += 5)
      await Promise.all([0, 1, 2, 3, 4].map((step) => queueOne(round * perRound + index + step)));
    await sleep(randomInt(KILL_WITHIN_MS));
    victim.kill('SIGKILL');
    await victim.exited;
  }
  await eventually('all are sent', async () => (await prisma.smsMessage.count({ where: { state: 'queued' } })) === 0, 300_000);
  const [again] = await prisma.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM queue.job WHERE retry_count > 0`;

  const arrived = await prisma.carrierText.findMany({ select: { reference: true } });
  expect(arrived).toHaveLength(MESSAGES);
  expect(new Set(arrived.map(({ reference }) => reference)).size).toBe(MESSAGES);
  const delivered = () => prisma.smsMessage.count({ where: { organizationId, state: 'delivered' } });
  await eventually('each is told to be there', async () => (await delivered()) === MESSAGES, 60_000);
  for (const name of ['text.sent', 'text.delivered'])
    expect(await prisma.event.count({ where: { organizationId, name } }), name).toBe(MESSAGES);
  console.log(`  ${MESSAGES} texts, ${ROUNDS} kills, ${again?.count} jobs that a killed worker had begun: lost 0, twice 0`);
  await outbox.close();
  await database.close();
  for (const one of [steady, server]) {
    one.kill('SIGTERM');
    expect(await one.exited).toMatchObject({ code: 0 });
  }
});

it('frees the jobs of a killed worker within a minute', { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-freed-'));
  const server = startServer(folder, { RUN_JOBS: 'false' });
  await server.ready;
  const database = openDatabase({ url: await databaseUrl(folder), poolSize: 3 });
  const { prisma } = database;
  // As a killed worker leaves it: begun, and no beat follows.
  const { id: organizationId } = await createOrganization(prisma, { quietHoursStart: '00:00', quietHoursEnd: '00:00' });
  const outbox = createOutbox(database, createLogger({ LOG_LEVEL: 'silent' }));
  const text = {
    organizationId,
    direction: 'outbound',
    fromNumber: '+19105550100',
    toNumber: '+19195550123',
    body: 'Hi',
    state: 'queued',
  } as const;
  const { id } = await prisma.smsMessage.create({ data: text });
  await createUnitOfWork(database, outbox.enqueue).write(
    jobCaller(organizationId, 'test'),
    async (tx) => void tx.journal.jobs.push({ queue: 'send-text', id }),
  );
  await prisma.$executeRaw`UPDATE queue.job SET state = 'active', started_on = now(), heartbeat_on = now()`;
  const from = performance.now();
  const worker = startServer(folder, { LOG_LEVEL: 'info' }, { command: [process.execPath, join(process.cwd(), 'scripts/worker.mjs')] });
  await eventually('it is sent', async () => (await prisma.carrierText.count()) === 1, 90_000);
  const seconds = (performance.now() - from) / 1_000;
  console.log(`  freed and sent after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(60);
  await outbox.close();
  await database.close();
  for (const one of [worker, server]) {
    one.kill('SIGTERM');
    await one.exited;
  }
  await removeFolder(folder);
});
