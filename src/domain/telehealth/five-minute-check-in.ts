import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { invalid } from '../errors.ts';
import { type Channel, findRecipients, type LinkOptions } from '../messaging/check-ins/check-ins.ts';
import { findCallingUser } from '../practices/users.ts';
import { contactAddress, createInvite } from './invites.ts';
import { findOrOpenAppointmentSession } from './sessions.ts';

/** Whether patients of a user's coming video visits are sent the link by themselves, and how. */
export interface FiveMinuteCheckIn {
  on: boolean;
  channel: string | null;
}

/** @throws Failure not_found where no person calls */
export async function readFiveMinuteCheckIn(db: Db, caller: Caller): Promise<FiveMinuteCheckIn> {
  const { fiveMinuteCheckIn: on, fiveMinuteCheckInType: channel } = await findCallingUser(db, caller);
  return { on, channel };
}

/**
 * Sets it for who calls. The way is kept where it is not said.
 * @throws Failure invalid where it is to be on without a way; not_found where no person calls
 */
export async function setFiveMinuteCheckIn(
  db: Db,
  caller: Caller,
  { on, channel }: { on: boolean; channel?: Channel | null | undefined },
): Promise<FiveMinuteCheckIn> {
  const standing = await readFiveMinuteCheckIn(db, caller);
  const set = { on, channel: channel === undefined ? standing.channel : channel };
  if (set.on && set.channel === null) throw invalid('fiveMinuteType', 'must be sms or email where it is on', 'missing');
  if (set.on === standing.on && set.channel === standing.channel) return standing;
  const { organizationId } = caller;
  const { id } = await findCallingUser(db, caller);
  await db.user.update({
    where: { organizationId_id: { organizationId, id } },
    data: { fiveMinuteCheckIn: set.on, fiveMinuteCheckInType: set.channel },
    select: { id: true },
  });
  recordChange(caller, 'update', { name: 'user.updated', subject: 'user', id, changed: ['fiveMinuteCheckIn', 'fiveMinuteCheckInType'] });
  return set;
}

/** How long before the start the link goes out. */
const LEAD_SECONDS = 300;
/** In `appointment_reminder`: once for each appointment. */
const REMINDER_KIND = 'five_minutes';

/** An appointment whose patient is to be sent the link now. */
export interface UpcomingVisit {
  organizationId: number;
  id: number;
  patientId: number;
  startsAt: Date;
  endsAt: Date;
  /** Whose setting it is: the first of its users who has it on. */
  hostUserId: number;
  channel: Channel;
}

/**
 * Appointments that start within five minutes and have not begun, with a waiting room or a session of their own, of a user
 * who has it on, and whose link did not go out yet.
 */
export function findUpcomingVisits(db: Db, most: number): Promise<UpcomingVisit[]> {
  return db.$queryRaw<UpcomingVisit[]>`
    SELECT DISTINCT ON (a.starts_at, a.organization_id, a.id)
           a.organization_id AS "organizationId", a.id, a.patient_id AS "patientId", a.starts_at AS "startsAt",
           a.ends_at AS "endsAt", u.id AS "hostUserId", u.five_minute_check_in_type AS channel
      FROM appointment a
      JOIN user_appointment ua ON ua.organization_id = a.organization_id AND ua.appointment_id = a.id
      JOIN "user" u ON u.organization_id = ua.organization_id AND u.id = ua.user_id
     WHERE a.starts_at > now() AND a.starts_at <= now() + make_interval(secs => ${LEAD_SECONDS})
       AND a.status IN ('scheduled', 'arrived') AND a.patient_id IS NOT NULL AND a.ends_at IS NOT NULL
       AND u.active AND u.five_minute_check_in AND u.five_minute_check_in_type IN ('sms', 'email')
       AND (a.waiting_room_id IS NOT NULL OR EXISTS (
         SELECT FROM video_session s WHERE s.organization_id = a.organization_id AND s.appointment_id = a.id AND s.ended_at IS NULL))
       AND NOT EXISTS (
         SELECT FROM appointment_reminder r WHERE r.organization_id = a.organization_id AND r.appointment_id = a.id AND r.kind = ${REMINDER_KIND})
     ORDER BY a.starts_at, a.organization_id, a.id, ua.id
     LIMIT ${most}`;
}

/**
 * Sends the link of an appointment's session, which is opened on the way; once, whichever processes try. A patient without
 * the number or address for it gets none, and that stands.
 */
export async function sendVisitLink(db: Db, caller: Caller, visit: UpcomingVisit, making: LinkOptions): Promise<void> {
  const { organizationId } = caller;
  const taken = await db.$executeRaw`
    INSERT INTO appointment_reminder (organization_id, appointment_id, kind, due_at, sent_at)
    SELECT organization_id, id, ${REMINDER_KIND}, starts_at - make_interval(secs => ${LEAD_SECONDS}), now() FROM appointment
     WHERE organization_id = ${organizationId} AND id = ${visit.id} AND status IN ('scheduled', 'arrived') AND starts_at > now()
    ON CONFLICT DO NOTHING`;
  if (taken === 0) return;
  recordChange(caller, 'create', { name: 'appointment_reminder.sent', subject: 'appointment', id: visit.id });
  const [patient] = await findRecipients(db, caller, [visit.patientId]);
  const to = patient ? contactAddress(patient, visit.channel) : null;
  if (!patient || to === null) return;
  const session = await findOrOpenAppointmentSession(db, caller, visit, visit.hostUserId);
  const { id: videoSessionId, expiresAt } = session;
  const { channel, id: appointmentId } = visit;
  await createInvite(db, caller, { channel, to, patient, videoSessionId, appointmentId, expiresAt }, making);
}
