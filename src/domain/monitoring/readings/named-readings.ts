import type { Db } from '../../../database/database.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { conflict, Failure, invalid, notFound } from '../../errors.ts';
import { ACTIVE_ITEMS } from '../../messaging/check-ins/measured-items.sql.ts';
import { hasLoinc } from '../../messaging/check-ins/usual-items.ts';
import { preparedForIn } from '../../patients/restrictions/opened-charts.sql.ts';
import { readMoment } from '../../values/time/time.ts';
import { type AssignedDevice, HOLDERS_OF_SERIALS, PATIENTS_OF_RECORD_NUMBERS } from './assignments.sql.ts';
import { type ReceivedReading, receiveReadings, type SentReading } from './receive-readings.ts';

/** A reading whose patient and item may have other names than their ids. */
export interface NamedReading extends Omit<SentReading, 'patientId' | 'itemId'> {
  /** Null: that of `medRecNo`, else whoever has the device with the serial number. */
  patientId: number | null;
  medRecNo: string | null;
  /** Null: that of `loinc`. */
  itemId: number | null;
  loinc: string | null;
}

type Named = NamedReading | Failure;

interface Names {
  holders: ReadonlyMap<string, AssignedDevice>;
  patients: ReadonlyMap<string, number>;
  items: readonly { id: number; name: string; unit: string | null }[];
}

/** As receiveReadings, for who knows serial numbers, medical record numbers and LOINC codes instead of ids. */
export async function receiveNamedReadings(db: Db, caller: Caller, sent: readonly Named[], now: Date): Promise<ReceivedReading[]> {
  const readings = sent.flatMap((reading) => (reading instanceof Failure ? [] : reading));
  const names = await findNames(db, caller, readings);
  const known = sent.map((reading) => (reading instanceof Failure ? reading : withIds(reading, names)));
  return receiveReadings(db, caller, known, now);
}

async function findNames(db: Db, caller: Caller, readings: readonly NamedReading[]): Promise<Names> {
  const prepared = preparedForIn(db, caller);
  const values = [caller.organizationId, maySeeRestricted(caller)];
  const serials = readings.flatMap((one) => (isBySerial(one) ? (one.device?.serial?.toLowerCase() ?? []) : []));
  const numbers = readings.flatMap(({ patientId, medRecNo }) => (patientId === null ? (medRecNo ?? []) : []));
  const [holders, patients, items] = await Promise.all([
    serials.length === 0 ? [] : prepared.rows(HOLDERS_OF_SERIALS, [...values, serials]),
    numbers.length === 0 ? [] : prepared.rows(PATIENTS_OF_RECORD_NUMBERS, [...values, numbers]),
    readings.some(({ itemId }) => itemId === null) ? prepared.rows(ACTIVE_ITEMS, [caller.organizationId]) : [],
  ]);
  return {
    holders: new Map(holders.map((one) => [one.serial.toLowerCase(), one])),
    patients: new Map(patients.map(({ medRecNo, id }) => [medRecNo, id])),
    items,
  };
}

const isBySerial = ({ patientId, medRecNo }: NamedReading) => patientId === null && medRecNo === null;

function withIds({ patientId, medRecNo, itemId, loinc, ...reading }: NamedReading, names: Names): SentReading | Failure {
  try {
    const found = itemId ?? requireItem(loinc, names);
    if (patientId !== null) return { ...reading, patientId, itemId: found };
    if (medRecNo !== null) return { ...reading, patientId: requirePatient(medRecNo, names), itemId: found };
    const { patientId: holder, identifier } = requireHolder(reading, names);
    return { ...reading, patientId: holder, itemId: found, device: { identifier, make: null, model: null, serial: null } };
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function requireItem(loinc: string | null, { items }: Names): number {
  if (loinc === null) throw invalid('itemId', 'or loinc must be given', 'missing');
  const item = items.find((one) => hasLoinc(one, loinc));
  if (!item) throw notFound('item', 'loinc');
  return item.id;
}

function requirePatient(medRecNo: string, { patients }: Names): number {
  const id = patients.get(medRecNo);
  if (id === undefined) throw notFound('patient', 'medRecNo');
  return id;
}

/** A value that was measured before the patient had the device is somebody else's. */
function requireHolder({ device, measuredAt }: Pick<SentReading, 'device' | 'measuredAt'>, { holders }: Names): AssignedDevice {
  const serial = device?.serial ?? null;
  if (serial === null)
    throw invalid('patientId', 'must be given, or med_rec_no, or a device with the serial of an assigned one', 'missing');
  const holder = holders.get(serial.toLowerCase());
  if (!holder || readMoment(measuredAt, 'UTC', 'measuredAt').instant.getTime() < Date.parse(holder.assignedAt))
    throw conflict('device_not_assigned', 'No patient had the device with this serial number at that time.', 'device.serial');
  return holder;
}
