import type { InboxKind } from '../../src/domain/messaging/inbox/inbox.ts';
import { later } from './dates.ts';
import { cycle } from './random.ts';
import type { Seeding } from './seeding.ts';

/** Something that came in, about which an item of the inbox is opened. */
interface Arrival {
  kind: InboxKind;
  subjectType: 'text' | 'voice_pager_message' | 'monitoring_alert';
  subjectId: number;
  chatId: number | null;
  patientId: number;
  number: string | null;
  at: Date;
  urgent?: boolean;
}

/** The state of an item, after so many minutes. */
type Progress = 'waiting' | { acknowledgedAfter: number; closedAfter?: number; note?: string };

const PROGRESS: readonly Progress[] = [
  'waiting',
  { acknowledgedAfter: 6 },
  { acknowledgedAfter: 4, closedAfter: 32, note: 'Called back. Advice given, no visit needed.' },
  'waiting',
  { acknowledgedAfter: 11, closedAfter: 55, note: 'Moved to next week, as asked.' },
];
/** Items of each kind. */
const MOST = 3;

/**
 * Items in each state: texts and voice messages of the last days, and alerts. Their escalation is over, so that
 * a start of the demo notifies nobody.
 */
export async function seedInbox(seeding: Seeding): Promise<void> {
  const seen = new Set<number>();
  const arrivals = (await Promise.all([textsAndCalls(seeding, 'text'), textsAndCalls(seeding, 'voice'), alerts(seeding)])).map((found) =>
    found.filter(({ patientId }) => !seen.has(patientId) && seen.add(patientId)).slice(0, MOST),
  );
  for (const [index, arrival] of arrivals.flat().entries()) await seedItem(seeding, arrival, index);
}

/** The newest ones first, each of a patient whose chart everybody may see. */
async function textsAndCalls({ tx, organizationId }: Seeding, which: 'text' | 'voice'): Promise<Arrival[]> {
  if (which === 'text')
    return tx.$queryRaw<Arrival[]>`
      SELECT 'text' AS kind, 'text' AS "subjectType", m.id AS "subjectId", n.chat_id AS "chatId", p.id AS "patientId",
             m.from_number AS number, m.queued_at AS at
        FROM sms_message m
        JOIN patient p ON p.organization_id = m.organization_id AND p.id = m.patient_id AND NOT p.restricted AND p.status = 'active'
        JOIN phone_number n ON n.organization_id = m.organization_id AND n.number = m.to_number AND n.released_at IS NULL
       WHERE m.organization_id = ${organizationId} AND m.direction = 'inbound' AND m.appointment_id IS NULL
         AND upper(m.body) NOT IN ('YES', 'NO', 'Y', 'N', 'STOP', 'START', 'HELP')
       ORDER BY m.queued_at DESC, m.id DESC LIMIT 20`;
  return tx.$queryRaw<Arrival[]>`
    SELECT 'voice_message' AS kind, 'voice_pager_message' AS "subjectType", m.id AS "subjectId", n.chat_id AS "chatId",
           p.id AS "patientId", m.from_number AS number, m.received_at AS at
      FROM voice_pager_message m
      JOIN patient p ON p.organization_id = m.organization_id AND p.id = m.patient_id AND NOT p.restricted AND p.status = 'active'
      JOIN phone_number n ON n.organization_id = m.organization_id AND n.id = m.phone_number_id
     WHERE m.organization_id = ${organizationId}
     ORDER BY m.received_at DESC, m.id DESC LIMIT 20`;
}

/** Alerts, in the call group of the number that texts leave from. */
async function alerts({ tx, organizationId }: Seeding): Promise<Arrival[]> {
  return tx.$queryRaw<Arrival[]>`
    SELECT 'alert' AS kind, 'monitoring_alert' AS "subjectType", a.id AS "subjectId", p.id AS "patientId", NULL AS number, a.raised_at AS at, a.severity <> 'watch' AS urgent,
           (SELECT n.chat_id FROM phone_number n WHERE n.organization_id = ${organizationId} AND n.kind = 'plain' ORDER BY n.id LIMIT 1) AS "chatId"
      FROM monitoring_alert a
      JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id AND NOT p.restricted AND p.status = 'active'
     WHERE a.organization_id = ${organizationId} AND a.reading_id IS NOT NULL
     ORDER BY a.raised_at DESC, a.id DESC LIMIT 20`;
}

async function seedItem({ tx, organizationId, staff, now }: Seeding, arrival: Arrival, index: number): Promise<void> {
  const { kind, subjectType, subjectId, at, chatId, patientId, number, urgent = false } = arrival;
  const progress = cycle(PROGRESS, index);
  const userId = cycle(staff, index).id;
  const times = progress === 'waiting' ? {} : toProgress(progress, { at, now, userId });
  const { id } = await tx.inboxItem.create({
    data: { organizationId, chatId, patientId, contactId: patientId, number, urgent, openedAt: at, latestAt: at, ...times },
    select: { id: true },
  });
  const entry = await tx.inboxEntry.create({
    data: { organizationId, inboxItemId: id, kind, subjectType, subjectId, enteredAt: at },
    select: { id: true },
  });
  if (progress !== 'waiting') return;
  await tx.inboxItem.update({ where: { organizationId_id: { organizationId, id } }, data: { waitingEntryId: entry.id } });
}

function toProgress(
  { acknowledgedAfter, closedAfter, note }: Exclude<Progress, 'waiting'>,
  { at, now, userId }: { at: Date; now: Date; userId: number },
) {
  const after = (minutes: number) => (later(at, minutes) < now ? later(at, minutes) : now);
  return {
    assignedUserId: userId,
    acknowledgedAt: after(acknowledgedAfter),
    acknowledgedByUserId: userId,
    ...(closedAfter === undefined ? {} : { closedAt: after(closedAfter), closedByUserId: userId, note: note ?? null }),
  };
}
