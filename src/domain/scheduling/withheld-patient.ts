import type { Db } from '../../database/database.ts';
import { type Caller, maySeeChart } from '../caller.ts';
import type { AppointmentInput, StoredAppointment } from './appointment-input.ts';

/**
 * The input for an appointment whose patient a response withholds, which shows null instead: a deleted chart, or a restricted one from
 * a caller who may not see it. That null may be sent back and clears nothing. Any other input is returned as it is.
 */
export async function keepWithheldPatient(
  db: Db,
  caller: Caller,
  input: AppointmentInput,
  before: StoredAppointment | null,
): Promise<AppointmentInput> {
  if (input.patientId !== null || before === null || before.patientId === null) return input;
  const { organizationId, patientId: id } = before;
  const withheld = maySeeChart(caller, id) ? [{ status: 'deleted' as const }] : [{ status: 'deleted' as const }, { restricted: true }];
  const found = await db.patient.count({ where: { organizationId, id, OR: withheld } });
  return found > 0 ? { ...input, patientId: undefined } : input;
}
