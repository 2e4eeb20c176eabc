import type { Database } from '../database/database.ts';

/** Rows per statement, so that none takes long, however many rows have expired. */
const BATCH = 5_000;
/** Sessions per statement: each is deleted with its refresh tokens, which may be thousands. */
const SESSIONS = 100;

/**
 * Deletes expired rows: stored responses, revoked tokens, counters of failed sign-ins and of requests, sessions a day after
 * their end, attempts at a carrier that are a month old, long after the last retry, and notifications after 90 days, read or
 * not, with their push deliveries. Rows that another process is deleting are skipped.
 */
export async function removeExpired({ prisma }: Database): Promise<void> {
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM idempotency_record WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_record WHERE expires_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM revoked_token WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM revoked_token WHERE expires_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM sign_in_failure WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sign_in_failure WHERE expire < extract(epoch FROM now()) * 1000 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
  // Not immediately after their end: another process may still take a lease from them.
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM request_count WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM request_count WHERE ends_at < now() - interval '1 minute' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM session WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM session WHERE expires_at < now() - interval '1 day' LIMIT ${SESSIONS} FOR UPDATE SKIP LOCKED))`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM carrier_attempt WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM carrier_attempt WHERE begun_at < now() - interval '30 days' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM notification WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM notification WHERE created_at < now() - interval '90 days' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
}

async function untilNone(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) > 0);
}
