import { statement } from '../../../database/statements/statement.ts';

/** A visit to come that was declined, in a practice that cancels those. Values: organization, appointment. */
export const DECLINED_APPOINTMENT = statement<{ id: number }>(
  'declined_visit',
  `SELECT a.id FROM appointment a
    WHERE a.organization_id = $1 AND a.id = $2 AND a.status = 'scheduled' AND a.confirmation = 'No' AND a.starts_at > now()
      AND EXISTS (SELECT FROM organization o WHERE o.id = $1 AND o.decline_frees_slot)`,
);
