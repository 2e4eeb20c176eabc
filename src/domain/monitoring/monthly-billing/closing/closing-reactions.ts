import { conflict } from '../../../errors.ts';
import type { NewEvent } from '../../../journal.ts';
import type { Tx } from '../../../tx.ts';
import { lockClosings } from './closed-row-store.ts';

/** Days of one period would be billed again by another: once a month is closed, the period of supply stays. @throws Failure conflict */
export async function keepSupplyPeriod(tx: Tx, { changed = [] }: NewEvent): Promise<void> {
  if (!changed.includes('monitoringPeriod')) return;
  const { organizationId } = tx;
  await lockClosings(tx);
  const [closed] = await tx.prisma.$queryRaw<{ month: string }[]>`
    SELECT month FROM closed_month WHERE organization_id = ${organizationId}
     UNION ALL SELECT month FROM month_closing WHERE organization_id = ${organizationId} ORDER BY month DESC LIMIT 1`;
  if (closed)
    throw conflict(
      'months_are_closed',
      `The month ${closed.month} is closed under the current period; with another period, its days would be billed again.`,
      'monitoringPeriod',
    );
}
