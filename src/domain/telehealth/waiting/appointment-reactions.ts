import { databaseTime } from '../../../database/clock.ts';
import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import { recordLeft } from '../presence/presence.ts';
import { lockSession } from '../sessions/sessions.ts';
import { notifyRoom } from '../sessions/signals.ts';
import { endWaitingRoomVisit, lockVisit } from './waiting-room-visits.ts';

/** People who wait for an appointment that is cancelled or moved hear of it on the page, and wait no more. */
export async function dismissWaiting(db: Db, caller: Caller, { id: appointmentId, name, mayBeAwaited = true }: NewEvent): Promise<void> {
  if (!mayBeAwaited) return;
  const { organizationId } = caller;
  const notice = { type: name === 'appointment.cancelled' ? 'appointment_cancelled' : 'appointment_moved' } as const;
  const waiting = { organizationId, role: 'guest', admittedAt: null, leftAt: null };
  const guests = await db.sessionParticipant.findMany({
    where: {
      ...waiting,
      OR: [{ invite: { organizationId, appointmentId } }, { inviteId: null, session: { organizationId, appointmentId } }],
    },
    orderBy: [{ videoSessionId: 'asc' }, { id: 'asc' }],
  });
  for (const participant of guests) {
    const { session, now } = await lockSession(db, caller, participant.videoSessionId);
    await recordLeft(db, caller, session, [{ participant, at: now }]);
    notifyRoom(caller, `participant:${participant.id}`, notice);
  }
  const visits = await db.waitingRoomVisit.findMany({
    where: { organizationId, appointmentId, leftAt: null },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  for (const { id } of visits) {
    await endWaitingRoomVisit(db, caller, await lockVisit(db, caller, id), await databaseTime(db));
    notifyRoom(caller, `visit:${id}`, notice);
  }
}
