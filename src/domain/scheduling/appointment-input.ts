import type { Db } from '../../database/database.ts';
import { NONE } from '../../database/statements/no-id.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { type Caller, maySeeChart } from '../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../errors.ts';
import { type Moment, momentAt, readMoment } from '../values/time.ts';
import { isSameZone, readTimeZone } from '../values/time-zones.ts';
import { choosesProvider, providerFor } from './appointment-provider.ts';
import { type ConfirmationAnswer, type ConfirmationFields, confirmationFields } from './confirmation.ts';
import { readParticipants } from './participants.ts';
import { holdGlobalType } from './types/appointment-types.ts';

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

/** Columns and relations that a change compares its input with. */
export const STORED = { office: { select: { timeZone: true } }, users: { select: { userId: true } } } as const;

/** An appointment as it is stored, before a change. */
export type StoredAppointment = Prisma.AppointmentGetPayload<{ include: typeof STORED }>;

/**
 * Columns and participants for an input.
 * @param before the stored appointment; null for a new one
 * @returns also whether the organization refuses double booking
 * @throws Failure not_found for unknown references; invalid for an unknown zone, an inactive user or provider, a place of
 *   another office, or a wall time that does not occur; names all wrong fields. Conflict for an inactive type
 */
export async function columnsOf(db: Db, caller: Caller, input: AppointmentInput, before: StoredAppointment | null) {
  const current = before?.users.map(({ userId }) => userId) ?? [];
  // The stored type is read again where its length is to apply anew.
  const typeId = input.typeId === undefined && input.durationMinutes === null ? before?.typeId : input.typeId;
  const wrong = new WrongFields();
  const found = await findReferences(db, caller, { ...input, typeId }, { before, wrong });
  checkChoices(input, before, found, wrong);
  const zone = await wrong.check(() => requestedZone(input));
  const columns = await wrong.check(() => writeColumns(input, before, found, zone));
  const users = await wrong.check(() => participantsAfter(db, caller, input, { before, current, found }));
  wrong.throwIfAny();
  if (columns === undefined || users === undefined) throw new RangeError('a wrong field was not reported');
  requireActiveType(input, before, found);
  await holdType(db, caller, typeId ?? null, found);
  const providerId = await providerFor(db, caller, input, before, { users, current });
  return { columns: { ...columns, ...(before || providerId ? { providerId } : {}) }, users, exclusive: found.exclusive };
}

/** Participants after a change. The user of a provider who is chosen joins, unless the input says who takes part. */
async function participantsAfter(
  db: Db,
  caller: Caller,
  input: AppointmentInput,
  { before, current, found }: { before: StoredAppointment | null; current: number[]; found: Found },
): Promise<number[]> {
  if (input.userIds !== undefined) return readParticipants(db, caller, input.userIds, current);
  if (found.providerUserId === null || !choosesProvider(input, before)) return current;
  return [...new Set([...current, found.providerUserId])];
}

/** Adds the references that exist but cannot be chosen. What the appointment has already may stay. */
function checkChoices(input: AppointmentInput, before: StoredAppointment | null, found: Found, wrong: WrongFields): void {
  if (found.providerActive === false && choosesProvider(input, before))
    wrong.add(invalid('providerId', 'is a provider who is not active', 'inactive_provider'));
  const officeId = input.officeId === undefined ? (before?.officeId ?? null) : found.officeId;
  const isChanged = (field: 'officeId' | 'locationId' | 'waitingRoomId') => input[field] !== undefined && input[field] !== before?.[field];
  for (const [field, placeOfficeId] of [
    ['locationId', found.locationOfficeId],
    ['waitingRoomId', found.waitingRoomOfficeId],
  ] as const) {
    const isElsewhere = officeId !== null && placeOfficeId !== null && placeOfficeId !== officeId;
    if (isElsewhere && (isChanged('officeId') || isChanged(field)))
      wrong.add(invalid(field, 'belongs to another office: name one of this office, or null', 'other_office'));
  }
}

/** @throws Failure conflict for an inactive type that the appointment does not have yet */
function requireActiveType({ typeId }: AppointmentInput, before: StoredAppointment | null, { typeActive, typeOwner }: Found): void {
  const isStored = before !== null && typeId === before.typeId && typeOwner === before.typeOrganizationId;
  if (typeId && typeActive === false && !isStored)
    throw conflict('inactive_type', 'The appointment type is inactive: no new appointment takes it.', 'typeId');
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
  const timeZone = isUnknown ? 'UTC' : sameOffice ? before.timeZone : (zone ?? presentName(officeZone ?? found.timeZone));
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
  locationOfficeId: number | null;
  waitingRoomId: number | null;
  waitingRoomOfficeId: number | null;
  typeOwner: number | null;
  typeMinutes: number | null;
  typeActive: boolean | null;
  providerId: number | null;
  providerActive: boolean | null;
  /** The provider's user, if active. */
  providerUserId: number | null;
}

/**
 * The references of an input, each the organization's own, or a type that is global: in one statement, since every
 * appointment needs it. An own type that is deleted meanwhile fails the foreign key, and the request is tried again. A stored location and
 * waiting room are found too, and a closed office, location or waiting room only where it is the stored one.
 * @param wrong gets those that do not exist
 */
async function findReferences(
  db: Db,
  caller: Caller,
  input: AppointmentInput,
  { before, wrong }: { before: StoredAppointment | null; wrong: WrongFields },
): Promise<Found> {
  const { organizationId } = caller;
  const { patientId = null, typeId = null, officeId = null, providerId = null } = input;
  const { locationId = before?.locationId ?? null, waitingRoomId = before?.waitingRoomId ?? null } = input;
  const [found] = await db.$queryRaw<Found[]>`
    SELECT o.time_zone AS "timeZone", o.default_appointment_length AS "defaultMinutes", o.double_booking = 'refuse' AS exclusive,
           p.id AS "patientId", f.id AS "officeId", f.time_zone AS "officeZone", l.id AS "locationId",
           l.office_id AS "locationOfficeId", w.id AS "waitingRoomId", w.office_id AS "waitingRoomOfficeId",
           t.organization_id AS "typeOwner", t.duration_minutes AS "typeMinutes", t.active AS "typeActive",
           v.id AS "providerId", v.active AS "providerActive", u.id AS "providerUserId"
      FROM organization o
      LEFT JOIN patient p ON p.organization_id = ${organizationId} AND p.id = ${patientId ?? NONE}::int AND p.status <> 'deleted'
             AND (NOT p.restricted OR ${maySeeChart(caller, patientId)}::boolean)
      LEFT JOIN office f ON f.organization_id = ${organizationId} AND f.id = ${officeId ?? NONE}::int AND (f.active OR f.id = ${before?.officeId ?? null}::int)
      LEFT JOIN location l ON l.organization_id = ${organizationId} AND l.id = ${locationId ?? NONE}::int
             AND (l.active OR l.id = ${before?.locationId ?? null}::int)
      LEFT JOIN waiting_room w ON w.organization_id = ${organizationId} AND w.id = ${waitingRoomId ?? NONE}::int
             AND (w.active OR w.id = ${before?.waitingRoomId ?? null}::int)
      LEFT JOIN provider v ON v.organization_id = ${organizationId} AND v.id = ${providerId ?? NONE}::int
      LEFT JOIN "user" u ON u.organization_id = ${organizationId} AND u.id = v.user_id AND u.active AND u.type <> 'interface'
      LEFT JOIN LATERAL (
             SELECT organization_id, duration_minutes, active FROM appointment_type
              WHERE id = ${typeId}::int AND (organization_id = ${organizationId} OR is_global)
              ORDER BY organization_id = ${organizationId} DESC LIMIT 1) t ON true
     WHERE o.id = ${organizationId}`;
  if (!found) throw notFound('organization');
  if (patientId !== null && found.patientId === null) wrong.add(notFound('patient', 'patientId'));
  if (typeId !== null && found.typeOwner === null) wrong.add(notFound('appointment type', 'typeId'));
  if (officeId !== null && found.officeId === null) wrong.add(notFound('office', 'officeId'));
  if (locationId !== null && found.locationId === null) wrong.add(notFound('location', 'locationId'));
  if (waitingRoomId !== null && found.waitingRoomId === null) wrong.add(notFound('waiting room', 'waitingRoomId'));
  if (providerId !== null && found.providerId === null) wrong.add(notFound('provider', 'providerId'));
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
