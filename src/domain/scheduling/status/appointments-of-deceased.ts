import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { VISITS_TO_CANCEL } from './appointments-of-deceased.sql.ts';

/** Cancels the visits of a patient whose death was recorded, and writes to nobody about it. */
export async function cancelVisitsOfDeceased(db: Db, caller: Caller, { id: patientId }: NewEvent): Promise<void> {
  const visits = await preparedIn(db).rows(VISITS_TO_CANCEL, [caller.organizationId, patientId]);
  for (const { id } of visits) await cancelAppointment(db, caller, id, 'none');
}
