import { statement } from '../../../database/statements/statement.ts';

/**
 * Condition that leaves out a restricted or blocked chart `p` for callers who may not see it.
 * @param mayRestricted parameter: whether the caller may see restricted charts (maySeeRestricted)
 */
export const unrestrictedUnless = (p: string, mayRestricted: string) => `(NOT ${p}.restricted OR ${mayRestricted}::boolean)`;

/**
 * Condition that leaves out a chart `p` that is deleted, and one that is restricted or blocked for callers who may not see those.
 * @param mayRestricted parameter: whether the caller may see restricted charts (maySeeRestricted)
 */
export const whereVisibleChart = (p: string, mayRestricted: string) =>
  `${p}.status <> 'deleted' AND ${unrestrictedUnless(p, mayRestricted)}`;

/** The ids of the practice's restricted and blocked charts, which are few. Value $1: the organization. */
const RESTRICTED_CHARTS = 'SELECT r.id AS patient_id FROM patient r WHERE r.organization_id = $1 AND r.restricted';

/**
 * Condition that leaves out rows about a restricted or blocked patient. Value $1: the organization.
 * @param patient column with a patient's id, which may be null
 */
export const isUnrestricted = (patient: string) => `(${patient} IS NULL OR ${patient} NOT IN (${RESTRICTED_CHARTS}))`;

/** Condition that an address is a number or the mail address of a restricted or blocked chart. Value $1: the organization. */
export const isOfRestricted = (address: string) =>
  `EXISTS (SELECT FROM patient r WHERE r.organization_id = $1 AND r.restricted AND ${address} IN (r.mobile_phone, r.home_phone, r.email))`;

/**
 * Selects the ids of the video sessions of patients: those with the patient as a participant, a visitor or invited, and those of
 * the patient's appointments. An invite that was withdrawn does not count. Value $1: the organization.
 * @param patients query whose column is `patient_id`
 */
export const selectPatientSessions = (patients: string) => `
  WITH found AS MATERIALIZED (${patients})
  SELECT o.video_session_id FROM found JOIN session_participant o ON o.organization_id = $1 AND o.patient_id = found.patient_id
   UNION SELECT o.video_session_id FROM found JOIN session_invite o ON o.organization_id = $1 AND o.patient_id = found.patient_id
          WHERE o.video_session_id IS NOT NULL AND o.withdrawn_at IS NULL
   UNION SELECT o.video_session_id FROM found JOIN telehealth_visit o ON o.organization_id = $1 AND o.patient_id = found.patient_id
   UNION SELECT o.id FROM found JOIN appointment a ON a.organization_id = $1 AND a.patient_id = found.patient_id
                 JOIN video_session o ON o.organization_id = $1 AND o.appointment_id = a.id`;

/**
 * Selects the ids of a video session's patients, null among them: participants, visitors, people with an invite that was not
 * withdrawn, and the patient of its appointment. Value $1: the organization.
 */
export const patientIdsOfSession = (session: string) => `
     SELECT o.patient_id FROM session_participant o WHERE o.organization_id = $1 AND o.video_session_id = ${session}.id
      UNION SELECT o.patient_id FROM session_invite o WHERE o.organization_id = $1 AND o.video_session_id = ${session}.id AND o.withdrawn_at IS NULL
      UNION SELECT o.patient_id FROM telehealth_visit o WHERE o.organization_id = $1 AND o.video_session_id = ${session}.id
      UNION SELECT o.patient_id FROM appointment o WHERE o.organization_id = $1 AND o.id = ${session}.appointment_id`;

/** Selects the ids of the video sessions in which a restricted or blocked patient was, or may be. Value $1: the organization. */
export const SESSIONS_WITH_RESTRICTED = selectPatientSessions(RESTRICTED_CHARTS);

/**
 * Selects the ids of the video sessions whose patients all have restricted or blocked charts: staff keep no pictures in them.
 * Value $1: the organization.
 */
export const SESSIONS_OF_RESTRICTED_ALONE = `
  SELECT s.id AS video_session_id FROM (${selectPatientSessions(RESTRICTED_CHARTS)}) AS r
    JOIN video_session s ON s.organization_id = $1 AND s.id = r.video_session_id
   WHERE NOT EXISTS (
     SELECT FROM (${patientIdsOfSession('s')}) AS i
       JOIN patient_name_key l ON l.organization_id = $1 AND l.patient_id = i.patient_id AND l.ordinal = 1)`;

/**
 * Condition that leaves out pictures and recordings of restricted and blocked patients; and those that belong to nobody, if such a
 * patient was in their session, since they may show that patient. Value $1: the organization.
 * @param m row of session_image or session_video
 */
export const isShownMedia = (m: string) =>
  `(${isUnrestricted(`${m}.patient_id`)} AND (${m}.patient_id IS NOT NULL OR ${m}.video_session_id NOT IN (${SESSIONS_WITH_RESTRICTED})))`;

/** The restricted and blocked charts among some. Values: organization, ids of patients. */
export const RESTRICTED_AMONG = statement<{ id: number }>(
  'restricted_among',
  'SELECT id FROM patient WHERE organization_id = $1 AND id = ANY ($2::int[]) AND restricted',
);
