import { statement } from '../../../database/statements/statement.ts';

const IS_MISSED = "a.kind = 'missed_check_in' AND a.state <> 'closed'";

/** The alert of a missed check-in that nobody has closed. Values: organization, hash of the link. */
export const MISSED_ALERT = statement<{ id: number }>(
  'missed_alert',
  `SELECT a.id FROM check_in c
     JOIN monitoring_alert a ON a.organization_id = c.organization_id AND a.check_in_id = c.id AND ${IS_MISSED}
    WHERE c.organization_id = $1 AND c.link_hash = $2`,
);

/** Values: organization, check-in. */
export const CLOSE_MISSED_ALERT = statement<{ id: number; patientId: number }>(
  'close_missed_alert',
  `UPDATE monitoring_alert a
      SET state = 'closed', closed_at = now(), closed_note = 'The patient answered the check-in.', escalate_at = NULL
    WHERE a.organization_id = $1 AND a.check_in_id = $2 AND ${IS_MISSED}
RETURNING a.id, a.patient_id AS "patientId"`,
);
