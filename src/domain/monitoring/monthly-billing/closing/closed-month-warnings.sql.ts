import { statement } from '../../../../database/statements/statement.ts';

/** The closed months that spans of time touch. Values: organization, first instants, last instants or null for what has no end. */
export const CLOSED_MONTHS = statement<{ month: string }>(
  'closed_months',
  `SELECT c.month FROM closed_month c
    WHERE c.organization_id = $1
      AND EXISTS (SELECT FROM unnest($2::timestamptz[], $3::timestamptz[]) AS s (first, last)
                   WHERE to_char(s.first AT TIME ZONE c.time_zone, 'YYYY-MM') <= c.month
                     AND (s.last IS NULL OR to_char(s.last AT TIME ZONE c.time_zone, 'YYYY-MM') >= c.month))
    ORDER BY c.month`,
);
