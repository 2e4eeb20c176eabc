import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { toEnvironment } from '../admin/command-line.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const test = await sharedTestApp();
const folder = await mkdtemp(join(tmpdir(), 'triptych admin '));
afterAll(() => removeFolder(folder));

/** Runs a script as npm does, with nothing in its environment but what is given. */
function script(name: string, argv: string[], env: Record<string, string>): Promise<{ code: number | string; out: string; err: string }> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { PATH: process.env.PATH, ...env }, timeout: 50_000 };
    execFile(process.execPath, [join(ROOT, 'scripts', name), ...argv], options, (error, out, err) =>
      resolve({ code: error ? (error.code ?? 'killed') : 0, out, err }),
    );
  });
}

/** A file of a practice; JSON is YAML. */
async function createFile(practice: { key: string } & Record<string, unknown>): Promise<string> {
  const file = join(folder, `${practice.key}.yaml`);
  await writeFile(file, JSON.stringify(practice));
  return file;
}

describe('the command as a process', () => {
  it('prints its help and ends', async () => {
    const said = await script('admin.mjs', ['--help'], {});
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('export-practice');
  });

  it.each([
    ['migrate.mjs', '--plan'],
    ['distribute.mjs', '--dry-run'],
  ])('%s prints its help, and refuses an option that it has not', async (name, option) => {
    expect(await script(name, ['--help'], {})).toMatchObject({ code: 0, out: expect.stringContaining(option), err: '' });
    expect(await script(name, ['--nonsense'], {})).toMatchObject({ code: 2, out: '', err: expect.stringContaining("'--nonsense'") });
  });

  it('works on the database of DATABASE_URL and ends by itself', async () => {
    const file = await createFile({ key: 'spawned', name: 'Spawned', time_zone: 'UTC' });
    expect(await script('admin.mjs', ['apply', file, '--yes'], toEnvironment(test))).toMatchObject({ code: 0 });
    expect(await test.database.prisma.organization.findUnique({ where: { key: 'spawned' } })).toMatchObject({ name: 'Spawned' });
    expect((await script('admin.mjs', ['export-practice', '--practice', 'nobody'], toEnvironment(test))).code).toBe(1);
    expect((await script('admin.mjs', ['apply'], toEnvironment(test))).code).toBe(2);
  });

  it('works on an embedded database without a server, in a folder with spaces, and leaves nothing running', async () => {
    const env = { DATA_DIR: folder };
    expect(await script('admin.mjs', ['export-practice'], env)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('npm run db:migrate'),
    });
    const migrated = await script('migrate.mjs', [], env);
    expect(migrated).toMatchObject({ code: 0, err: '' });
    expect(migrated.out).toMatch(/^applied \d+_/m);
    expect(await script('migrate.mjs', [], env)).toEqual({ code: 0, out: 'The database has all migrations.\n', err: '' });
    const file = await createFile({ key: 'alone', name: 'Alone', time_zone: 'UTC' });
    expect(await script('admin.mjs', ['apply', file, '--yes'], env)).toMatchObject({ code: 0 });
    const listed = await script('admin.mjs', ['export-practice', '--json'], env);
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'Alone' }]);
    const atOnce = await Promise.all(['A', 'B', 'C'].map(() => script('admin.mjs', ['keys', 'rotate'], env)));
    expect(atOnce.map(({ code, err }) => ({ code, err }))).toEqual([1, 2, 3].map(() => ({ code: 0, err: '' })));
    expect(await stat(join(folder, 'database', 'postmaster.pid')).catch(() => null)).toBeNull();
    // Eight processes that start, five of them with a database of their own.
  }, 120_000);

  it('says which variable is wrong when migrations cannot be applied', async () => {
    const said = await script('migrate.mjs', [], { DATABASE_URL: 'nonsense' });
    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining('DATABASE_URL') });
  });

  it('leaves nothing of a practice when it is killed in the middle, and makes it the next time', async () => {
    const { prisma } = test.database;
    const [key, email] = ['killed', 'killed@clinic.example'];
    const users = [{ email, first_name: 'Ada', last_name: 'Quinn', role: 'admin' }];
    const file = await createFile({ key, name: 'Killed', time_zone: 'UTC', offices: [{ name: 'North' }], users });
    const { user } = await createUser(prisma, { organizationId: (await createOrganization(prisma)).id });
    // Who takes the same address in another transaction holds the command up, behind the office that it has made.
    const other = new pg.Client({ connectionString: test.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query("INSERT INTO sign_in (email, organization_id, user_id, password_hash, updated_at) VALUES ($1, $2, $3, '', now())", [
      email,
      user.organizationId,
      user.id,
    ]);
    const env = { PATH: process.env.PATH, ...toEnvironment(test) };
    const command = spawn(process.execPath, [join(ROOT, 'scripts', 'admin.mjs'), 'apply', file, '--yes'], {
      cwd: ROOT,
      env,
      stdio: 'ignore',
    });
    const waiting =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%sign_in%' AND datname = current_database()";
    await expect.poll(async () => (await test.database.pool.query(waiting)).rows[0].n, { timeout: 40_000 }).toBeGreaterThan(0);
    command.kill('SIGKILL');
    await once(command, 'exit');
    await other.query('ROLLBACK');
    await other.end();
    expect(await prisma.organization.count({ where: { key } })).toBe(0);
    expect(await prisma.office.count({ where: { name: 'North' } })).toBe(0);
    expect(await script('admin.mjs', ['apply', file, '--yes'], toEnvironment(test))).toMatchObject({ code: 0 });
    expect(await prisma.organization.count({ where: { key } })).toBe(1);
  }, 120_000);
});
