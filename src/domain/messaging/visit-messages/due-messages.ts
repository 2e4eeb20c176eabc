import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { NONE } from '../../../database/statements/no-id.ts';
import { Prisma, type VisitMessage } from '../../../generated/prisma/client.ts';
import { lockAppointment } from '../../scheduling/appointment/appointment-lock.ts';
import type { Tx } from '../../tx.ts';
import type { RowKey } from '../../values/row-key.ts';
import { VISIT_MESSAGE_KINDS } from '../templates/categories.ts';
import { type DatedAppointment, dueAt, isDated, type PlannedMessage, planMessages } from './plan.ts';
import { IN_FORCE } from './rules.sql.ts';
import { findTypeRules } from './rules.ts';
import { type Told, tell } from './telling.ts';
import { DECIDED_MESSAGES, type DecidedMessage, TOLD_APPOINTMENT, type ToldAppointment } from './told-appointments.sql.ts';

interface Candidate extends RowKey, Pick<DatedAppointment, 'startsAt' | 'endsAt' | 'timeZone'> {
  kind: string;
  lead: string;
}

/** Seconds by which a message is due before (positive) or after the start, were each day as long as the other. */
const SECONDS = Prisma.sql`extract(epoch FROM t.lead::interval) * CASE r.kind WHEN 'reminder' THEN 1 ELSE -1 END`;

/**
 * Visits with messages that are due and neither sent nor given up, of all practices. The database looks by hours, since a day may have
 * 23 or 25 of them and a visit may last a day; the clocks of the visit decide.
 * @param practice only of this one
 */
export async function findDueAppointments(db: Db, now: Date, most: number, practice: number | null = null): Promise<RowKey[]> {
  const candidates = await db.$queryRaw<Candidate[]>`
    SELECT a.organization_id AS "organizationId", a.id, r.kind, t.lead, a.starts_at AS "startsAt", a.ends_at AS "endsAt", a.time_zone AS "timeZone"
      FROM visit_message_rule r
      JOIN organization g ON g.id = r.organization_id AND g.active
     CROSS JOIN LATERAL unnest(r.offsets) AS t (lead)
      JOIN appointment a ON a.organization_id = r.organization_id AND a.patient_id IS NOT NULL AND a.status <> 'cancelled'
       AND a.starts_at > ${now}::timestamptz + make_interval(secs => ${SECONDS}) - CASE r.kind WHEN 'reminder' THEN interval '13 hours' ELSE interval '37 hours' END
       AND a.starts_at <= ${now}::timestamptz + make_interval(secs => ${SECONDS}) + interval '1 hour'
     WHERE r.kind IN ('reminder', 'follow-up') AND ${Prisma.raw(IN_FORCE)} AND (${practice}::int IS NULL OR r.organization_id = ${practice}::int)
       AND NOT EXISTS (SELECT FROM visit_message m
                        WHERE m.organization_id = a.organization_id AND m.appointment_id = a.id AND m.patient_id = a.patient_id
                          AND m.kind = r.kind AND m.lead = t.lead AND m.starts_at = a.starts_at)
     ORDER BY a.starts_at - make_interval(secs => ${SECONDS}), a.organization_id, a.id LIMIT ${most}
     ${overAllPractices('the job looks for what is due')}`;
  const due = candidates.filter((one) => dueAt(one, one.kind, one.lead) <= now);
  return [...new Map(due.map(({ organizationId, id }) => [`${organizationId} ${id}`, { organizationId, id }])).values()];
}

/** A visit with the messages that were decided, and those that its rules plan. */
export interface PlannedAppointment {
  visit: ToldAppointment;
  decided: DecidedMessage[];
  planned: PlannedMessage[];
}

/** Null for an appointment that the practice does not have. */
export async function findPlannedAppointment(tx: Tx, id: number, now: Date): Promise<PlannedAppointment | null> {
  const [visit] = await tx.rows(TOLD_APPOINTMENT, [id]);
  if (!visit) return null;
  const decided = await tx.rows(DECIDED_MESSAGES, [id, visit.patientId ?? NONE]);
  if (!isDated(visit)) return { visit, decided, planned: [] };
  const isOpen = ({ kind, lead }: PlannedMessage) =>
    !decided.some((one) => one.kind === kind && one.lead === lead && one.startsAt.getTime() === visit.startsAt.getTime());
  const planned = planMessages(visit, await findTypeRules(tx, visit.typeId), now).filter(isOpen);
  return { visit, decided, planned };
}

/**
 * Sends the messages of a visit that are due, each once: of several that are due together, the last. The visit is locked, and a message
 * is decided in the same transaction in which it is queued.
 */
export async function sendDueMessages(tx: Tx, id: number, now: Date): Promise<void> {
  await lockAppointment(tx, id);
  const found = await findPlannedAppointment(tx, id, now);
  if (!found || !isDated(found.visit)) return;
  const { visit } = found;
  const due = found.planned.filter((message) => message.dueAt <= now);
  const findLast = (kind: string) => due.findLast((message) => message.kind === kind && message.reason === null);
  for (const message of due) {
    const reason = message.reason ?? (message === findLast(message.kind) ? null : 'superseded');
    await decide(tx, visit, message, reason === null ? await sendDueMessage(tx, visit, message, now) : { reason });
  }
}

async function sendDueMessage(tx: Tx, visit: DatedAppointment, { kind, templateId }: PlannedMessage, now: Date): Promise<Told> {
  const known = VISIT_MESSAGE_KINDS.find((one) => one === kind);
  if (!known) throw new RangeError('a rule of no known kind');
  return tell(tx, { kind: known, visit, startsAt: visit.startsAt, templateId, automatic: true, now });
}

/** Stores what became of a message. The key of the table holds that nothing else becomes of it. */
export function decide(
  tx: Tx,
  { id: appointmentId, patientId, startsAt }: DatedAppointment,
  { kind, lead, dueAt: due }: PlannedMessage,
  told: Told,
): Promise<VisitMessage> {
  return tx.prisma.visitMessage.create({
    data: { ...tx.practice, appointmentId, patientId, kind, lead, startsAt, dueAt: due, ...told },
  });
}
