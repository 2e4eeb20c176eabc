import type { Database } from '../../database/database.ts';
import { databaseSize } from '../../database/measures/sizes.ts';

/**
 * Keeps the size of the database for each day (UTC); the last measurement of a day stays. `doctor` tells from it how fast it grows. What
 * is not whole is not kept: growth would be told of a node's return.
 */
export async function measureSize({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>): Promise<void> {
  const { bytes, nodesLeftOut } = await databaseSize(pool);
  if (nodesLeftOut > 0) return;
  await prisma.$executeRaw`
    INSERT INTO database_size (day, bytes) VALUES (current_date, ${BigInt(bytes)}::bigint)
        ON CONFLICT (day) DO UPDATE SET bytes = excluded.bytes`;
}
