import { maySeeRestricted } from '../../caller.ts';
import { conflict, Failure, invalid, notFound } from '../../errors.ts';
import { ACTIVE_ITEMS } from '../../messaging/check-ins/measured-items.sql.ts';
import { hasLoinc } from '../../messaging/check-ins/usual-items.ts';
import type { Tx } from '../../tx.ts';
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
export async function receiveNamedReadings(tx: Tx, sent: readonly Named[], now: Date): Promise<ReceivedReading[]> {
  const readings = sent.flatMap((reading) => (reading instanceof Failure ? [] : reading));
  const names = await findNames(tx, readings);
  const known = sent.map((reading) => (reading instanceof Failure ? reading : withIds(reading, names)));
  return receiveReadings(tx, known, now);
}

async function findNames(tx: Tx, readings: readonly NamedReading[]): Promise<Names> {
  const values = [maySeeRestricted(tx)];
  const serials = readings.flatMap(({ device }) => device?.serial?.toLowerCase() ?? []);
  const numbers = readings.flatMap(({ patientId, medRecNo }) => (patientId === null ? (medRecNo ?? []) : []));
  const [holders, patients, items] = await Promise.all([
    serials.length === 0 ? [] : tx.rows(HOLDERS_OF_SERIALS, [...values, serials]),
    numbers.length === 0 ? [] : tx.rows(PATIENTS_OF_RECORD_NUMBERS, [...values, numbers]),
    readings.some(({ itemId }) => itemId === null) ? tx.rows(ACTIVE_ITEMS) : [],
  ]);
  return {
    holders: new Map(holders.map((one) => [one.serial.toLowerCase(), one])),
    patients: new Map(patients.map(({ medRecNo, id }) => [medRecNo, id])),
    items,
  };
}

function withIds({ patientId, medRecNo, itemId, loinc, ...reading }: NamedReading, names: Names): SentReading | Failure {
  try {
    const found = itemId ?? requireItem(loinc, names);
    const holder = findHolder(reading, names);
    const named = patientId ?? (medRecNo === null ? null : requirePatient(medRecNo, names));
    if (named !== null && holder && holder.patientId !== named)
      throw conflict('device_assigned', 'Another patient has the device with this serial number.', 'device.serial');
    const of = { ...reading, patientId: named ?? requireHolder(reading, holder), itemId: found };
    return holder ? { ...of, device: { identifier: holder.identifier, make: null, model: null, serial: null } } : of;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function requireItem(loinc: string | null, { items }: Names): number {
  if (loinc === null) throw invalid('itemId', 'or loinc is required', 'missing');
  const item = items.find((one) => hasLoinc(one, loinc));
  if (!item) throw notFound('item', 'loinc');
  return item.id;
}

function requirePatient(medRecNo: string, { patients }: Names): number {
  const id = patients.get(medRecNo);
  if (id === undefined) throw notFound('patient', 'medRecNo');
  return id;
}

type Measured = Pick<SentReading, 'device' | 'measuredAt'>;

/** The patient who had the device with the serial number. A value that was measured before they had it is somebody else's. */
function findHolder({ device, measuredAt }: Measured, { holders }: Names): AssignedDevice | undefined {
  const holder = holders.get(device?.serial?.toLowerCase() ?? '');
  return holder && readMoment(measuredAt, 'UTC', 'measuredAt').instant.getTime() >= Date.parse(holder.assignedAt) ? holder : undefined;
}

function requireHolder({ device }: Measured, holder: AssignedDevice | undefined): number {
  if (!device?.serial)
    throw invalid('patientId', 'is required unless med_rec_no or a device with an assigned serial number is sent', 'missing');
  if (!holder) throw conflict('device_not_assigned', 'No patient had the device with this serial number at that time.', 'device.serial');
  return holder.patientId;
}
