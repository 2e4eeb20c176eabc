import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordHeartbeats } from '../../src/domain/telehealth/presence/presence-heartbeats.ts';
import { reconcilePresence } from '../../src/jobs/reconcile-presence.ts';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { enter, findLink, openMeeting, silence } from './room.ts';

const test = await sharedTestApp();
const other = await secondTestApp();
const host = await signedInUser(test, { organizationId: await practiceWithNumber(test), type: 'provider' });

/** A session, and a patient's own link to it. */
async function invitePatient() {
  const { organizationId } = host;
  const session = await openMeeting(host);
  const patient = await createPatient(test.database.prisma, { organizationId, firstName: 'Pia', mobilePhone: '+12125550123' });
  const invite = await host.post(`/video-session/${session.guid}/invite`).send({ patient_id: patient.id }).expect(201);
  return { session, patient, link: await findLink(test, organizationId, invite.body.data.uuid) };
}

/** Both in the room. */
async function meetPatient() {
  const { session, patient, link } = await invitePatient();
  const leader = await enter(test, session.host);
  const visitor = await enter(other, link);
  expect(visitor.answer).toMatchObject({ state: 'waiting', you: { name: 'Pia' } });
  leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
  await visitor.next('admitted');
  await visitor.next('room');
  await expect.poll(() => listVisits(patient.id), { timeout: 20_000 }).toHaveLength(1);
  return { session, patient, link, leader, visitor };
}

const listVisits = (patientId: number) =>
  test.database.prisma.telehealthVisit.findMany({
    where: { organizationId: host.organizationId, patientId },
    orderBy: { startedAt: 'asc' },
  });

describe('a visit', () => {
  it('runs from when patient and host are both in the room to when one of them hangs up', async () => {
    const { session, patient, link } = await invitePatient();
    const visitor = await enter(test, link);
    const leader = await enter(test, session.host);
    expect(await listVisits(patient.id)).toEqual([]);
    const before = Date.now();
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    const [running] = await listVisits(patient.id);
    expect(running).toMatchObject({ videoSessionId: session.uuid, endedAt: null });
    expect(running?.startedAt.getTime()).toBeGreaterThanOrEqual(before - 1);
    leader.send({ type: 'leave' });
    expect(await leader.next('closing')).toMatchObject({ code: 'left' });
    const [ended] = await listVisits(patient.id);
    expect(ended?.endedAt?.getTime()).toBeGreaterThanOrEqual(running?.startedAt.getTime() ?? Infinity);
    visitor.close();
  });

  it('ends when somebody was last heard of whose line was lost, though nobody said so', async () => {
    const { patient, leader, visitor } = await meetPatient();
    await test.database.prisma.telehealthVisit.updateMany({
      where: { patientId: patient.id },
      data: { startedAt: new Date(Date.now() - 600_000) },
    });
    visitor.close();
    leader.close();
    await Promise.all([visitor.closed, leader.closed]);
    await silence(test, 'participant', visitor.answer.you.id, 35);
    const first = await silence(test, 'participant', leader.answer.you.id, 50);
    await Promise.all([reconcilePresence(test.services), reconcilePresence(other.services)]);
    expect(await listVisits(patient.id)).toMatchObject([{ endedAt: first }]);
    const left = await test.database.prisma.event.count({ where: { name: 'session_participant.left', subjectId: visitor.answer.you.id } });
    expect(left).toBe(1);
  });

  it('leaves who was heard of within 30 seconds in the room', async () => {
    const { patient, visitor } = await meetPatient();
    visitor.close();
    await visitor.closed;
    await silence(test, 'participant', visitor.answer.you.id, 10);
    await reconcilePresence(test.services);
    expect(await listVisits(patient.id)).toMatchObject([{ endedAt: null }]);
  });

  it('goes on after a short loss; after a long one the patient waits anew, and it is a new one', async () => {
    const { patient, link, leader, visitor } = await meetPatient();
    await test.database.prisma.telehealthVisit.updateMany({
      where: { patientId: patient.id },
      data: { startedAt: new Date(Date.now() - 600_000) },
    });
    visitor.close();
    await visitor.closed;
    await silence(test, 'participant', visitor.answer.you.id, 35);
    await reconcilePresence(test.services);
    const again = await enter(test, link, { resume: visitor.answer.resume });
    expect(again.answer.state).toBe('admitted');
    const [same] = await listVisits(patient.id);
    expect(same).toMatchObject({ endedAt: null });

    again.close();
    await again.closed;
    const lost = await silence(test, 'participant', visitor.answer.you.id, 70);
    await reconcilePresence(test.services);
    const anew = await enter(other, link, { resume: visitor.answer.resume });
    expect(anew.answer).toMatchObject({ state: 'waiting', you: { name: 'Pia' } });
    expect(anew.answer.you.id).not.toBe(visitor.answer.you.id);
    leader.send({ type: 'admit', guest: `participant:${anew.answer.you.id}` });
    await anew.next('admitted');
    expect(await listVisits(patient.id)).toMatchObject([
      { id: same?.id, endedAt: lost, visit: 1 },
      { endedAt: null, visit: 2 },
    ]);
  });

  it('is taken up again by a connection that outlived the moment in which its person was taken for gone', async () => {
    const { patient, visitor } = await meetPatient();
    // As after an outage of the database in which no heartbeat could be noted.
    const gone = { id: visitor.answer.you.id };
    await test.database.prisma.sessionParticipant.updateMany({ where: gone, data: { leftAt: new Date() } });
    const [visit] = await listVisits(patient.id);
    await test.database.prisma.telehealthVisit.updateMany({ where: { id: visit?.id ?? 0 }, data: { endedAt: new Date() } });
    await expect.poll(async () => listVisits(patient.id), { timeout: 20_000 }).toMatchObject([{ id: visit?.id, endedAt: null }]);
  });

  it('carries the appointment of its session', async () => {
    const { session, patient, link } = await invitePatient();
    const { organizationId } = host;
    const appointment = await test.database.prisma.appointment.create({
      data: { organizationId, patientId: patient.id, timeZone: 'America/New_York', durationMinutes: 20 },
    });
    await test.database.prisma.videoSession.updateMany({ where: { id: session.uuid }, data: { appointmentId: appointment.id } });
    const leader = await enter(test, session.host);
    const visitor = await enter(test, link);
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    expect(await listVisits(patient.id)).toMatchObject([{ appointmentId: appointment.id }]);
  });

  it('that runs though nobody is in the room ends when the last one was heard of', async () => {
    const { session, patient, leader, visitor } = await meetPatient();
    for (const { close, closed } of [leader, visitor]) {
      close();
      await closed;
    }
    const { prisma } = test.database;
    const lastSeenAt = new Date(Date.now() - 20_000);
    await prisma.telehealthVisit.updateMany({ where: { patientId: patient.id }, data: { startedAt: new Date(Date.now() - 300_000) } });
    await prisma.sessionParticipant.updateMany({
      where: { videoSessionId: session.uuid },
      data: { joinedAt: lastSeenAt, lastSeenAt, leftAt: lastSeenAt },
    });
    await reconcilePresence(test.services);
    const [visit] = await listVisits(patient.id);
    expect(visit).toMatchObject({ endedAt: lastSeenAt });
    expect(await prisma.event.count({ where: { name: 'telehealth_visit.ended', subjectId: visit?.id ?? 0 } })).toBe(1);
  });

  it('cannot overlap another of the same patient in the same session: the database refuses it', async () => {
    const { patient, session } = await meetPatient();
    const { organizationId } = host;
    const data = { organizationId, videoSessionId: session.uuid, patientId: patient.id };
    const now = Date.now();
    await expect(test.database.prisma.telehealthVisit.create({ data: { ...data, startedAt: new Date(now) } })).rejects.toThrow();
    const [visit] = await listVisits(patient.id);
    const inside = { startedAt: new Date(visit?.startedAt ?? now), endedAt: new Date(now + 60_000) };
    await expect(test.database.prisma.telehealthVisit.create({ data: { ...data, ...inside } })).rejects.toThrow(
      /telehealth_visit_no_overlap/,
    );
  });
});

describe('a connection', () => {
  it('that another took the place of keeps nobody in the room', async () => {
    const { visitor } = await meetPatient();
    const { id } = visitor.answer.you;
    visitor.close();
    await visitor.closed;
    const lost = await silence(test, 'participant', id, 20);
    const older = { kind: 'participant', organizationId: host.organizationId, id, connection: randomUUID(), age: 0 } as const;
    expect(await recordHeartbeats(test.database.prisma, [older])).toEqual(new Set([older.connection]));
    expect(await test.database.prisma.sessionParticipant.findFirst({ where: { id } })).toMatchObject({ lastSeenAt: lost });
  });
});

describe('a session', () => {
  it('that ran out ended when the last one left it', async () => {
    const { session, leader, visitor } = await meetPatient();
    for (const { close, closed } of [leader, visitor]) {
      close();
      await closed;
    }
    await silence(test, 'participant', leader.answer.you.id, 300);
    const last = await silence(test, 'participant', visitor.answer.you.id, 200);
    await test.database.prisma.videoSession.updateMany({ where: { id: session.uuid }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await reconcilePresence(test.services);
    const where = { organizationId_id: { organizationId: host.organizationId, id: session.uuid } };
    expect(await test.database.prisma.videoSession.findUnique({ where })).toMatchObject({ endedAt: last });
  });
});

describe('a session that everybody has left', () => {
  const db = test.database.prisma;
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const readEnd = async (id: number) => (await db.videoSession.findFirstOrThrow({ where: { id } })).endedAt;

  /** The host, and a guest where one is let in, left that long ago. */
  async function desertedFor(minutes: number, guest: object | null = {}) {
    const session = await openMeeting(host);
    const key = { organizationId: host.organizationId, videoSessionId: session.uuid };
    const leftAt = minutesAgo(minutes);
    const was = { ...key, joinedAt: minutesAgo(30), admittedAt: minutesAgo(30), lastSeenAt: leftAt, leftAt };
    await db.sessionParticipant.create({ data: { ...was, role: 'host', userId: host.user.id } });
    if (guest) await db.sessionParticipant.create({ data: { ...was, role: 'guest', visit: 1, ...guest } });
    await db.videoSession.updateMany({ where: { id: session.uuid }, data: { startedAt: minutesAgo(30), visit: guest ? 1 : 0 } });
    return { ...session, leftAt };
  }

  it('ends after ten minutes, when the last one left, and not while a guest waits, nor one that never began', async () => {
    const [long, short, waited] = [await desertedFor(11), await desertedFor(9), await desertedFor(11)];
    const unused = await openMeeting(host);
    await enter(test, waited.guest, { name: 'Gus' });
    await reconcilePresence(test.services);
    expect(await readEnd(long.uuid)).toEqual(long.leftAt);
    for (const { uuid } of [short, waited, unused]) expect(await readEnd(uuid)).toBeNull();
  });

  it('stays open after its host alone was there, while somebody who was invited may still come', async () => {
    const [alone, expecting] = [await desertedFor(11, null), await desertedFor(11, null)];
    await host.post(`/video-session/${expecting.guid}/invite`).send({ email: 'late@example.com' }).expect(201);
    await reconcilePresence(test.services);
    expect(await readEnd(alone.uuid)).toEqual(alone.leftAt);
    expect(await readEnd(expecting.uuid)).toBeNull();
  });
});
