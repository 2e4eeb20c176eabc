import type pg from 'pg';
import { writeQuantity } from '../database/measures/quantities.ts';

interface Definition {
  drop: string;
  create: string;
}

/** Indexes and foreign keys that are taken off the tables while they are filled, and put on again. */
export interface TakenOff {
  indexes: Definition[];
  foreignKeys: Definition[];
  tables: string[];
}

/** Tables of the schemas of records and of the queue, as the server's other statements find them. */
const SCHEMAS = `(SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), 'queue'))`;

/** Tables whose indexes are taken off: the queue's partitioned one is small, and its partitions have indexes of their own. */
const INDEXED = `t.relnamespace IN ${SCHEMAS} AND NOT t.relispartition AND t.oid::regclass::text <> '_prisma_migrations'
     AND (t.relkind = 'r' OR t.relkind = 'p' AND t.relnamespace = current_schema()::regnamespace)`;

/** Primary keys, unique and exclusion constraints, and all other indexes; those of partitions come and go with their table's. */
const INDEXES = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname) AS drop,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) AS create
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
   WHERE c.contype IN ('p', 'u', 'x') AND ${INDEXED}
  UNION ALL
  SELECT format('DROP INDEX %s', i.indexrelid::regclass), replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
   WHERE ${INDEXED}
     AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))
   ORDER BY 2`;

const FOREIGN_KEYS = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS create
    FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace IN ${SCHEMAS} ORDER BY 2`;

const TABLES = `
  SELECT oid::regclass::text AS name FROM pg_class
   WHERE relnamespace IN ${SCHEMAS} AND relkind IN ('r', 'p') AND NOT relispartition AND oid::regclass::text <> '_prisma_migrations'
   ORDER BY 1`;

/** Partitions have triggers of their own, which forbid to truncate them. */
const PARTITIONS = `
  SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace IN ${SCHEMAS} AND relkind = 'r' AND relispartition ORDER BY 1`;

/**
 * Empties all tables and takes their indexes, foreign keys and triggers off, as far as the owner may: rows can then come in any
 * order and as they are, and an index is built faster than it grows.
 * @param client in a transaction
 */
export async function takeOff(client: pg.Client): Promise<TakenOff> {
  const { rows: tables } = await client.query<{ name: string }>(TABLES);
  const { rows: partitions } = await client.query<{ name: string }>(PARTITIONS);
  const names = tables.map(({ name }) => name);
  const taken = { ...(await definitions(client)), tables: [...tables, ...partitions].map(({ name }) => name) };
  for (const { drop } of [...taken.foreignKeys, ...taken.indexes]) await client.query(drop);
  for (const name of taken.tables) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  // The rows that migrations made are in the backup too.
  await client.query(`TRUNCATE ${names.join(', ')}`);
  return taken;
}

/** Puts on again what was taken off; every foreign key is checked. @throws Error where the tables are not as they were */
export async function putOn(client: pg.Client, taken: TakenOff, report: (step: string) => void): Promise<void> {
  report(`building ${writeQuantity(taken.indexes.length, 'index', 'indexes')}`);
  for (const { create } of taken.indexes) await client.query(create);
  report(`checking ${writeQuantity(taken.foreignKeys.length, 'foreign key')}`);
  for (const { create } of taken.foreignKeys) await client.query(create);
  for (const name of taken.tables) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  const { indexes, foreignKeys } = await definitions(client);
  if (JSON.stringify([indexes, foreignKeys]) !== JSON.stringify([taken.indexes, taken.foreignKeys]))
    throw new Error('The indexes of the restored database differ from those of its migrations.');
}

async function definitions(client: pg.Client): Promise<Omit<TakenOff, 'tables'>> {
  const { rows: indexes } = await client.query<Definition>(INDEXES);
  const { rows: foreignKeys } = await client.query<Definition>(FOREIGN_KEYS);
  return { indexes, foreignKeys };
}
