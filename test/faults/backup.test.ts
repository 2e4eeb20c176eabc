import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { backupsIn, type Caller, fillWithPatients, runCommand, startAsking, startCommand } from '../support/backups.ts';
import { foundClinic } from '../support/clinic.ts';
import { startProxy } from '../support/proxy.ts';
import { BUCKET, startS3 } from '../support/s3-server.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseOwnerUrl, databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

const KILLS = Number(process.env.KILLS ?? 100);
/** Of backups, at any moment of theirs. */
const ROUNDS = KILLS < 100 ? 4 : 50;
const KEPT = 2;

let folder: string;
let dataDir: string;
let place: string;
let caller: Caller;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-backups-'));
  dataDir = join(folder, 'data');
  place = join(folder, 'place');
  await mkdir(dataDir);
  const server = startServer(dataDir, { RATE_LIMIT: '1000000' });
  const clinic = await foundClinic(await server.ready, await databaseUrl(dataDir));
  await fillWithPatients(await databaseOwnerUrl(dataDir));
  const { body } = await clinic.post('/patients', { lname: 'Stays' });
  caller = startAsking(() => clinic.get(`/patients/${body.data.uuid}`));
});
afterAll(async () => {
  await caller.stop();
  await killServers();
  await removeFolder(folder);
});

const create = (to: string, env: Record<string, string> = {}) =>
  startCommand(dataDir, ['backup', 'create', '--to', to, '--keep', String(KEPT)], env);

/** The next backup, which PostgreSQL may refuse for a moment: it has not seen yet that the one before is gone. */
async function next(to: string, env: Record<string, string> = {}): Promise<void> {
  await eventually('the next backup is made', async () => {
    const { code, stderr } = await create(to, env).exited;
    if (code !== 0) expect(stderr).toContain('Another backup of this database is running.');
    return code === 0;
  });
}

it(`a backup that is killed ${ROUNDS} times, at any moment, is whole or does not count`, {
  timeout: 120_000 + ROUNDS * 60_000,
}, async () => {
  const begun = performance.now();
  await next(place);
  const tookMs = performance.now() - begun;
  let cut = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await backupsIn(place);
    const backup = create(place);
    await sleep(randomInt(Math.ceil(tookMs * 1.1)));
    backup.kill('SIGKILL');
    await backup.exited;
    const { whole, unfinished } = await backupsIn(place);
    cut += unfinished.length;
    // Whole ones go only when there are enough newer ones.
    expect(whole.length).toBeGreaterThanOrEqual(Math.min(before.whole.length, KEPT));
    expect(unfinished.length).toBeLessThanOrEqual(2);
    const said = await runCommand(dataDir, ['backup', 'verify', '--from', place, '--json']);
    expect(said).toMatchObject({ code: 0 });
    expect(JSON.parse(said.stdout).id).toBe(whole.at(-1));
  }
  await next(place);
  const { whole, unfinished } = await backupsIn(place);
  expect({ whole: whole.length, unfinished }).toEqual({ whole: KEPT, unfinished: [] });
  for (const id of whole) expect(await runCommand(dataDir, ['backup', 'verify', '--from', join(place, id)])).toMatchObject({ code: 0 });
  expect([...caller.statuses]).toEqual([200]);
  console.log(`  ${ROUNDS} kills of backups, ${cut} of them cut off, the server beside them answered each request`);
});

describe('a place that fails in the middle of a backup', () => {
  it.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')('by a full disk: says so, leaves nothing, and goes on', async () => {
    const full = join(folder, 'full');
    await mkdir(full);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', full]);
    onTestFinished(() => void execFileSync('umount', [full]));
    const { code, stderr } = await create(full).exited;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('The place of the backup is full.') });
    expect(await backupsIn(full)).toEqual({ whole: [], unfinished: [] });
    execFileSync('mount', ['-o', 'remount,size=64m', full]);
    await next(full);
    expect([...caller.statuses]).toEqual([200]);
  });

  it('by an S3 server that goes away: says so, and the next backup clears what is left', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const network = await startProxy(s3.endpoint);
    onTestFinished(() => network.close());
    const env = { FILES_S3_ENDPOINT: new URL(network.url).origin, FILES_S3_ACCESS_KEY_ID: 'S3RVER', FILES_S3_SECRET_ACCESS_KEY: 'S3RVER' };
    const to = `s3://${BUCKET}/backups`;
    const backup = create(to, env);
    await eventually('its first part is there', async () => (await s3.keys('backups/')).length > 0);
    await network.cut();
    const { code, stderr } = await backup.exited;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('The place of the backup refuses the file') });
    await network.restore();
    expect(await runCommand(dataDir, ['backup', 'verify', '--from', to], env)).toMatchObject({
      code: 1,
      stderr: `The backup cannot be used. There is no complete backup in ${to}.\n`,
    });
    await next(to, env);
    expect(new Set((await s3.keys('backups/')).map((key) => key.split('/')[1])).size).toBe(1);
    expect(await runCommand(dataDir, ['backup', 'verify', '--from', to], env)).toMatchObject({ code: 0 });
    expect([...caller.statuses]).toEqual([200]);
  });
});
