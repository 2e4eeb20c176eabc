import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clinic, foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import {
  databaseProcesses,
  databaseUrl,
  eventually,
  killServers,
  postmasters,
  type ServerProcess,
  startServer,
  supervisors,
} from '../support/server-process.ts';

let dataDir: string;
let server: ServerProcess;
let clinic: Clinic;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-faults-'));
  server = startServer(dataDir);
  clinic = await foundClinic(await server.ready, await databaseUrl(dataDir));
  await clinic.post('/patients', { lname: 'Kept', med_rec_no: 'KEPT-1' });
});
afterEach(async () => {
  await killServers();
  await eventually('no database process is left', async () => (await databaseProcesses(dataDir)).length === 0);
  await removeFolder(dataDir);
});

const pidFile = () => join(dataDir, 'database', 'postmaster.pid');

function kill(...pids: number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

/** Kills the server, the database and what watches over it, so that nobody takes the pid file away. */
async function leavePidFile(): Promise<void> {
  const shells = await supervisors(dataDir);
  for (const pid of shells) process.kill(pid, 'SIGSTOP');
  server.kill('SIGKILL');
  await server.exited;
  kill(...(await postmasters(dataDir)), ...shells);
}

/** Starts again, and finds what was stored before. */
async function startsAgain(): Promise<ServerProcess> {
  const next = startServer(dataDir);
  const found = await clinic.at(await next.ready).get('/patients/mrn/KEPT-1');
  expect(found).toMatchObject({ status: 200, body: { data: { lastname: 'Kept' } } });
  expect(await postmasters(dataDir)).toHaveLength(1);
  return next;
}

describe('the embedded database, when something dies', () => {
  it('ends the server with one sentence when PostgreSQL is killed, and the next start recovers', async () => {
    kill(...(await postmasters(dataDir)));
    const { code, stderr } = await server.exited;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The embedded database ended unexpectedly. Start again; it recovers automatically.\n',
    });
    await startsAgain();
  });

  it('answers every request that runs while PostgreSQL is killed', async () => {
    const requests = Array.from({ length: 20 }, () =>
      clinic.get('/patients/mrn/KEPT-1').then(
        ({ status }) => status,
        (error: Error) => (error.name === 'TimeoutError' ? 'hung' : 'closed'),
      ),
    );
    kill(...(await postmasters(dataDir)));
    for (const outcome of await Promise.all(requests)) expect([200, 503, 'closed']).toContain(outcome);
    expect((await server.exited).code).toBe(1);
  });

  it('goes on when one process of PostgreSQL is killed', async () => {
    const client = new pg.Client({ connectionString: await databaseUrl(dataDir) });
    client.on('error', () => {});
    await client.connect();
    const {
      rows: [own],
    } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    kill(own?.pid ?? 0);
    await eventually('requests are answered again', async () => (await clinic.get('/patients/mrn/KEPT-1')).status === 200);
    await client.end().catch(() => {});
    server.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
  });

  it('ends with the server when the server is killed', async () => {
    server.kill('SIGKILL');
    await eventually('the database is gone', async () => (await databaseProcesses(dataDir)).length === 0);
    await startsAgain();
  });

  it('is stopped and taken over by the next start when nobody was left to stop it', async () => {
    const shells = await supervisors(dataDir);
    expect(shells.length).toBeGreaterThan(0);
    // They must not act between the death of the server and their own.
    for (const pid of shells) process.kill(pid, 'SIGSTOP');
    const orphans = await postmasters(dataDir);
    server.kill('SIGKILL');
    await server.exited;
    kill(...shells);
    expect(await postmasters(dataDir)).toEqual(orphans);

    await startsAgain();
    expect(await postmasters(dataDir)).not.toEqual(orphans);
  });

  it('ends the server with one sentence when the shell that watches over it is killed, and is stopped by it', async () => {
    const [first = 0] = await supervisors(dataDir);
    kill(first);
    expect(await server.exited).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The embedded database ended unexpectedly\..*\n$/),
    });
    expect(await postmasters(dataDir)).toEqual([]);
    await startsAgain();
  });
});

describe('a pid file that a killed database left behind', () => {
  it.each([
    ['a program of its own', ['sleep', '600']],
    ['a program that has the folder among its words', ['tail', '-f']],
  ])('does not hinder a start, nor harm %s that has its number now', async (_what, [program = '', ...args]) => {
    await leavePidFile();
    const innocent = spawn(program, args[0] === '-f' ? [...args, pidFile()] : args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => innocent.once('exit', resolve));
    const lines = (await readFile(pidFile(), 'utf8')).split('\n');
    await writeFile(pidFile(), [String(innocent.pid), ...lines.slice(1)].join('\n'));

    await startsAgain();
    expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
    innocent.kill();
    await ended;
  });

  it('does not hinder a start when nobody has its number', async () => {
    await leavePidFile();
    expect(await readFile(pidFile(), 'utf8')).not.toBe('');
    await startsAgain();
  });
});
