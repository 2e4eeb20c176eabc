import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mendAfterClockSetBack } from '../../src/jobs/clock-set-back.ts';
import { enter, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { askingPractice, createRecipient } from '../support/check-ins.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const HOUR_MS = 3_600_000;
/** Milliseconds between the database's clock and this process's, and for what a test does in between. */
const CLOSE_MS = 20_000;

const test = await ownTestApp();
const sending = openQueueing(test);
await sending.outbox.open();
const organizationId = await practiceWithNumber(test);

const rows = () => test.database.prisma;
/** The first run of a process, which cannot know whether the clock was set back before it. */
const begin = () => mendAfterClockSetBack({ ...test.services, database: { ...test.database } });
const inAnHour = () => new Date(Date.now() + HOUR_MS);

/** Seconds from now until the times of the only job of the queue. */
async function jobTimes() {
  const [times] = await rows().$queryRaw<{ starts: number; beats: number | null }[]>`
    SELECT extract(epoch FROM start_after - now())::float8 AS starts, extract(epoch FROM heartbeat_on - now())::float8 AS beats FROM queue.job`;
  if (!times) throw new Error('there is no job');
  return times;
}

/** The queue with one text, whose job was written by a clock that is an hour ahead. */
async function jobOfAClockAhead(): Promise<void> {
  await rows().$executeRaw`DELETE FROM queue.job`;
  await sending.text(organizationId, { to: '+19195550123', body: 'Hello.' });
  await rows().$executeRaw`UPDATE queue.job SET created_on = now() + interval '1 hour', start_after = start_after + interval '1 hour'`;
}

describe('after the clock of the database was set back', () => {
  it('a job that an hour ahead had to start at once is due', async () => {
    await jobOfAClockAhead();
    await begin();
    expect((await jobTimes()).starts).toBeLessThanOrEqual(0);
  });

  it('a job that was put off keeps its time, counted from now', async () => {
    await jobOfAClockAhead();
    await rows().$executeRaw`UPDATE queue.job SET start_after = created_on + interval '2 hours'`;
    await begin();
    expect(Math.abs((await jobTimes()).starts * 1_000 - 2 * HOUR_MS)).toBeLessThan(CLOSE_MS);
  });

  it('a job of a worker that was killed is free after the usual time', async () => {
    await jobOfAClockAhead();
    await rows().$executeRaw`UPDATE queue.job SET state = 'active', started_on = created_on, heartbeat_on = created_on`;
    await rows().$executeRaw`UPDATE queue.queue SET monitor_on = now() + interval '1 hour'`;
    await begin();
    expect((await jobTimes()).beats).toBeLessThanOrEqual(0);
    const [queues] = await rows().$queryRaw<{ blind: number }[]>`SELECT count(*)::int AS blind FROM queue.queue WHERE monitor_on > now()`;
    expect(queues?.blind).toBe(0);
  });

  it('deliveries are due, but for those that are being sent', async () => {
    const endpoint = await rows().webhookEndpoint.create({ data: { organizationId, url: 'http://127.0.0.1:1/hook' } });
    const delivery = {
      organizationId,
      webhookEndpointId: endpoint.id,
      eventId: 1,
      eventName: 'item.updated',
      subjectType: 'item',
      payload: '{}',
    };
    const [waiting, underWay, later] = [
      { sequence: 1, subjectId: 1, nextAttemptAt: inAnHour(), createdAt: inAnHour() },
      { sequence: 2, subjectId: 2, nextAttemptAt: inAnHour(), claimedUntil: inAnHour() },
      { sequence: 3, subjectId: 3, nextAttemptAt: inAnHour() },
    ];
    await rows().webhookDelivery.createMany({ data: [waiting, underWay, later].flatMap((one) => (one ? [{ ...delivery, ...one }] : [])) });
    await begin();
    const found = await rows().webhookDelivery.findMany({ where: { webhookEndpointId: endpoint.id }, orderBy: { sequence: 'asc' } });
    const waits = found.map(({ nextAttemptAt }) => (nextAttemptAt?.getTime() ?? Number.NaN) - Date.now());
    expect(waits[0]).toBeLessThanOrEqual(CLOSE_MS);
    expect(Math.abs((waits[1] ?? 0) - 30_000)).toBeLessThan(CLOSE_MS);
    expect(Math.abs((waits[2] ?? 0) - HOUR_MS)).toBeLessThan(CLOSE_MS);
  });

  it('nobody waits for longer than one period until others are told of an alert', async () => {
    const { organizationId: practice, survey } = await askingPractice(test);
    const { id: patientId } = await createRecipient(test, practice);
    const { id: checkInId } = await rows().checkIn.create({
      data: {
        organizationId: practice,
        patientId,
        surveyTypeId: survey.id,
        channel: 'sms',
        message: 'How are you?',
        linkHash: randomBytes(32),
        expiresAt: inAnHour(),
      },
    });
    const alert = {
      organizationId: practice,
      patientId,
      checkInId,
      kind: 'missed_check_in',
      severity: 'watch',
      gravity: 1,
      occurredAt: new Date(),
    };
    const { id } = await rows().monitoringAlert.create({ data: { ...alert, escalateAt: inAnHour() } });
    await begin();
    const { escalateAt } = await rows().monitoringAlert.findUniqueOrThrow({
      where: { organizationId_id: { organizationId: practice, id } },
    });
    expect((escalateAt?.getTime() ?? Number.NaN) - Date.now()).toBeLessThan(HOUR_MS / 2);
  });

  it('who leaves a room without a word is missed after the usual time', async () => {
    const host = await signedInUser(test, { organizationId, type: 'provider' });
    const leader = await enter(test, (await openMeeting(host)).host);
    await rows().sessionParticipant.updateMany({ where: { id: leader.answer.you.id }, data: { lastSeenAt: inAnHour() } });
    await begin();
    const { lastSeenAt } = await rows().sessionParticipant.findFirstOrThrow({ where: { id: leader.answer.you.id } });
    expect(lastSeenAt.getTime() - Date.now()).toBeLessThan(CLOSE_MS);
    leader.close();
  });
});

it('what is to come is left alone while the clock goes its way', async () => {
  const deps = { ...test.services, database: { ...test.database } };
  await mendAfterClockSetBack(deps);
  await jobOfAClockAhead();
  await mendAfterClockSetBack(deps);
  expect((await jobTimes()).starts * 1_000).toBeGreaterThan(HOUR_MS - CLOSE_MS);
});
