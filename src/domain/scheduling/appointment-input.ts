import type { Db } from '../../database/database.ts';
import { NONE } from '../../database/statements/no-id.ts';
import { type Prepared, preparedIn } from '../../database/statements/statement.ts';
import { type Caller, maySeeChart } from '../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../errors.ts';
import { changesTo } from '../values/changed-fields.ts';
import { type Moment, momentAt, readMoment } from '../values/time.ts';
import { isSameZone, readTimeZone } from '../values/time-zones.ts';
import { BOOKING_CONTEXT, type BookingContext, HOLD_GLOBAL_TYPE, type StoredAppointment } from './booking.sql.ts';
import { type ConfirmationAnswer, type ConfirmationFields, confirmationFields } from './confirmation.ts';
import { choosesProvider, participantsAfter, providerAfter } from './participants.ts';

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
}

/**
 * Reads what the rules of a booking must know.
 * @param id of the appointment, which was locked before; NONE for a new one
 * @throws Failure not_found for an unknown organization
 */
export async function readBookingContext(
  { rows }: Prepared,
  { organizationId }: Caller,
  id: number,
  input: AppointmentInput,
): Promise<BookingContext> {
  const { patientId, officeId, locationId, waitingRoomId, typeId, providerId, userIds = [] } = input;
  const places = [officeId, locationId, waitingRoomId, typeId].map((given) => (given === null ? NONE : given));
  const [context] = await rows(BOOKING_CONTEXT, [organizationId, id, patientId, ...places, providerId ?? NONE, userIds]);
  if (!context) throw notFound('organization');
  return context;
}

/**
 * The input for an appointment whose patient a response withholds, which shows null instead: a deleted chart, or a restricted one from
 * a caller who may not see it. That null may be sent back and clears nothing. Any other input is returned as it is.
 */
export function keepWithheldPatient(
  caller: Caller,
  input: AppointmentInput,
  before: StoredAppointment,
  context: BookingContext,
): AppointmentInput {
  if (input.patientId !== null || before.patientId === null || showsPatient(caller, before.patientId, context)) return input;
  return { ...input, patientId: undefined };
}

/** Whether there is a chart, and the caller may see it. */
const showsPatient = (caller: Caller, id: number, { patient }: BookingContext): boolean =>
  patient.patientStatus !== null && (patient.chartRestricted !== true || maySeeChart(caller, id));

/**
 * Columns and participants for an input.
 * @param before the stored appointment; null for a new one
 * @throws Failure not_found for unknown references; invalid for an unknown zone, an inactive user or provider, a place of
 *   another office, or a wall time that does not occur; names all wrong fields. Conflict for an inactive type
 */
export async function columnsOf(
  db: Db,
  caller: Caller,
  input: AppointmentInput,
  { before, context }: { before: StoredAppointment | null; context: BookingContext },
) {
  const wrong = new WrongFields();
  checkReferences(caller, input, context, wrong);
  checkChoices(input, before, context, wrong);
  const zone = await wrong.check(() => requestedZone(input));
  const columns = await wrong.check(() => writeColumns(input, before, context, zone));
  const users = await wrong.check(() => participantsAfter(input, before, context));
  wrong.throwIfAny();
  if (columns === undefined || users === undefined) throw new RangeError('a wrong field was not reported');
  requireActiveType(input, before, context);
  await holdType(db, caller, input, context);
  const providerId = providerAfter(input, before, users, context);
  return { columns: { ...columns, providerId }, users };
}

/** Adds the references of an input that do not exist. */
function checkReferences(caller: Caller, input: AppointmentInput, context: BookingContext, wrong: WrongFields): void {
  const { patientId } = input;
  if (typeof patientId === 'number' && !showsPatient(caller, patientId, context)) wrong.add(notFound('patient', 'patientId'));
  for (const [field, name, found] of [
    ['typeId', 'appointment type', context.typeOwner],
    ['officeId', 'office', context.foundOfficeId],
    ['locationId', 'location', context.foundLocationId],
    ['waitingRoomId', 'waiting room', context.foundWaitingRoomId],
    ['providerId', 'provider', context.foundProviderId],
  ] as const)
    if (typeof input[field] === 'number' && found === null) wrong.add(notFound(name, field));
}

/** Adds the references that exist but cannot be chosen. What the appointment has already may stay. */
function checkChoices(input: AppointmentInput, before: StoredAppointment | null, context: BookingContext, wrong: WrongFields): void {
  if (context.providerActive === false && choosesProvider(input, before))
    wrong.add(invalid('providerId', 'is a provider who is not active', 'inactive_provider'));
  const { foundOfficeId: officeId } = context;
  const isChanged = (field: 'officeId' | 'locationId' | 'waitingRoomId') => input[field] !== undefined && input[field] !== before?.[field];
  for (const [field, placeOfficeId] of [
    ['locationId', context.locationOfficeId],
    ['waitingRoomId', context.waitingRoomOfficeId],
  ] as const) {
    const isElsewhere = officeId !== null && placeOfficeId !== null && placeOfficeId !== officeId;
    if (isElsewhere && (isChanged('officeId') || isChanged(field)))
      wrong.add(invalid(field, 'belongs to another office: name one of this office, or null', 'other_office'));
  }
}

/** @throws Failure conflict for an inactive type that the appointment does not have yet */
function requireActiveType(
  { typeId }: AppointmentInput,
  before: StoredAppointment | null,
  { typeActive, typeOwner }: BookingContext,
): void {
  const isStored = before !== null && typeId === before.typeId && typeOwner === before.typeOrganizationId;
  if (typeId && typeActive === false && !isStored)
    throw conflict('inactive_type', 'The appointment type is inactive: no new appointment takes it.', 'typeId');
}

/** @param zone the requested one; null for none, undefined for one that is unknown */
function writeColumns(input: AppointmentInput, before: StoredAppointment | null, context: BookingContext, zone: string | null | undefined) {
  const { patientId, typeId, officeId, locationId, waitingRoomId, showOnTasks } = input;
  const sameType =
    before !== null && (typeId === undefined || (typeId === before.typeId && context.typeOwner === before.typeOrganizationId));
  const sameOffice = before !== null && (officeId === undefined || officeId === before.officeId) && input.timeZone === undefined;
  const usualMinutes =
    sameType && input.durationMinutes === undefined ? before.durationMinutes : (context.typeMinutes ?? context.defaultMinutes);
  const durationMinutes = input.durationMinutes ?? usualMinutes;
  const isUnknown = zone === undefined || (typeof officeId === 'number' && context.foundOfficeId === null);
  // Every wall time occurs in UTC: without a known zone, a date is checked for all else.
  const timeZone = isUnknown ? 'UTC' : sameOffice ? before.timeZone : (zone ?? presentName(context.officeZone ?? context.practiceZone));
  const typeOrganizationId = typeId === undefined ? undefined : context.typeOwner;
  return {
    ...changesTo({}, { patientId, typeId, typeOrganizationId, officeId, locationId, waitingRoomId, showOnTasks }),
    ...timesOf(input, before, timeZone, durationMinutes),
    timeZone,
    durationMinutes,
  };
}

/**
 * Columns for an answer in the input.
 * @param renewed takes the existing answer back: it was given to another time, or by another patient
 */
export function confirmationOf(
  { confirmation }: AppointmentInput,
  before: StoredAppointment | null,
  renewed: boolean,
): Partial<ConfirmationFields> {
  const current = renewed ? 'Pending' : (before?.confirmation ?? 'Pending');
  if (confirmation !== undefined && confirmation !== current) return confirmationFields(confirmation, 'user');
  return renewed ? confirmationFields('Pending', 'user') : {};
}

/** Keeps another organization's type global until the transaction ends. @throws Failure not_found where it is not any more */
async function holdType(db: Db, { organizationId }: Caller, { typeId }: AppointmentInput, { typeOwner }: BookingContext): Promise<void> {
  if (typeof typeId !== 'number' || typeOwner === null || typeOwner === organizationId) return;
  const held = await preparedIn(db).rows(HOLD_GLOBAL_TYPE, [typeOwner, typeId]);
  if (held.length === 0) throw notFound('appointment type', 'typeId');
}

/** The zone in the input; null where the office or the organization decides. */
const requestedZone = ({ timeZone }: AppointmentInput): string | null =>
  typeof timeZone === 'string' ? readAppointmentZone(timeZone) : null;

/** An office or a practice of older data may have an alias. */
const presentName = (timeZone: string): string => readTimeZone(timeZone) ?? timeZone;

/** @throws Failure invalid for a zone that is not in the IANA database */
export function readAppointmentZone(timeZone: string): string {
  const name = readTimeZone(timeZone);
  if (name === null) throw invalid('timeZone', 'must be an IANA time zone such as America/New_York', 'unknown_time_zone');
  return name;
}

/** @throws Failure invalid for a date that no zone has */
export const checkAppointmentDate = (date: string): void => void readMoment(date, 'UTC', 'date');

/** The date of the input, else the stored instant: a new zone changes its wall clock alone. */
function timesOf({ date }: AppointmentInput, before: StoredAppointment | null, timeZone: string, durationMinutes: number) {
  const stored = storedMoment(before);
  const start = typeof date === 'string' ? readMoment(date, timeZone, 'date', stored) : date === null ? null : inZone(stored, timeZone);
  if (start === null) return { startsAt: null, endsAt: null, localStart: null };
  return {
    startsAt: start.instant,
    endsAt: new Date(start.instant.getTime() + durationMinutes * 60_000),
    localStart: start.local,
  };
}

function storedMoment(before: StoredAppointment | null): Moment | null {
  if (before === null || before.startsAt === null || before.localStart === null) return null;
  return { instant: before.startsAt, local: before.localStart, timeZone: before.timeZone };
}

const inZone = (stored: Moment | null, timeZone: string): Moment | null =>
  stored === null || isSameZone(stored.timeZone, timeZone) ? stored : momentAt(stored.instant, timeZone);
