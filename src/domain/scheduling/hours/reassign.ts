import { statement } from '../../../database/statements/statement.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { conflict, Failure, invalid } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { momentAt, writeInstant } from '../../values/time/time.ts';
import { whereOverlaps } from '../appointment/booking.sql.ts';
import { lockBooked } from '../booked/arrival.ts';
import type { AppointmentInput } from '../booking/appointment-input.ts';
import { changeAppointment } from '../booking/appointments.ts';
import { LONGEST_APPOINTMENT_MS } from '../free-time/free-time.sql.ts';

/** A provider, an office, or both; null for any. */
interface Whose {
  providerId: number | null;
  officeId: number | null;
}

/** Most visits that one call moves. */
const MOST = 500;

const TO_COME = `FROM appointment a
  WHERE a.organization_id = $1 AND a.status = 'scheduled' AND ($2::int IS NULL OR a.provider_id = $2) AND ($3::int IS NULL OR a.office_id = $3)
    AND a.starts_at >= $4::timestamptz`;

/** Values: organization, provider or null, office or null, the instant from which on. */
const COUNT_TO_COME = statement<{ count: number }>('visits_to_come_count', `SELECT count(*)::int AS count ${TO_COME}`);
const LIST_TO_COME = statement<{ id: number; startsAt: Date; endsAt: Date }>(
  'visits_to_come',
  `SELECT a.id, a.starts_at AS "startsAt", a.ends_at AS "endsAt" ${TO_COME} ORDER BY a.starts_at, a.id LIMIT ${MOST}`,
);

/** Values: organization, provider or null, office or null, the first and last instant that a visit may overlap. */
const LIST_BETWEEN = statement<{ startsAt: Date; endsAt: Date; timeZone: string }>(
  'visits_to_come_between',
  `SELECT a.starts_at AS "startsAt", a.ends_at AS "endsAt", a.time_zone AS "timeZone" ${TO_COME} AND a.starts_at < $5::timestamptz`,
);

/** The participants of an appointment, with the user of its new provider in the place of that of its own. Values: organization, appointment, provider. */
const USERS_WITH_PROVIDER = statement<{ userIds: number[] }>(
  'users_with_provider',
  `SELECT ARRAY(
       SELECT s.user_id FROM user_appointment s
        WHERE s.organization_id = $1 AND s.appointment_id = $2 AND s.user_id IS DISTINCT FROM (
          SELECT v.user_id FROM provider v WHERE v.organization_id = $1 AND v.id = a.provider_id)
       UNION SELECT n.user_id FROM provider n JOIN "user" u ON u.organization_id = $1 AND u.id = n.user_id AND u.active
        WHERE n.organization_id = $1 AND n.id = $3) AS "userIds"
     FROM appointment a WHERE a.organization_id = $1 AND a.id = $2`,
);

/** The first appointment of a provider in the way of a visit. Values: organization, provider, the visit, its start and end. */
const IN_THE_WAY = statement<{ id: number; startsAt: Date }>(
  'visit_in_the_way',
  `SELECT a.id, a.starts_at AS "startsAt" FROM appointment a
    WHERE a.organization_id = $1 AND a.provider_id = $2 AND a.id <> $3 AND ${whereOverlaps('$4', '$5')}
    ORDER BY a.starts_at, a.id LIMIT 1`,
);

/** Number of upcoming visits of a provider, or at an office. */
export async function countAppointmentsToCome(tx: PracticeTx, { providerId, officeId }: Whose): Promise<number> {
  const [found] = await tx.rows(COUNT_TO_COME, [providerId, officeId, nowIn(tx.organizationId)]);
  return found?.count ?? 0;
}

const DAY_MS = 86_400_000;

/**
 * Number of upcoming visits that a span of the wall clock has a part of, each by the clock of its office.
 * @param from local time as if in UTC, like `until`
 */
export async function countAppointmentsDuring(
  tx: PracticeTx,
  { providerId, officeId }: Whose,
  [from, until]: readonly [from: Date, until: Date],
): Promise<number> {
  const since = Math.max(Date.now(), from.getTime() - DAY_MS - LONGEST_APPOINTMENT_MS);
  const values = [providerId, officeId, new Date(since), new Date(until.getTime() + DAY_MS)];
  const visits = await tx.rows(LIST_BETWEEN, values);
  return visits.filter(({ startsAt, endsAt, timeZone }) => {
    const [start, end] = [startsAt, endsAt].map((instant) => momentAt(instant, timeZone).local);
    return start !== undefined && end !== undefined && start < until && end > from;
  }).length;
}

/** @throws Failure conflict with the number of upcoming visits, if there are any */
export function requireNoAppointmentsToCome(count: number): void {
  if (count === 0) return;
  const message = `Upcoming visits: ${count}. Move or reassign them first, or send despite_visits=true to leave them.`;
  throw conflict('visits_to_come', message);
}

/** The provider who is a user; null for a user who is none. */
export async function providerOfUser(tx: PracticeTx, userId: number): Promise<number | null> {
  return (await tx.prisma.provider.findFirst({ where: { ...tx.practice, userId }, select: { id: true } }))?.id ?? null;
}

/** The input that gives an appointment to another provider, whose user takes part in the place of the former one's. */
export async function inputForProvider(tx: Tx, id: number, providerId: number): Promise<Pick<AppointmentInput, 'providerId' | 'userIds'>> {
  const [found] = await tx.rows(USERS_WITH_PROVIDER, [id, providerId]);
  return { providerId, ...(found && { userIds: found.userIds }) };
}

/**
 * Changes an appointment that has a patient, and keeps its time.
 * @param providerId null for the same
 * @throws Failure as changeAppointment; conflict for one without a patient, and for one that has ended
 */
export async function changeBooked(
  tx: Tx,
  id: number,
  providerId: number | null,
  input: Pick<AppointmentInput, 'typeId' | 'officeId' | 'notify'>,
): Promise<void> {
  await lockBooked(tx, id);
  const given = providerId === null ? {} : await inputForProvider(tx, id, providerId);
  await changeAppointment(tx, id, { ...input, ...given });
}

/** Visits that go from one provider to another, from one office to another, or both. */
export interface Reassignment {
  from: Whose;
  to: Whose;
  since: Date;
  /** The way in which patients hear of it; unless given, as the practice has set. */
  notify: VisitChangeNotice | null;
}

export interface Reassigned {
  /** Ids of the visits that moved. */
  moved: number[];
  /** Visits that stay where they are, and why. */
  conflicts: { id: number; code: string; detail: string }[];
  /** Further visits, for another call. */
  left: number;
}

/**
 * Moves upcoming visits, each with its time. One whose time the other provider has not free stays where it is, also where the practice allows
 * double booking, and is named.
 * @throws Failure invalid where nobody is named whose visits go, or to whom
 */
export async function reassignAppointments(tx: Tx, { from, to, since, notify }: Reassignment): Promise<Reassigned> {
  requirePlaces(from, to);
  const values = [from.providerId, from.officeId, since];
  const [visits, [all]] = await Promise.all([tx.rows(LIST_TO_COME, values), tx.rows(COUNT_TO_COME, values)]);
  const reassigned: Reassigned = { moved: [], conflicts: [], left: (all?.count ?? 0) - visits.length };
  for (const visit of visits) {
    const reason = await reassignAppointment(tx, visit, to, notify);
    if (reason === null) reassigned.moved.push(visit.id);
    else reassigned.conflicts.push({ id: visit.id, ...reason });
  }
  return reassigned;
}

function requirePlaces(from: Whose, to: Whose): void {
  if (from.providerId === null && from.officeId === null)
    throw invalid('fromProviderId', 'must name a provider, or from_office_id an office', 'required');
  if (from.providerId !== null && to.providerId === null)
    throw invalid('toProviderId', 'must name the provider to move visits to', 'required');
  if (from.officeId !== null && to.officeId === null) throw invalid('toOfficeId', 'must name the office to move visits to', 'required');
}

/** @returns the reason for which the visit stays; null where it went */
async function reassignAppointment(
  tx: Tx,
  { id, startsAt, endsAt }: { id: number; startsAt: Date; endsAt: Date },
  { providerId, officeId }: Whose,
  notify: VisitChangeNotice | null,
): Promise<{ code: string; detail: string } | null> {
  const [other] = providerId === null ? [] : await tx.rows(IN_THE_WAY, [providerId, id, startsAt, endsAt]);
  if (other) return { code: 'time_taken', detail: `Appointment ${other.id} has the time, from ${writeInstant(other.startsAt)}.` };
  const input = { notify, ...(officeId === null ? {} : { officeId }) };
  try {
    await changeBooked(tx, id, providerId, input);
    return null;
  } catch (error) {
    // The rules of a booking are checked before anything is written.
    if (!(error instanceof Failure)) throw error;
    return { code: error.issues[0]?.code ?? error.code, detail: error.issues[0]?.message ?? error.message };
  }
}
