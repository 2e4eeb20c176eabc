import { overAllPractices } from '../database/all-practices.ts';
import { databaseTime } from '../database/clock.ts';
import { watchClock } from '../database/clock-watch.ts';
import type { Database, Db } from '../database/database.ts';
import { among, overReachablePractices } from '../database/reachable-practices.ts';
import { ESCALATION_MINUTES } from '../domain/monitoring/alerts/new-alerts.ts';
import { CLAIM_SECONDS } from '../domain/webhooks/attempts.sql.ts';
import type { JobDeps } from './job-deps.ts';

/** Milliseconds by which a clock may seem to be set back where nobody set it: an answer takes its time. */
const TOLERANCE_MS = 2_000;

const OVER_ALL = overAllPractices('a clock is set back for all of them');

const watches = new WeakMap<Database, () => Promise<number | null>>();

/**
 * Makes due what waits for a time that a clock which was ahead has written, once that clock has been set back: otherwise it would
 * wait for as long as the clock was ahead. Looks at the database's clock, by which all of this is due; the first run of a process
 * cannot know, and looks for such times too.
 */
export async function mendAfterClockSetBack({ database, logger }: Pick<JobDeps, 'database' | 'logger'>): Promise<void> {
  const look = watches.get(database) ?? watchClock(database.prisma);
  watches.set(database, look);
  const moved = await look();
  if (moved !== null && moved > -TOLERANCE_MS) return;
  if (moved !== null)
    logger.warn({ seconds: Math.round(-moved / 1_000) }, "the database's clock was set back; what waits for a time of before is due now");
  const now = await databaseTime(database.prisma);
  for (const mend of [mendQueue, mendWebhooks, mendEscalations, mendPresence]) await mend(database.prisma, now);
}

/** Jobs keep the time for which they were put off; those of a process that was killed are free again within a heartbeat. */
async function mendQueue(db: Db): Promise<void> {
  await db.$executeRaw`
    UPDATE queue.job
       SET start_after = start_after - (greatest(created_on, started_on, heartbeat_on) - now()),
           created_on = least(created_on, now()), started_on = least(started_on, now()), heartbeat_on = least(heartbeat_on, now())
     WHERE state < 'completed' AND greatest(created_on, started_on, heartbeat_on) > now()`;
  await db.$executeRaw`
    UPDATE queue.queue
       SET monitor_on = least(monitor_on, now()), monitor_claim_on = least(monitor_claim_on, now()), maintain_on = least(maintain_on, now())
     WHERE greatest(monitor_on, monitor_claim_on, maintain_on) > now()`;
  await db.$executeRaw`
    UPDATE queue.version
       SET cron_on = least(cron_on, now()), bam_on = least(bam_on, now()), flow_on = least(flow_on, now()),
           reindex_on = least(reindex_on, now()), monitor_backoff_on = NULL
     WHERE greatest(cron_on, bam_on, flow_on, reindex_on) > now()`;
}

/** A delivery that is being sent stays with its process for the usual time; of the others, what was written ahead of now is due. */
async function mendWebhooks(db: Db, now: Date): Promise<void> {
  const claimedUntil = new Date(now.getTime() + CLAIM_SECONDS * 1_000);
  await overReachablePractices(
    db,
    (only) => db.$executeRaw`
    UPDATE webhook_delivery d
       SET next_attempt_at = CASE WHEN claimed_until > ${now}::timestamptz THEN ${claimedUntil}::timestamptz ELSE ${now}::timestamptz END,
           claimed_until = CASE WHEN claimed_until > ${now}::timestamptz THEN ${claimedUntil}::timestamptz END
     WHERE state = 'pending' AND next_attempt_at > ${now}::timestamptz
       AND (claimed_until > ${claimedUntil}::timestamptz
         OR (claimed_until IS NULL OR claimed_until <= ${now}::timestamptz) AND greatest(created_at, last_attempt_at) > ${now}::timestamptz)
       ${among(only, 'd')} ${OVER_ALL}`,
  );
}

/** Nobody waits for longer than a whole period until the next are told of an alert or of an item of the inbox. Sums in UTC, as `later` says. */
async function mendEscalations(db: Db, now: Date): Promise<void> {
  await overReachablePractices(
    db,
    (only) => db.$executeRaw`
    UPDATE monitoring_alert a
       SET escalate_at = least(a.escalate_at, (${now}::timestamptz AT TIME ZONE 'UTC' + make_interval(mins => coalesce((
             SELECT min(g.alert_escalation_minutes) FROM program g
              WHERE g.organization_id = a.organization_id AND g.id = ANY (a.program_ids) ${among(only, 'g')}), ${ESCALATION_MINUTES}::int))) AT TIME ZONE 'UTC')
     WHERE a.escalate_at > ${now}::timestamptz ${among(only, 'a')} ${OVER_ALL}`,
  );
  await overReachablePractices(
    db,
    (only) => db.$executeRaw`
    UPDATE inbox_item i SET escalate_at = least(i.escalate_at, (${now}::timestamptz AT TIME ZONE 'UTC' + make_interval(mins => o.inbox_escalation_minutes)) AT TIME ZONE 'UTC')
      FROM organization o WHERE o.id = i.organization_id AND i.escalate_at > ${now}::timestamptz ${among(only, 'i')} ${OVER_ALL}`,
  );
}

/** People who have gone without a word are missed after the usual time, and never before the time at which they came. */
async function mendPresence(db: Db, now: Date): Promise<void> {
  await overReachablePractices(
    db,
    (only) => db.$executeRaw`
    UPDATE session_participant p SET last_seen_at = greatest(${now}::timestamptz, waiting_since, admitted_at, joined_at)
     WHERE left_at IS NULL AND last_seen_at > ${now}::timestamptz ${among(only, 'p')} ${OVER_ALL}`,
  );
  await overReachablePractices(
    db,
    (only) => db.$executeRaw`
    UPDATE waiting_room_visit v SET last_seen_at = greatest(${now}::timestamptz, entered_at, admitted_at) 
     WHERE left_at IS NULL AND last_seen_at > ${now}::timestamptz ${among(only, 'v')} ${OVER_ALL}`,
  );
}
