import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../caller.ts';

/**
 * Names of the providers of appointments by the appointments' ids: of the appointment's provider, else of the first participant who is
 * one. Empty where there is none.
 */
export async function findProviderNames(
  db: Db,
  { organizationId }: Pick<CallerIdentity, 'organizationId'>,
  appointmentIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.$queryRaw<{ id: number; name: string }[]>`
    SELECT a.id, coalesce(nullif(trim(who.display_name), ''), trim(concat_ws(' ', who.first_name, who.last_name))) AS name
      FROM appointment a
      LEFT JOIN LATERAL (
           SELECT 1 AS place, v.id, v.display_name, v.first_name, v.last_name FROM provider v
            WHERE v.organization_id = ${organizationId}
              AND (v.id = a.provider_id OR (a.provider_id IS NULL AND v.user_id IN (
                   SELECT user_id FROM user_appointment WHERE organization_id = ${organizationId} AND appointment_id = a.id)))
            UNION ALL
           SELECT 2, u.id, NULL, u.first_name, u.last_name FROM user_appointment t
             JOIN "user" u ON u.organization_id = t.organization_id AND u.id = t.user_id AND u.type = 'provider'
            WHERE t.organization_id = ${organizationId} AND t.appointment_id = a.id
            ORDER BY 1, 2 LIMIT 1) who ON true
     WHERE a.organization_id = ${organizationId} AND a.id = ANY (${[...appointmentIds]}::bigint[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}
