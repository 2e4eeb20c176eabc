import type { Prisma } from '../../src/generated/prisma/client.ts';
import type { Catalogue } from './catalogue.ts';
import { day, later, todayIn, wallClock } from './dates.ts';
import { cycle, inOrder } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';
import { usualWeight } from './survey-questions.ts';

/** Days on which devices measured. */
const DAYS = 45;
/** Positions in the catalogue. */
const [SYSTOLIC, DIASTOLIC, WEIGHT] = [0, 1, 2];
/** Days ago on which the first patient's pressure was a danger. */
const DANGER = [3, 19, 33];

/**
 * A cuff and a scale of each patient, and their readings: the first patient measures nearly every day, which a month of supply needs,
 * the others every third.
 */
export async function seedDeviceReadings(seeding: Seeding, catalogue: Catalogue, patientIds: readonly number[]): Promise<void> {
  const { tx, organizationId } = seeding;
  const names = patientIds.flatMap((_, index) => [
    { identifier: `CUFF-${1001 + index}`, make: 'Example Devices', model: 'Cuff 2', serial: `C2-${1001 + index}` },
    { identifier: `SCALE-${1001 + index}`, make: 'Example Devices', model: 'Scale 1', serial: `S1-${1001 + index}` },
  ]);
  const devices = inOrder(
    await tx.monitoringDevice.createManyAndReturn({ data: names.map((name) => ({ organizationId, ...name })), select: { id: true } }),
  );
  const data = patientIds.flatMap((patientId, index) => {
    const [cuff, scale] = [cycle(devices, index * 2).id, cycle(devices, index * 2 + 1).id];
    return listDays(index).flatMap((daysAgo) => createReadings(seeding, catalogue, { patientId, index, daysAgo, cuff, scale }));
  });
  await tx.reading.createMany({ data });
}

/** Days ago, the oldest first. */
const listDays = (index: number): number[] =>
  Array.from({ length: DAYS }, (_, position) => DAYS - position).filter((daysAgo) => (index === 0 ? daysAgo % 9 !== 5 : daysAgo % 3 === 0));

interface Measuring {
  patientId: number;
  /** Position among the patients. */
  index: number;
  daysAgo: number;
  /** Ids of the devices. */
  cuff: number;
  scale: number;
}

/** The morning of a day: pressure, and every other day weight. */
function createReadings(seeding: Seeding, { itemIds }: Catalogue, { patientId, index, daysAgo, cuff, scale }: Measuring) {
  const { organizationId, now, practice } = seeding;
  const random = areaRandom(seeding, `device readings ${index} ${daysAgo}`);
  const { timeZone } = practice;
  const date = todayIn(timeZone, now).subtract({ days: daysAgo });
  const measuredAt = wallClock(date, 7 * 60 + random.number.int(90), timeZone).instant;
  const isDanger = index === 0 && DANGER.includes(daysAgo);
  const value = (item: number, deviceId: number, measured: number): Prisma.ReadingCreateManyInput => ({
    organizationId,
    patientId,
    itemId: cycle(itemIds, item),
    value: measured,
    source: 'device',
    deviceId,
    measuredAt,
    measuredOn: day(date.toString()),
    receivedAt: later(measuredAt, 1),
  });
  const pressure = [
    value(SYSTOLIC, cuff, isDanger ? random.number.int({ min: 182, max: 195 }) : random.number.int({ min: 116, max: 146 })),
    value(DIASTOLIC, cuff, isDanger ? random.number.int({ min: 104, max: 118 }) : random.number.int({ min: 68, max: 92 })),
  ];
  const weight = value(WEIGHT, scale, usualWeight(patientId) + random.number.int({ min: -15, max: 15 }) / 10);
  return daysAgo % 2 === 0 ? [...pressure, weight] : pressure;
}
