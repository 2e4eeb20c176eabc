import { statement } from '../../../../database/statements/statement.ts';
import type { Tx } from '../../../tx.ts';
import { dayAt, writeDay } from '../../../values/time/time.ts';

/** The closed months from one on, with the zone by which each was closed. Values: organization, month. */
const CLOSED_MONTHS = statement<{ month: string; timeZone: string }>(
  'closed_months',
  'SELECT c.month, c.time_zone AS "timeZone" FROM closed_month c WHERE c.organization_id = $1 AND c.month >= $2 ORDER BY c.month',
);

/**
 * Names the closed months that a write concerns in the header Warning-Fields, `closed_month.2026-10`: their rows stay, and the ledger
 * shows the difference until a correction is recorded.
 * @param spans first and last instant of each thing written; null for what has no end
 */
export async function warnOfClosedMonths(tx: Tx, spans: readonly { from: Date; to: Date | null }[]): Promise<void> {
  if (spans.length === 0) return;
  const earliest = new Date(Math.min(...spans.map(({ from }) => from.getTime())));
  // The zone that is furthest behind: no zone by which a month was closed has an earlier one.
  const closed = await tx.rows(CLOSED_MONTHS, [monthAt(earliest, 'Etc/GMT+12')]);
  const touched = closed.filter(({ month, timeZone }) =>
    spans.some(({ from, to }) => monthAt(from, timeZone) <= month && (to === null || monthAt(to, timeZone) >= month)),
  );
  tx.journal.warnings.push(...touched.map(({ month }) => `closed_month.${month}`));
}

/** `2026-10` */
const monthAt = (instant: Date, timeZone: string): string => writeDay(dayAt(instant, timeZone)).slice(0, 7);
