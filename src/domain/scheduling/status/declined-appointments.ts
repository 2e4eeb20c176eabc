import type { NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { DECLINED_APPOINTMENT } from './declined-appointments.sql.ts';

/** Cancels a visit to come that its patient declined, where the practice has said so: its time is free for others. Nobody is written to. */
export async function freeDeclinedAppointment(tx: Tx, { id }: NewEvent): Promise<void> {
  const [visit] = await tx.rows(DECLINED_APPOINTMENT, [id]);
  if (visit) await cancelAppointment(tx, visit.id, 'none');
}
