import { randomUUID } from 'node:crypto';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { conflict, Failure, forbidden } from '../../errors.ts';
import { textUnlessRefused } from '../../messaging/queue/text-unless-refused.ts';
import { findRecipientLanguage } from '../../messaging/recipients/recipient-language.ts';
import { renderAutomaticText } from '../../messaging/templates/automatic-texts.ts';
import { practiceValues } from '../../messaging/templates/placeholder-values.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';
import { notifyRoom } from '../sessions/signals.ts';
import { type WaitingKey, writeWaitingKey } from '../sessions/waiting-key.ts';
import { LOBBY } from './lobby.sql.ts';

/** The minutes that staff tell somebody who waits. */
export const LATE_MINUTES = [5, 10, 15, 20, 30, 45, 60] as const;
export type LateMinutes = (typeof LATE_MINUTES)[number];

/** The last notice to somebody who waits. */
export interface LateNotice {
  minutes: number;
  at: Date;
}

/**
 * Tells somebody who waits that the practice runs late: on their page, and by a text where they have a number. The text is sent as
 * every other one, so that STOP holds. A second tap of the same button changes nothing.
 * @param told.tapKey UUID of the button as it was shown
 * @param told.onPageOnly no text, since the patient gets one for another page
 * @throws Failure forbidden where the caller is no user; conflict not_waiting for somebody who waits no more
 */
export async function tellLate(
  tx: Tx,
  { waiting, minutes, tapKey, onPageOnly = false }: { waiting: WaitingKey; minutes: LateMinutes; tapKey: string; onPageOnly?: boolean },
): Promise<void> {
  const { userId } = tx;
  if (userId === null) throw forbidden('no_user', 'Only a user can tell patients to wait.');
  const person = await lockWaitingPerson(tx, waiting);
  const tapped = await tx.prisma.lateNotice.findUnique({
    where: { organizationId_tapKey: { ...tx.practice, tapKey } },
    select: { id: true },
  });
  if (tapped) return;
  if (!person) throw conflict('not_waiting', 'This person is no longer waiting.');
  const keys = waiting.kind === 'participant' ? { participantId: waiting.id } : { waitingRoomVisitId: waiting.id };
  const smsMessageId = onPageOnly ? null : await sendLateText(tx, person, minutes);
  const { id } = await tx.prisma.lateNotice.create({
    data: { ...tx.practice, ...keys, minutes, tapKey, userId, smsMessageId },
    select: { id: true },
  });
  recordChange(tx, 'create', { name: 'late_notice.sent', id }, toPatientIds(person));
  notifyRoom(tx, writeWaitingKey(waiting), { type: 'late', minutes });
}

/** People who are told at once, and the time in which the same notice to one of them is a second tap. */
const [MOST, SECOND_TAP_MS] = [200, 60_000];

/**
 * Tells everybody who waits in the practice, as tellLate. Who was told the same within a minute is not told again,
 * and a patient who waits on two pages gets one text.
 */
export async function tellEverybodyLate(tx: Tx, minutes: LateMinutes): Promise<void> {
  const waiting = await tx.rows(LOBBY, [MOST]);
  const texted = new Set<number>();
  for (const { kind, id, patient_id, late_minutes, late_at } of waiting) {
    if (late_minutes === minutes && late_at !== null && Date.now() - Date.parse(late_at) < SECOND_TAP_MS) continue;
    const onPageOnly = patient_id !== null && texted.has(patient_id);
    if (patient_id !== null) texted.add(patient_id);
    await tellLate(tx, { waiting: { kind, id }, minutes, tapKey: randomUUID(), onPageOnly }).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'not_waiting') throw error;
    });
  }
}

/** The newest notice to somebody in the wait that began at `since`; null where there is none. */
export async function findLateNotice(tx: Tx, { kind, id }: WaitingKey, since: Date): Promise<LateNotice | null> {
  const found = await tx.prisma.lateNotice.findFirst({
    where: {
      ...tx.practice,
      ...(kind === 'participant' ? { participantId: id } : { waitingRoomVisitId: id }),
      sentAt: { gte: since },
    },
    orderBy: { id: 'desc' },
    select: { minutes: true, sentAt: true },
  });
  return found && { minutes: found.minutes, at: found.sentAt };
}

interface WaitingPerson {
  patientId: number | null;
  /** E.164; the number that an invite named instead of the patient's. */
  named: string | null;
  /** A restricted or blocked chart, whom staff do not write to. */
  restricted: boolean;
}

/** Locks the row of somebody who waits, so that two taps follow each other. @returns null for somebody who waits no more */
async function lockWaitingPerson(tx: Tx, { kind, id }: WaitingKey): Promise<WaitingPerson | null> {
  const { organizationId } = tx;
  const [person] =
    kind === 'participant'
      ? await tx.prisma.$queryRaw<WaitingPerson[]>`
          SELECT o.patient_id AS "patientId",
                 CASE WHEN NOT m.own_number THEN m.to_number END AS named, coalesce(p.restricted, false) AS restricted
            FROM session_participant o
            LEFT JOIN session_invite i ON i.organization_id = o.organization_id AND i.id = o.invite_id
            LEFT JOIN sms_message m ON m.organization_id = o.organization_id AND m.id = i.sms_message_id
            LEFT JOIN patient p ON p.organization_id = o.organization_id AND p.id = o.patient_id
           WHERE o.organization_id = ${organizationId} AND o.id = ${id} AND o.role = 'guest' AND o.admitted_at IS NULL AND o.left_at IS NULL
             FOR NO KEY UPDATE OF o`
      : await tx.prisma.$queryRaw<WaitingPerson[]>`
          SELECT v.patient_id AS "patientId", NULL AS named, p.restricted
            FROM waiting_room_visit v
            JOIN patient p ON p.organization_id = v.organization_id AND p.id = v.patient_id
           WHERE v.organization_id = ${organizationId} AND v.id = ${id} AND v.left_at IS NULL
             FOR NO KEY UPDATE OF v`;
  return person ?? null;
}

/** @returns the id of the text; null where there is no number to write to, or none to write from */
async function sendLateText(tx: Tx, { patientId, named, restricted }: WaitingPerson, minutes: number): Promise<number | null> {
  const reach = patientId === null ? undefined : await findPatientReach(tx, patientId);
  const phone = restricted ? null : (named ?? reach?.mobilePhone ?? null);
  if (phone === null) return null;
  const practice = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { name: true, phone: true },
  });
  const values = () => ({ ...practiceValues(practice), minutes: String(minutes) });
  const written = await renderAutomaticText(tx, 'late', { language: await findRecipientLanguage(tx, patientId), values });
  const text = { ...written, patientId: patientId ?? undefined, to: phone, urgent: true };
  return (await textUnlessRefused(tx, text))?.id ?? null;
}
