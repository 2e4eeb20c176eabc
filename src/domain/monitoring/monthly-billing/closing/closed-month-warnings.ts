import type { Db } from '../../../../database/database.ts';
import type { Caller } from '../../../caller.ts';

/**
 * Names the closed months that a write concerns in the header Warning-Fields, `closed_month.2026-10`: their rows stay, and the ledger
 * shows the difference until a correction is recorded.
 * @param spans first and last instant of each thing written; null for what has no end
 */
export async function warnOfClosedMonths(
  db: Db,
  { organizationId, journal }: Caller,
  spans: readonly { from: Date; to: Date | null }[],
): Promise<void> {
  if (spans.length === 0) return;
  const months = await db.$queryRaw<{ month: string }[]>`
    SELECT c.month FROM closed_month c
     WHERE c.organization_id = ${organizationId}
       AND EXISTS (SELECT FROM unnest(${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[]) AS s (first, last)
                    WHERE to_char(s.first AT TIME ZONE c.time_zone, 'YYYY-MM') <= c.month
                      AND (s.last IS NULL OR to_char(s.last AT TIME ZONE c.time_zone, 'YYYY-MM') >= c.month))
     ORDER BY c.month`;
  journal.warnings.push(...months.map(({ month }) => `closed_month.${month}`));
}
