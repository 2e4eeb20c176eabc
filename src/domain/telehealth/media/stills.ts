import { databaseTime } from '../../../database/clock.ts';
import type { StillRequest } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { conflict, forbidden, invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { countCharacters } from '../../values/text-form.ts';
import type { ParticipantMember } from '../sessions/room-tokens.ts';
import { lockSession } from '../sessions/sessions.ts';
import { notifyRoom } from '../sessions/signals.ts';
import { LONGEST_BODY_SITE, type NewMedia } from './media.ts';
import { findMaker } from './media-owners.ts';

/** Milliseconds within which a still that was asked for may be sent. */
const STILL_MS = 5 * 60_000;

export type StillState = 'asked' | 'taken' | 'refused';

/** A request for a clinical still, as its guest and the hosts see it. */
export interface Still {
  id: number;
  participantId: number;
  bodySite: string | null;
  state: StillState;
  imageId: number | null;
}

const toState = ({ takenAt, refusedAt }: StillRequest): StillState =>
  takenAt !== null ? 'taken' : refusedAt !== null ? 'refused' : 'asked';

/**
 * A host asks a guest of the present visit for a still. An earlier request to the guest that still waits counts as refused.
 * @throws Failure conflict: unknown_peer; invalid for a body site that is too long
 */
export async function askStill(
  tx: Tx,
  { id: hostId, sessionId }: ParticipantMember,
  { to, bodySite }: { to: number; bodySite: string | null },
): Promise<void> {
  if (bodySite !== null && countCharacters(bodySite) > LONGEST_BODY_SITE)
    throw invalid('body_site', `must have at most ${LONGEST_BODY_SITE} characters`, 'too_big');
  const { session, now } = await lockSession(tx, sessionId);
  const guest = await tx.prisma.sessionParticipant.findFirst({
    where: {
      ...tx.practice,
      id: to,
      videoSessionId: sessionId,
      role: 'guest',
      visit: session.visit,
      joinedAt: { not: null },
      leftAt: null,
    },
    select: { patientId: true },
  });
  if (!guest || session.endedAt !== null) throw conflict('unknown_peer', 'This person is not in the room.');
  const waiting = { ...tx.practice, participantId: to, takenAt: null, refusedAt: null };
  await tx.prisma.stillRequest.updateMany({ where: waiting, data: { refusedAt: now } });
  const data = { ...tx.practice, videoSessionId: sessionId, participantId: to, hostId, bodySite, askedAt: now };
  const { id } = await tx.prisma.stillRequest.create({ data, select: { id: true } });
  recordChange(tx, 'create', { name: 'still_request.asked', id }, toPatientIds(guest));
  notifyRoom(tx, `session:${sessionId}`, { type: 'still' });
}

/** The guest takes no still. Does nothing for a request that waits no more. */
export async function refuseStill(tx: Tx, { id: participantId, sessionId }: ParticipantMember, id: number): Promise<void> {
  const { count } = await tx.prisma.stillRequest.updateMany({
    where: { ...tx.practice, id, participantId, takenAt: null, refusedAt: null },
    data: { refusedAt: await databaseTime(tx.prisma) },
  });
  if (count === 0) return;
  recordChange(tx, 'update', { name: 'still_request.refused', id, changed: ['refusedAt'] });
  notifyRoom(tx, `session:${sessionId}`, { type: 'still' });
}

/** The requests of the last minutes that a participant sees: a guest those that wait for this guest, a host all of the session. */
export async function listStills(tx: Tx, member: ParticipantMember): Promise<Still[]> {
  const askedAt = { gt: new Date((await databaseTime(tx.prisma)).getTime() - STILL_MS) };
  const { sessionId: videoSessionId, id: participantId, role } = member;
  const mine = role === 'host' ? {} : { participantId, takenAt: null, refusedAt: null };
  const rows = await tx.prisma.stillRequest.findMany({
    where: { ...tx.practice, videoSessionId, askedAt, ...mine },
    orderBy: { id: 'asc' },
  });
  return rows.map((row) => ({
    id: row.id,
    participantId: row.participantId,
    bodySite: row.bodySite,
    state: toState(row),
    imageId: row.imageId,
  }));
}

/**
 * Checks that a guest may send this still: it was asked of this guest less than five minutes ago, and waits.
 * @throws Failure forbidden for any other; conflict still_over where it waits no more
 */
export async function requireWaitingStill(
  tx: Tx,
  { id: participantId, sessionId: videoSessionId }: ParticipantMember,
  id: number,
): Promise<StillRequest> {
  const still = await tx.prisma.stillRequest.findFirst({ where: { ...tx.practice, id, videoSessionId, participantId } });
  if (!still) throw forbidden('not_asked', 'This picture was not requested.');
  const isLate = still.askedAt.getTime() < (await databaseTime(tx.prisma)).getTime() - STILL_MS;
  if (isLate || toState(still) !== 'asked') throw conflict('still_over', 'Your practice no longer waits for this picture.');
  return still;
}

/**
 * Answers the request for a still with the picture that `save` saves: it belongs to the guest's patient, and shows what was asked for.
 * @throws Failure as requireWaitingStill
 */
export async function answerStill(
  tx: Tx,
  { member, id }: { member: ParticipantMember; id: number },
  save: (media: NewMedia) => Promise<number>,
): Promise<{ imageId: number; patientId: number | null }> {
  await tx.prisma.$queryRaw`SELECT id FROM still_request WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const { bodySite, participantId, hostId, videoSessionId } = await requireWaitingStill(tx, member, id);
  const { patientId } = await tx.prisma.sessionParticipant.findUniqueOrThrow({ where: tx.key(participantId), select: { patientId: true } });
  const makerUserId = await findMaker(tx, hostId);
  const people = { patientId, shownParticipantId: participantId, makerParticipantId: participantId, makerUserId };
  const imageId = await save({ videoSessionId, bodySite, ...people });
  await tx.prisma.stillRequest.update({
    where: tx.key(id),
    data: { takenAt: await databaseTime(tx.prisma), imageId },
    select: { id: true },
  });
  recordChange(tx, 'update', { name: 'still_request.taken', id, changed: ['takenAt', 'imageId'] }, toPatientIds({ patientId }));
  notifyRoom(tx, `session:${videoSessionId}`, { type: 'still' });
  return { imageId, patientId };
}
