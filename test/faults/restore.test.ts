import { randomInt } from 'node:crypto';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backupsIn, fillWithPatients, runCommand, startAsking, startCommand } from '../support/backups.ts';
import { foundClinic } from '../support/clinic.ts';
import { type DatabaseMachine, startMachine } from '../support/database-machines.ts';
import { runSql } from '../support/database-roles.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers, startServer } from '../support/server-process.ts';

/** Restores that are killed, at any moment of theirs. */
const ROUNDS = Number(process.env.KILLS ?? 100) < 100 ? 2 : 20;

let folder: string;
let dataDir: string;
let place: string;
let machine: DatabaseMachine;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-restores-'));
  [dataDir, place] = [join(folder, 'data'), join(folder, 'place')];
  await mkdir(dataDir);
  machine = await startMachine(join(folder, 'machine'));
  const through = (url: string) => Object.assign(new URL(url), { host: machine.address }).href;
  env = { DATABASE_URL: through(machine.cluster.url), DATABASE_OWNER_URL: through(machine.cluster.ownerUrl) };
});
afterAll(async () => {
  await killServers();
  await machine.stop();
  await removeFolder(folder);
});

it('a database that is killed in the middle of a backup ends it with a sentence, and the next backup is made', {
  timeout: 400_000,
}, async () => {
  const server = startServer(dataDir, { ...env, RATE_LIMIT: '1000000' });
  const clinic = await foundClinic(await server.ready, machine.cluster.url);
  await fillWithPatients(machine.cluster.ownerUrl);
  const { body } = await clinic.post('/patients', { lname: 'Stays' });
  const read = () => clinic.get(`/patients/${body.data.uuid}`);
  const caller = startAsking(read);
  const backup = startCommand(dataDir, ['backup', 'create', '--to', place], env);
  await eventually('it stores tables', async () => (await backupsIn(place)).unfinished.length > 0);
  await machine.kill();
  const { code, stderr } = await backup.exited;
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^(.+\n)?The database cannot be reached\.\n$/) });
  expect(await backupsIn(place)).toEqual({ whole: [], unfinished: [] });
  await machine.start();
  await eventually('the server answers again', async () => (await read()).status === 200);
  expect(await runCommand(dataDir, ['backup', 'create', '--to', place], env)).toMatchObject({ code: 0 });
  await caller.stop();
  expect([200, 503]).toEqual(expect.arrayContaining([...caller.statuses]));
  expect((await backupsIn(place)).whole).toHaveLength(1);
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
});

/** A restore that was quick enough to be done before its kill is refused for what it has restored. */
const REFUSED = /Wait a few minutes and run it again\.|It contains practices\.|The folder is not empty/;

/** Restores in rounds that are killed, and then to its end. */
async function restoreThroughKills(into: string, target: string, variables: Record<string, string>): Promise<void> {
  const argv = ['backup', 'restore', '--from', place, '--into', into];
  for (let round = 0; round < ROUNDS; round += 1) {
    const restore = startCommand(target, argv, variables);
    await sleep(500 + randomInt(5_000));
    restore.kill('SIGKILL');
    const { code, stderr } = await restore.exited;
    if (code !== null && code !== 0) expect(stderr).toMatch(REFUSED);
  }
  await eventually('the last one is done', async () => {
    const { code, stderr } = await startCommand(target, argv, variables).exited;
    if (code !== 0) expect(stderr).toMatch(REFUSED);
    return code === 0 || !stderr.includes('Wait a few minutes');
  });
}

it(`a restore into a folder that is killed ${ROUNDS} times can be run again, and then gives everything back`, {
  timeout: 180_000 + ROUNDS * 30_000,
}, async () => {
  const target = join(folder, 'restored');
  await mkdir(target);
  await cp(join(dataDir, 'secrets.json'), join(target, 'secrets.json'));
  await restoreThroughKills(target, target, {});
  const listed = await runCommand(target, ['export-practice', '--json']);
  expect(listed).toMatchObject({ code: 0 });
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
  expect(await runCommand(target, ['audit', 'verify'])).toMatchObject({ code: 0 });
});

it(`a restore into a database that is killed ${ROUNDS} times can be run again, and then gives everything back`, {
  timeout: 180_000 + ROUNDS * 30_000,
}, async () => {
  await runSql(
    machine.cluster.ownerUrl,
    `DROP SCHEMA public CASCADE; DROP SCHEMA queue CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC`,
  );
  await restoreThroughKills('DATABASE_URL', dataDir, env);
  const counted = await runCommand(dataDir, ['audit', 'verify'], env);
  expect(counted).toMatchObject({ code: 0 });
  const listed = await runCommand(dataDir, ['export-practice', '--json'], env);
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});
