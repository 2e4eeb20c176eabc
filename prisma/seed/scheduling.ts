import type { Faker } from '@faker-js/faker';
import type { Office, Prisma } from '../../src/generated/prisma/client.ts';
import { appointmentProgress } from './appointment-progress.ts';
import { insertRows } from './bulk.ts';
import { later, secondOfTwo, todayIn, type WallClock, wallClock, weekdaysBetween } from './dates.ts';
import type { People, Person } from './people.ts';
import type { AppointmentTypePlan } from './plan.ts';
import { restrictedPatient } from './portal.ts';
import { cycle } from './random.ts';
import { areaRandom, type Seeding } from './seeding.ts';
import type { Clinician } from './tenancy.ts';

/** Minutes after midnight at which appointments begin, or a quarter of an hour later; the longest lasts an hour. */
const SLOTS = [8.5 * 60, 9.75 * 60, 11 * 60, 13 * 60, 14.25 * 60, 15.5 * 60, 16.75 * 60];

/** A type that can be booked, the practice's own or another's global one. */
export interface BookableType {
  organizationId: number;
  id: number;
  durationMinutes: number | null;
  weight: number;
  telehealth: boolean;
}

const shown = {
  id: true,
  patientId: true,
  providerId: true,
  waitingRoomId: true,
  startsAt: true,
  endsAt: true,
  localStart: true,
  status: true,
  timeZone: true,
} satisfies Prisma.AppointmentSelect;

/** An appointment as the other areas need it. */
export type Booking = Prisma.AppointmentGetPayload<{ select: typeof shown }>;

/** The practice's appointment types, and the global ones of the others. */
export async function seedAppointmentTypes({ tx, plan, organizationId }: Seeding): Promise<BookableType[]> {
  const rows = await tx.appointmentType.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const own = rows.map((row) => bookable(row, plan.appointmentTypes[row.name] ?? { weight: 0 }));
  const global = await tx.appointmentType.findMany({
    where: { isGlobal: true, organizationId: { not: organizationId } },
    orderBy: { id: 'asc' },
  });
  return [...own, ...global.map((row) => bookable(row, { weight: 1 }))];
}

function bookable(
  { organizationId, id, durationMinutes }: { organizationId: number; id: number; durationMinutes: number | null },
  { weight, telehealth = false }: Pick<AppointmentTypePlan, 'weight' | 'telehealth'>,
): BookableType {
  return { organizationId, id, durationMinutes, weight, telehealth };
}

/** Three months of appointments either side of now: weekdays, working hours on the wall clock of the office. */
export async function seedAppointments(seeding: Seeding, people: People, types: readonly BookableType[]): Promise<Booking[]> {
  const { tx, now, plan, practice, organizationId, clinicians } = seeding;
  const { active } = people;
  const random = areaRandom(seeding, 'scheduling');
  const today = todayIn(practice.timeZone, now);
  const days = weekdaysBetween(today.subtract({ months: 3 }), today.add({ months: 3 }));
  const doctors = clinicians.filter(({ userId }) => userId !== null);
  const perDay = plan.appointments / (days.length * doctors.length);
  // A few patients have no appointments, and no patient has two on one day.
  const visitors = active.filter((_, index) => index % 25 !== 24);
  const data = days.flatMap((date) => {
    const queue = random.helpers.shuffle(visitors).values();
    return doctors.flatMap((doctor) => {
      const office = cycle(doctor.offices, date.dayOfWeek);
      const count = Math.floor(perDay + random.number.float());
      const slots = random.helpers.arrayElements(SLOTS, count);
      return slots.flatMap((slot) => {
        const patient = queue.next().value;
        const start = wallClock(date, slot + random.helpers.arrayElement([0, 15]), office.timeZone);
        return patient ? [appointmentRow({ seeding, random, doctor, patient, types }, office, start)] : [];
      });
    });
  });
  bookRestricted(data, people, now);
  await insertRows(tx, 'appointment', [...data, ...inRepeatedHour(seeding, random, visitors, types)]);
  await tx.appointment.createMany({ data: undated(seeding, active, types) });
  const bookings = await tx.appointment.findMany({ where: { organizationId }, orderBy: { id: 'asc' }, select: shown });
  await seedUserAppointments(seeding, bookings);
  return bookings.filter(({ startsAt }) => startsAt !== null);
}

/** The next appointment is a restricted patient's: a slot that is taken, and says by nobody. A reminder goes with it. */
function bookRestricted(
  rows: Pick<Prisma.AppointmentCreateManyInput, 'startsAt' | 'patientId' | 'status'>[],
  people: People,
  now: Date,
): void {
  const start = ({ startsAt }: (typeof rows)[number]) => new Date(startsAt ?? 0).getTime();
  const [next, second] = rows
    .filter((row) => start(row) > now.getTime() && row.status !== 'cancelled')
    .toSorted((one, other) => start(one) - start(other));
  const patient = restrictedPatient(people);
  if (next && patient) next.patientId = patient.id;
  // The one after it is that of somebody who is written to in Spanish.
  const spanish = people.active.find(({ languageCode, mobilePhone, doNotSms }) => languageCode === 'spa' && mobilePhone && !doNotSms);
  if (second && spanish) second.patientId = spanish.id;
}

async function seedUserAppointments({ tx, organizationId, clinicians }: Seeding, bookings: Booking[]): Promise<void> {
  const users = new Map(clinicians.map(({ id, userId }) => [id, userId]));
  const data = bookings.flatMap(({ id: appointmentId, providerId }) => {
    const userId = users.get(providerId ?? 0);
    return userId ? [{ organizationId, appointmentId, userId }] : [];
  });
  await insertRows(tx, 'user_appointment', data);
}

interface AppointmentDraw {
  seeding: Seeding;
  random: Faker;
  doctor: Clinician;
  patient: Person;
  types: readonly BookableType[];
}

function appointmentRow(draw: AppointmentDraw, office: Office, start: WallClock): Prisma.AppointmentCreateManyInput {
  const { seeding, random, doctor, patient, types } = draw;
  const { now, practice, organizationId, staff, admin, interfaces } = seeding;
  const type = random.helpers.weightedArrayElement(
    types.filter(({ weight }) => weight > 0).map((value) => ({ value, weight: value.weight })),
  );
  const durationMinutes = type.durationMinutes ?? practice.defaultAppointmentLength ?? 30;
  const endsAt = later(start.instant, durationMinutes);
  return {
    organizationId,
    patientId: patient.id,
    typeOrganizationId: type.organizationId,
    typeId: type.id,
    officeId: office.id,
    ...place(seeding, random, office, type),
    providerId: doctor.id,
    startsAt: start.instant,
    endsAt,
    localStart: start.local,
    timeZone: office.timeZone,
    durationMinutes,
    showOnTasks: random.datatype.boolean(0.9),
    createdByUserId: random.helpers.arrayElement([...staff, ...staff, admin, ...interfaces.slice(0, 1)]).id,
    ...appointmentProgress(random, { startsAt: start.instant, endsAt, now }),
  };
}

/** A confirmed appointment in the second of the two hours that a clock change gives the same name. */
function inRepeatedHour(
  seeding: Seeding,
  random: Faker,
  visitors: readonly Person[],
  types: readonly BookableType[],
): Prisma.AppointmentCreateManyInput[] {
  const { now, clinicians } = seeding;
  const doctor = cycle(
    clinicians.filter(({ userId }) => userId !== null),
    0,
  );
  for (const office of doctor.offices) {
    const start = secondOfTwo(office.timeZone, now);
    if (!start) continue;
    const row = appointmentRow({ seeding, random, doctor, patient: cycle(visitors, 0), types }, office, start);
    return [
      { ...row, status: 'scheduled', cancelledAt: null, confirmation: 'Yes', confirmedAt: row.updatedAt ?? now, confirmedBy: 'patient' },
    ];
  }
  return [];
}

/** A visit by video is in a waiting room of the office or of no office, any other perhaps in a place of the office. */
function place(
  { locations, waitingRooms }: Seeding,
  random: Faker,
  office: Office,
  type: BookableType,
): { locationId: number | null; waitingRoomId: number | null } {
  const rooms = locations.filter(({ officeId }) => officeId === office.id);
  const ofOffice = waitingRooms.filter(({ officeId }) => officeId === null || officeId === office.id);
  if (type.telehealth) return { locationId: null, waitingRoomId: random.helpers.arrayElement(ofOffice).id };
  return { locationId: rooms.length > 0 ? random.helpers.arrayElement(rooms).id : null, waitingRoomId: null };
}

/** Appointments that an integration made before their date was known; no list shows them yet. */
function undated(
  { practice, organizationId, interfaces, admin }: Seeding,
  active: Person[],
  types: readonly BookableType[],
): Prisma.AppointmentCreateManyInput[] {
  const { organizationId: typeOrganizationId, id: typeId, durationMinutes } = cycle(types, 0);
  return active.slice(0, 3).map(({ id }) => ({
    organizationId,
    patientId: id,
    typeOrganizationId,
    typeId,
    timeZone: practice.timeZone,
    durationMinutes: durationMinutes ?? 30,
    createdByUserId: (interfaces[0] ?? admin).id,
  }));
}
