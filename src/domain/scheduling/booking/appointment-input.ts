import { NONE } from '../../../database/statements/no-id.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { conflict, type Failure, invalid, notFound, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import type { AppointmentStatus } from '../../values/appointment-status.ts';
import { type Moment, readMoment, writeDay } from '../../values/time/time.ts';
import { readTimeZone } from '../../values/time/time-zones.ts';
import type { AppointmentOffice } from '../appointment/appointment-view.ts';
import { NO_PATIENT } from '../appointment/appointments.sql.ts';
import { NO_FIELDS } from '../appointment/booking.sql.ts';
import {
  BOOKING_CONTEXT,
  type BookingContext,
  type BookingFacts,
  CHANGE_CONTEXT,
  type ChangeContext,
  DEFAULT_OFFICE,
  HOLD_CHART,
  HOLD_GLOBAL_TYPE,
} from '../appointment/booking-context.sql.ts';
import type { ConfirmationAnswer } from '../appointment/confirmation.ts';
import { participantsAfter, providerAfter } from './participants.ts';

/**
 * Fields that a dialect may set. A field that is absent keeps its value; null clears it.
 * `date` is as the caller wrote it: an instant where it has an offset, else wall time in the appointment's zone.
 */
export interface AppointmentInput {
  date?: string | null | undefined;
  /** IANA name. */
  timeZone?: string | null | undefined;
  patientId?: number | null | undefined;
  typeId?: number | null | undefined;
  officeId?: number | null | undefined;
  locationId?: number | null | undefined;
  waitingRoomId?: number | null | undefined;
  /** Length; null stands for that of the type, or the organization's default. */
  durationMinutes?: number | null | undefined;
  /** A provider of the organization. Null, and the stored one sent back, leave it to the participants. */
  providerId?: number | null | undefined;
  /** All participants; those who are not among them leave. */
  userIds?: number[] | undefined;
  /** The patient's answer, entered by a user. */
  confirmation?: ConfirmationAnswer | undefined;
  showOnTasks?: boolean | undefined;
  /** The outcome of the visit. A new appointment is scheduled; one is cancelled by cancelAppointment. */
  status?: Exclude<AppointmentStatus, 'cancelled'> | undefined;
  /** Kept with a change of the status. */
  reason?: string | null | undefined;
  /** The slot that it is booked in, or moves to, or a hold of the caller on it: they decide its time, place and kind. */
  slotId?: number | null | undefined;
  holdId?: number | null | undefined;
  /** The way in which the patient hears of it; unless given, of a new appointment in none, of a move as the practice has set. */
  notify?: VisitChangeNotice | null | undefined;
}

/** The values that both contexts have. */
function toContextValues(input: AppointmentInput): unknown[] {
  const { officeId, locationId, waitingRoomId, typeId, providerId, userIds = [] } = input;
  const places = [officeId, locationId, waitingRoomId, typeId].map((given) => (given === null ? NONE : given));
  return [...places, providerId ?? NONE, userIds];
}

/** Reads and holds the chart that an input names. Sent before the context, in one flush. */
async function holdChart(tx: Tx, { patientId }: AppointmentInput) {
  const [chart] = patientId == null ? [] : await tx.rows(HOLD_CHART, [patientId]);
  return chart ?? NO_CHART;
}

const NO_CHART = { ...NO_PATIENT, deceasedOn: null };

/** Reads what the rules of a new appointment must know. @throws Failure not_found for an unknown organization */
export async function readBookingContext(tx: Tx, input: AppointmentInput): Promise<BookingContext> {
  const [{ deceasedOn, ...patient }, [context]] = await Promise.all([
    holdChart(tx, input),
    tx.rows(BOOKING_CONTEXT, [...toContextValues(input), tx.userId]),
  ]);
  if (!context) throw notFound('organization');
  return { ...context, patient, deceasedOn };
}

/**
 * Reads what the rules of a change must know. The chart of a patient who is cleared is the stored one: it decides whether a response withheld
 * them (keepWithheldPatient).
 * @param id of the appointment, which was locked before
 * @throws Failure not_found for an unknown organization
 */
export async function readChangeContext(tx: Tx, id: number, input: AppointmentInput): Promise<ChangeContext> {
  const [named, [found]] = await Promise.all([holdChart(tx, input), tx.rows(CHANGE_CONTEXT, [...toContextValues(input), id])]);
  if (!found) throw notFound('organization');
  const { chart, ...context } = found;
  const { deceasedOn, ...patient } = input.patientId == null ? (chart ?? NO_CHART) : named;
  return { ...context, patient, deceasedOn };
}

/**
 * Fields and participants of a new appointment.
 * @param findDefaultOffice finds the office where none is named
 * @returns that office too
 * @throws Failure not_found for unknown references; invalid for an unknown zone, an inactive user or provider, a place of
 *   another office, or a wall time that does not occur; names all wrong fields. Conflict for an inactive type
 */
export async function newAppointment(
  tx: Tx,
  input: AppointmentInput,
  context: BookingFacts,
  findDefaultOffice = (place: { providerId: number | null; patientId: number | null }) => defaultOffice(tx, context, place),
) {
  const { date, patientId = null, typeId = null, officeId = null, locationId = null, waitingRoomId = null, showOnTasks = true } = input;
  const wrong = new WrongFields();
  checkReferences(tx, input, context, wrong);
  if (context.provider?.active === false) wrong.add(inactiveProvider());
  for (const field of placesElsewhere(context)) wrong.add(otherOffice(field));
  const timeZone = chooseZone(input, context, wrong);
  const durationMinutes = input.durationMinutes ?? context.type?.durationMinutes ?? context.defaultMinutes;
  const start = wrong.checkNow(() => (typeof date === 'string' ? readMoment(date, timeZone, 'date') : null));
  const users = wrong.checkNow(() => participantsAfter(input, NO_FIELDS, context));
  wrong.throwIfAny();
  if (start === undefined || users === undefined) throw new RangeError('a wrong field was not reported');
  if (context.type?.active === false) throw inactiveType();
  await holdType(tx, input, context);
  if (patientId !== null) requireAlive(start, context);
  const providerId = providerAfter(input, NO_FIELDS, users, context);
  const chosenOffice = officeId === null ? await findDefaultOffice({ providerId, patientId }) : null;
  const fields = {
    patientId,
    typeId,
    typeOrganizationId: context.type?.owner ?? null,
    locationId,
    waitingRoomId,
    providerId,
    showOnTasks,
    ...timesFrom(start, durationMinutes),
    timeZone,
    durationMinutes,
    officeId: officeId ?? chosenOffice?.id ?? null,
  };
  return { fields, users, chosenOffice };
}

/** The office of an appointment that names none; null only in a practice without an open office. */
export async function defaultOffice(
  tx: Tx,
  { location, waitingRoom }: BookingFacts,
  { providerId, patientId }: { providerId: number | null; patientId: number | null },
): Promise<AppointmentOffice | null> {
  const [office] = await tx.rows(DEFAULT_OFFICE, [
    ...[location?.officeId, waitingRoom?.officeId],
    ...[providerId ?? NONE, patientId ?? NONE],
  ]);
  return office ?? null;
}

/** @throws Failure conflict for a patient who has died, unless the visit took place before */
export function requireAlive(start: Moment | null, { deceasedOn }: Pick<BookingFacts, 'deceasedOn'>): void {
  if (deceasedOn === null || (start !== null && start.instant <= new Date() && writeDay(start.local) <= deceasedOn)) return;
  throw conflict('patient_deceased', `The patient died on ${deceasedOn}: no visit can be booked after that day.`, 'patientId');
}

/** Whether there is a chart, and the caller may see it. */
export const showsPatient = (caller: Caller, id: number, { patient }: Pick<BookingFacts, 'patient'>): boolean =>
  patient.patientStatus !== null && (patient.chartRestricted !== true || maySeeChart(caller, id));

/** Adds the references of an input that do not exist. */
export function checkReferences(caller: Caller, input: AppointmentInput, context: BookingFacts, wrong: WrongFields): void {
  const { patientId } = input;
  if (typeof patientId === 'number' && !showsPatient(caller, patientId, context)) wrong.add(notFound('patient', 'patientId'));
  const isUnknown = (field: keyof AppointmentInput, found: unknown) => typeof input[field] === 'number' && found === null;
  if (isUnknown('typeId', context.type)) wrong.add(notFound('appointment type', 'typeId'));
  if (isUnknown('officeId', context.office)) wrong.add(notFound('office', 'officeId'));
  if (isUnknown('locationId', context.location)) wrong.add(notFound('location', 'locationId'));
  if (isUnknown('waitingRoomId', context.waitingRoom)) wrong.add(notFound('waiting room', 'waitingRoomId'));
  if (isUnknown('providerId', context.provider)) wrong.add(notFound('provider', 'providerId'));
}

export const inactiveProvider = (): Failure => invalid('providerId', 'is a provider who is not active', 'inactive_provider');

export const inactiveType = (): Failure =>
  conflict('inactive_type', 'The appointment type is inactive and cannot be used for new appointments.', 'typeId');

/** The places that belong to another office than the appointment's; without one, a waiting room of another office than the location's. */
export function placesElsewhere({ office, location, waitingRoom }: BookingFacts) {
  const officeId = office?.id ?? location?.officeId ?? null;
  const places = [
    { field: 'locationId', officeId: location?.officeId ?? null },
    { field: 'waitingRoomId', officeId: waitingRoom?.officeId ?? null },
  ] as const;
  return places.filter((place) => officeId !== null && place.officeId !== null && place.officeId !== officeId).map(({ field }) => field);
}

export const otherOffice = (field: string): Failure =>
  invalid(field, 'belongs to another office: name one of this office, or null', 'other_office');

/** The zone of an input, else of the office that it names, else of the practice: an office that follows from others moves no clock. UTC where that is wrong: every wall time occurs in it, so all else is checked. */
export function chooseZone({ timeZone, officeId }: AppointmentInput, { office, practiceZone }: BookingFacts, wrong: WrongFields): string {
  const named =
    typeof timeZone === 'string' ? wrong.checkNow(() => readAppointmentZone(timeZone)) : toPresentName(office?.timeZone ?? practiceZone);
  return named === undefined || (typeof officeId === 'number' && office === null) ? 'UTC' : named;
}

/** An office or a practice of older data may have an alias. */
const toPresentName = (timeZone: string): string => readTimeZone(timeZone) ?? timeZone;

/** Keeps another organization's type global until the transaction ends. @throws Failure not_found where it no longer is */
export async function holdType(tx: Tx, { typeId }: AppointmentInput, { type }: Pick<BookingFacts, 'type'>): Promise<void> {
  if (typeof typeId !== 'number' || type === null || type.owner === tx.organizationId) return;
  const held = await tx.prepared.rows(HOLD_GLOBAL_TYPE, [type.owner, typeId]);
  if (held.length === 0) throw notFound('appointment type', 'typeId');
}

/** @throws Failure invalid for a zone that is not in the IANA database */
export function readAppointmentZone(timeZone: string): string {
  const name = readTimeZone(timeZone);
  if (name === null) throw invalid('timeZone', 'must be an IANA time zone such as America/New_York', 'unknown_time_zone');
  return name;
}

/** @throws Failure invalid for a date that no zone has */
export const checkAppointmentDate = (date: string): void => void readMoment(date, 'UTC', 'date');

/** The times of an appointment from its start; all null without one. */
export function timesFrom(start: Moment | null, durationMinutes: number) {
  if (start === null) return { startsAt: null, endsAt: null, localStart: null };
  return {
    startsAt: start.instant,
    endsAt: new Date(start.instant.getTime() + durationMinutes * 60_000),
    localStart: start.local,
  };
}
