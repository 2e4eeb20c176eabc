import type { Db } from '../database.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { findAppointmentType } from './appointment-types.ts';
import type { Caller } from './caller.ts';
import { notFound } from './errors.ts';
import { recordChange, recordRead } from './journal.ts';
import { findPatient } from './patients.ts';
import { isTimeZone, type Moment, momentAt, readMoment } from './time.ts';

/** An appointment with all that its readers show. */
const WHOLE = {
  patient: true,
  type: true,
  office: true,
  location: true,
  createdBy: { select: { id: true, firstName: true, lastName: true } },
  users: { select: { userId: true }, orderBy: { userId: 'asc' } },
} as const satisfies Prisma.AppointmentInclude;

export type Appointment = Prisma.AppointmentGetPayload<{ include: typeof WHOLE }>;

/**
 * What a dialect may set. A field that is absent stays as it is; null clears it.
 * `date` is as the caller wrote it: with an offset an instant, without one wall time in the appointment's zone.
 */
export interface AppointmentInput {
  date?: string | null | undefined;
  timeZone?: string | null | undefined;
  patientId?: number | null | undefined;
  typeId?: number | null | undefined;
  officeId?: number | null | undefined;
}

/**
 * Stores an appointment; also one without a date, which no list shows until it has one.
 * @throws Failure invalid for a wall time that does not occur, not_found for what the organization does not have
 */
export async function scheduleAppointment(db: Db, caller: Caller, input: AppointmentInput): Promise<Appointment> {
  const { organizationId } = caller;
  const references = await resolveReferences(db, caller, input);
  const place = await placeOf(db, caller, { timeZone: input.timeZone ?? null, officeId: input.officeId ?? null });
  const durationMinutes = references.type?.durationMinutes ?? place.defaultMinutes;
  const moment = typeof input.date === 'string' ? readMoment(input.date, place.timeZone, 'appointment_date') : null;
  const appointment = await db.appointment.create({
    data: {
      organizationId,
      ...references.columns,
      ...timeColumns(moment, durationMinutes),
      timeZone: place.timeZone,
      durationMinutes,
      createdByUserId: caller.userId,
    },
    include: WHOLE,
  });
  recordChange(caller, 'create', { name: 'appointment.scheduled', subject: 'appointment', id: appointment.id });
  return appointment;
}

/**
 * Changes what is given; a new date is read in the appointment's own zone. A moved appointment has to be confirmed anew.
 * @throws Failure as scheduleAppointment, and not_found for another organization's or a cancelled appointment
 */
export async function changeAppointment(db: Db, caller: Caller, id: number, input: AppointmentInput): Promise<Appointment> {
  // Two changes at once follow one another, so that neither writes back what it read before the other.
  await db.$queryRaw`SELECT id FROM appointment WHERE organization_id = ${caller.organizationId} AND id = ${id} FOR UPDATE`;
  const before = await loadAppointment(db, caller, id);
  const references = await resolveReferences(db, caller, input);
  const durationMinutes = references.type?.durationMinutes ?? before.durationMinutes;
  const timeZone = input.timeZone ? (await placeOf(db, caller, { timeZone: input.timeZone, officeId: null })).timeZone : before.timeZone;
  const moment = newMoment(before, input, timeZone);
  const moved = moment?.instant.getTime() !== before.startsAt?.getTime();
  const appointment = await db.appointment.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id } },
    data: {
      ...references.columns,
      ...timeColumns(moment, durationMinutes),
      timeZone,
      durationMinutes,
      ...(moved ? { confirmation: 'Pending', confirmedAt: null, confirmedBy: null } : {}),
    },
    include: WHOLE,
  });
  const changed = Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  recordChange(caller, 'update', { name: moved ? 'appointment.moved' : 'appointment.changed', subject: 'appointment', id, changed });
  return appointment;
}

/** One appointment, audited as read. @throws Failure not_found */
export async function readAppointment(db: Db, caller: Caller, id: number): Promise<Appointment> {
  const appointment = await loadAppointment(db, caller, id);
  recordRead(caller, 'appointment', [id]);
  if (appointment.patientId !== null) recordRead(caller, 'patient', [appointment.patientId]);
  return appointment;
}

/** Cancels: gone from every list, kept for the history. @throws Failure not_found, also when it was cancelled before */
export async function cancelAppointment(db: Db, caller: Caller, id: number): Promise<void> {
  await loadAppointment(db, caller, id);
  await db.appointment.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id } },
    data: { status: 'cancelled', cancelledAt: new Date() },
  });
  recordChange(caller, 'cancel', { name: 'appointment.cancelled', subject: 'appointment', id });
}

async function loadAppointment(db: Db, { organizationId }: Caller, id: number): Promise<Appointment> {
  const appointment = await db.appointment.findFirst({ where: { organizationId, id, status: { not: 'cancelled' } }, include: WHOLE });
  if (!appointment) throw notFound('appointment');
  return appointment;
}

/** The columns of what the input refers to, each checked to be the organization's own. */
async function resolveReferences(db: Db, caller: Caller, { patientId, typeId, officeId }: AppointmentInput) {
  const { organizationId } = caller;
  if (typeof patientId === 'number') await findPatient(db, caller, patientId, 'patient_id');
  const type = typeof typeId === 'number' ? await findAppointmentType(db, caller, typeId, 'appointment_type_id') : undefined;
  if (typeof officeId === 'number') {
    const office = await db.office.findUnique({ where: { organizationId_id: { organizationId, id: officeId } }, select: { id: true } });
    if (!office) throw notFound('office', 'office_id');
  }
  return {
    type,
    columns: {
      ...(patientId === undefined ? {} : { patientId }),
      ...(typeId === undefined ? {} : { typeId, typeOrganizationId: type?.organizationId ?? null }),
      ...(officeId === undefined ? {} : { officeId }),
    },
  };
}

/** Where it takes place: the zone of the body, else of the office, else of the organization; and the usual length. */
async function placeOf(db: Db, { organizationId }: Caller, { timeZone, officeId }: { timeZone: string | null; officeId: number | null }) {
  const organization = await db.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { timeZone: true, defaultAppointmentLength: true },
  });
  const office = officeId === null ? null : await db.office.findUnique({ where: { organizationId_id: { organizationId, id: officeId } }, select: { timeZone: true } });
  if (timeZone !== null && !isTimeZone(timeZone)) throw notFound('time zone', 'appointment_timezone');
  return { timeZone: timeZone ?? office?.timeZone ?? organization.timeZone, defaultMinutes: organization.defaultAppointmentLength };
}

/** The date as given; else the standing instant, shown in the (perhaps new) zone. */
function newMoment(before: Appointment, { date }: AppointmentInput, timeZone: string): Moment | null {
  if (typeof date === 'string') return readMoment(date, timeZone, 'appointment_date');
  if (date === null || before.startsAt === null) return null;
  return momentAt(before.startsAt, timeZone);
}

function timeColumns(moment: Moment | null, durationMinutes: number) {
  if (moment === null) return { startsAt: null, endsAt: null, localStart: null };
  return {
    startsAt: moment.instant,
    endsAt: new Date(moment.instant.getTime() + durationMinutes * 60_000),
    localStart: moment.local,
  };
}
