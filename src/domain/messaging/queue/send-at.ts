import { Temporal } from 'temporal-polyfill';
import { invalid } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { readMoment } from '../../values/time/time.ts';

/**
 * The time at which a message is to leave.
 * @param written a date and time, with an offset or on the practice's clocks
 * @throws Failure invalid for a time that is past, or more than a year away
 */
function readSendAt(written: string, timeZone: string, now: Date): Date {
  const { instant } = readMoment(written, timeZone, 'sendAt');
  if (instant <= now) throw invalid('sendAt', 'must be in the future', 'in_the_past');
  const farthest = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).add({ years: 1 });
  if (instant.getTime() > farthest.epochMilliseconds) throw invalid('sendAt', 'must be within a year', 'too_far');
  return instant;
}

/** The same on the clocks of the caller's practice; undefined where none is given. @throws Failure as readSendAt */
export const findSendAt = async (tx: Tx, written: string | undefined): Promise<Date | undefined> =>
  written === undefined ? undefined : readSendAt(written, await organizationZone(tx), nowIn(tx.organizationId));

/** @throws Failure naming `sendAt` for a time that no zone has */
export const checkSendAt = (written: string): void => void readMoment(written, 'UTC', 'sendAt');
