import type { NewEvent } from '../../journal.ts';
import type { Tx } from '../../tx.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { APPOINTMENTS_TO_CANCEL } from './appointments-of-deceased.sql.ts';

/** Cancels the visits of a patient whose death was recorded, and writes to nobody about it. */
export async function cancelAppointmentsOfDeceased(tx: Tx, { id: patientId }: NewEvent): Promise<void> {
  const visits = await tx.rows(APPOINTMENTS_TO_CANCEL, [patientId]);
  for (const { id } of visits) await cancelAppointment(tx, id, 'none');
}
