import type { Caller } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { dayAt, writeDay } from '../../values/time/time.ts';
import { alertsOfReadings, raiseAlerts } from '../alerts/raise-alerts.ts';
import { type AppliedTarget, readTargets } from '../targets.ts';
import { type ErrorColumns, READINGS_IN_PLACE, type ReadingRow, STORE_READINGS } from './readings.sql.ts';

/** A device by itself, the patient, or somebody of the practice. */
export const READING_SOURCES = ['device', 'self', 'staff'] as const;
export type ReadingSource = (typeof READING_SOURCES)[number];

/** A measured value, in the unit of its item, with three decimals at most. */
export interface NewReading {
  patientId: number;
  itemId: number;
  value: number;
  measuredAt: Date;
  source: ReadingSource;
  /** Set where the source is a device. */
  deviceId: number | null;
  /** The check-in whose answer it is. */
  checkInId: number | null;
  /** Of a device, outside of the plausible values: shown, and neither alerted of nor counted. */
  implausible: boolean;
}

/** The mark of a reading that was entered in error: kept and shown, and not counted. */
export interface ErrorMark {
  at: Date;
  byUserId: number | null;
  reason: string;
}

export interface StoredReading extends NewReading {
  id: number;
  receivedAt: Date;
  recordedByUserId: number | null;
  enteredInError: ErrorMark | null;
}

/** `duplicate`: it was stored before. `conflict`: the device, the patient or the practice sent another value for that time before. */
export interface StoringResult {
  outcome: 'stored' | 'duplicate' | 'conflict';
  /** As it is stored now. */
  reading: StoredReading;
  /** At the time of the measurement. */
  target: AppliedTarget | null;
}

/**
 * Stores readings of the practice's patients and items: the one way by which they come in. A measurement that was stored before is not
 * stored again. Records an event for each stored one, and one audit row for all, and raises the alerts of what is outside of its target.
 * The number of statements does not grow with the readings.
 * @param timeZone of the practice
 * @returns a result for each reading, in their order
 */
export async function storeReadings(tx: Tx, readings: readonly NewReading[], timeZone: string): Promise<StoringResult[]> {
  if (readings.length === 0) return [];
  // In one order, so that two requests with the same measurements do not wait for each other.
  const keyed = readings.map((reading) => ({ key: toKey(reading), reading }));
  const ordered = keyed.toSorted(byText).map(({ reading }) => reading);
  const measurements = readings.map(({ patientId, itemId, measuredAt: at }) => ({ patientId, itemId, at }));
  const [rows, targets] = await Promise.all([
    tx.rows(STORE_READINGS, [asJson(ordered, timeZone), tx.userId]),
    readTargets(tx, measurements),
  ]);
  const stored = byKey(rows);
  const remaining = ordered.filter((reading) => !stored.has(toKey(reading)));
  const before = remaining.length === 0 ? new Map() : byKey(await tx.rows(READINGS_IN_PLACE, [asJson(remaining, timeZone)]));
  recordStored(tx, [...stored.values()]);
  const results = toResults(readings, targets, { stored, before });
  const news = results.filter(({ outcome }) => outcome === 'stored').map(({ reading, target }) => ({ ...reading, target }));
  await raiseAlerts(tx, alertsOfReadings(news));
  return results;
}

const byText = (one: { key: string }, other: { key: string }): number => (one.key < other.key ? -1 : Number(one.key > other.key));

const byKey = (rows: readonly ReadingRow[]): ReadonlyMap<string, StoredReading> =>
  new Map(rows.map(toStoredReading).map((reading) => [toKey(reading), reading]));

/** One result each: the first reading of a key is the stored one, a later one of the same key is its duplicate or in conflict with it. */
function toResults(
  readings: readonly NewReading[],
  targets: readonly (AppliedTarget | null)[],
  { stored, before }: Record<'stored' | 'before', ReadonlyMap<string, StoredReading>>,
): StoringResult[] {
  const seen = new Set<string>();
  return readings.map((sent, index) => {
    const key = toKey(sent);
    const reading = stored.get(key) ?? before.get(key);
    if (!reading) throw new Error('a reading was neither stored nor there before');
    const isFirst = stored.has(key) && !seen.has(key);
    seen.add(key);
    const repeated = reading.value === sent.value ? 'duplicate' : 'conflict';
    return { outcome: isFirst ? 'stored' : repeated, reading, target: targets[index] ?? null };
  });
}

/** Two readings of one key are one measurement. */
const toKey = ({ patientId, itemId, measuredAt, source, deviceId, checkInId }: NewReading): string =>
  checkInId === null
    ? `${source} ${deviceId ?? ''} ${patientId} ${itemId} ${measuredAt.toISOString()}`
    : `check-in ${checkInId} ${String(itemId).padStart(10, '0')}`;

const asJson = (readings: readonly NewReading[], timeZone: string): string =>
  JSON.stringify(
    readings.map(({ patientId, itemId, value, measuredAt, source, deviceId, checkInId, implausible }) => ({
      patient_id: patientId,
      item_id: itemId,
      measured_at: measuredAt,
      measured_on: writeDay(dayAt(measuredAt, timeZone)),
      device_id: deviceId,
      check_in_id: checkInId,
      value,
      source,
      implausible,
    })),
  );

const toStoredReading = (row: ReadingRow): StoredReading => ({
  id: row.id,
  patientId: row.patient_id,
  itemId: row.item_id,
  value: row.value,
  measuredAt: row.measured_at,
  receivedAt: row.received_at,
  source: readSource(row.source),
  deviceId: row.device_id,
  checkInId: row.check_in_id,
  recordedByUserId: row.recorded_by_user_id,
  implausible: row.implausible,
  enteredInError: errorMark(row),
});

/** Null for a reading that is not marked. */
export const errorMark = (row: ErrorColumns): ErrorMark | null =>
  row.error_at === null ? null : { at: row.error_at, byUserId: row.error_by_user_id, reason: row.error_reason ?? '' };

/** @throws RangeError for a text that no reading has as its source */
export function readSource(stored: string): ReadingSource {
  const source = READING_SOURCES.find((known) => known === stored);
  if (!source) throw new RangeError(`There is no source ${stored}.`);
  return source;
}

function recordStored({ journal }: Caller, stored: readonly StoredReading[]): void {
  if (stored.length === 0) return;
  const patientIds = [...new Set(stored.map(({ patientId }) => patientId))];
  journal.events.push(...stored.map(({ id }) => ({ name: 'reading.created' as const, id })));
  journal.audits.push({ action: 'create', resource: 'reading', ids: stored.map(({ id }) => id), patientIds });
}
