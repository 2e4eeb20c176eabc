import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { queueText } from '../../src/domain/messaging/queue/queued-texts.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { createOutbox } from '../../src/jobs/queue/queue.ts';
import { ownTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../support/phone-numbers.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers } from '../support/server-process.ts';
import { startWorker } from './worker.ts';

const ROUNDS = Number(process.env.KILLS ?? 10);
const PRACTICES = 10;
/** Of each practice in a round. */
const TEXTS = 3;
/** Milliseconds after the texts of a round in which the kill falls: workers look every second. */
const KILL_WITHIN_MS = 1_800;

const test = await ownTestApp();
const folder = await mkdtemp(join(tmpdir(), 'triptych-distributed-'));
afterAll(async () => {
  await killServers();
  await removeFolder(folder);
});

it('texts of practices on all nodes arrive once, while one of two workers is killed again and again', async () => {
  const { prisma } = test.database;
  const outbox = createOutbox(test.database, createLogger({ LOG_LEVEL: 'silent' }));
  await outbox.open();
  const unitOfWork = createUnitOfWork(test.database, outbox.enqueue);
  const practices: { organizationId: number; number: string }[] = [];
  for (let count = 0; count < PRACTICES; count += 1) {
    const { id: organizationId } = await createOrganization(prisma, { quietHoursStart: '00:00', quietHoursEnd: '00:00' });
    const { number } = await addPhoneNumber(prisma, {
      organizationId,
      number: anyNumber(),
      kind: 'plain',
      carrier: 'local',
      carrierId: 'PN-1',
    });
    practices.push({ organizationId, number });
  }
  const start = async () => {
    const worker = startWorker(test, folder);
    await eventually('a worker works', async () => worker.screen().includes('worker started'), 60_000);
    return worker;
  };
  const steady = await start();
  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = await start();
    for (const { organizationId } of practices)
      for (let text = 0; text < TEXTS; text += 1)
        await unitOfWork.write(jobCaller(organizationId, 'test'), (tx) =>
          queueText(tx, { to: '+19195550123', body: `Text ${round} ${text}` }),
        );
    await sleep(randomInt(KILL_WITHIN_MS));
    victim.kill('SIGKILL');
    await victim.exited;
  }
  for (const { organizationId, number } of practices) {
    const delivered = () => prisma.smsMessage.count({ where: { organizationId, state: 'delivered' } });
    await eventually('all are sent, and told to be there', async () => (await delivered()) === ROUNDS * TEXTS, 180_000);
    const arrived = await prisma.carrierText.findMany({ where: { fromNumber: number }, select: { reference: true } });
    expect(arrived).toHaveLength(ROUNDS * TEXTS);
    expect(new Set(arrived.map(({ reference }) => reference)).size).toBe(ROUNDS * TEXTS);
    for (const name of ['text.sent', 'text.delivered'])
      expect(await prisma.event.count({ where: { organizationId, name } }), name).toBe(ROUNDS * TEXTS);
  }
  await outbox.close();
  steady.kill('SIGTERM');
  expect(await steady.exited).toMatchObject({ code: 0 });
}, 900_000);
