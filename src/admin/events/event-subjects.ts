import type { Db } from '../../database/database.ts';
import { Prisma } from '../../generated/prisma/client.ts';

/** Kinds of records whose table has another name, or whose id in events is another than that of the row. */
const TABLES: Readonly<Record<string, { table?: string; id?: string; where?: string }>> = {
  text: { table: 'sms_message' },
  mail: { table: 'mail_message' },
  consent: { table: 'opt_out' },
  // Events name the interface user of a client in the practice.
  api_client: { table: 'api_client_grant', id: 'user_id' },
  user: { table: '"user"' },
  // Events name a month by its digits, 202611.
  closed_month: { id: "replace(month, '-', '')::bigint" },
  organization: { table: '(SELECT id, id AS organization_id FROM organization)' },
  webhook_endpoint: { where: 'deleted_at IS NULL' },
  // Webhooks have no events of restricted charts.
  patient: { where: 'NOT restricted' },
  import: { table: 'import_run' },
};

/**
 * The id of a record of this kind in a practice: the given one, or else the oldest.
 * @param type a kind of the catalogue
 * @returns null where there is none
 */
export async function findSubject(
  db: Db,
  organizationId: number,
  { type, id }: { type: string; id: number | null },
): Promise<number | null> {
  const { table = type, id: idColumn = 'id', where = 'true' } = TABLES[type] ?? {};
  const which = id === null ? Prisma.raw(where) : Prisma.sql`${Prisma.raw(idColumn)} = ${BigInt(id)}::bigint`;
  const [found] = await db.$queryRaw<{ id: bigint }[]>`
    SELECT (${Prisma.raw(idColumn)})::bigint AS id FROM ${Prisma.raw(table)} AS records
     WHERE organization_id = ${organizationId} AND ${which}
     ORDER BY 1 LIMIT 1`;
  return found ? Number(found.id) : null;
}
