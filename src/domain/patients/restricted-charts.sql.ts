import { statement } from '../../database/statement.ts';

/** The ids of the practice's restricted and blocked charts, which are few. Value $1: the organization. */
const RESTRICTED_CHARTS = 'SELECT r.id AS patient_id FROM patient r WHERE r.organization_id = $1 AND r.restricted';

/**
 * Condition that leaves out rows about a restricted or blocked patient. Value $1: the organization.
 * @param patient column with a patient's id, which may be null
 */
export const isUnrestricted = (patient: string) => `(${patient} IS NULL OR ${patient} NOT IN (${RESTRICTED_CHARTS}))`;

/**
 * Selects the ids of the video sessions of patients: those with the patient as a participant, an invited person or a visitor, and
 * those of the patient's appointments. Value $1: the organization.
 * @param patients query whose column is `patient_id`
 */
export const sessionsOf = (patients: string) => `
  WITH found AS MATERIALIZED (${patients})
  SELECT o.video_session_id FROM found JOIN session_participant o ON o.organization_id = $1 AND o.patient_id = found.patient_id
   UNION SELECT o.video_session_id FROM found JOIN session_invite o ON o.organization_id = $1 AND o.patient_id = found.patient_id
          WHERE o.video_session_id IS NOT NULL
   UNION SELECT o.video_session_id FROM found JOIN telehealth_visit o ON o.organization_id = $1 AND o.patient_id = found.patient_id
   UNION SELECT o.id FROM found JOIN appointment a ON a.organization_id = $1 AND a.patient_id = found.patient_id
                 JOIN video_session o ON o.organization_id = $1 AND o.appointment_id = a.id`;

/** Selects the ids of the video sessions of restricted and blocked patients. Value $1: the organization. */
export const SESSIONS_OF_RESTRICTED = sessionsOf(RESTRICTED_CHARTS);

/**
 * Condition that leaves out the video sessions of restricted and blocked patients. Value $1: the organization.
 * @param session column with a session's id, never null
 */
export const isUnrestrictedSession = (session: string) => `${session} NOT IN (${SESSIONS_OF_RESTRICTED})`;

/** Values: organization, ids of patients. */
export const IS_ANY_RESTRICTED = statement<{ restricted: boolean }>(
  'is_any_restricted',
  'SELECT EXISTS (SELECT FROM patient WHERE organization_id = $1 AND id = ANY ($2::int[]) AND restricted) AS restricted',
);
