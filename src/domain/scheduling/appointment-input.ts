import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { invalid, notFound } from '../errors.ts';
import { momentAt, readMoment, readTimeZone } from '../values/time.ts';
import { holdGlobalType } from './appointment-types.ts';
import type { Appointment, AppointmentInput } from './appointments.ts';
import { type Answered, answered } from './confirmation.ts';

/** The columns that an input leads to, for a new appointment or for one that stands; and whether its slot has to be free. */
export async function columnsOf(db: Db, caller: Caller, input: AppointmentInput, before: Appointment | null) {
  const found = await findReferences(db, caller, input);
  return { columns: writeColumns(input, before, found), exclusive: found.exclusive };
}

function writeColumns(input: AppointmentInput, before: Appointment | null, found: Found) {
  const { patientId, typeId, officeId, locationId, waitingRoomId, showOnTasks } = input;
  const sameType = before !== null && (typeId === undefined || (typeId === before.typeId && found.typeOwner === before.typeOrganizationId));
  const samePlace = before !== null && (officeId === undefined || officeId === before.officeId) && input.timeZone === undefined;
  const durationMinutes = sameType ? before.durationMinutes : (found.typeMinutes ?? found.usualMinutes);
  const officeZone = officeId === undefined ? before?.office?.timeZone : found.officeZone;
  const timeZone = samePlace ? before.timeZone : (requestedZone(input) ?? officeZone ?? found.timeZone);
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

/** What an answer in the input leads to, and what a move does to the answer that stands. */
export function answerOf({ confirmation }: AppointmentInput, before: Appointment | null, moved: boolean): Partial<Answered> {
  const standing = moved ? 'Pending' : (before?.confirmation ?? 'Pending');
  if (confirmation !== undefined && confirmation !== standing) return answered(confirmation, 'user');
  return moved ? answered('Pending', 'user') : {};
}

/** What the organization usually does, and what of the input's references there is. */
interface Found {
  timeZone: string;
  usualMinutes: number;
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
 * What the input refers to, each the organization's own, or a type that is global: in one question, because every
 * appointment asks it. The type stays until the transaction ends.
 * @throws Failure not_found naming the first that there is not
 */
async function findReferences(db: Db, caller: Caller, input: AppointmentInput): Promise<Found> {
  const { patientId = null, typeId = null, officeId = null, locationId = null, waitingRoomId = null } = input;
  const [found] = await db.$queryRaw<Found[]>`
    SELECT o.time_zone AS "timeZone", o.default_appointment_length AS "usualMinutes", o.double_booking = 'refuse' AS exclusive,
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
  if (patientId !== null && found.patientId === null) throw notFound('patient', 'patientId');
  if (typeId !== null && found.typeOwner === null) throw notFound('appointment type', 'typeId');
  if (officeId !== null && found.officeId === null) throw notFound('office', 'officeId');
  if (locationId !== null && found.locationId === null) throw notFound('location', 'locationId');
  if (waitingRoomId !== null && found.waitingRoomId === null) throw notFound('waiting room', 'waitingRoomId');
  if (typeId !== null && found.typeOwner !== null && found.typeOwner !== caller.organizationId)
    await holdGlobalType(db, { organizationId: found.typeOwner, id: typeId }, 'typeId');
  return found;
}

/** The zone that the input names; null when it leaves that to the office or the organization. */
function requestedZone({ timeZone }: AppointmentInput): string | null {
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
