import { statement } from '../../../database/statements/statement.ts';

/** The number of a provider's appointments in one department, or in none (null), and in all. */
export interface DepartmentShare {
  office_id: number | null;
  appointments: number;
  total: number;
}

/**
 * A provider's appointments by department: $1 organization, $2 provider, $3 from, $4 until. Counted are the appointments that
 * name the provider and, where none is named (as in those that an integration makes), those in which the provider's user takes
 * part. The most frequent department comes first; of equal ones, the one of the latest appointment.
 */
export const DEPARTMENTS_OF_PROVIDER = statement<DepartmentShare & Record<string, unknown>>(
  'departments_of_provider',
  `SELECT office_id, count(*)::int AS appointments, (sum(count(*)) OVER ())::int AS total
     FROM (SELECT a.office_id, a.starts_at
             FROM appointment a
            WHERE a.organization_id = $1 AND a.provider_id = $2 AND a.starts_at >= $3 AND a.starts_at < $4 AND a.status <> 'cancelled'
            UNION ALL
           SELECT a.office_id, a.starts_at
             FROM provider p
             JOIN user_appointment u ON u.organization_id = p.organization_id AND u.user_id = p.user_id
                                    AND u.starts_at >= $3 AND u.starts_at < $4
             JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id
            WHERE p.organization_id = $1 AND p.id = $2 AND a.provider_id IS NULL AND a.status <> 'cancelled') AS seen
    GROUP BY office_id
    ORDER BY count(*) DESC, max(starts_at) DESC, office_id`,
);
