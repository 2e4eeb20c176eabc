import type { Db } from '../../database/database.ts';
import { type Caller, maySeeRestricted } from '../caller.ts';
import type { AppointmentInput, StoredAppointment } from './appointment-input.ts';

/**
 * The input for an appointment whose patient is restricted, from a caller who reads null in place of such a patient: that null may be
 * sent back and clears nothing. Any other input is returned as it is.
 */
export async function keepWithheldPatient(
  db: Db,
  caller: Caller,
  input: AppointmentInput,
  before: StoredAppointment | null,
): Promise<AppointmentInput> {
  if (input.patientId !== null || before === null || before.patientId === null || maySeeRestricted(caller)) return input;
  const { organizationId, patientId: id } = before;
  const withheld = await db.patient.count({ where: { organizationId, id, restricted: true } });
  return withheld > 0 ? { ...input, patientId: undefined } : input;
}
