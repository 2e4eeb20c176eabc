import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { APPOINTMENT_RECORDS_BY_IDS, type AppointmentRecord } from './appointment-records.sql.ts';

/** Appointments with a date in the order of the ids, cancelled ones and those that lost it too. Audited as a search, with the patients that they show. */
export async function readAppointmentRecords(tx: Tx, ids: readonly number[]): Promise<AppointmentRecord[]> {
  if (ids.length === 0) return [];
  const rows = await tx.rows(APPOINTMENT_RECORDS_BY_IDS, [ids, maySeeRestricted(tx)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const records = ids.flatMap((id) => byId.get(id) ?? []);
  const patientIds = [...new Set(records.flatMap(({ patientId }) => patientId ?? []))];
  if (records.length > 0) recordReadWithPatients(tx, 'appointment', { ids: records.map(({ id }) => id), patientIds }, 'search');
  return records;
}
