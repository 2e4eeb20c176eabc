import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/database/migrations/migrations.ts';

/** A folder with all migrations and these ones after them, for the length of a test. */
export async function withNextMigrations(scripts: Readonly<Record<string, string>>): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rm(scratch, { recursive: true }));
  const folder = join(scratch, 'migrations');
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'migration.sql'), script);
  }
  return folder;
}
