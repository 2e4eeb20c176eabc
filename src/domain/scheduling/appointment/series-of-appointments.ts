import { statement } from '../../../database/statements/statement.ts';
import type { PracticeTx } from '../../tx.ts';
import type { Appointment } from './appointment-view.ts';

/** The series that visits belong to, while they are of its patient. Values: organization, visits, the patient of each. */
const SERIES_OF_APPOINTMENTS = statement<{ appointmentId: number; seriesId: number }>(
  'series_of_visits',
  `SELECT v.id AS "appointmentId", s.id AS "seriesId"
     FROM unnest($2::bigint[], $3::int[]) AS v (id, patient_id)
     JOIN appointment_series s ON s.organization_id = $1 AND s.patient_id = v.patient_id AND v.id = ANY (s.appointment_ids)`,
);

/** The ids of the series of visits, by the ids of the visits; of a patient whom the caller may not see, none. */
export async function findSeriesOfAppointments(
  tx: PracticeTx,
  appointments: readonly Pick<Appointment, 'id' | 'patient'>[],
): Promise<ReadonlyMap<number, number>> {
  const shown = appointments.flatMap(({ id, patient }) => (patient === null ? [] : [{ id, patientId: patient.id }]));
  if (shown.length === 0) return new Map();
  const found = await tx.rows(SERIES_OF_APPOINTMENTS, [shown.map(({ id }) => id), shown.map(({ patientId }) => patientId)]);
  return new Map(found.map(({ appointmentId, seriesId }) => [appointmentId, seriesId]));
}
