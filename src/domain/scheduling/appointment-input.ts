import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { invalid, notFound, WrongFields } from '../errors.ts';
import { momentAt, readMoment, readTimeZone } from '../values/time.ts';
import { holdGlobalType } from './appointment-types.ts';
import { type ConfirmationAnswer, type ConfirmationFields, confirmationFields } from './confirmation.ts';
import { readParticipants } from './participants.ts';

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
  /** All participants; those who are not among them leave. */
  userIds?: number[] | undefined;
  /** The patient's answer, entered by a user. */
  confirmation?: ConfirmationAnswer | undefined;
  showOnTasks?: boolean | undefined;
}

/** Columns and relations that a change compares its input with. */
export const STORED = { office: { select: { timeZone: true } }, users: { select: { userId: true } } } as const;

/** An appointment as it is stored, before a change. */
export type StoredAppointment = Prisma.AppointmentGetPayload<{ include: typeof STORED }>;

/**
 * Columns and participants for an input.
 * @param before the stored appointment; null for a new one
 * @returns also whether the organization refuses double booking
 * @throws Failure not_found for unknown references, invalid for an unknown zone, an inactive user or a wall time that does not
 *   occur; names all wrong fields
 */
export async function columnsOf(db: Db, caller: Caller, input: AppointmentInput, before: StoredAppointment | null) {
  const { userIds } = input;
  const current = before?.users.map(({ userId }) => userId) ?? [];
  // The stored type is read again where its length is to apply anew.
  const typeId = input.typeId === undefined && input.durationMinutes === null ? before?.typeId : input.typeId;
  const wrong = new WrongFields();
  const found = await findReferences(db, caller, { ...input, typeId }, wrong);
  const zone = await wrong.check(() => requestedZone(input));
  const columns = await wrong.check(() => writeColumns(input, before, found, zone));
  const users = userIds === undefined ? current : await wrong.check(() => readParticipants(db, caller, userIds, current));
  wrong.throwIfAny();
  if (columns === undefined || users === undefined) throw new RangeError('a wrong field was not reported');
  await holdType(db, caller, typeId ?? null, found);
  return { columns, users, exclusive: found.exclusive };
}

/** @param zone the requested one; null for none, undefined for one that is unknown */
function writeColumns(input: AppointmentInput, before: StoredAppointment | null, found: Found, zone: string | null | undefined) {
  const { patientId, typeId, officeId, locationId, waitingRoomId, showOnTasks } = input;
  const sameType = before !== null && (typeId === undefined || (typeId === before.typeId && found.typeOwner === before.typeOrganizationId));
  const sameOffice = before !== null && (officeId === undefined || officeId === before.officeId) && input.timeZone === undefined;
  const usualMinutes =
    sameType && input.durationMinutes === undefined ? before.durationMinutes : (found.typeMinutes ?? found.defaultMinutes);
  const durationMinutes = input.durationMinutes ?? usualMinutes;
  const officeZone = officeId === undefined ? before?.office?.timeZone : found.officeZone;
  const isUnknown = zone === undefined || (typeof officeId === 'number' && found.officeId === null);
  // Every wall time occurs in UTC: without a known zone, a date is checked for all else.
  const timeZone = isUnknown ? 'UTC' : sameOffice ? before.timeZone : (zone ?? officeZone ?? found.timeZone);
  return {
    ...(patientId === undefined ? {} : { patientId }),
    ...(typeId === undefined ? {} : { typeId, typeOrganizationId: found.typeOwner }),
    ...(officeId === undefined ? {} : { officeId }),
    ...(locationId === undefined ? {} : { locationId }),
    ...(waitingRoomId === undefined ? {} : { waitingRoomId }),
    ...(showOnTasks === undefined ? {} : { showOnTasks }),
    ...timesOf(input, before, timeZone, durationMinutes),
    timeZone,
    durationMinutes,
  };
}

/** Columns for an answer in the input. A move takes the existing answer back. */
export function confirmationOf(
  { confirmation }: AppointmentInput,
  before: StoredAppointment | null,
  moved: boolean,
): Partial<ConfirmationFields> {
  const current = moved ? 'Pending' : (before?.confirmation ?? 'Pending');
  if (confirmation !== undefined && confirmation !== current) return confirmationFields(confirmation, 'user');
  return moved ? confirmationFields('Pending', 'user') : {};
}

/** Settings of the organization, and those references of an input that exist. */
interface Found {
  timeZone: string;
  defaultMinutes: number;
  /** Double booking is refused. */
  exclusive: boolean;
  patientId: number | null;
  officeId: number | null;
  officeZone: string | null;
  locationId: number | null;
  waitingRoomId: number | null;
  typeOwner: number | null;
  typeMinutes: number | null;
}

/**
 * The references of an input, each the organization's own, or a type that is global: in one statement, since every
 * appointment needs it. The type is locked until the transaction ends.
 * @param wrong gets those that do not exist
 */
async function findReferences(db: Db, caller: Caller, input: AppointmentInput, wrong: WrongFields): Promise<Found> {
  const { patientId = null, typeId = null, officeId = null, locationId = null, waitingRoomId = null } = input;
  const [found] = await db.$queryRaw<Found[]>`
    SELECT o.time_zone AS "timeZone", o.default_appointment_length AS "defaultMinutes", o.double_booking = 'refuse' AS exclusive,
           p.id AS "patientId", f.id AS "officeId", f.time_zone AS "officeZone", l.id AS "locationId", w.id AS "waitingRoomId",
           t.organization_id AS "typeOwner", t.duration_minutes AS "typeMinutes"
      FROM organization o
      LEFT JOIN patient p ON p.organization_id = o.id AND p.id = ${patientId}::int AND p.status <> 'deleted'
      LEFT JOIN office f ON f.organization_id = o.id AND f.id = ${officeId}::int
      LEFT JOIN location l ON l.organization_id = o.id AND l.id = ${locationId}::int
      LEFT JOIN waiting_room w ON w.organization_id = o.id AND w.id = ${waitingRoomId}::int
      LEFT JOIN LATERAL (
             SELECT organization_id, duration_minutes FROM appointment_type
              WHERE id = ${typeId}::int AND (organization_id = o.id OR is_global)
              ORDER BY organization_id = o.id DESC LIMIT 1 FOR KEY SHARE) t ON true
     WHERE o.id = ${caller.organizationId}`;
  if (!found) throw notFound('organization');
  if (patientId !== null && found.patientId === null) wrong.add(notFound('patient', 'patientId'));
  if (typeId !== null && found.typeOwner === null) wrong.add(notFound('appointment type', 'typeId'));
  if (officeId !== null && found.officeId === null) wrong.add(notFound('office', 'officeId'));
  if (locationId !== null && found.locationId === null) wrong.add(notFound('location', 'locationId'));
  if (waitingRoomId !== null && found.waitingRoomId === null) wrong.add(notFound('waiting room', 'waitingRoomId'));
  return found;
}

/** Locks another organization's type until the transaction ends. */
async function holdType(db: Db, { organizationId }: Caller, typeId: number | null, { typeOwner }: Found): Promise<void> {
  if (typeId === null || typeOwner === null || typeOwner === organizationId) return;
  await holdGlobalType(db, { organizationId: typeOwner, id: typeId }, 'typeId');
}

/** The zone in the input; null where the office or the organization decides. */
const requestedZone = ({ timeZone }: AppointmentInput): string | null =>
  typeof timeZone === 'string' ? readAppointmentZone(timeZone) : null;

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
  const start = typeof date === 'string' ? readMoment(date, timeZone, 'date') : date === null ? null : storedStart(before, timeZone);
  if (start === null) return { startsAt: null, endsAt: null, localStart: null };
  return {
    startsAt: start.instant,
    endsAt: new Date(start.instant.getTime() + durationMinutes * 60_000),
    localStart: start.local,
  };
}

function storedStart(before: StoredAppointment | null, timeZone: string) {
  if (before === null || before.startsAt === null || before.localStart === null) return null;
  if (before.timeZone === timeZone) return { instant: before.startsAt, local: before.localStart };
  return momentAt(before.startsAt, timeZone);
}
