import { statement } from '../../../../database/statements/statement.ts';

/** The closed months from one on, with the zone by which each was closed. Values: organization, month. */
export const CLOSED_MONTHS = statement<{ month: string; timeZone: string }>(
  'closed_months',
  'SELECT c.month, c.time_zone AS "timeZone" FROM closed_month c WHERE c.organization_id = $1 AND c.month >= $2 ORDER BY c.month',
);
