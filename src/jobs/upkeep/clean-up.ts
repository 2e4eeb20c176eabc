import type { Database } from '../../database/database.ts';
import { removeExpiredRows } from '../../database/logs/expired-rows.ts';
import { removeEndedSecrets } from '../../domain/identity/clients/client-secrets.ts';

/** Deletes what has expired: rows of many tables, and the secrets of clients. */
export async function removeExpired({ prisma }: Database): Promise<void> {
  await removeEndedSecrets(prisma);
  await removeExpiredRows(prisma);
}
