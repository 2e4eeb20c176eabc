import { statement } from '../../../database/statements/statement.ts';

/** Values: organization, check-in. */
export const CLOSE_MISSED_ALERT = statement<{ id: number; patientId: number }>(
  'close_missed_alert',
  `UPDATE monitoring_alert a
      SET state = 'closed', closed_at = now(), closed_note = 'The patient answered the check-in.', escalate_at = NULL
    WHERE a.organization_id = $1 AND a.check_in_id = $2 AND a.kind = 'missed_check_in' AND a.state <> 'closed'
RETURNING a.id, a.patient_id AS "patientId"`,
);
