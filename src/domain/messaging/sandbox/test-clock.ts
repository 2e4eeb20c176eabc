import { addTime } from '../../../database/statements/later.sql.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { moveTestClock } from '../../practices/test-practices.ts';
import type { Tx } from '../../tx.ts';

/** Instants at which something ends or begins by itself, whatever the hour is. */
const DUE = [
  ['slot_claim', 'expires_at'],
  ['slot_offer', 'expires_at'],
  ['freed_time', 'due_at'],
  ['booking_link', 'due_at'],
  ['booking_link', 'expires_at'],
  ['check_in', 'expires_at'],
  ['session_invite', 'expires_at'],
  ['external_message', 'expires_at'],
  ['inbox_item', 'escalate_at'],
  ['monitoring_alert', 'escalate_at'],
] as const;

/**
 * Advances the clock of a test practice: what goes by the hour reads it (values/test-practices.ts), and what is due anyway is due so much
 * earlier: holds, links, escalations, and messages that wait in the queue. Sessions and tokens stay.
 */
export async function advanceClock(tx: Tx, seconds: number): Promise<void> {
  const { organizationId } = tx;
  for (const [table, column] of DUE) {
    const due = Prisma.raw(column);
    await tx.prisma.$executeRaw`
      UPDATE ${Prisma.raw(table)} SET ${due} = ${addTime(due, Prisma.sql`secs => ${-seconds}::int`)}
       WHERE organization_id = ${organizationId} AND ${due} > now()`;
  }
  await tx.prisma.$executeRaw`
    UPDATE queue.job SET start_after = start_after - make_interval(secs => ${seconds}::int)
     WHERE state = 'created' AND start_after > now() AND (data ->> 'organizationId')::int = ${organizationId}`;
  await moveTestClock(tx, seconds);
}
