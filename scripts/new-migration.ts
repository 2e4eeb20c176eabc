/**
 * Writes the next migration: the difference between prisma/migrations/schema.prisma, the schema that the newest migration
 * leads to, and prisma/schema. `npm run db:migration -- add_something`; then read the SQL, and add by hand whatever
 * Prisma's language cannot express. The snapshot lets a migration be written without a database that has the others.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../src/database/embedded/cluster.ts';
import { MIGRATIONS_FOLDER, migrationNames, SCHEMA_SNAPSHOT } from '../src/database/migrations/migrations.ts';
import { currentSchema, schemaDifference } from '../src/database/migrations/schema-engine.ts';

const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: npm run db:migration -- name_in_snake_case');
  process.exit(2);
}
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const newest = (await migrationNames()).at(-1) ?? '';
if (newest > stamp) {
  console.error(`${newest} is dated after now: give it the time at which it was made, so that this one follows it`);
  process.exit(1);
}
const before = await readFile(SCHEMA_SNAPSHOT, 'utf8');
const after = await currentSchema();
const scratch = await mkdtemp(join(tmpdir(), 'triptych-migration-'));
const cluster = await startCluster({ folder: scratch });
const sql = await schemaDifference(cluster.ownerUrl, before, after).finally(() => cluster.stop());
await rm(scratch, { recursive: true });
const folder = join(MIGRATIONS_FOLDER, `${stamp}_${name}`);
await mkdir(folder);
await writeFile(join(folder, 'migration.sql'), sql);
await writeFile(SCHEMA_SNAPSHOT, after);
console.log(`wrote ${folder}`);
