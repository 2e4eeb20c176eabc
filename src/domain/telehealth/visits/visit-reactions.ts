import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import type { NewAuditEntry, NewEvent } from '../../journal.ts';
import { setStatus } from '../../scheduling/status/appointment-status.ts';
import { OPEN_STATUSES } from '../../values/appointment-status.ts';

/** An appointment is in progress once its patient and the practice meet by video; one that is over stays over. */
export async function beginAppointment(db: Db, caller: Caller, { id }: NewEvent): Promise<void> {
  const { organizationId, journal } = caller;
  const visit = await db.telehealthVisit.findUnique({
    where: { organizationId_id: { organizationId, id }, endedAt: null, appointment: { status: { in: [...OPEN_STATUSES] } } },
    select: { appointmentId: true },
  });
  if (visit?.appointmentId == null) return;
  // Nobody is shown the appointment, so no read of the chart is recorded.
  const audits: NewAuditEntry[] = [];
  await setStatus(db, { ...caller, journal: { ...journal, audits } }, visit.appointmentId, { status: 'in_progress' });
  journal.audits.push(...audits.filter(({ action }) => action !== 'read'));
}
