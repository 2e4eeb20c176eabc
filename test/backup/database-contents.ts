import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Rows and contents of every table of records, as a restore has to give them back. */
export async function readContents(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'queue'::regnamespace)
        AND relkind IN ('r', 'p') AND NOT relispartition AND relpersistence = 'p'
        AND relname NOT IN ('_prisma_migrations', 'log_epoch', 'queue_stats', 'bam') ORDER BY 1`,
  );
  const contents: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string }>(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS digest FROM ${name} AS t`,
    );
    contents[name] = rows[0]?.digest ?? '';
  }
  await client.end();
  return contents;
}

/** The stored files of the database that a folder has. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path.slice(folder.length), (await readFile(path)).toString('base64')] as const)),
  );
}

/** Indexes, constraints and triggers of all tables, and the next number of each sequence. */
export async function readSchema(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`
    SELECT conrelid::regclass::text AS place, conname AS name, pg_get_constraintdef(oid) || convalidated AS what FROM pg_constraint
     WHERE connamespace IN ('public'::regnamespace, 'queue'::regnamespace) AND contype <> 't' AND conrelid <> 0
    -- PostgreSQL numbers the names of a partition's indexes in the order in which it makes them.
    UNION ALL SELECT indrelid::regclass::text, CASE WHEN c.relispartition THEN '' ELSE c.relname END,
           CASE WHEN c.relispartition THEN replace(pg_get_indexdef(indexrelid), c.relname, '') ELSE pg_get_indexdef(indexrelid) END || indisvalid
      FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'queue'::regnamespace))
    UNION ALL SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT schemaname, sequencename, last_value::text FROM pg_sequences WHERE last_value IS NOT NULL
    ORDER BY 1, 2, 3`);
  await client.end();
  return rows;
}

/** A number that an expression of SQL has. */
export async function readNumber(url: string, sql: string): Promise<bigint> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ number: string }>(`SELECT (${sql})::text AS number`);
  await client.end();
  return BigInt(rows[0]?.number ?? -1);
}
