import type { SessionParticipant, VideoSession } from '../../../generated/prisma/client.ts';
import { conflict, type Failure } from '../../errors.ts';

/** A person without a heartbeat for this long has left, at the time of the last heartbeat. */
export const LOST_AFTER_MS = 30_000;
/** An admission holds for this long after its holder left; who returns within it continues the same visit, without a gap. */
export const ADMISSION_KEPT_MS = 60_000;
/** A person who waited and comes back within this time keeps the place in the queue. */
export const PLACE_KEPT_MS = 180_000;

/**
 * The standing of a participant in the present visit of the session: those who are neither `waiting` nor `admitted` have to knock
 * again, as another participant. `lapsed` means that they were away for too long.
 */
export type Standing = 'waiting' | 'admitted' | 'refused' | 'removed' | 'visit_over' | 'lapsed';

type Presence = Pick<SessionParticipant, 'leftAt' | 'lastSeenAt'>;

/** @param now the time of the database */
export function toStanding(session: Pick<VideoSession, 'visit'>, participant: SessionParticipant, now: Date): Standing {
  if (participant.refusedAt !== null) return 'refused';
  if (participant.removedAt !== null) return 'removed';
  if (participant.role === 'host') return 'admitted';
  if (participant.admittedAt === null) return isAwayFor(PLACE_KEPT_MS, participant, now) ? 'lapsed' : 'waiting';
  if (participant.visit !== session.visit) return 'visit_over';
  return isAwayFor(ADMISSION_KEPT_MS, participant, now) ? 'lapsed' : 'admitted';
}

export function isAwayFor(milliseconds: number, person: Presence, now: Date): boolean {
  const since = awaySince(person, now);
  return since !== null && since.getTime() <= now.getTime() - milliseconds;
}

/** When somebody left, also where it was not recorded yet; null for who is there. */
export function awaySince({ leftAt, lastSeenAt }: Presence, now: Date): Date | null {
  if (leftAt !== null) return leftAt;
  return lastSeenAt.getTime() < now.getTime() - LOST_AFTER_MS ? lastSeenAt : null;
}

const MESSAGES = {
  refused: 'Your practice cannot see you right now. You can try again in a few minutes, or call.',
  removed: 'Your practice removed you from the visit.',
  visit_over: 'Your visit has ended.',
  lapsed: 'You were away for a while. Join again.',
} as const satisfies Partial<Record<Standing, string>>;

/** Tells that a participant with this standing cannot enter; the code is the standing. */
export const standingFailure = (standing: keyof typeof MESSAGES): Failure => conflict(standing, MESSAGES[standing]);
