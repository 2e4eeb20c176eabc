import { databaseTime } from '../../../database/clock.ts';
import type { NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';
import { recordLeft } from '../presence/presence.ts';
import { lockSession } from '../sessions/sessions.ts';
import { notifyRoom } from '../sessions/signals.ts';
import { endWaitingRoomVisit, lockVisit } from './waiting-room-visits.ts';

/** People who wait for an appointment that is cancelled or moved hear of it on the page, and wait no more. */
export async function dismissWaiting(tx: Tx, { id: appointmentId, name, mayBeAwaited = true }: NewEvent): Promise<void> {
  if (!mayBeAwaited) return;
  const notice = { type: name === 'appointment.cancelled' ? 'appointment_cancelled' : 'appointment_moved' } as const;
  const waiting = { ...tx.practice, role: 'guest', admittedAt: null, leftAt: null };
  const guests = await tx.prisma.sessionParticipant.findMany({
    where: {
      ...waiting,
      OR: [{ invite: { ...tx.practice, appointmentId } }, { inviteId: null, session: { ...tx.practice, appointmentId } }],
    },
    orderBy: [{ videoSessionId: 'asc' }, { id: 'asc' }],
  });
  for (const participant of guests) {
    const { session, now } = await lockSession(tx, participant.videoSessionId);
    await recordLeft(tx, session, [{ participant, at: now }]);
    notifyRoom(tx, `participant:${participant.id}`, notice);
  }
  const visits = await tx.prisma.waitingRoomVisit.findMany({
    where: { ...tx.practice, appointmentId, leftAt: null },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  for (const { id } of visits) {
    await endWaitingRoomVisit(tx, await lockVisit(tx, id), await databaseTime(tx.prisma));
    notifyRoom(tx, `visit:${id}`, notice);
  }
}
