import { notifyUsers } from '../../notifications/notifications.ts';
import type { Tx } from '../../tx.ts';

export interface KnockingGuest {
  participantId: number;
  /** When this wait began. A reload or a lost line keeps it, so that a wait knocks once. */
  waitingSince: Date;
}

/**
 * Notifies the host of a session, the users of its appointment and the staff that a guest waits by a link. Once each wait, however
 * often it is called.
 */
export async function announceKnock(
  tx: Tx,
  { id, hostUserId, appointmentId }: { id: number; hostUserId: number; appointmentId: number | null },
  { participantId, waitingSince }: KnockingGuest,
): Promise<void> {
  const userIds = await findUsersToNotify(tx, { hostUserId, appointmentId });
  const occasion = toOccasion(waitingSince, participantId);
  await notifyUsers(tx, { kind: 'visit.knocked', subject: { type: 'video_session', id }, occasion, userIds });
}

/** As announceKnock, for a patient in a waiting room. @param hostUserId whose waiting room it is; null where it is nobody's */
export async function announceWaitingRoomKnock(
  tx: Tx,
  { id, enteredAt, appointmentId }: { id: number; enteredAt: Date; appointmentId: number | null },
  hostUserId: number | null,
): Promise<void> {
  const userIds = await findUsersToNotify(tx, { hostUserId, appointmentId });
  const subject = { type: 'waiting_room_visit', id };
  await notifyUsers(tx, { kind: 'visit.knocked', subject, occasion: toOccasion(enteredAt, id), userIds });
}

/** When the wait began, in milliseconds, followed by three digits of the id: of guests who come in one millisecond, each knocks. */
const toOccasion = (since: Date, id: number): number => since.getTime() * 1_000 + (id % 1_000);

/**
 * The host and the users of the appointment, and the staff who are available for telehealth; only active ones. Where nobody is
 * named, every provider who is available.
 */
async function findUsersToNotify(
  tx: Tx,
  { hostUserId, appointmentId }: { hostUserId: number | null; appointmentId: number | null },
): Promise<number[]> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<{ id: number }[]>`
    WITH named AS (
      SELECT ${hostUserId}::int AS id WHERE ${hostUserId}::int IS NOT NULL
      UNION
      SELECT a.user_id FROM user_appointment a WHERE a.organization_id = ${organizationId} AND a.appointment_id = ${appointmentId}::bigint
    )
    SELECT u.id FROM "user" u
     WHERE u.organization_id = ${organizationId} AND u.active AND u.type <> 'interface'
       AND (u.id IN (SELECT n.id FROM named n)
            OR u.telehealth_availability AND (u.type = 'staff' OR u.type = 'provider' AND NOT EXISTS (SELECT FROM named)))`;
  return rows.map(({ id }) => id);
}
