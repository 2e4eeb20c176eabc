import { statement } from '../../../database/statements/statement.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';

/** Offers of a range of days by what became of them, and the visits that they brought. */
export interface WaitlistReport {
  offered: number;
  accepted: number;
  declined: number;
  expired: number;
  withdrawn: number;
  open: number;
  /** Times that a visit had left, in which another one was booked and not cancelled since. */
  recoveredVisits: number;
  recoveredMinutes: number;
  waiting: number;
}

/** Values: organization, from or null, until or null. */
const REPORT = statement<WaitlistReport>(
  'waitlist_report',
  `SELECT count(o.id)::int AS offered, count(*) FILTER (WHERE o.state = 'accepted')::int AS accepted,
          count(*) FILTER (WHERE o.state = 'declined')::int AS declined, count(*) FILTER (WHERE o.state = 'expired')::int AS expired,
          count(*) FILTER (WHERE o.state = 'withdrawn')::int AS withdrawn, count(*) FILTER (WHERE o.state = 'open')::int AS open,
          count(a.id)::int AS "recoveredVisits",
          coalesce(sum(extract(epoch FROM o.ends_at - o.starts_at) / 60) FILTER (WHERE a.id IS NOT NULL), 0)::int AS "recoveredMinutes",
          (SELECT count(*)::int FROM waitlist_entry w WHERE w.organization_id = $1 AND w.status = 'waiting') AS waiting
     FROM slot_offer o
     LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = o.appointment_id AND o.state = 'accepted' AND a.starts_at = o.starts_at
                            AND ${activeAppointment('a')}
    WHERE o.organization_id = $1 AND ($2::timestamptz IS NULL OR o.created_at >= $2) AND ($3::timestamptz IS NULL OR o.created_at < $3)`,
);

/** Numbers without names, so nothing is audited. */
export async function reportWaitlist(tx: Tx, dates: WrittenRange): Promise<WaitlistReport> {
  const { from, before } = await readRange(dates, () => organizationZone(tx));
  const [report] = await tx.rows(REPORT, [from, before]);
  if (!report) throw new Error('the report of the waitlist has no row');
  return report;
}
