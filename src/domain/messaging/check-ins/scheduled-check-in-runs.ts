import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import type { ScheduledCheckIn } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { MONITORED_SPELLINGS } from '../../patients/monitored-flag.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import type { RowKey } from '../../values/row-key.ts';
import { writeDay } from '../../values/time/time.ts';
import { recipientLanguage } from '../recipients/recipient-language.ts';
import { renderAutomaticMail, renderFrom } from '../templates/automatic-texts.ts';
import { findActiveTemplate } from '../templates/templates.ts';
import { checkInOccasion, createCheckIns, findPractice, type LinkOptions } from './check-ins.ts';
import { lastOccurrence, nextOccurrence, type Occurrence, PERIODS, type Recurrence } from './schedule-times.ts';
import { PENDING_CHECK_INS } from './scheduled-recipients.sql.ts';

/** Longest delay after which a missed occurrence, for example during an outage, is still sent. */
const MAX_DELAY_MS = 12 * 3_600_000;
/** Check-ins per transaction, few enough to finish in time on a slow machine. */
const BATCH_SIZE = 50;
/** Missed occurrences recorded per transaction. */
const MAX_MISSED = 500;

/** Due schedules of all active practices, or of one, longest overdue first. For jobs only. */
export function listDueSchedules(db: Db, now: Date, limit: number, practice: number | null = null): Promise<RowKey[]> {
  return db.$queryRaw<RowKey[]>`
    SELECT s.organization_id AS "organizationId", s.id
      FROM scheduled_check_in s JOIN organization o ON o.id = s.organization_id AND o.active
     WHERE s.active AND s.next_run_at <= ${now} AND (${practice}::int IS NULL OR s.organization_id = ${practice}::int)
     ORDER BY s.next_run_at, s.organization_id, s.id LIMIT ${limit}
     ${overAllPractices('the job looks for what is due')}`;
}

/**
 * Processes one batch of a due schedule in the given transaction. Of the occurrences that have passed, the latest is
 * sent unless it is more than twelve hours old; all others are recorded as missed. Each patient gets each survey once
 * per occurrence, all in one message, however often and by whichever process this runs.
 * @returns `more`: call again. `waits`: only texts are left and the practice has no number to send them from. `done`:
 *   finished, or another process is working on it
 */
export async function runSchedule(tx: Tx, id: number, now: Date, linkOptions: LinkOptions): Promise<'more' | 'waits' | 'done'> {
  const schedule = await lockDueSchedule(tx, id, now);
  if (!schedule?.nextRunAt) return 'done';
  const timeZone = await organizationZone(tx);
  const recurrence = toRecurrence(schedule);
  const newest = lastOccurrence(recurrence, timeZone, now);
  const current = newest && now.getTime() - newest.at.getTime() <= MAX_DELAY_MS ? newest : null;
  const missed = occurrencesBetween(recurrence, timeZone, schedule.nextRunAt, current?.at ?? now);
  if (missed.length > 0) {
    for (const { on } of missed) recordMissed(tx, id, on);
    // The next batch starts after these, so each is recorded once.
    await continueAt(tx, schedule, nextOccurrence(recurrence, timeZone, missed.at(-1)?.at ?? now));
    return 'more';
  }
  if (current) {
    const sent = await sendBatch(tx, { id, on: current.on }, linkOptions);
    if (sent !== 'done') return sent;
    recordChange(tx, 'update', { name: 'scheduled_check_in.ran', id, changed: ['nextRunAt'] });
  }
  await continueAt(tx, { ...schedule, runs: schedule.runs + (current ? 1 : 0) }, nextOccurrence(recurrence, timeZone, now));
  return 'done';
}

/** The schedule, locked; null where it is not due any more or another process holds the lock. */
async function lockDueSchedule(tx: Tx, id: number, now: Date): Promise<ScheduledCheckIn | null> {
  const held = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT id FROM scheduled_check_in
     WHERE organization_id = ${tx.organizationId} AND id = ${id} AND active AND next_run_at <= ${now}
       FOR UPDATE SKIP LOCKED`;
  return held.length === 0 ? null : tx.prisma.scheduledCheckIn.findUnique({ where: tx.key(id) });
}

function toRecurrence({ schedulePeriod, scheduleTime: time, startsOn, weekdays, endsOn }: ScheduledCheckIn): Recurrence {
  const period = PERIODS.find((one) => one === schedulePeriod);
  if (!period) throw new Error('a schedule has no period that is known');
  return { period, time, startsOn, weekdays, endsOn };
}

/** Occurrences from one instant (inclusive) to another (exclusive), at most MAX_MISSED of them. */
function occurrencesBetween(recurrence: Recurrence, timeZone: string, from: Date, before: Date): Occurrence[] {
  const found: Occurrence[] = [];
  let next = nextOccurrence(recurrence, timeZone, new Date(from.getTime() - 1));
  while (next && next.at < before && found.length < MAX_MISSED) {
    found.push(next);
    next = nextOccurrence(recurrence, timeZone, next.at);
  }
  return found;
}

/** The event records that an occurrence was missed; the audit row also gives its day. */
function recordMissed({ journal }: Caller, id: number, on: Date): void {
  journal.events.push({ name: 'scheduled_check_in.missed', id });
  journal.audits.push({ action: 'update', resource: 'scheduled_check_in', ids: [id], detail: `missed ${writeDay(on)}` });
}

/** Goes on with the next occurrence, or ends the schedule where there is none, or it has run as often as it may. */
async function continueAt(tx: Tx, { organizationId, id, runs, maxRuns }: ScheduledCheckIn, next: Occurrence | null): Promise<void> {
  const nextRunAt = maxRuns !== null && runs >= maxRuns ? null : (next?.at ?? null);
  const where = { organizationId_id: { organizationId, id } };
  await tx.prisma.scheduledCheckIn.update({ where, data: { nextRunAt, runs, active: nextRunAt !== null }, select: { id: true } });
  if (nextRunAt === null) recordChange(tx, 'update', { name: 'scheduled_check_in.ended', id });
}

async function sendBatch(tx: Tx, scheduled: { id: number; on: Date }, linkOptions: LinkOptions): Promise<'more' | 'waits' | 'done'> {
  const { id, on } = scheduled;
  const pending = await tx.rows(PENDING_CHECK_INS, [id, MONITORED_SPELLINGS, writeDay(on), BATCH_SIZE]);
  const practice = await findPractice(tx);
  const template = await findActiveTemplate(tx, 'check-in');
  const sendable = pending.filter(({ waits }) => !waits);
  for (const { patientId, surveyTypeIds, channel, to, languageCode, practiceLanguage, nameToGuardian, ...names } of sendable) {
    const occasion = checkInOccasion(
      practice,
      names,
      recipientLanguage(languageCode, practiceLanguage, { nameToGuardian }),
      surveyTypeIds.length,
    );
    const words = renderFrom(template, tx, 'check-in', occasion);
    const { subject } = renderAutomaticMail('check-in', occasion);
    const method = { channel, to: to ?? undefined };
    await createCheckIns(tx, { patientId, surveyTypeIds, method, ...words, subject, scheduled }, linkOptions);
  }
  if (pending.length === 0) return 'done';
  return sendable.length > 0 ? 'more' : 'waits';
}
