import { statement } from '../../database/statements/statement.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { NewEvent } from '../journal.ts';
import { closeInboxItem } from '../messaging/inbox/inbox-actions.ts';
import { cancelAppointment } from '../scheduling/booking/cancellation.ts';
import type { Tx } from '../tx.ts';

/** Visits and inbox items that are open for a chart that is deleted; no row for another chart. Values: organization, patient. */
const OPEN_OF_DELETED = statement<{ visits: number[]; inboxItems: number[] }>(
  'open_of_deleted_chart',
  `SELECT (SELECT coalesce(json_agg(a.id ORDER BY a.id), '[]') FROM appointment a
            WHERE a.organization_id = $1 AND a.patient_id = $2 AND a.status = 'scheduled' AND (a.starts_at > now() OR a.starts_at IS NULL)) AS visits,
          (SELECT coalesce(json_agg(i.id ORDER BY i.id), '[]') FROM inbox_item i
            WHERE i.organization_id = $1 AND i.patient_id = $2 AND i.closed_at IS NULL) AS "inboxItems"
     FROM patient p
    WHERE p.organization_id = $1 AND p.id = $2 AND p.status = 'deleted'`,
);

/** Cancels the upcoming visits of a chart that was deleted, and tells nobody; ends its programs, and closes what waits in the inbox. */
export async function endWhatIsOpen(tx: Tx, { id: patientId }: NewEvent): Promise<void> {
  const [open] = await tx.rows(OPEN_OF_DELETED, [patientId]);
  if (!open) return;
  for (const id of open.visits) await cancelAppointment(tx, id, 'none');
  for (const id of open.inboxItems) await closeInboxItem(tx, id, { note: null, seenEntries: undefined });
  const ended = await tx.prisma.programPatient.updateManyAndReturn({
    where: { ...tx.practice, patientId, removedAt: null },
    data: { removedAt: new Date() },
    select: { id: true },
  });
  for (const { id } of ended) recordChange(tx, 'delete', { name: 'program_patient.removed', id, changed: ['removedAt'] }, [patientId]);
}
