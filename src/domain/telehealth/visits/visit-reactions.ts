import type { NewAuditEntry, NewEvent } from '../../journal.ts';
import { setStatus } from '../../scheduling/status/appointment-status.ts';
import type { Tx } from '../../tx.ts';
import { OPEN_STATUSES } from '../../values/appointment-status.ts';

/** An appointment is in progress once its patient and the practice meet by video; one that is over stays over. */
export async function beginAppointment(tx: Tx, { id }: NewEvent): Promise<void> {
  const visit = await tx.prisma.telehealthVisit.findUnique({
    where: { organizationId_id: { ...tx.practice, id }, endedAt: null, appointment: { status: { in: [...OPEN_STATUSES] } } },
    select: { appointmentId: true },
  });
  if (visit?.appointmentId == null) return;
  // Nobody is shown the appointment, so no read of the chart is recorded.
  const audits: NewAuditEntry[] = [];
  await setStatus({ ...tx, journal: { ...tx.journal, audits } }, visit.appointmentId, { status: 'in_progress' });
  tx.journal.audits.push(...audits.filter(({ action }) => action !== 'read'));
}
