import type { Db } from '../database.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { holdAppointmentType } from './appointment-types.ts';
import type { Caller } from './caller.ts';
import { changesTo } from './changes.ts';
import { databaseErrorCode } from './database-errors.ts';
import { conflict, invalid, notFound } from './errors.ts';
import { findPatient } from './patients.ts';
import { recordChange, recordRead } from './recording.ts';
import { momentAt, readMoment, readTimeZone } from './time.ts';

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
  const { organizationId, userId } = caller;
  const fields = await columnsOf(db, caller, input, null);
  const appointment = await db.appointment.create({ data: { ...fields, organizationId, createdByUserId: userId }, include: WHOLE });
  recordChange(caller, 'create', {
    name: 'appointment.scheduled',
    subject: 'appointment',
    id: appointment.id,
    changed: Object.keys(fields),
  });
  recordPatientShown(caller, appointment);
  return appointment;
}

/**
 * Changes what is given, and is no change when all of that stands already. A moved appointment has to be confirmed anew.
 * @throws Failure as scheduleAppointment, not_found for another organization's or a cancelled appointment, conflict where
 *   the organization refuses double booking
 */
export async function changeAppointment(db: Db, caller: Caller, id: number, input: AppointmentInput): Promise<Appointment> {
  const { organizationId } = caller;
  const before = await lockAppointment(db, caller, id);
  const changes = changesTo(before, await columnsOf(db, caller, input, before));
  const changed = Object.keys(changes);
  if (changed.length === 0) {
    recordRead(caller, 'appointment', [id]);
    recordPatientShown(caller, before);
    return before;
  }
  const moved = changes.startsAt !== undefined;
  const unconfirmed = moved ? { confirmation: 'Pending' as const, confirmedAt: null, confirmedBy: null } : {};
  const appointment = await db.appointment
    .update({ where: { organizationId_id: { organizationId, id } }, data: { ...changes, ...unconfirmed }, include: WHOLE })
    .catch(refuseDoubleBooking);
  recordChange(caller, 'update', { name: moved ? 'appointment.moved' : 'appointment.changed', subject: 'appointment', id, changed });
  recordPatientShown(caller, appointment);
  return appointment;
}

/** One appointment, audited as read. @throws Failure not_found */
export async function readAppointment(db: Db, caller: Caller, id: number): Promise<Appointment> {
  const appointment = await findAppointment(db, caller, id);
  recordRead(caller, 'appointment', [id]);
  recordPatientShown(caller, appointment);
  return appointment;
}

/** Cancels: gone from every list, kept for the history. @throws Failure not_found, also when it was cancelled before */
export async function cancelAppointment(db: Db, caller: Caller, id: number): Promise<void> {
  await lockAppointment(db, caller, id);
  const { patientId } = await db.appointment.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id } },
    data: { status: 'cancelled', cancelledAt: new Date() },
    select: { patientId: true },
  });
  recordChange(caller, 'cancel', { name: 'appointment.cancelled', subject: 'appointment', id });
  // Whoever asks what was done to a chart finds this too.
  if (patientId !== null)
    caller.journal.audits.push({ action: 'update', resource: 'patient', ids: [patientId], detail: `appointment ${id} cancelled` });
}

/** @throws Failure not_found; a cancelled appointment is as if it had never been */
export async function findAppointment(db: Db, { organizationId }: Caller, id: number): Promise<Appointment> {
  const appointment = await db.appointment.findFirst({ where: { organizationId, id, status: { not: 'cancelled' } }, include: WHOLE });
  if (!appointment) throw notFound('appointment');
  return appointment;
}

/** Two changes at once follow one another, so that neither writes back what it read before the other. */
async function lockAppointment(db: Db, caller: Caller, id: number): Promise<Appointment> {
  await db.$queryRaw`SELECT id FROM appointment WHERE organization_id = ${caller.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return findAppointment(db, caller, id);
}

/** Whoever is shown an appointment is shown its patient's chart. */
function recordPatientShown(caller: Caller, { patientId }: Appointment): void {
  if (patientId !== null) recordRead(caller, 'patient', [patientId]);
}

/** The columns that an input leads to, for a new appointment or for one that stands. */
async function columnsOf(db: Db, caller: Caller, input: AppointmentInput, before: Appointment | null) {
  const { patientId, typeId, officeId } = input;
  const found = await findReferences(db, caller, input);
  const organization = await db.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
    select: { timeZone: true, defaultAppointmentLength: true },
  });
  const type = typeId === undefined ? before?.type : found.type;
  const office = officeId === undefined ? before?.office : found.office;
  const sameType = before !== null && type?.id === before.type?.id;
  const samePlace = before !== null && office?.id === before.office?.id && input.timeZone === undefined;
  const durationMinutes = sameType ? before.durationMinutes : (type?.durationMinutes ?? organization.defaultAppointmentLength);
  const timeZone = samePlace ? before.timeZone : (zoneOf(input) ?? office?.timeZone ?? organization.timeZone);
  return {
    ...(patientId === undefined ? {} : { patientId }),
    ...(typeId === undefined ? {} : { typeId, typeOrganizationId: type?.organizationId ?? null }),
    ...(officeId === undefined ? {} : { officeId }),
    ...timesOf(input, before, timeZone, durationMinutes),
    timeZone,
    durationMinutes,
  };
}

/** What the input refers to, each checked to be the organization's own or a global type. */
async function findReferences(db: Db, caller: Caller, { patientId, typeId, officeId }: AppointmentInput) {
  const { organizationId } = caller;
  if (typeof patientId === 'number') await findPatient(db, caller, patientId, 'patientId');
  const type = typeof typeId === 'number' ? await holdAppointmentType(db, caller, typeId, 'typeId') : null;
  const office =
    typeof officeId === 'number' ? await db.office.findUnique({ where: { organizationId_id: { organizationId, id: officeId } } }) : null;
  if (typeof officeId === 'number' && !office) throw notFound('office', 'officeId');
  return { type, office };
}

/** The zone that the input names; null when it leaves that to the office or the organization. */
function zoneOf({ timeZone }: AppointmentInput): string | null {
  if (typeof timeZone !== 'string') return null;
  const name = readTimeZone(timeZone);
  if (name === null) throw invalid('timeZone', 'must be an IANA time zone such as America/New_York', 'unknown_time_zone');
  return name;
}

/** The date as given; else the standing instant, whose wall clock changes with the zone alone. */
function timesOf({ date }: AppointmentInput, before: Appointment | null, timeZone: string, durationMinutes: number) {
  const start = typeof date === 'string' ? readMoment(date, timeZone, 'date') : date === null ? null : standing(before, timeZone);
  if (start === null) return { startsAt: null, endsAt: null, localStart: null };
  return {
    startsAt: start.instant,
    endsAt: new Date(start.instant.getTime() + durationMinutes * 60_000),
    localStart: start.local,
  };
}

function standing(before: Appointment | null, timeZone: string) {
  if (before === null || before.startsAt === null || before.localStart === null) return null;
  if (before.timeZone === timeZone) return { instant: before.startsAt, local: before.localStart };
  return momentAt(before.startsAt, timeZone);
}

/** The database refuses two appointments of one user at a time, where the organization wants that (23P01). */
function refuseDoubleBooking(error: unknown): never {
  if (databaseErrorCode(error) !== '23P01') throw error;
  throw conflict('double_booked', 'Someone who takes part has another appointment at that time.', 'date');
}
