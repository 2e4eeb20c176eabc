import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../../../src/database/embedded/cluster.ts';

it('refuses a data folder of a version that had no roles, and leaves it as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-earlier-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'database'));
  await writeFile(join(folder, 'database', 'PG_VERSION'), '18\n');
  await writeFile(join(folder, 'database.password'), 'secret-password');
  await expect(startCluster({ folder })).rejects.toThrow(
    /^DATA_DIR: the passwords of the embedded database cannot be read \(.*\)\. .* move .* away and start again\.$/,
  );
  expect((await readdir(folder)).sort()).toEqual(['database', 'database.password']);
});

it.skipIf(process.getuid?.() !== 0)('says so where the user has no account, as PostgreSQL needs one to create a database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-nobody-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'database'));
  // Under root, the database runs as the owner of its folder.
  await chown(join(folder, 'database'), 1_234_567, 1_234_567);
  await expect(startCluster({ folder })).rejects.toThrow(
    'The embedded database needs a user with an account, and the user id 1234567 has none on this system. Start as another user, or set DATABASE_URL.',
  );
});
