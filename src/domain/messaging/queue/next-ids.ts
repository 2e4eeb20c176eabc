import type { Db } from '../../../database/database.ts';
import { Prisma } from '../../../generated/prisma/client.ts';

/**
 * Ids for rows that are inserted next: an encrypted value contains the id of its row, so the row needs it before. One that is not
 * used leaves a gap, as a transaction that is rolled back does.
 * @returns in ascending order
 */
export async function nextIds(db: Db, table: string, count: number): Promise<number[]> {
  const sequence = Prisma.sql`pg_get_serial_sequence(${table}, 'id')::regclass`;
  const rows = await db.$queryRaw<{ id: number }[]>`SELECT nextval(${sequence}) AS id FROM generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
}

/** The id of one row that is inserted next. */
export async function nextId(db: Db, table: string): Promise<number> {
  const [id] = await nextIds(db, table, 1);
  if (id === undefined) throw new Error(`the sequence of ${table} gave no id`);
  return id;
}
