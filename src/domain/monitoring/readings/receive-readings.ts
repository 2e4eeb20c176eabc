import type { Db } from '../../../database/database.ts';
import { recordListed } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, Failure } from '../../errors.ts';
import { visibleTo } from '../../patients/chart/find-patient.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
import { warnOfClosedMonths } from '../monthly-billing/closing/closed-month-warnings.ts';
import { type Device, deviceIdentifier, registerDevices } from './devices.ts';
import { type CheckedReading, checkReading, type KnownRecords, type SentReading } from './reading-checks.ts';
import { type ReadingView, viewReadings } from './reading-list.ts';
import { type NewReading, type StoringResult, storeReadings } from './readings.ts';

export type { SentReading };

/** Readings of one request, at most. */
export const MOST_READINGS = 1_000;

/** A reading that was stored, now or before by the same device for the same time, or the reason for which it was not. */
export type ReceivedReading = { reading: ReadingView; isDuplicate: boolean } | { refused: Failure };

/** A reading that is stored, now or before, or the reason for which it is not. */
type Outcome = StoringResult | Failure;

/**
 * Stores what devices, their clouds and people measured: each reading that can be stored, whatever is wrong with others. The number of
 * statements does not depend on their number.
 * @param sent readings, or failures for what could not be read as one
 * @returns a result for each, in their order
 */
export async function receiveReadings(
  db: Db,
  caller: Caller,
  sent: readonly (SentReading | Failure)[],
  now: Date,
): Promise<ReceivedReading[]> {
  const readable = sent.flatMap((reading) => (reading instanceof Failure ? [] : reading));
  const known = await findKnownRecords(db, caller, readable);
  const checked = sent.map((reading) => (reading instanceof Failure ? reading : checkReading(reading, known, caller, now)));
  const accepted = checked.flatMap((reading) => (reading instanceof Failure ? [] : reading));
  const devices = await registerDevices(
    db,
    caller,
    accepted.flatMap(({ device }) => device ?? []),
  );
  const results = (
    await storeReadings(
      db,
      caller,
      accepted.map((reading) => withDevice(reading, devices)),
    )
  ).values();
  await warnOfClosedMonths(
    db,
    caller,
    accepted.map(({ measuredAt }) => ({ from: measuredAt, to: measuredAt })),
  );
  const outcomes = checked.map((reading): Outcome => (reading instanceof Failure ? reading : nextOf(results)));
  return withViews(db, caller, outcomes);
}

function nextOf(results: Iterator<StoringResult>): StoringResult | Failure {
  const result = results.next();
  if (result.done) throw new Error('a reading has no result');
  return result.value.outcome === 'conflict' ? otherValue() : result.value;
}

async function withViews(db: Db, caller: Caller, outcomes: readonly Outcome[]): Promise<ReceivedReading[]> {
  const results = outcomes.flatMap((outcome) => (outcome instanceof Failure ? [] : outcome));
  recordListed(
    caller,
    'reading',
    results.flatMap(({ outcome, reading }) => (outcome === 'duplicate' ? reading : [])),
  );
  const ids = [...new Set(results.map(({ reading }) => reading.id))];
  const views = new Map((await viewReadings(db, caller, ids)).map((view) => [view.id, view]));
  return outcomes.map((outcome) => {
    if (outcome instanceof Failure) return { refused: outcome };
    const reading = views.get(outcome.reading.id);
    if (!reading) throw new Error('a stored reading is not there');
    return { reading, isDuplicate: outcome.outcome === 'duplicate' };
  });
}

const otherValue = () =>
  conflict('reading_differs', 'Another value was stored for this patient, item and time before. Readings are not changed.', 'value');

function withDevice({ device, ...reading }: CheckedReading, devices: ReadonlyMap<string, Device>): NewReading {
  const identifier = device && deviceIdentifier(device);
  return { ...reading, deviceId: identifier === null ? null : (devices.get(identifier.toLowerCase())?.id ?? null), checkInId: null };
}

/** The patients whom the caller may see and the items, among those that readings name. */
async function findKnownRecords(db: Db, caller: Caller, sent: readonly SentReading[]): Promise<KnownRecords> {
  const [patientIds, itemIds] = [[...new Set(sent.map(({ patientId }) => patientId))], [...new Set(sent.map(({ itemId }) => itemId))]];
  const { organizationId } = caller;
  const [patients, items, timeZone] = await Promise.all([
    db.patient.findMany({ where: { ...visibleTo(caller), id: { in: patientIds } }, select: { id: true, deceasedDate: true } }),
    db.item.findMany({ where: { organizationId, id: { in: itemIds } }, select: { id: true, unit: true } }),
    organizationZoneIn(db, caller),
  ]);
  return { patients: new Map(patients.map((one) => [one.id, one])), items: new Map(items.map((one) => [one.id, one])), timeZone };
}
