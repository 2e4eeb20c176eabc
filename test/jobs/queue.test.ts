import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { requeueLost } from '../../src/jobs/queue/lost-jobs.ts';
import { type QueueHandler, startQueue } from '../../src/jobs/queue/queue.ts';
import { createQueueHandlers } from '../../src/jobs/queue/queue-handlers.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProxy } from '../support/proxy.ts';
import { eventually } from '../support/server-process.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

let test: TestApp;
let sending: ReturnType<typeof openQueueing>;
let organizationId: number;
let stops: (() => Promise<void>)[];
beforeEach(async () => {
  test = await startTestApp();
  sending = openQueueing(test);
  await sending.outbox.open();
  organizationId = await practiceWithNumber(test);
  stops = [];
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await sending.outbox.close();
  await test.close();
});

const rows = () => test.database.prisma;
const to = '+19195550123';
const idle: QueueHandler = { run: async () => 'done', giveUp: async () => {} };

/** A worker of one process. */
async function work(jobs: { 'send-text'?: QueueHandler; 'send-mail'?: QueueHandler } = {}) {
  const real = createQueueHandlers({ ...test.services, config: { PUBLIC_URL: undefined } });
  const stop = await startQueue(test.database, { ...real, ...jobs }, sending.logger);
  stops.push(stop);
  return stop;
}

const states = async () => (await rows().smsMessage.groupBy({ by: ['state'], _count: true })).map(({ state, _count }) => [state, _count]);

describe('the queue', () => {
  it('sends texts and mails, each once, with several workers', async () => {
    const texts = Array.from({ length: 24 }, (_, index) => sending.text(organizationId, { to, body: `Text ${index}` }));
    const mails = Array.from({ length: 8 }, (_, index) =>
      sending.mail(organizationId, { to: 'pat@example.com', subject: `Mail ${index}`, body: 'Hello.' }),
    );
    await Promise.all([...texts, ...mails]);
    await Promise.all([work(), work()]);
    await eventually('all are sent', async () => {
      const waiting = await rows().smsMessage.count({ where: { state: 'queued' } });
      return waiting + (await rows().mailMessage.count({ where: { state: 'queued' } })) === 0;
    });
    expect(await states()).toEqual([['sent', 24]]);
    expect(await rows().carrierText.count()).toBe(24);
    expect(await rows().localMail.count()).toBe(8);
  });

  it('keeps nothing of a record but its id, also of one that fails', async () => {
    await sending.text(organizationId, { to, body: 'A secret.' });
    let ran = false;
    await work({
      'send-text': {
        ...idle,
        run: async () => {
          ran = true;
          throw new Error(`${to} did not answer to "A secret."`);
        },
      },
    });
    await eventually('it was tried', async () => {
      const [job] = await rows().$queryRaw<{ state: string }[]>`SELECT state::text FROM queue.job`;
      return ran && job?.state === 'retry';
    });
    const [job] = await rows().$queryRaw<{ all: string }[]>`SELECT row_to_json(j)::text AS all FROM queue.job j`;
    expect(job?.all).not.toContain('secret');
    expect(job?.all).not.toContain(to);
    const { id } = await rows().smsMessage.findFirstOrThrow({ where: { organizationId } });
    expect(job?.all).toContain(
      `"data":${JSON.stringify({ id, kind: 'send-text', organizationId }).replaceAll(':', ': ').replaceAll(',', ', ')}`,
    );
  });

  it('gives up what was tried in vain often enough', async () => {
    const { id } = await sending.text(organizationId, { to, body: 'Hello.' });
    await rows().$executeRaw`UPDATE queue.job SET retry_limit = 0`;
    const given: unknown[] = [];
    await work({ 'send-text': { run: async () => ({ again: 'later' }), giveUp: async (of, which) => void given.push([of, which]) } });
    await eventually('it is given up', async () => given.length > 0);
    expect(given).toEqual([[organizationId, id]]);
  });

  it('hands what a stopped worker has not done to another', async () => {
    await sending.text(organizationId, { to, body: 'Hello.' });
    let begun = false;
    const stop = await work({
      'send-text': {
        ...idle,
        run: async () => {
          begun = true;
          await sleep(30_000, undefined, { ref: false });
          return 'done';
        },
      },
    });
    await eventually('it is begun', async () => begun);
    const from = performance.now();
    await stop();
    expect(performance.now() - from).toBeLessThan(9_000);
    const [job] = await rows().$queryRaw<{ state: string }[]>`SELECT state::text FROM queue.job`;
    expect(job?.state).toBe('retry');
    await rows().$executeRaw`UPDATE queue.job SET start_after = now()`;
    await work();
    await eventually('it is sent', async () => (await rows().carrierText.count()) === 1);
  });

  it('goes on after the database could not be reached', async () => {
    const proxy = await startProxy(test.databaseUrl);
    const behind = openDatabase({ url: proxy.url, poolSize: 4 });
    const jobs = {
      'send-text': sendTexts({
        unitOfWork: createUnitOfWork(behind),
        carrier: createLocalCarrier(rows(), test.keyring),
        keyring: test.keyring,
        statusUrl: null,
      }),
    };
    const lines: string[] = [];
    const stop = await startQueue(
      behind,
      { 'send-mail': idle, 'send-push': idle, ...jobs },
      createLogger({ LOG_LEVEL: 'warn' }, { write: (line) => void lines.push(line) }),
    );
    try {
      await proxy.cut();
      await sending.text(organizationId, { to, body: 'Hello.' });
      await eventually('it is noticed', async () => lines.length > 0);
      await proxy.restore();
      await eventually('it is sent', async () => (await rows().carrierText.count()) === 1);
    } finally {
      await stop();
      await behind.close();
      await proxy.close();
    }
  });

  it('finds what waits without a job, and leaves alone what has one', async () => {
    const past = new Date(Date.now() - 3_600_000);
    const waiting = {
      organizationId,
      direction: 'outbound',
      fromNumber: to,
      toNumber: to,
      body: 'Hi',
      state: 'queued',
      queuedAt: past,
    } as const;
    const lost = await rows().smsMessage.create({ data: waiting });
    await rows().smsMessage.create({ data: { ...waiting, notBefore: new Date(Date.now() + 3_600_000) } });
    await rows().smsMessage.create({ data: { ...waiting, queuedAt: new Date() } });
    const known = await sending.text(organizationId, { to, body: 'Hello.' });
    await rows().smsMessage.updateMany({ where: { id: known.id }, data: { queuedAt: past } });
    const mail = { organizationId, toAddress: 'pat@example.com', subject: 'Hi', body: 'Hi', state: 'queued', queuedAt: past } as const;
    const lostMail = await rows().mailMessage.create({ data: mail });
    await Promise.all([requeueLost(test.database, sending.outbox), requeueLost(test.database, sending.outbox)]);
    await requeueLost(test.database, sending.outbox);
    const jobs = await rows().$queryRaw<
      { name: string; id: number }[]
    >`SELECT name, (data->>'id')::bigint AS id FROM queue.job ORDER BY name, id`;
    expect(jobs).toEqual([{ name: 'send-mail', id: lostMail.id }, ...[lost.id, known.id].map((id) => ({ name: 'send-text', id }))]);
  });
});
