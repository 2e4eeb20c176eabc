/**
 * Writes the next migration: the difference between the schema of the newest migration and prisma/schema.prisma.
 * `npm run db:migration -- add_something`; then read the SQL, and add by hand what Prisma's language cannot say.
 * Each migration keeps the schema that it leads to beside it, so that the next one is made without a database.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../src/database/embedded/cluster.ts';
import { MIGRATIONS_FOLDER, migrationNames, schemaDifference } from '../src/database/migrations.ts';

const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: npm run db:migration -- name_in_snake_case');
  process.exit(2);
}
const last = (await migrationNames()).at(-1);
const before = last ? await readFile(join(MIGRATIONS_FOLDER, last, 'schema.prisma'), 'utf8') : null;
const after = await readFile(join(MIGRATIONS_FOLDER, '..', 'schema.prisma'), 'utf8');
const scratch = await mkdtemp(join(tmpdir(), 'triptych-migration-'));
const cluster = await startCluster({ folder: scratch });
const sql = await schemaDifference(cluster.url, before, after).finally(() => cluster.stop());
await rm(scratch, { recursive: true });
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const folder = join(MIGRATIONS_FOLDER, `${stamp}_${name}`);
await mkdir(folder);
await writeFile(join(folder, 'migration.sql'), sql);
await writeFile(join(folder, 'schema.prisma'), after);
console.log(`wrote ${folder}`);
