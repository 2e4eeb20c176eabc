import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseProcesses, databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-full-'));
});
afterEach(async () => {
  await killServers();
  await eventually('the disk can be taken away', async () => unmounted(folder));
  await removeFolder(folder);
});

/** A disk of its own size needs the rights of the system's administrator, and Linux. */
function mount(path: string, mebibytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function unmounted(path: string): boolean {
  try {
    execFileSync('umount', [path], { stdio: 'ignore' });
    return true;
  } catch {
    return !execFileSync('mount', { encoding: 'utf8' }).includes(path);
  }
}

/** Writes until there is no room. @returns gives the room back */
async function fill(path: string): Promise<() => Promise<void>> {
  const file = await open(join(path, 'filler'), 'w');
  for (const block of [Buffer.alloc(1024 * 1024), Buffer.alloc(4096)]) {
    const full = async () => (await file.write(block).catch(() => ({ bytesWritten: 0 }))).bytesWritten < block.length;
    while (!(await full()));
  }
  await file.close();
  return () => rm(join(path, 'filler'));
}

const canMount = process.getuid?.() === 0 && process.platform === 'linux';

describe.skipIf(!canMount)('a full disk', () => {
  it('is 503 with its own sentence, loses nothing, and is over when there is room', async () => {
    expect(mount(folder, 300)).toBe(true);
    const server = startServer(folder);
    const address = await server.ready;
    const clinic = await foundClinic(address, await databaseUrl(folder));
    const acknowledged: number[] = [];
    const create = async () => {
      const answer = await clinic.post('/patients', { lname: 'Stays', note: 'x'.repeat(500) });
      if (answer.status === 200) acknowledged.push(answer.body.data.uuid);
      return answer;
    };
    await create();
    const room = await fill(folder);
    // Pages that are begun take a few more.
    let refused = await create();
    while (refused.status === 200) refused = await create();
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('disk is full') });
    const ready = await fetch(`${address}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'disk full' }]);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    const page = await fetch(address);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('The disk of the database is full')]);
    await eventually('the log has its code', async () => server.screen().includes('"code":"53100"'));

    await room();
    await eventually('it is ready', async () => (await fetch(`${address}/readyz`)).status === 200);
    expect((await create()).status).toBe(200);
    for (const patient of acknowledged) expect((await clinic.get(`/patients/${patient}`)).status).toBe(200);
  });

  it.each([
    ['the files of a database', 20],
    ['its tables', 60],
    ['the demo', 70],
  ])('at the first start is one sentence, where there is no room for %s', async (_what, mebibytes) => {
    expect(mount(folder, mebibytes)).toBe(true);
    const { code, stderr } = await startServer(folder, { SEED_DEMO: 'true' }).exited;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The disk (?:of the database or of DATA_DIR )?is full.*\n$/),
    });
    expect(await databaseProcesses(folder)).toEqual([]);
  });
});
