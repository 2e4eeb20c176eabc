import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { connect, pathOf } from '../realtime/room.ts';
import { postOnce, signInToApp } from '../support/app-user.ts';
import { startCalls } from '../support/calls-with-renewal.ts';
import { askingPractice, createRecipient } from '../support/check-ins.ts';
import { type Clock, type ClockedDatabase, makeClock, startClockedDatabase } from '../support/clocks.ts';
import { insist, proveExactlyOnce } from '../support/keyed-creates.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const IS_PROOF = Number(process.env.KILLS ?? 200) >= 100;
const HOUR = 3_600;
/** Seconds by which the clock is ahead, one after the other. */
const COURSE = IS_PROOF ? [HOUR, 0, -HOUR, 0] : [HOUR, 0];
/** Milliseconds for which it goes on from there. */
const STAYS_MS = IS_PROOF ? 15_000 : 5_000;
/** An answer takes 5 s at most, and a busy machine a moment more to hand it over. */
const LIMIT_MS = 6_000;
/** Work that is due begins within seconds, and a busy machine takes its time; the job of a killed worker is free within a minute. */
const AT_ONCE_MS = 60_000;

let folder: string;
let clocks: { servers: Clock; database: Clock };
let postgres: ClockedDatabase;
let database: Database;
let address: string;
let worker: ServerProcess;
let receiver: WebhookReceiver;

const startWorker = async () => {
  const command: [string, string] = [process.execPath, 'scripts/worker.mjs'];
  worker = startServer(join(folder, 'server'), { ...environment(), LOG_LEVEL: 'info' }, { command });
  await eventually('the worker works', async () => worker.screen().includes('worker started'));
};
const environment = () => ({
  ...clocks.servers.env,
  DATABASE_URL: postgres.url,
  DATABASE_OWNER_URL: postgres.ownerUrl,
  ALLOW_PRIVATE_ADDRESSES: 'true',
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-clocks-'));
  await mkdir(join(folder, 'server'));
  clocks = { servers: await makeClock(), database: await makeClock() };
  postgres = await startClockedDatabase(join(folder, 'database'), clocks.database);
  database = openDatabase({ url: postgres.url, poolSize: 3 });
  address = await startServer(join(folder, 'server'), { ...environment(), RUN_JOBS: 'false' }).ready;
  await startWorker();
  receiver = await startReceiver();
});
afterEach(async () => {
  await killServers();
  await receiver?.close();
  await database?.close();
  await postgres?.stop();
  await Promise.all([clocks.servers.remove(), clocks.database.remove()]);
  await removeFolder(folder);
});

/** A practice whose texts, schedule and webhooks go on, in UTC. @param now of all clocks before they jump */
async function foundPractice(now: Date) {
  const { prisma } = database;
  const { organizationId, survey } = await askingPractice({ database }, { timeZone: 'UTC' });
  const { id: patientId } = await createRecipient({ database }, organizationId);
  const { id: endpointId } = await prisma.webhookEndpoint.create({ data: { organizationId, url: receiver.url } });
  // Due in half an hour: a clock that is an hour ahead says so, and one that was set back says that it is still to come.
  const at = new Date(Math.floor(now.getTime() / 60_000) * 60_000 + 30 * 60_000);
  const { id: scheduleId } = await prisma.scheduledCheckIn.create({
    data: {
      organizationId,
      name: 'Daily',
      scheduleTime: at.toISOString().slice(11, 16),
      schedulePeriod: 'daily',
      startsOn: new Date(at.toISOString().slice(0, 10)),
      nextRunAt: at,
      surveys: { create: { surveyTypeId: survey.id } },
      recipients: { create: { patientId, channel: 'sms' } },
    },
  });
  const user = await signInToApp(address, prisma, organizationId);
  let texts = 0;
  return {
    organizationId,
    endpointId,
    user,
    scheduled: () => prisma.checkIn.count({ where: { organizationId, scheduledCheckInId: scheduleId } }),
    async text() {
      texts += 1;
      const body = { message: `Text ${texts}`, sms_email: 'sms', recipient_id: patientId, survey_type_id: survey.id };
      const answer = await postOnce(user, '/checkin/send', body);
      expect(answer.status, answer.text).toBe(201);
    },
    unsent: () => prisma.smsMessage.count({ where: { organizationId, state: 'queued' } }),
    arrived: () => prisma.carrierText.findMany({ select: { body: true, reference: true } }),
    texts: () => texts,
  };
}

/** Somebody who stays in a video room, and whose browser says so now and then. */
async function openRoom({ user }: Practice) {
  const { host_link: link } = JSON.parse((await user('GET', '/meet-session')).text).data;
  const answer = await fetch(`${address}${pathOf(link)}/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const room = await connect({ address }, JSON.parse(await answer.text()).token);
  await room.next('entered');
  const beat = setInterval(() => room.send({ type: 'ping' }), 2_000);
  void room.closed.then(() => clearInterval(beat));
  return room;
}

/** The worker is killed with a text in its hands: it has begun the job, and nothing follows. */
async function killWithJob(practice: Practice): Promise<void> {
  worker.kill('SIGKILL');
  await worker.exited;
  await practice.text();
  await database.prisma.$executeRaw`
    UPDATE queue.job SET state = 'active', started_on = now(), heartbeat_on = now() WHERE name = 'send-text' AND state = 'created'`;
}

/** The command that looks for faults of an installation sees that the clocks differ, or that they do not. */
async function proveDoctorSees(differ: boolean): Promise<void> {
  const command: [string, ...string[]] = [process.execPath, 'scripts/admin.mjs', 'doctor', '--only', 'clock'];
  const { stdout } = await startServer(join(folder, 'server'), environment(), { command }).exited;
  expect(stdout).toMatch(differ ? /^fail +clock/ : /^ok +clock/);
}

type Practice = Awaited<ReturnType<typeof foundPractice>>;

/** Each event of the practice came to the receiver. */
async function allTold({ endpointId }: Practice): Promise<boolean> {
  const [told] = await database.prisma.$queryRaw<{ open: number; behind: number }[]>`
    SELECT (SELECT count(*)::int FROM webhook_delivery WHERE webhook_endpoint_id = ${endpointId} AND state <> 'delivered') AS open,
           (SELECT count(*)::int FROM event v JOIN webhook_endpoint e USING (organization_id)
             WHERE e.id = ${endpointId} AND (v.transaction_id, v.id) > (e.last_transaction_id, e.last_event_id)) AS behind`;
  return told?.open === 0 && told.behind === 0;
}

describe.each<[string, ('servers' | 'database')[]]>(
  IS_PROOF
    ? [
        ['the servers', ['servers']],
        ['the database', ['database']],
        ['all machines', ['servers', 'database']],
      ]
    : [['all machines', ['servers', 'database']]],
)('when the clock of %s jumps by an hour', (whose, which) => {
  it('callers hear no error and wait for nothing, and all work goes on at once', { timeout: 600_000 }, async () => {
    const practice = await foundPractice(new Date());
    const calls = await startCalls(address, postgres.url);
    const room = await openRoom(practice);
    for (const [index, ahead] of COURSE.entries()) {
      // Work is under way: a text was queued a moment ago, and a delivery waits for its next attempt.
      receiver.answer(503);
      await practice.text();
      await sleep(1_000);
      await practice.text();
      const dies = COURSE[index - 1] === HOUR;
      if (dies) await killWithJob(practice);
      await Promise.all(which.map((one) => clocks[one].set(ahead)));
      receiver.answer(204);
      if (dies) await startWorker();
      const start = performance.now();
      await practice.text();
      await eventually('all texts are sent', async () => (await practice.unsent()) === 0, AT_ONCE_MS);
      await eventually('all is told to the receiver', () => allTold(practice), AT_ONCE_MS);
      console.log(`  ${whose} ${ahead / HOUR} h ahead: all work was done after ${((performance.now() - start) / 1_000).toFixed(1)} s`);
      await proveDoctorSees(which.length === 1 && ahead !== 0);
      await sleep(STAYS_MS);
    }
    await calls.stop();
    expect(room.heard.filter(({ type }) => type === 'problem' || type === 'closing')).toEqual([]);
    expect(await database.prisma.sessionParticipant.count({ where: { organizationId: practice.organizationId, leftAt: null } })).toBe(1);
    room.close();
    const counts = [...calls.seen.statuses].map(([status, count]) => `${count} times ${status}`).join(', ');
    console.log(`  ${whose}: ${counts}; the slowest answer took ${Math.round(calls.seen.slowestMs)} ms`);
    expect([...calls.seen.statuses.keys()].filter((status) => ![200, 401, 503].includes(status))).toEqual([]);
    expect(calls.seen.slowestMs).toBeLessThan(LIMIT_MS);
    const arrived = await practice.arrived();
    expect(await practice.scheduled()).toBe(which.includes('servers') ? 1 : 0);
    expect(arrived).toHaveLength(practice.texts() + (await practice.scheduled()));
    expect(new Set(arrived.map(({ reference }) => reference)).size).toBe(arrived.length);
    for (const create of calls.creates.filter(({ acknowledged }) => acknowledged === null)) await insist(calls.clinic(), create);
    await proveExactlyOnce(postgres.url, join(folder, 'server'), calls.organizationId, calls.creates);
  });
});
