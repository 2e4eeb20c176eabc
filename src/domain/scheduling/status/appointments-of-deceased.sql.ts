import { statement } from '../../../database/statements/statement.ts';

/**
 * Visits that a patient's death leaves to be cancelled: those to come, and those without a date. None where the practice keeps them, or
 * the day of death was cleared. Values: organization, patient.
 */
export const APPOINTMENTS_TO_CANCEL = statement<{ id: number }>(
  'visits_to_cancel_of_deceased',
  `SELECT a.id FROM appointment a
    WHERE a.organization_id = $1 AND a.patient_id = $2 AND a.status = 'scheduled' AND (a.starts_at > now() OR a.starts_at IS NULL)
      AND EXISTS (SELECT FROM patient p WHERE p.organization_id = $1 AND p.id = $2 AND p.deceased_date IS NOT NULL)
      AND EXISTS (SELECT FROM organization o WHERE o.id = $1 AND o.visits_of_deceased = 'cancel')
    ORDER BY a.id`,
);

/** Ids of the practice's visits that are to come for a patient who has died, or came after the death. Value $1: organization. */
export const APPOINTMENTS_AFTER_DEATH = `ARRAY(
  SELECT v.id FROM patient d JOIN appointment v ON v.organization_id = $1 AND v.patient_id = d.id
   WHERE d.organization_id = $1 AND d.deceased_date IS NOT NULL AND (v.starts_at > now() OR v.local_start::date > d.deceased_date))`;
