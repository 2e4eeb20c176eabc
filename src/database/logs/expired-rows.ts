import { Prisma } from '../../generated/prisma/client.ts';
import { TABLES } from '../../generated/tables.ts';
import type { Db } from '../database.ts';
import { overAllPractices } from '../statements/all-practices.ts';

/** Rows per statement, so that none takes long, however many rows have expired. */
const BATCH = 5_000;
/** Smaller batches, since deleting a row deletes many others: refresh tokens with a session, the rows of its report with an import. */
const SMALL_BATCHES: Readonly<Record<string, number>> = { session: 100, import_run: 1 };

/** Rows of a table that nobody needs any more. */
interface Expired {
  table: string;
  /** Condition on the row `t`; one with a subquery takes the practice of the row. */
  expired: (practice: Prisma.Sql) => Prisma.Sql;
  isOfPractice: boolean;
}

/** Conditions that read another table. */
const BY_RULE: readonly Expired[] = [
  {
    table: 'webhook_delivery',
    expired: (practice) => Prisma.sql`EXISTS (
      SELECT FROM webhook_endpoint e
       WHERE e.organization_id = ${practice} AND e.id = t.webhook_endpoint_id AND e.deleted_at IS NOT NULL)`,
    isOfPractice: true,
  },
  {
    table: 'webhook_endpoint',
    expired: (practice) => Prisma.sql`deleted_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM webhook_delivery d WHERE d.organization_id = ${practice} AND d.webhook_endpoint_id = t.id)`,
    isOfPractice: true,
  },
  // Shown for a day, and kept while somebody has claimed them.
  {
    table: 'slot',
    expired: (practice) => Prisma.sql`shown_at < now() - interval '2 days' AND NOT EXISTS (
      SELECT FROM slot_claim c WHERE c.organization_id = ${practice} AND c.slot_id = t.id)`,
    isOfPractice: true,
  },
];

/** The lines `/// expiry: …` of prisma/schema, and then the rules, since the rows that they look for may be gone now. */
const EXPIRED: readonly Expired[] = [
  ...TABLES.flatMap(({ name, expiry, isOfPractice }) =>
    expiry === undefined ? [] : [{ table: name, expired: () => Prisma.raw(expiry), isOfPractice }],
  ),
  ...BY_RULE,
];

/** Deletes what has expired, rows of practices one practice after the other. Rows that another process is deleting are skipped. */
export async function removeExpiredRows(db: Db): Promise<void> {
  for (const { table: name, expired, isOfPractice } of EXPIRED) {
    const table = Prisma.raw(name);
    const batch = SMALL_BATCHES[name] ?? BATCH;
    const remove = async (owned: Prisma.Sql, practice: Prisma.Sql) => {
      // The condition again: a ctid names a row in each partition of a divided table.
      const removeBatch = () => db.$executeRaw`
        DELETE FROM ${table} t WHERE ${owned} AND ${expired(practice)} AND ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} t WHERE ${owned} AND ${expired(practice)} LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
      while ((await removeBatch()) > 0);
    };
    if (!isOfPractice) await remove(Prisma.sql`true`, Prisma.empty);
    else
      for (const id of await practicesWith(db, table, expired(Prisma.sql`t.organization_id`)))
        await remove(Prisma.sql`organization_id = ${id}`, Prisma.sql`${id}`);
  }
}

async function practicesWith(db: Db, table: Prisma.Sql, expired: Prisma.Sql): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT t.organization_id AS id FROM ${table} t
     WHERE ${expired} ${overAllPractices('the clean-up looks for what is old')}`;
  return rows.map(({ id }) => id);
}
