import { Prisma } from '../generated/prisma/client.ts';
import type { Db } from './database.ts';

/** Rows per statement, so that none takes long, however many rows have expired. */
const BATCH = 5_000;
/** Sessions per statement: each is deleted with its refresh tokens, which may be thousands. */
const SESSIONS = 100;

/** Rows of a table that nobody needs any more, and how many of them one statement deletes. */
interface Expired {
  table: Prisma.Sql;
  expired: Prisma.Sql;
  batch?: number;
}

const EXPIRED: readonly Expired[] = [
  { table: Prisma.sql`idempotency_record`, expired: Prisma.sql`expires_at < now()` },
  { table: Prisma.sql`revoked_token`, expired: Prisma.sql`expires_at < now()` },
  { table: Prisma.sql`client_assertion`, expired: Prisma.sql`expires_at < now()` },
  { table: Prisma.sql`authorization_code`, expired: Prisma.sql`expires_at < now() - interval '1 day'` },
  { table: Prisma.sql`sign_in_failure`, expired: Prisma.sql`expire < extract(epoch FROM now()) * 1000` },
  // Not immediately after their end: another process may still take a lease from them.
  { table: Prisma.sql`request_count`, expired: Prisma.sql`ends_at < now() - interval '1 minute'` },
  { table: Prisma.sql`session`, expired: Prisma.sql`expires_at < now() - interval '1 day'`, batch: SESSIONS },
  // Three mailed links an hour are counted by their rows.
  { table: Prisma.sql`account_link`, expired: Prisma.sql`expires_at < now() - interval '1 day'` },
  // A month is long after the last retry: the attempts, and what the simulated carrier and mailer took.
  { table: Prisma.sql`carrier_attempt`, expired: Prisma.sql`begun_at < now() - interval '30 days'` },
  { table: Prisma.sql`carrier_text`, expired: Prisma.sql`received_at < now() - interval '30 days'` },
  { table: Prisma.sql`local_mail`, expired: Prisma.sql`sent_at < now() - interval '30 days'` },
  // Delivered or dead: whoever looks for a delivery does so within a month.
  { table: Prisma.sql`webhook_delivery`, expired: Prisma.sql`finished_at < now() - interval '30 days'` },
  {
    table: Prisma.sql`webhook_delivery`,
    expired: Prisma.sql`(organization_id, webhook_endpoint_id) IN (SELECT organization_id, id FROM webhook_endpoint WHERE deleted_at IS NOT NULL)`,
  },
  {
    table: Prisma.sql`webhook_endpoint`,
    expired: Prisma.sql`deleted_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM webhook_delivery d WHERE d.organization_id = webhook_endpoint.organization_id AND d.webhook_endpoint_id = webhook_endpoint.id)`,
  },
  { table: Prisma.sql`webhook_replay`, expired: Prisma.sql`finished_at < now() - interval '30 days'` },
  { table: Prisma.sql`webhook_secret`, expired: Prisma.sql`expires_at < now()` },
  // For clients that lost an answer, which ask again within hours.
  { table: Prisma.sql`changed_record`, expired: Prisma.sql`handed_out_at < now() - interval '30 days'` },
  // Growth is looked at over a month; over a year where somebody wants to.
  { table: Prisma.sql`database_size`, expired: Prisma.sql`day < current_date - 400` },
  // Read or not, and with their push deliveries.
  { table: Prisma.sql`notification`, expired: Prisma.sql`created_at < now() - interval '90 days'` },
];

/** Deletes the rows of EXPIRED. Rows that another process is deleting are skipped. */
export async function removeExpiredRows(db: Db): Promise<void> {
  for (const { table, expired, batch = BATCH } of EXPIRED) {
    const removeBatch = () => db.$executeRaw`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${expired} LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
    while ((await removeBatch()) > 0);
  }
}
