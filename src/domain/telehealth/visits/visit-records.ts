import type { Db } from '../../../database/database.ts';
import type { VideoSession } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { ADMISSION_KEPT_MS } from '../sessions/participant-standing.ts';

/**
 * Starts and ends the telehealth visits of a locked session, so that one runs for each patient who is in the present visit
 * together with a host.
 * @param at the time of the change in the room
 */
export async function updateVisits(tx: Tx, session: VideoSession, at: Date): Promise<void> {
  const { organizationId, id: videoSessionId, visit } = session;
  const meeting = await findMeeting(tx.prisma, session);
  const running = await tx.prisma.telehealthVisit.findMany({ where: { organizationId, videoSessionId, endedAt: null } });
  for (const record of running) {
    if (record.visit === visit && record.patientId !== null && meeting.has(record.patientId)) meeting.delete(record.patientId);
    else await endVisit(tx, record, at);
  }
  for (const [patientId, appointmentId] of meeting)
    await startOrResumeVisit(tx, { videoSessionId, visit, patientId, appointmentId, startedAt: at });
}

/** The patients in the present visit together with a host, each with the appointment of the visit. */
async function findMeeting(db: Db, { organizationId, id: videoSessionId, visit, appointmentId }: VideoSession) {
  const people = await db.sessionParticipant.findMany({
    where: {
      organizationId,
      videoSessionId,
      admittedAt: { not: null },
      joinedAt: { not: null },
      leftAt: null,
      OR: [{ role: 'host' }, { visit }],
    },
    select: { role: true, patientId: true, invite: { select: { appointmentId: true } } },
    orderBy: { id: 'asc' },
  });
  const meeting = new Map<number, number | null>();
  if (people.some(({ role }) => role === 'host')) {
    for (const { patientId, invite } of people) if (patientId !== null) meeting.set(patientId, invite?.appointmentId ?? appointmentId);
  }
  return meeting;
}

async function endVisit(tx: Tx, record: EndedVisit & { startedAt: Date }, at: Date): Promise<void> {
  const { id, startedAt } = record;
  const endedAt = at < startedAt ? startedAt : at;
  await tx.prisma.telehealthVisit.update({ where: tx.key(id), data: { endedAt }, select: { id: true } });
  recordVisitEnded(tx, record);
}

interface EndedVisit {
  id: number;
  patientId: number | null;
}

export const recordVisitEnded = (caller: Caller, visit: EndedVisit): void =>
  recordChange(caller, 'update', { name: 'telehealth_visit.ended', id: visit.id, changed: ['endedAt'] }, toPatientIds(visit));

interface NewVisit {
  videoSessionId: number;
  visit: number;
  patientId: number;
  appointmentId: number | null;
  startedAt: Date;
}

/** Continues the record of a patient who left the same visit less than ADMISSION_KEPT_MS ago; else starts a new one. */
async function startOrResumeVisit(tx: Tx, record: NewVisit): Promise<void> {
  const { videoSessionId, visit, patientId } = record;
  const startedAt = await noEarlierThanVisitsBefore(tx, record);
  const last = await tx.prisma.telehealthVisit.findFirst({
    where: { ...tx.practice, videoSessionId, visit, patientId, endedAt: { gt: new Date(startedAt.getTime() - ADMISSION_KEPT_MS) } },
    orderBy: { endedAt: 'desc' },
    select: { id: true },
  });
  if (last) {
    await tx.prisma.telehealthVisit.update({ where: tx.key(last.id), data: { endedAt: null } });
    recordChange(tx, 'update', { name: 'telehealth_visit.resumed', id: last.id, changed: ['endedAt'] }, [patientId]);
    return;
  }
  const { id } = await tx.prisma.telehealthVisit.create({ data: { ...tx.practice, ...record, startedAt }, select: { id: true } });
  recordChange(tx, 'create', { name: 'telehealth_visit.started', id }, [patientId]);
}

/** The start of a record, which lies after the earlier visits of the session even if the clock was set back. */
async function noEarlierThanVisitsBefore(tx: PracticeTx, { videoSessionId, visit, startedAt }: NewVisit): Promise<Date> {
  const { _max: before } = await tx.prisma.telehealthVisit.aggregate({
    where: { ...tx.practice, videoSessionId, visit: { lt: visit } },
    _max: { endedAt: true },
  });
  return before.endedAt !== null && before.endedAt > startedAt ? before.endedAt : startedAt;
}
