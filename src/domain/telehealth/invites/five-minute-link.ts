import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { invalid } from '../../errors.ts';
import { type Channel, findRecipients, type LinkOptions } from '../../messaging/check-ins/check-ins.ts';
import { findCallingUser } from '../../practices/colleagues.ts';
import type { Tx } from '../../tx.ts';
import { openAppointment } from '../../values/appointment-status.ts';
import { findOrOpenAppointmentSession } from '../sessions/sessions.ts';
import { contactAddress, createInvite } from './invites.ts';
import { LEAD_SECONDS, noteLinkSent, REMINDER_KIND } from './sent-links.ts';

/** A user's setting: whether patients of upcoming video visits automatically receive the link, and by which channel. */
export interface FiveMinuteLink {
  on: boolean;
  channel: string | null;
}

/** @throws Failure not_found where the caller is no user */
export async function readFiveMinuteLink(tx: Tx): Promise<FiveMinuteLink> {
  const { fiveMinuteCheckIn: on, fiveMinuteCheckInType: channel } = await findCallingUser(tx);
  return { on, channel };
}

/**
 * Changes the caller's own setting. An absent channel stays as it is.
 * @throws Failure invalid where it is turned on without a channel; not_found where the caller is no user
 */
export async function setFiveMinuteLink(
  tx: Tx,
  { on, channel }: { on: boolean; channel?: Channel | null | undefined },
): Promise<FiveMinuteLink> {
  const before = await readFiveMinuteLink(tx);
  const set = { on, channel: channel === undefined ? before.channel : channel };
  if (set.on && set.channel === null) throw invalid('fiveMinuteType', 'must be sms or email if the reminder is on', 'missing');
  if (set.on === before.on && set.channel === before.channel) return before;
  const { id } = await findCallingUser(tx);
  await tx.prisma.user.update({
    where: tx.key(id),
    data: { fiveMinuteCheckIn: set.on, fiveMinuteCheckInType: set.channel },
    select: { id: true },
  });
  recordChange(tx, 'update', { name: 'user.updated', id, changed: ['fiveMinuteCheckIn', 'fiveMinuteCheckInType'] });
  return set;
}

/** An appointment whose patient is due to receive the link. */
export interface UpcomingVisit {
  organizationId: number;
  id: number;
  patientId: number;
  startsAt: Date;
  endsAt: Date;
  /** The first user of the appointment who has the setting on. */
  hostUserId: number;
  channel: Channel;
}

/**
 * Appointments with a waiting room or a video session that start within five minutes, of a user who has the setting on, whose
 * link was not sent yet and whose patient has not said that they will not come.
 */
export function findUpcomingVisits(db: Db, now: Date, most: number, practice: number | null = null): Promise<UpcomingVisit[]> {
  return db.$queryRaw<UpcomingVisit[]>`
    SELECT DISTINCT ON (a.starts_at, a.organization_id, a.id)
           a.organization_id AS "organizationId", a.id, a.patient_id AS "patientId", a.starts_at AS "startsAt",
           a.ends_at AS "endsAt", u.id AS "hostUserId", u.five_minute_check_in_type AS channel
      FROM appointment a
      JOIN user_appointment ua ON ua.organization_id = a.organization_id AND ua.appointment_id = a.id
      JOIN "user" u ON u.organization_id = ua.organization_id AND u.id = ua.user_id
     WHERE a.starts_at > ${now}::timestamptz AND a.starts_at <= ${now}::timestamptz + make_interval(secs => ${LEAD_SECONDS})
       AND (${practice}::int IS NULL OR a.organization_id = ${practice}::int)
       AND ${Prisma.raw(openAppointment('a'))} AND a.confirmation <> 'No' AND a.patient_id IS NOT NULL AND a.ends_at IS NOT NULL
       AND u.active AND u.five_minute_check_in AND u.five_minute_check_in_type IN ('sms', 'email')
       AND (a.waiting_room_id IS NOT NULL OR EXISTS (
         SELECT FROM video_session s WHERE s.organization_id = a.organization_id AND s.appointment_id = a.id AND s.ended_at IS NULL))
       AND NOT EXISTS (
         SELECT FROM appointment_reminder r WHERE r.organization_id = a.organization_id AND r.appointment_id = a.id AND r.kind = ${REMINDER_KIND})
     ORDER BY a.starts_at, a.organization_id, a.id, ua.id
     LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
}

/**
 * Sends the link of an appointment's session, and opens the session where there is none. The link is sent once, however many
 * processes try, and not to a patient who is in the session or whom somebody has just sent it. A patient without a phone number or mail address for the channel never receives one.
 */
export async function sendVisitLink(tx: Tx, visit: UpcomingVisit, linkOptions: LinkOptions): Promise<void> {
  if (!(await noteLinkSent(tx, visit))) return;
  recordChange(tx, 'create', { name: 'appointment_reminder.sent', id: visit.id }, [visit.patientId]);
  const [patient] = await findRecipients(tx, [visit.patientId]);
  const to = patient ? contactAddress(patient, visit.channel) : null;
  if (!patient || to === null) return;
  const session = await findOrOpenAppointmentSession(tx, visit, visit.hostUserId);
  const { id: videoSessionId, expiresAt } = session;
  const present = { ...tx.practice, videoSessionId, patientId: patient.id, leftAt: null };
  if (await tx.prisma.sessionParticipant.findFirst({ where: present, select: { id: true } })) return;
  const { channel, id: appointmentId } = visit;
  await createInvite(tx, { channel, to, patient, videoSessionId, appointmentId, expiresAt }, linkOptions);
}
