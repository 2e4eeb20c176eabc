import { type Statement, statement } from '../../../database/statements/statement.ts';
import { patientIdsOfSession } from '../../patients/restrictions/restricted-charts.sql.ts';

/** The patients who were in the room of a session, restricted ones too. Values: organization, session. */
export const PATIENTS_WHO_CAME: Statement<{ id: number }> = statement(
  'telehealth_patients_who_came',
  `SELECT o.patient_id AS id FROM session_participant o
    WHERE o.organization_id = $1 AND o.video_session_id = $2::bigint AND o.patient_id IS NOT NULL AND o.admitted_at IS NOT NULL
    UNION SELECT v.patient_id FROM telehealth_visit v
           WHERE v.organization_id = $1 AND v.video_session_id = $2::bigint AND v.patient_id IS NOT NULL`,
);

/** All patients of a session, also those who are only expected, and restricted ones. Values: organization, session. */
export const PATIENTS_OF_SESSION: Statement<{ id: number }> = statement(
  'telehealth_patients_of_session',
  `SELECT i.patient_id AS id FROM video_session s, LATERAL (${patientIdsOfSession('s')}) AS i
    WHERE s.organization_id = $1 AND s.id = $2::bigint AND i.patient_id IS NOT NULL`,
);
