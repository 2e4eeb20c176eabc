import type { CallerIdentity } from '../../caller.ts';
import { conflict, Failure, type Issue, invalid, notFound } from '../../errors.ts';
import type { MeasuredItem } from '../../messaging/check-ins/measured-items.sql.ts';
import { MAX_NUMBER } from '../../messaging/check-ins/surveys.ts';
import { isPlausible, type PlausibleRange, plausibleRange, writeRange } from '../../messaging/check-ins/usual-items.ts';
import { convertReading, isNoUnit, rounded } from '../../values/reading-units.ts';
import { dayAt, readMoment } from '../../values/time/time.ts';
import { type DeviceName, deviceIdentifier } from './devices.ts';
import type { NewReading, ReadingSource } from './readings.ts';

export interface SentReading {
  patientId: number;
  itemId: number;
  value: number;
  /** Null where none was sent, which is right for an item without a unit. */
  unit: string | null;
  /** Date and time with an offset, as it is written. */
  measuredAt: string;
  device: DeviceName | null;
  /** Null where none was sent. */
  source: ReadingSource | null;
}

/** An item with its plausible values. */
export interface KnownItem extends MeasuredItem {
  plausible: PlausibleRange;
}

export const toKnownItem = (item: MeasuredItem): KnownItem => ({ ...item, plausible: plausibleRange(item) });

/** Patients and items among those that readings name, and the time zone of the practice. */
export interface KnownRecords {
  patients: ReadonlyMap<number, { deceasedDate: Date | null }>;
  items: ReadonlyMap<number, KnownItem>;
  timeZone: string;
}

/** Clocks of devices are not exact. */
const AHEAD_MS = 5 * 60_000;
const OLDEST_MS = 365 * 24 * 3_600_000;

/** A reading that can be stored once its device is known by id. */
export interface CheckedReading extends Omit<NewReading, 'deviceId' | 'checkInId'> {
  device: DeviceName | null;
}

/** @returns the reading, or a failure with everything that is wrong with it */
export function checkReading(
  sent: SentReading,
  known: KnownRecords,
  caller: Pick<CallerIdentity, 'role'>,
  now: Date,
): CheckedReading | Failure {
  const failures: Failure[] = [];
  const read = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
      return undefined;
    }
  };
  const measuredAt = read(() => readMeasuredAt(sent.measuredAt, now));
  read(() => requirePatient(sent.patientId, known, measuredAt));
  const value = read(() => readValue(sent, known));
  const source = read(() => readSource(sent, caller));
  const implausible = value !== undefined && source !== undefined && read(() => isImplausible(sent, known, value, source));
  if (measuredAt === undefined || value === undefined || source === undefined || failures.length > 0) return joinFailures(failures);
  const { patientId, itemId, device } = sent;
  return { patientId, itemId, value, measuredAt, source, device, implausible: implausible === true };
}

/** The failures of one reading as one: invalid before not found before conflict, as for whole requests. */
function joinFailures(failures: readonly Failure[]): Failure {
  const leading = ['invalid', 'not_found'].map((kind) => failures.find((failure) => failure.kind === kind)).find(Boolean) ?? failures[0];
  if (!leading) throw new Error('a reading was refused without a reason');
  if (failures.length === 1) return leading;
  const issues: Issue[] = failures.flatMap((failure) => failure.issues);
  return new Failure(leading.kind, leading.code, issues.map(({ field, message }) => `${field}: ${message}`).join('; '), { issues });
}

const OFFSET = /:\d{2}(?:[.,]\d{1,9})?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)$/i;

function readMeasuredAt(written: string, now: Date): Date {
  if (!OFFSET.test(written.trim()))
    throw invalid('measuredAt', 'must be a date and time with an offset, such as 2026-03-08T09:30:00-05:00', 'offset_missing');
  const { instant } = readMoment(written, 'UTC', 'measuredAt');
  if (instant.getTime() > now.getTime() + AHEAD_MS) throw invalid('measuredAt', 'must not be in the future', 'in_future');
  if (instant.getTime() < now.getTime() - OLDEST_MS) throw invalid('measuredAt', 'must be within the last 365 days', 'too_old');
  return instant;
}

function requirePatient(patientId: number, { patients, timeZone }: KnownRecords, measuredAt: Date | undefined): void {
  const patient = patients.get(patientId);
  if (!patient) throw notFound('patient', 'patientId');
  if (measuredAt && patient.deceasedDate !== null && dayAt(measuredAt, timeZone) > patient.deceasedDate)
    throw conflict('patient_deceased', 'The patient had died before that day.', 'measuredAt');
}

function readValue({ itemId, value, unit }: SentReading, { items }: KnownRecords): number {
  const item = items.get(itemId);
  if (!item) throw notFound('item', 'itemId');
  const converted = toItemUnit(item.unit, unit, value);
  if (Math.abs(converted) > MAX_NUMBER) throw invalid('value', `must be from -${MAX_NUMBER} to ${MAX_NUMBER}`, 'out_of_range');
  return converted;
}

/** Devices err, and what they send is kept and shown; people can look again. @throws Failure invalid for an implausible value of a person */
function isImplausible({ itemId }: SentReading, { items }: KnownRecords, value: number, source: ReadingSource): boolean {
  const item = items.get(itemId);
  if (!item || isPlausible(item.plausible, value)) return false;
  if (source === 'device') return true;
  throw invalid('value', `must be ${writeRange(item.plausible, item.unit)}; other values are implausible`, 'implausible');
}

function toItemUnit(itemUnit: string | null, unit: string | null, value: number): number {
  if (itemUnit === null) {
    if (unit !== null && !isNoUnit(unit)) throw invalid('unit', 'must be omitted: this item has no unit', 'no_unit');
    return rounded(value);
  }
  if (unit === null) throw invalid('unit', `must be given: this item is measured in ${itemUnit}`, 'missing');
  const converted = convertReading(value, unit, itemUnit);
  if (converted === null) throw invalid('unit', `must be ${itemUnit}, or a unit that can be converted to it`, 'other_unit');
  return converted;
}

/** A named device is the source; without one, users of the practice measure as its staff, and API clients must say whose value it is. */
function readSource({ source, device }: SentReading, { role }: Pick<CallerIdentity, 'role'>): ReadingSource {
  if (device !== null) {
    if (deviceIdentifier(device) === null)
      throw invalid('device', 'must have an identifier, or make, model and serial', 'device_without_identifier');
    if (source !== null && source !== 'device') throw invalid('source', 'must be device if a device is named', 'contradiction');
    return 'device';
  }
  if (source === 'device') throw invalid('device', 'is required if the source is device', 'missing');
  if (role !== null) return source ?? 'staff';
  if (source === 'staff') throw invalid('source', 'must not be staff for an API client', 'not_staff');
  if (source === null) throw invalid('device', 'is required unless the source is self', 'missing');
  return source;
}
