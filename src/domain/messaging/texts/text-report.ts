import { Temporal } from 'temporal-polyfill';
import { Prisma } from '../../../generated/prisma/client.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
import { periodBorders } from '../../values/time/periods.ts';
import { dayAt, writeDay } from '../../values/time/time.ts';
import type { MessageDirection, MessageState } from './text-list.ts';

/** Number of texts of one kind on one day. */
export interface TextCount {
  /** `2031-03-02`, in the practice's zone. */
  day: string;
  direction: MessageDirection;
  state: MessageState;
  templateId: number | null;
  template: string | null;
  count: number;
}

export interface TextReport {
  timeZone: string;
  from: Date;
  before: Date | null;
  total: number;
  counts: TextCount[];
}

/** Days that a report covers by default. */
const DEFAULT_DAYS = 30;

/**
 * Counts the texts of a period, the last thirty days by default. Each is counted once, on the day of its queueing or
 * arrival, so that the counts agree with a list of the same dates.
 */
export async function reportTexts(tx: Tx, dates: WrittenRange): Promise<TextReport> {
  const timeZone = await organizationZone(tx);
  const { from: requestedFrom, before } = await readRange(dates, async () => timeZone);
  const from = requestedFrom ?? defaultStart(before ?? new Date(), timeZone);
  const inPeriod = Prisma.sql`
    m.organization_id = ${tx.organizationId} AND m.queued_at >= ${from} AND m.queued_at < coalesce(${before}::timestamptz, 'infinity')`;
  const [span] = await tx.prisma.$queryRaw<{ first: Date | null; last: Date | null }[]>`
    SELECT min(m.queued_at) AS first, max(m.queued_at) AS last FROM sms_message m WHERE ${inPeriod}`;
  const borders = span?.first && span.last ? periodBorders('day', { first: span.first, last: span.last }, timeZone) : [];
  const starts = borders.map((border) => border.toISOString());
  const rows = await tx.prisma.$queryRaw<(Omit<TextCount, 'day'> & { place: number })[]>`
    SELECT width_bucket(m.queued_at, ${starts}::timestamptz[]) AS place, m.direction::text, m.state::text,
           m.template_id AS "templateId", t.name AS template, count(*)::int AS count
      FROM sms_message m LEFT JOIN sms_template t ON t.organization_id = m.organization_id AND t.id = m.template_id
     WHERE ${inPeriod}
     GROUP BY 1, 2, 3, 4, 5
     ORDER BY 1, 2, 3, 4 NULLS LAST`;
  const counts = rows.map(({ place, ...row }) => ({ day: writeDay(dayAt(borders[place - 1] ?? from, timeZone)), ...row }));
  return { timeZone, from, before, counts, total: counts.reduce((sum, { count }) => sum + count, 0) };
}

/** Midnight thirty days back, counting the day that ends at, or contains, the given end. */
function defaultStart(end: Date, timeZone: string): Date {
  const last = Temporal.Instant.fromEpochMilliseconds(end.getTime() - 1)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  return new Date(last.subtract({ days: DEFAULT_DAYS - 1 }).toZonedDateTime(timeZone).epochMilliseconds);
}
