import { Temporal } from 'temporal-polyfill';
import type { Caller } from '../../caller.ts';
import { forbidden, invalid } from '../../errors.ts';
import { readMoment } from '../../values/time/time.ts';

/** The work of a review, as its author describes it. */
export interface WrittenWork {
  minutes: number;
  /** ISO 8601. Unless given, `minutes` ago, or when the check-in was sent if that is later. */
  startedAt?: string | undefined;
  /** An admin’s reason for recording it so late. */
  reason?: string | null | undefined;
}

/** Days after which only an admin records work, and says why it comes so late. */
const LATE_AFTER_DAYS = 30;
/** Tolerance for devices whose clocks are ahead. */
const CLOCK_TOLERANCE_MS = 60_000;
const BEFORE_CHECK_IN = 'before_check_in';

/** @throws Failure for a time that no zone has */
export const checkReviewStart = (startedAt: string): void => void readMoment(startedAt, 'UTC', 'startedAt');

/**
 * Reads when the work of a review began.
 * @param sentAt when the check-in was sent; no work on it began before. Null where the check-in is unknown
 * @throws Failure invalid for work that has not ended yet, or that began before the check-in was sent
 */
export function readReviewStart({ startedAt, minutes }: WrittenWork, sentAt: Date | null, timeZone: string): Date {
  const now = Date.now();
  const sent = Math.floor((sentAt?.getTime() ?? 0) / 1_000) * 1_000;
  const longest = minutes * 60_000;
  if (startedAt === undefined) {
    const start = Math.max(now - longest, sent);
    if (start + longest > now + CLOCK_TOLERANCE_MS)
      throw invalid('minutes', 'must be at most the minutes since the check-in was sent', BEFORE_CHECK_IN);
    return new Date(start);
  }
  const { instant } = readMoment(startedAt, timeZone, 'startedAt');
  if (instant.getTime() + longest > now + CLOCK_TOLERANCE_MS)
    throw invalid('startedAt', 'must be early enough for the minutes to have passed', 'not_over');
  if (instant.getTime() < sent) throw invalid('startedAt', 'must not be before the check-in was sent', BEFORE_CHECK_IN);
  return instant;
}

/** Whether work is recorded late: more than 30 days after the day on which it began, in the practice's time zone. */
export function isLate(startedAt: Date, timeZone: string): boolean {
  const day = Temporal.Instant.fromEpochMilliseconds(startedAt.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  return Temporal.PlainDate.compare(day.add({ days: LATE_AFTER_DAYS }), Temporal.Now.plainDateISO(timeZone)) < 0;
}

/**
 * The reason of late work; null where the work is not late.
 * @throws Failure forbidden for others than admins; invalid for an admin who gives none
 */
export function readLateReason({ role }: Caller, { reason }: WrittenWork, startedAt: Date, timeZone: string): string | null {
  if (!isLate(startedAt, timeZone)) return null;
  if (role !== 'admin')
    throw forbidden('late_review', `Only an admin can record work that began more than ${LATE_AFTER_DAYS} days ago, with a reason.`);
  if (!reason) throw invalid('reason', `must be given: the work began more than ${LATE_AFTER_DAYS} days ago`, 'missing');
  return reason;
}
