import type { Db } from '../../../../database/database.ts';
import { preparedIn } from '../../../../database/statements/statement.ts';
import type { Caller } from '../../../caller.ts';
import { CLOSED_MONTHS } from './closed-month-warnings.sql.ts';

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
  const months = await preparedIn(db).rows(CLOSED_MONTHS, [
    organizationId,
    spans.map(({ from }) => from.toISOString()),
    spans.map(({ to }) => to?.toISOString() ?? null),
  ]);
  journal.warnings.push(...months.map(({ month }) => `closed_month.${month}`));
}
