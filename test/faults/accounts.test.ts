import type { Stats } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBinaries } from '../../src/database/embedded/binaries.ts';
import { foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseProcesses, databaseUrl, eventually, killServers, postmasters, startServer } from '../support/server-process.ts';

/** Somebody who owns nothing on any machine. */
const NOBODY = 65_534;
const root = process.getuid?.() === 0;
/** An ordinary user cannot run what lies below a private folder, such as root's home. */
const openToAll = await foldersAbove(import.meta.dirname).then((stats) => stats.every(({ mode }) => mode & 0o001));

function foldersAbove(path: string): Promise<Stats[]> {
  const parts = path.split('/');
  return Promise.all(parts.map((_, index) => stat(parts.slice(0, index + 1).join('/') || '/')));
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-accounts-'));
});
afterEach(async () => {
  await killServers();
  await eventually('no database process is left', async () => (await databaseProcesses(folder)).length === 0);
  await removeFolder(folder);
});

const asNobody: [string, ...string[]] = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  process.execPath,
  'scripts/start.mjs',
];

/** Starts, stores, stops, starts again and finds: the whole of what an account must be allowed. */
async function expectServes(dataDir: string, command?: [string, ...string[]]): Promise<void> {
  const first = startServer(dataDir, {}, command ? { command } : {});
  const clinic = await foundClinic(await first.ready, await databaseUrl(dataDir));
  expect(await clinic.post('/patients', { lname: 'Kept', med_rec_no: 'KEPT-1' })).toMatchObject({ status: 200 });
  const [postmaster = 0] = await postmasters(dataDir);
  expect((await stat(`/proc/${postmaster}`)).uid).not.toBe(0);
  first.kill('SIGTERM');
  expect(await first.exited).toMatchObject({ code: 0, stderr: '' });
  const second = startServer(dataDir, {}, command ? { command } : {});
  expect(await clinic.at(await second.ready).get('/patients/mrn/KEPT-1')).toMatchObject({ status: 200 });
  second.kill('SIGTERM');
  expect(await second.exited).toMatchObject({ code: 0, stderr: '' });
  expect(await databaseProcesses(dataDir)).toEqual([]);
}

describe.runIf(root)('started by root (only root can try this)', () => {
  it('runs its database under another account', () => expectServes(join(folder, 'data')));

  it('runs its database in a folder below one that is closed to that account', async () => {
    await chmod(folder, 0o700);
    await expectServes(join(folder, 'a clone', 'my data'));
  });

  it.runIf(openToAll)('runs on the data of an ordinary user, who can start again afterwards', async () => {
    await findBinaries();
    await chmod(folder, 0o755);
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    await chown(dataDir, NOBODY, NOBODY);
    await expectServes(dataDir, asNobody);
    const between = startServer(dataDir);
    await between.ready;
    between.kill('SIGKILL');
    await between.exited;
    const again = startServer(dataDir, {}, { command: asNobody });
    await again.ready;
    expect((await stat(join(dataDir, 'database.json'))).uid).toBe(NOBODY);
  });
});

describe.runIf(!root || openToAll)('started by an ordinary user (root lends its project if all may reach it)', () => {
  it('runs its database under that user', async () => {
    // The libraries of PostgreSQL are linked by whoever owns the installed packages.
    await findBinaries();
    await chmod(folder, 0o755);
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    if (root) await chown(dataDir, NOBODY, NOBODY);
    await expectServes(dataDir, root ? asNobody : undefined);
  });

  it('says in one line that it may not use its folder', async () => {
    const dataDir = join(folder, 'closed', 'data');
    await mkdir(join(folder, 'closed'), { mode: 0o500 });
    const refused = await startServer(dataDir, {}, root ? { command: asNobody } : {}).exited;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^DATA_DIR: .*\n$/);
  });
});
