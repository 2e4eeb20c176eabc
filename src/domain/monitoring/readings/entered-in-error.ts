import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import { whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { closeAlertOfReading, reopenAlertOfReading } from '../alerts/reading-alerts.ts';
import { warnOfClosedMonths } from '../monthly-billing/closing/closed-month-warnings.ts';
import { findReading, type ReadingView } from './reading-list.ts';
import { LOCK_READING, MARK_READING, READING_IN_ITS_PLACE } from './readings.sql.ts';

/** A reading is marked as entered in error, or the mark is undone. */
export interface ReadingMark {
  readingId: number;
  reason: string;
  undone: boolean;
}

/**
 * Marks a reading as entered in error: it stays and is shown, and neither counts nor is drawn. Its open alert is closed. Undoing the mark
 * opens that again. Without effect where it is so already.
 * @throws Failure not_found; forbidden for who is no admin, no provider, and has not recorded it; conflict for a second reason, and for
 *   undoing the mark of a reading in whose place another one was recorded
 */
export async function markEnteredInError(tx: Tx, { readingId, reason, undone }: ReadingMark): Promise<ReadingView> {
  const reading = await lockReading(tx, readingId);
  const { patientId, enteredInError: mark } = reading;
  if (undone ? mark === null : mark?.reason === reason) return reading;
  if (mark !== null && !undone) throw conflict('entered_in_error', 'The reading was already marked with another reason. Undo that first.');
  if (undone) await requirePlace(tx, reading);
  const written = undone ? [null, null, null] : [new Date(), tx.userId, reason];
  await tx.rows(MARK_READING, [readingId, ...written]);
  const detail = `${undone ? 'no longer entered in error' : 'entered in error'}: ${reason}`;
  recordChange(tx, 'update', { name: 'reading.updated', id: readingId, changed: ['errorAt'] }, [patientId], detail);
  const measuredAt = new Date(reading.measuredAt);
  await warnOfClosedMonths(tx, [{ from: measuredAt, to: measuredAt }]);
  await (undone ? reopenAlertOfReading(tx, readingId) : closeAlertOfReading(tx, readingId));
  return lockReading(tx, readingId);
}

/** @throws Failure not_found, also for a reading of a chart that the caller may not see; forbidden */
async function lockReading(tx: Tx, id: number): Promise<ReadingView> {
  const { role, userId } = tx;
  await tx.rows(LOCK_READING, [id]);
  const reading = await findReading(tx, id);
  const isShown =
    reading && (await tx.prisma.patient.findFirst({ where: { ...whereVisiblePatient(tx), id: reading.patientId }, select: { id: true } }));
  if (!reading || !isShown) throw notFound('reading');
  const isOwn = userId !== null && reading.recordedByUserId === userId;
  if (role !== 'admin' && role !== 'provider' && !isOwn)
    throw forbidden('not_yours', 'Only an administrator, a provider or the user who recorded the reading may do this.');
  return reading;
}

/** @throws Failure conflict where another value was recorded by hand for the same time since */
async function requirePlace(tx: Tx, { id }: ReadingView): Promise<void> {
  const [other] = await tx.rows(READING_IN_ITS_PLACE, [id]);
  if (other) throw conflict('reading_replaced', `Reading ${other.id} was recorded in its place. First mark that one as entered in error.`);
}
