import { recordListed } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import { conflict, Failure } from '../../errors.ts';
import { MEASURED_ITEMS } from '../../messaging/check-ins/measured-items.sql.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { warnOfClosedMonths } from '../monthly-billing/closing/closed-month-warnings.ts';
import { deviceIdentifier, findDevices, type KnownDevices, registerDevices } from './devices.ts';
import { type CheckedReading, checkReading, type KnownRecords, type SentReading, toKnownItem } from './reading-checks.ts';
import { type ReadingView, viewReading } from './reading-list.ts';
import { MEASURED_PATIENTS } from './readings.sql.ts';
import { type NewReading, type StoringResult, storeReadings } from './readings.ts';

export type { SentReading };

export const MOST_READINGS = 1_000;

/** A reading that was stored, now or before by the same device for the same time, or the reason for which it was not. */
export type ReceivedReading = { reading: ReadingView; isDuplicate: boolean } | { refused: Failure };

/**
 * Stores what devices, their clouds and people measured: each reading that can be stored, whatever is wrong with others. The number of
 * statements does not depend on their number.
 * @param sent readings, or failures for what could not be read as one
 * @returns a result for each, in their order
 */
export async function receiveReadings(tx: Tx, sent: readonly (SentReading | Failure)[], now: Date): Promise<ReceivedReading[]> {
  const known = await findKnownRecords(
    tx,
    sent.flatMap((reading) => (reading instanceof Failure ? [] : reading)),
  );
  const checked = sent.map((reading) => (reading instanceof Failure ? reading : checkReading(reading, known, tx, now)));
  const accepted = checked.flatMap((reading) => (reading instanceof Failure ? [] : reading));
  const named = accepted.flatMap(({ device }) => device ?? []);
  const devices = await registerDevices(tx, named, known.devices);
  const readings = accepted.map((reading) => withDevice(reading, devices));
  const spans = accepted.map(({ measuredAt }) => ({ from: measuredAt, to: measuredAt }));
  const [results] = await Promise.all([storeReadings(tx, readings, known.timeZone), warnOfClosedMonths(tx, spans)]);
  recordListed(
    tx,
    'reading',
    results.flatMap(({ outcome, reading }) => (outcome === 'duplicate' ? reading : [])),
  );
  const received = results.map((result) => toReceived(result, { items: known.items, devices }))[Symbol.iterator]();
  return checked.map((reading) => (reading instanceof Failure ? { refused: reading } : takeNext(received)));
}

function takeNext(results: Iterator<ReceivedReading>): ReceivedReading {
  const result = results.next();
  if (result.done) throw new Error('a reading has no result');
  return result.value;
}

function toReceived(
  { outcome, reading, target }: StoringResult,
  { items, devices }: { items: KnownRecords['items']; devices: KnownDevices },
): ReceivedReading {
  const item = items.get(reading.itemId);
  if (outcome === 'conflict') return { refused: otherValue() };
  if (!item) throw new Error('a stored reading has no item');
  const device = devices.values().find(({ id }) => id === reading.deviceId) ?? null;
  return { reading: viewReading(reading, { item, device, target }), isDuplicate: outcome === 'duplicate' };
}

const otherValue = () =>
  conflict('reading_differs', 'A different value is already stored for this patient, item and time. Readings cannot be changed.', 'value');

function withDevice({ device, ...reading }: CheckedReading, devices: KnownDevices): NewReading {
  const identifier = device && deviceIdentifier(device);
  return { ...reading, deviceId: identifier === null ? null : (devices.get(identifier.toLowerCase())?.id ?? null), checkInId: null };
}

/** The patients whom the caller may see, the items and the devices, among those that readings name. */
async function findKnownRecords(tx: Tx, sent: readonly SentReading[]): Promise<KnownRecords & { devices: KnownDevices }> {
  const patientIds = [...new Set(sent.map(({ patientId }) => patientId))];
  const itemIds = [...new Set(sent.map(({ itemId }) => itemId))];
  const [patients, items, timeZone, devices] = await Promise.all([
    tx.rows(MEASURED_PATIENTS, [patientIds, maySeeRestricted(tx)]),
    tx.rows(MEASURED_ITEMS, [itemIds]),
    organizationZone(tx),
    findDevices(
      tx,
      sent.flatMap(({ device }) => device ?? []),
    ),
  ]);
  const toDateOfDeath = ({ deceased }: { deceased: string | null }) => (deceased === null ? null : new Date(`${deceased}T00:00:00Z`));
  return {
    patients: new Map(patients.map((one) => [one.id, { deceasedDate: toDateOfDeath(one) }])),
    items: new Map(items.map((one) => [one.id, toKnownItem(one)])),
    timeZone,
    devices,
  };
}
