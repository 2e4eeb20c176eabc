import { once } from 'node:events';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseProcesses, databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

// As people name folders, and as a shell may trip over.
let folder: string;
let dataDir: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-start-'));
  dataDir = join(folder, `my "data" isn't here`);
  const first = startServer(dataDir);
  await first.ready;
  first.kill('SIGTERM');
  await first.exited;
});
afterEach(killServers);
afterAll(() => removeFolder(folder));

/** Silences npm's warnings about a user's own settings, which are not output of the server. */
const QUIET_NPM = { npm_config_loglevel: 'error' };

describe('a server with its own database', () => {
  it('keeps what was stored over a restart', async () => {
    const first = startServer(dataDir);
    const clinic = await foundClinic(await first.ready, await databaseUrl(dataDir));
    await clinic.post('/patients', { lname: 'Stays', med_rec_no: 'KEPT-1' });
    first.kill('SIGTERM');
    expect(await first.exited).toMatchObject({ code: 0 });

    const second = startServer(dataDir);
    const found = await clinic.at(await second.ready).get('/patients/mrn/KEPT-1');
    expect(found).toMatchObject({ status: 200, body: { data: { lastname: 'Stays' } } });
  });

  it('keeps its passwords and secrets from other users of the machine', async () => {
    const server = startServer(dataDir);
    await server.ready;
    for (const name of ['database.json', 'database.passwords.json', 'database.log', 'secrets.json']) {
      expect([name, (await stat(join(dataDir, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect((await stat(join(dataDir, 'database'))).mode & 0o077).toBe(0);
  });

  it('refuses a second start on its folder in one line', async () => {
    const first = startServer(dataDir);
    const address = await first.ready;
    const second = await startServer(dataDir).exited;
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^DATA_DIR is in use: process \d+ .*\n$/);
    expect(second.stderr).toContain(String(first.pid));
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  it('says in one line that its port is taken, before it makes a database', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = String(address !== null && typeof address === 'object' ? address.port : 0);
    const unused = join(folder, 'unused');
    const refused = await startServer(unused, { PORT: port }).exited;
    other.close();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`^PORT: ${port} is used by another program\\..*\\n$`));
    await expect(readdir(unused)).rejects.toThrow('ENOENT');
  });

  it('leaves nothing beside its files', async () => {
    const names = await readdir(dataDir);
    expect(names.filter((name) => name.includes('making'))).toEqual([]);
    expect(names.filter((name) => name.startsWith('server.lock'))).toHaveLength(1);
  });
});

describe('a stop signal', () => {
  it('refuses new requests, lets a running one finish, and leaves no process', async () => {
    const server = startServer(dataDir);
    const address = await server.ready;
    const url = await databaseUrl(dataDir);
    const clinic = await foundClinic(address, url);
    const { body } = await clinic.post('/patients', { lname: 'Before' });
    const patient = body.data.uuid;

    const holder = new pg.Client({ connectionString: url });
    holder.on('error', () => {});
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM patient WHERE id = $1 FOR UPDATE', [patient]);
    const slow = clinic.put(`/patients/${patient}`, { lname: 'After' });
    await eventually('the change waits for the row', async () => {
      const { rowCount } = await holder.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return rowCount === 1;
    });
    server.kill('SIGTERM');
    await eventually('new requests are refused', () =>
      fetch(`${address}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    await holder.query('COMMIT');
    await holder.end();

    expect(await slow).toMatchObject({ status: 200, body: { data: { lastname: 'After' } } });
    const { code, stdout, stderr } = await server.exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ {2}Triptych is stopping; requests in progress are finished first\n {2}Triptych is stopped\n$/);
    expect(await databaseProcesses(dataDir)).toEqual([]);
  });

  it('reaches the server through npm', async () => {
    const npm = startServer(dataDir, QUIET_NPM, { command: ['npm', 'start'], detached: true });
    const address = await npm.ready;
    npm.kill('SIGTERM');
    expect(await npm.exited).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(await databaseProcesses(dataDir)).toEqual([]);
  });

  it('is heard once when a terminal sends it to npm and the server alike', async () => {
    const npm = startServer(dataDir, QUIET_NPM, { command: ['npm', 'start'], detached: true });
    const address = await npm.ready;
    process.kill(-npm.pid, 'SIGINT');
    process.kill(-npm.pid, 'SIGINT');
    expect(await npm.exited).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(await databaseProcesses(dataDir)).toEqual([]);
  });
});
