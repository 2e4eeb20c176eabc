import { execFile } from 'node:child_process';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { environmentOf } from '../admin/command-line.ts';
import { sharedTestApp } from '../support/app.ts';
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

describe('the command as a process', () => {
  it('prints its help and ends', async () => {
    const said = await script('admin.mjs', ['--help'], {});
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('organizations');
  });

  it.each([
    ['migrate.mjs', '--plan'],
    ['distribute.mjs', '--dry-run'],
  ])('%s prints its help, and refuses an option that it has not', async (name, option) => {
    expect(await script(name, ['--help'], {})).toMatchObject({ code: 0, out: expect.stringContaining(option), err: '' });
    expect(await script(name, ['--nonsense'], {})).toMatchObject({ code: 2, out: '', err: expect.stringContaining("'--nonsense'") });
  });

  it('works on the database of DATABASE_URL and ends by itself', async () => {
    const said = await script(
      'admin.mjs',
      ['organizations', 'create', '--name', 'Spawned', '--time-zone', 'UTC', '--json'],
      environmentOf(test),
    );
    expect(said).toMatchObject({ code: 0, err: '' });
    const { id } = JSON.parse(said.out);
    expect(await test.database.prisma.organization.findUnique({ where: { id } })).toMatchObject({ name: 'Spawned' });
    expect((await script('admin.mjs', ['organizations', 'show', '2147483647'], environmentOf(test))).code).toBe(1);
    expect((await script('admin.mjs', ['organizations', 'show'], environmentOf(test))).code).toBe(2);
  });

  it('works on an embedded database without a server, in a folder with spaces, and leaves nothing running', async () => {
    const env = { DATA_DIR: folder };
    expect(await script('admin.mjs', ['organizations', 'list'], env)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('npm run db:migrate'),
    });
    const migrated = await script('migrate.mjs', [], env);
    expect(migrated).toMatchObject({ code: 0, err: '' });
    expect(migrated.out).toMatch(/^applied \d+_/m);
    expect(await script('migrate.mjs', [], env)).toEqual({ code: 0, out: 'The database has all migrations.\n', err: '' });
    expect(await script('admin.mjs', ['organizations', 'create', '--name', 'Alone', '--time-zone', 'UTC'], env)).toMatchObject({
      code: 0,
      err: '',
    });
    const listed = await script('admin.mjs', ['organizations', 'list', '--json'], env);
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'Alone' }]);
    const atOnce = await Promise.all(
      ['A', 'B', 'C'].map((city) => script('admin.mjs', ['organizations', 'set', '1', '--city', city], env)),
    );
    expect(atOnce.map(({ code, err }) => ({ code, err }))).toEqual([1, 2, 3].map(() => ({ code: 0, err: '' })));
    expect(await stat(join(folder, 'database', 'postmaster.pid')).catch(() => null)).toBeNull();
    // Eight processes that start, five of them with a database of their own.
  }, 120_000);

  it('says which variable is wrong when migrations cannot be applied', async () => {
    const said = await script('migrate.mjs', [], { DATABASE_URL: 'nonsense' });
    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining('DATABASE_URL') });
  });
});
