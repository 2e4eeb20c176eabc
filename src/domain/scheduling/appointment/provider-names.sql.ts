import { anyOf } from '../../../database/statements/any-of.ts';
import { statement } from '../../../database/statements/statement.ts';

/** Values: organization, appointments. */
export const PROVIDER_NAMES = statement<{ id: number; name: string }>(
  'provider_names',
  `SELECT a.id, coalesce(nullif(trim(who.display_name), ''), trim(concat_ws(' ', who.first_name, who.last_name))) AS name
     FROM appointment a
     LEFT JOIN LATERAL (
          SELECT 1 AS place, v.id, v.display_name, v.first_name, v.last_name FROM provider v WHERE v.organization_id = $1 AND v.id = a.provider_id
           UNION ALL
          SELECT 1, v.id, v.display_name, v.first_name, v.last_name FROM user_appointment t
            JOIN provider v ON v.organization_id = t.organization_id AND v.user_id = t.user_id
           WHERE t.organization_id = $1 AND t.appointment_id = a.id AND a.provider_id IS NULL
           UNION ALL
          SELECT 2, u.id, NULL, u.first_name, u.last_name FROM user_appointment t
            JOIN "user" u ON u.organization_id = t.organization_id AND u.id = t.user_id AND u.type = 'provider'
           WHERE t.organization_id = $1 AND t.appointment_id = a.id AND a.provider_id IS NULL
           ORDER BY 1, 2 LIMIT 1) who ON true
    WHERE a.organization_id = $1 AND a.id = ${anyOf('$2')}`,
);
