import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Clinic, foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseProcesses, databaseUrl, eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';

let dataDir: string;
let server: ServerProcess;
let clinic: Clinic;
let address: string;
// A database that was just made writes a thousand files before it ends.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-stop-'));
  const first = startServer(dataDir);
  await first.ready;
  first.kill('SIGTERM');
  await first.exited;
});
beforeEach(async () => {
  server = startServer(dataDir);
  address = await server.ready;
  clinic = await foundClinic(address, await databaseUrl(dataDir));
});
afterEach(async () => {
  await killServers();
  await eventually('no database process is left', async () => (await databaseProcesses(dataDir)).length === 0);
});
afterAll(() => removeFolder(dataDir));

async function expectStopInTime(): Promise<void> {
  const began = performance.now();
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0, stderr: '' });
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(await databaseProcesses(dataDir)).toEqual([]);
}

describe('a stop signal is obeyed within 10 s', () => {
  it('although a client never sends the rest of its request', async () => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(`POST /oauth2/v1/token HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`);
    await expectStopInTime();
    socket.destroy();
  });

  it('although a client keeps its connection open', async () => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(`GET /healthz HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    await once(socket, 'data');
    await expectStopInTime();
    socket.destroy();
  });

  it('although a request waits for a row that is never let go; it is told to come again', async () => {
    const { body } = await clinic.post('/patients', { lname: 'Held' });
    const holder = new pg.Client({ connectionString: await databaseUrl(dataDir) });
    holder.on('error', () => {});
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM patient WHERE id = $1 FOR UPDATE', [body.data.uuid]);
    const waiting = clinic.put(`/patients/${body.data.uuid}`, { lname: 'Waits' });
    await eventually('the change waits for the row', async () => {
      const { rowCount } = await holder.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return rowCount === 1;
    });
    await Promise.all([expectStopInTime(), waiting.then(({ status }) => expect(status).toBe(503))]);
    await holder.end().catch(() => {});
  });
});
