import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import type { NewEvent } from '../../journal.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { DECLINED_VISIT } from './declined-appointments.sql.ts';

/** Cancels a visit to come that its patient declined, where the practice has said so: its time is free for others. Nobody is written to. */
export async function freeDeclinedVisit(db: Db, caller: Caller, { id }: NewEvent): Promise<void> {
  const [visit] = await preparedIn(db).rows(DECLINED_VISIT, [caller.organizationId, id]);
  if (visit) await cancelAppointment(db, caller, visit.id, 'none');
}
