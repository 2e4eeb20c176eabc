import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { NewEvent } from '../../journal.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { lockSession } from '../sessions/sessions.ts';
import { notifyRoom } from '../sessions/signals.ts';

const WITH_INVITE = { invite: { select: { patientId: true, appointmentId: true } } } as const satisfies Prisma.SessionParticipantInclude;
/** A participant of a session, who came with an invite or without one. */
export type AttachedGuest = Prisma.SessionParticipantGetPayload<{ include: typeof WITH_INVITE }>;

/**
 * A host says which patient of the practice a guest is, by last name and birth date, and of twins by the first name too. Names that are
 * the same to a person match (values/same-text.ts), and exactly one chart has to. Restricted and blocked charts do not.
 * @param birthDate midnight UTC
 * @throws Failure conflict: no_patient where not exactly one chart matches; else as attachPatient
 */
export async function attachMatchingPatient(
  tx: Tx,
  sessionId: number,
  { person, lastName, firstName = '', birthDate }: { person: number; lastName: string; firstName?: string | undefined; birthDate: Date },
): Promise<AttachedGuest> {
  const found = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT p.id FROM patient p
     WHERE p.organization_id = ${tx.organizationId} AND p.birth_date = ${birthDate.toISOString().slice(0, 10)}::date
       AND without_separators(p.last_name_folded) = without_separators(fold(${lastName}))
       AND (${firstName.trim()} = '' OR without_separators(fold(p.first_name)) = without_separators(fold(${firstName}))) AND p.status <> 'deleted' AND p.enterprise_id IS NULL
       AND NOT p.restricted LIMIT 2`;
  const [only] = found;
  if (!only) throw conflict('no_patient', 'No patient of the practice has this name and birth date.');
  if (found.length > 1) throw conflict('no_patient', 'Several patients have this name and birth date. Enter the first name as well.');
  return attachPatient(tx, sessionId, { person, patientId: only.id });
}

/**
 * Says which patient of the practice a guest is who came without a chart, or that it was none of them. The visit since the guest was
 * admitted is the patient's, and so are the pictures and recordings that showed the guest and belonged to nobody. A wrong choice is
 * corrected by another one.
 * @param patientId null for nobody
 * @throws Failure not_found for an unknown person or patient; conflict: not_a_guest for a host, and for who was invited as a patient
 */
export async function attachPatient(
  tx: Tx,
  sessionId: number,
  { person, patientId }: { person: number; patientId: number | null },
): Promise<AttachedGuest> {
  await lockSession(tx, sessionId);
  const before = await tx.prisma.sessionParticipant.findFirst({
    where: { ...tx.practice, id: person, videoSessionId: sessionId },
    include: WITH_INVITE,
  });
  if (!before) throw notFound('participant');
  if (before.role !== 'guest' || (before.invite?.patientId ?? null) !== null)
    throw conflict('not_a_guest', 'A chart can be attached only to a guest who was invited without one.');
  if (before.patientId !== null) await findPatient(tx, before.patientId);
  if (patientId !== null) await findPatient(tx, patientId, 'patientId');
  if (before.patientId === patientId) return before;
  const key = tx.key(person);
  const attached = await tx.prisma.sessionParticipant.update({ where: key, data: { patientId }, include: WITH_INVITE });
  const patients = [before.patientId, patientId].flatMap((id) => id ?? []);
  recordRead(tx, 'patient', patients);
  const name = patientId === null ? 'session_participant.patient_detached' : 'session_participant.patient_attached';
  recordChange(tx, 'update', { name, id: person, changed: ['patientId'] }, patients);
  await attachVisits(tx, { guest: before, patientId });
  await attachMedia(tx, { person, from: before.patientId, to: patientId });
  notifyRoom(tx, `session:${sessionId}`, { type: 'changed' });
  return attached;
}

interface Attachment {
  /** As it was before. */
  guest: AttachedGuest;
  patientId: number | null;
}

/** Gives the visit of a guest to a patient, from the beginning of the guest's admission. */
async function attachVisits(tx: Tx, { guest, patientId }: Attachment): Promise<void> {
  if (guest.patientId !== null) await endAttachedVisit(tx, guest);
  const began = findBeginning(guest);
  if (patientId === null || began === null) return;
  const { organizationId } = tx;
  const { videoSessionId, invite } = guest;
  const visit = guest.visit ?? 0;
  const until = guest.leftAt ?? (await sinceWhenWithoutHost(tx.prisma, guest));
  const endedAt = until !== null && until < began ? began : until;
  // The patient may be in the room at a second device already.
  const [standing] = await tx.prisma.$queryRaw<{ id: number; startedAt: Date }[]>`
    SELECT id, started_at AS "startedAt" FROM telehealth_visit
     WHERE organization_id = ${organizationId} AND video_session_id = ${videoSessionId} AND patient_id = ${patientId} AND visit = ${visit}
       AND tstzrange(started_at, ended_at, '[]') && tstzrange(${began}::timestamptz, ${endedAt}::timestamptz, '[]')
     ORDER BY started_at LIMIT 1`;
  if (standing) {
    if (standing.startedAt <= began) return;
    const where = tx.key(standing.id);
    await tx.prisma.telehealthVisit.update({ where, data: { startedAt: began }, select: { id: true } });
    recordVisit(tx, 'update', { name: 'telehealth_visit.updated', id: standing.id, changed: ['startedAt'] }, patientId);
    return;
  }
  const session = await tx.prisma.videoSession.findUniqueOrThrow({
    where: tx.key(videoSessionId),
    select: { appointmentId: true },
  });
  const appointmentId = invite?.appointmentId ?? session.appointmentId;
  const data = { organizationId, videoSessionId, visit, patientId, appointmentId, startedAt: began, endedAt };
  const { id } = await tx.prisma.telehealthVisit.create({ data, select: { id: true } });
  recordVisit(tx, 'create', { name: 'telehealth_visit.started', id }, patientId);
}

/** The start of the newest stay of a guest in the room; null for one who was never in it. */
function findBeginning({ admittedAt, joinedAt }: AttachedGuest): Date | null {
  if (admittedAt === null || joinedAt === null) return null;
  return admittedAt > joinedAt ? admittedAt : joinedAt;
}

/** When the last host left the room of a guest; null while one is in it. */
async function sinceWhenWithoutHost(db: Db, { organizationId, videoSessionId }: AttachedGuest): Promise<Date | null> {
  const hosts = await db.sessionParticipant.findMany({
    where: { organizationId, videoSessionId, role: 'host', joinedAt: { not: null } },
    select: { leftAt: true },
  });
  if (hosts.some(({ leftAt }) => leftAt === null)) return null;
  return hosts.reduce<Date | null>((last, { leftAt }) => (leftAt && (!last || leftAt > last) ? leftAt : last), null);
}

/** Takes the visits of the guest's stay from a patient who was attached wrongly, unless the patient was there by another way too. */
async function endAttachedVisit(tx: Tx, guest: AttachedGuest): Promise<void> {
  const { organizationId, videoSessionId, patientId, leftAt } = guest;
  const began = findBeginning(guest);
  if (began === null || patientId === null) return;
  const others = { organizationId, videoSessionId, patientId, id: { not: guest.id }, joinedAt: { not: null } };
  if ((await tx.prisma.sessionParticipant.count({ where: others })) > 0) return;
  const removed = await tx.prisma.$queryRaw<{ id: number }[]>`
    DELETE FROM telehealth_visit
     WHERE organization_id = ${organizationId} AND video_session_id = ${videoSessionId} AND patient_id = ${patientId}
       AND tstzrange(started_at, ended_at, '[]') && tstzrange(${began}::timestamptz, ${leftAt}::timestamptz, '[]') RETURNING id`;
  for (const { id } of removed) recordVisit(tx, 'delete', { name: 'telehealth_visit.deleted', id }, patientId);
}

function recordVisit(caller: Caller, action: 'create' | 'update' | 'delete', visit: NewEvent, patientId: number): void {
  recordChange(caller, action, visit, [patientId]);
}

/** The patients to whom the pictures and recordings of a guest belonged, and belong now. Null for nobody. */
interface NewOwner {
  /** Participant who is shown, or who took a still. */
  person: number;
  from: number | null;
  to: number | null;
}

/** Gives the pictures and recordings of a guest to a patient; those that were given to somebody else stay there. */
async function attachMedia(tx: Tx, owner: NewOwner): Promise<void> {
  const { organizationId } = tx;
  const { person, from, to } = owner;
  const patients = [from, to].flatMap((id) => id ?? []);
  const images = await tx.prisma.$queryRaw<{ id: number }[]>`
    UPDATE session_image SET patient_id = ${to}
     WHERE organization_id = ${organizationId} AND patient_id IS NOT DISTINCT FROM ${from}::int
       AND (shown_participant_id = ${person} OR shown_participant_id IS NULL AND maker_participant_id = ${person}) RETURNING id`;
  const videos = await tx.prisma.$queryRaw<{ id: number }[]>`
    UPDATE session_video SET patient_id = ${to}
     WHERE organization_id = ${organizationId} AND patient_id IS NOT DISTINCT FROM ${from}::int AND shown_participant_id = ${person}
    RETURNING id`;
  for (const [subject, rows] of [['session_image', images] as const, ['session_video', videos] as const])
    for (const { id } of rows) recordChange(tx, 'update', { name: `${subject}.updated`, id, changed: ['patientId'] }, patients);
}
