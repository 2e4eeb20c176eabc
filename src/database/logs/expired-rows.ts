import { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../database.ts';
import { overAllPractices } from '../statements/all-practices.ts';

/** Rows per statement, so that none takes long, however many rows have expired. */
const BATCH = 5_000;
/** Sessions per statement: each is deleted with its refresh tokens, which may be thousands. */
const SESSIONS = 100;
/** Imports per statement: each is deleted with the rows of its report. */
const IMPORTS = 1;

/** Rows of a table that nobody needs any more, and how many of them one statement deletes. */
interface Expired {
  table: Prisma.Sql;
  /** Condition on the row `t`; one with a subquery takes the practice of the row. */
  expired: Prisma.Sql | ((practice: Prisma.Sql) => Prisma.Sql);
  batch?: number;
  /** It has no rows of practices. */
  isGlobal?: boolean;
}

const EXPIRED: readonly Expired[] = [
  { table: Prisma.sql`idempotency_record`, expired: Prisma.sql`expires_at < now()` },
  { table: Prisma.sql`revoked_token`, expired: Prisma.sql`expires_at < now()`, isGlobal: true },
  { table: Prisma.sql`client_assertion`, expired: Prisma.sql`expires_at < now()`, isGlobal: true },
  { table: Prisma.sql`authorization_code`, expired: Prisma.sql`expires_at < now() - interval '1 day'` },
  { table: Prisma.sql`sign_in_failure`, expired: Prisma.sql`expire < extract(epoch FROM now()) * 1000`, isGlobal: true },
  // Not immediately after their end: another process may still take a lease from them.
  { table: Prisma.sql`request_count`, expired: Prisma.sql`ends_at < now() - interval '1 minute'`, isGlobal: true },
  // Those that were killed; the others leave.
  { table: Prisma.sql`running_process`, expired: Prisma.sql`seen_at < now() - interval '1 day'`, isGlobal: true },
  { table: Prisma.sql`session`, expired: Prisma.sql`expires_at < now() - interval '1 day'`, batch: SESSIONS },
  // Three mailed links an hour are counted by their rows.
  { table: Prisma.sql`account_link`, expired: Prisma.sql`expires_at < now() - interval '1 day'` },
  // A month is long after the last retry: the attempts, and what the simulated carrier and mailer took.
  { table: Prisma.sql`carrier_attempt`, expired: Prisma.sql`begun_at < now() - interval '30 days'`, isGlobal: true },
  { table: Prisma.sql`carrier_text`, expired: Prisma.sql`received_at < now() - interval '30 days'`, isGlobal: true },
  { table: Prisma.sql`local_mail`, expired: Prisma.sql`sent_at < now() - interval '30 days'`, isGlobal: true },
  // Delivered or dead: whoever looks for a delivery does so within a month.
  { table: Prisma.sql`webhook_delivery`, expired: Prisma.sql`finished_at < now() - interval '30 days'` },
  {
    table: Prisma.sql`webhook_delivery`,
    expired: (practice) => Prisma.sql`EXISTS (
      SELECT FROM webhook_endpoint e
       WHERE e.organization_id = ${practice} AND e.id = t.webhook_endpoint_id AND e.deleted_at IS NOT NULL)`,
  },
  {
    table: Prisma.sql`webhook_endpoint`,
    expired: (practice) => Prisma.sql`deleted_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM webhook_delivery d WHERE d.organization_id = ${practice} AND d.webhook_endpoint_id = t.id)`,
  },
  // Shown for a day, and kept while somebody has claimed them. A hold that is over tells its holder so for a day.
  { table: Prisma.sql`slot_claim`, expired: Prisma.sql`appointment_id IS NULL AND expires_at < now() - interval '1 day'` },
  {
    table: Prisma.sql`slot`,
    expired: (practice) => Prisma.sql`shown_at < now() - interval '2 days' AND NOT EXISTS (
      SELECT FROM slot_claim c WHERE c.organization_id = ${practice} AND c.slot_id = t.id)`,
  },
  { table: Prisma.sql`public_booking`, expired: Prisma.sql`created_at < now() - interval '1 day'` },
  { table: Prisma.sql`webhook_replay`, expired: Prisma.sql`finished_at < now() - interval '30 days'` },
  { table: Prisma.sql`webhook_secret`, expired: Prisma.sql`expires_at < now()` },
  // For whoever looks why a call failed.
  { table: Prisma.sql`client_request`, expired: Prisma.sql`at < now() - interval '7 days'` },
  // For clients that lost an answer, which ask again within hours.
  { table: Prisma.sql`changed_record`, expired: Prisma.sql`handed_out_at < now() - interval '30 days'` },
  // With their reports, which have rows of patients.
  { table: Prisma.sql`import_run`, expired: Prisma.sql`finished_at < now() - interval '30 days'`, batch: IMPORTS },
  // Growth is looked at over a month; over a year where somebody wants to.
  { table: Prisma.sql`database_size`, expired: Prisma.sql`day < current_date - 400`, isGlobal: true },
  // Read or not, and with their push deliveries.
  { table: Prisma.sql`notification`, expired: Prisma.sql`created_at < now() - interval '90 days'` },
];

/** Deletes the rows of EXPIRED, those of practices one practice after the other. Rows that another process is deleting are skipped. */
export async function removeExpiredRows(db: Db): Promise<void> {
  for (const { table, expired, batch = BATCH, isGlobal = false } of EXPIRED) {
    const condition = (practice: Prisma.Sql) => (typeof expired === 'function' ? expired(practice) : expired);
    const remove = async (owned: Prisma.Sql, practice: Prisma.Sql) => {
      // The condition again: a ctid names a row in each partition of a divided table.
      const removeBatch = () => db.$executeRaw`
        DELETE FROM ${table} t WHERE ${owned} AND ${condition(practice)} AND ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} t WHERE ${owned} AND ${condition(practice)} LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
      while ((await removeBatch()) > 0);
    };
    if (isGlobal) await remove(Prisma.sql`true`, Prisma.empty);
    else
      for (const id of await practicesWith(db, table, condition(Prisma.sql`t.organization_id`)))
        await remove(Prisma.sql`organization_id = ${id}`, Prisma.sql`${id}`);
  }
}

async function practicesWith(db: Db, table: Prisma.Sql, expired: Prisma.Sql): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT t.organization_id AS id FROM ${table} t
     WHERE ${expired} ${overAllPractices('the clean-up looks for what is old')}`;
  return rows.map(({ id }) => id);
}
