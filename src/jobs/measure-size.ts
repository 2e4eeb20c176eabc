import type { Database } from '../database/database.ts';

/** Keeps the size of the database for each day (UTC); the last measurement of a day stays. `doctor` tells from it how fast it grows. */
export async function measureSize({ prisma }: Pick<Database, 'prisma'>): Promise<void> {
  await prisma.$executeRaw`
    INSERT INTO database_size (day, bytes) VALUES (current_date, pg_database_size(current_database()))
        ON CONFLICT (day) DO UPDATE SET bytes = excluded.bytes`;
}
