import type { Prepared } from '../../../database/statements/statement.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { APPOINTMENT_RECORDS_BY_IDS, type AppointmentRecord } from './appointment-records.sql.ts';

/** Appointments with a date in the order of the ids, cancelled ones and those that lost it too. Audited as a search, with the patients that they show. */
export async function readAppointmentRecords(prepared: Prepared, caller: Caller, ids: readonly number[]): Promise<AppointmentRecord[]> {
  if (ids.length === 0) return [];
  const rows = await prepared.rows(APPOINTMENT_RECORDS_BY_IDS, [caller.organizationId, ids, maySeeRestricted(caller)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const records = ids.flatMap((id) => byId.get(id) ?? []);
  const patientIds = [...new Set(records.flatMap(({ patientId }) => patientId ?? []))];
  if (records.length > 0) recordReadWithPatients(caller, 'appointment', { ids: records.map(({ id }) => id), patientIds }, 'search');
  return records;
}
