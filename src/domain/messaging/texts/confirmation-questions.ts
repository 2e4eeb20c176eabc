import type { Db } from '../../../database/database.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import type { ChoiceList, ConfirmationQuestion } from './answer-decision.ts';

/** A number, and the moment at which its patient wrote: what was said to it later, the patient did not know. */
export interface Asked {
  /** E.164. */
  number: string;
  at: Date;
}

/** Texts that may have been read: from the first attempt on the carrier may have them. */
const WENT_OUT = Prisma.sql`m.direction = 'outbound' AND m.attempts > 0 AND m.state <> 'failed'`;
const ASKED_AT = Prisma.sql`coalesce(m.attempted_at, m.queued_at)`;
/** The carrier had taken the text, as far as is known. After an attempt that nothing was heard of, the text may have left or not. */
const wasTaken = (at: Date) => Prisma.sql`(m.state IN ('sent', 'delivered') AND coalesce(m.sent_at, ${ASKED_AT}) <= ${at})`;

/** Whether a number has questions. If so, its texts wait for each other here until the transaction ends: answers are read one by one. */
async function holdQuestions(db: Db, { organizationId }: Caller, number: string): Promise<boolean> {
  const [found] = await db.$queryRaw<{ asked: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM sms_message m
        JOIN text_appointment v ON v.organization_id = m.organization_id AND v.sms_message_id = m.id AND v.question IS NOT NULL
       WHERE m.organization_id = ${organizationId} AND m.to_number = ${number}) AS asked`;
  if (!found?.asked) return false;
  await db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`answers ${organizationId} ${number}`}, 0))`;
  return true;
}

/**
 * The latest question to a number about each appointment that was to come then or is to come now, in the order of their times. One
 * that the patient was told is void is put again where the appointment is to come after all, and the patient's again. Locks the
 * appointments until the transaction ends.
 */
export async function listQuestions(db: Db, caller: Caller, { number, at }: Asked): Promise<ConfirmationQuestion[]> {
  const { organizationId } = caller;
  if (!(await holdQuestions(db, caller, number))) return [];
  return db.$queryRaw<ConfirmationQuestion[]>`
    WITH said AS (
      SELECT v.appointment_id, v.patient_id, v.starts_at, v.question, m.id, ${ASKED_AT} AS asked_at, m.updated_at,
             CASE WHEN ${wasTaken(at)} THEN coalesce(m.sent_at, ${ASKED_AT}) END AS taken_at
        FROM sms_message m
        JOIN text_appointment v ON v.organization_id = m.organization_id AND v.sms_message_id = m.id AND v.starts_at IS NOT NULL
       WHERE m.organization_id = ${organizationId} AND m.to_number = ${number} AND ${WENT_OUT} AND ${ASKED_AT} <= ${at}),
    asked AS (
      SELECT DISTINCT ON (appointment_id) * FROM said WHERE question IS NOT NULL ORDER BY appointment_id, asked_at DESC, id DESC),
    known AS (
      SELECT DISTINCT ON (appointment_id) * FROM said WHERE taken_at IS NOT NULL ORDER BY appointment_id, taken_at DESC, id DESC)
    SELECT q.appointment_id AS "appointmentId", q.patient_id AS "patientId", q.id AS "textId", q.asked_at AS "askedAt",
           q.starts_at AS "toldStart",
           q.question <> 'closed' AND k.starts_at IS NOT DISTINCT FROM q.starts_at AND k.patient_id IS NOT DISTINCT FROM q.patient_id AND NOT EXISTS (
             SELECT FROM said s
              WHERE s.appointment_id = q.appointment_id AND s.taken_at IS NULL AND s.updated_at > k.taken_at
                AND (s.starts_at <> q.starts_at OR s.patient_id IS DISTINCT FROM q.patient_id)) AS told,
           q.question = 'answered' AS answered, a.confirmation, a.confirmed_at AS "confirmedAt", a.confirmed_by AS "confirmedBy",
           CASE WHEN NOT ${Prisma.raw(activeAppointment('a'))} THEN 'cancelled'
                WHEN a.patient_id IS DISTINCT FROM q.patient_id OR a.starts_at IS NULL OR a.starts_at <= ${at} THEN 'gone'
                WHEN a.starts_at <> q.starts_at THEN 'moved'
                ELSE 'live' END AS standing
      FROM asked q
      JOIN appointment a ON a.organization_id = ${organizationId} AND a.id = q.appointment_id
      LEFT JOIN known k ON k.appointment_id = q.appointment_id
     WHERE CASE WHEN q.question = 'closed'
                THEN ${Prisma.raw(activeAppointment('a'))} AND a.patient_id IS NOT DISTINCT FROM q.patient_id AND a.starts_at > ${at}
                ELSE q.starts_at > ${at} OR a.starts_at > ${at} END
     ORDER BY a.starts_at, a.id
       FOR NO KEY UPDATE OF a`;
}

/** The latest list of appointments to choose from that a number was sent in the last day. */
export async function findChoiceList(db: Db, { organizationId }: Caller, { number, at }: Asked): Promise<ChoiceList | null> {
  const [list] = await db.$queryRaw<ChoiceList[]>`
    SELECT m.id AS "textId", ${ASKED_AT} AS "askedAt", m.choice_answer AS answer, ${wasTaken(at)} AS told,
           (SELECT array_agg(v.appointment_id::float8 ORDER BY v.position) FROM text_appointment v
             WHERE v.organization_id = ${organizationId} AND v.sms_message_id = m.id) AS "appointmentIds"
      FROM sms_message m
     WHERE m.organization_id = ${organizationId} AND m.to_number = ${number} AND m.choice_answer IS NOT NULL AND ${WENT_OUT}
       AND ${ASKED_AT} <= ${at} AND m.queued_at > ${new Date(at.getTime() - LIST_HOURS * 3_600_000)}
     ORDER BY ${ASKED_AT} DESC, m.id DESC LIMIT 1`;
  return list ?? null;
}

/** A list can be answered by its numbers for so long. */
const LIST_HOURS = 24;

/** Notes of all questions to a number about appointments that they were answered. */
export async function settleQuestions(
  db: Db,
  { organizationId }: Caller,
  number: string,
  appointmentIds: readonly number[],
): Promise<void> {
  await db.$executeRaw`
    UPDATE text_appointment v SET question = 'answered'
      FROM sms_message m
     WHERE v.organization_id = ${organizationId} AND v.appointment_id = ANY (${[...appointmentIds]}::bigint[])
       AND v.question IS NOT NULL AND v.question <> 'closed'
       AND m.organization_id = v.organization_id AND m.id = v.sms_message_id AND m.to_number = ${number}`;
}

/**
 * Notes of the questions to a number about appointments that the patient was told that they are void. One that was put after the answer
 * was written is another question, and stays.
 */
export async function closeQuestions(
  db: Db,
  { organizationId }: Caller,
  { number, at }: Asked,
  appointmentIds: readonly number[],
): Promise<void> {
  await db.$executeRaw`
    UPDATE text_appointment v SET question = 'closed'
      FROM sms_message m
     WHERE v.organization_id = ${organizationId} AND v.appointment_id = ANY (${[...appointmentIds]}::bigint[]) AND v.question IS NOT NULL
       AND m.organization_id = v.organization_id AND m.id = v.sms_message_id AND m.to_number = ${number}
       AND ${WENT_OUT} AND ${ASKED_AT} <= ${at}`;
}
