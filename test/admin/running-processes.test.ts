import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startHeartbeat } from '../../src/database/running-processes.ts';
import { integrationClient } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { eventually, killServers, startServer } from '../support/server-process.ts';
import { admin, toEnvironment } from './command-line.ts';

const test = await ownTestApp();
const { pool } = test.database;
const env = toEnvironment(test);
const withNext = { ...env, MASTER_KEYS: `next:${randomBytes(32).toString('base64')},${env.MASTER_KEYS}` };
const dataDir = await mkdtemp(join(tmpdir(), 'triptych-processes-'));
afterAll(async () => {
  await killServers();
  await rm(dataDir, { recursive: true, force: true });
});

const say = (environment: Record<string, string>, line: string) => admin(environment, line.split(' '), '', test.database);
const ready = async (address: string) => {
  const answer = await fetch(`${address}/readyz`);
  return { status: answer.status, body: await answer.json() };
};

/** A clock that is a minute ahead. */
const AHEAD = `--import=data:text/javascript,${encodeURIComponent('const now = Date.now; Date.now = () => now() + 61_000')}`;

it('a server whose clock is wrong, and that lacks the next master key, is named by all who could harm it or be asked about it', async () => {
  const { clientId, clientSecret } = await integrationClient(test);
  const server = startServer(dataDir, { ...env, NODE_OPTIONS: AHEAD, RUN_JOBS: 'false' });
  const address = await server.ready;
  await eventually('the clock is in the log', async () => /this machine's clock is \d+ ms ahead of the database's/.test(server.screen()));
  const body = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
  const askToken = () => fetch(`${address}/oauth2/v1/token`, { method: 'POST', body: new URLSearchParams(body) });
  expect((await askToken()).status).toBe(200);
  const clock = expect.stringMatching(/^this machine's clock is 6\d{4} ms ahead of the database's$/);
  expect(await ready(address)).toEqual({ status: 200, body: { jobs: expect.any(String), status: 'ready', warnings: [clock] } });

  const name = `server ${server.pid} on ${hostname()}`;
  for (const line of ['keys renew', 'keys rotate']) {
    const refused = await say(withNext, line);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`These processes lack the key "next" and could not decrypt values under it: ${name}.`);
  }
  expect((await say(env, 'keys renew')).code).toBe(0);
  expect(await say(withNext, 'doctor --only keys')).toMatchObject({ code: 1, out: expect.stringContaining(`${name} lacks "next"`) });

  expect((await say(withNext, 'keys renew --force')).code).toBe(0);
  expect(await say(withNext, 'doctor --only keys')).toMatchObject({ code: 2, out: expect.stringContaining(`${name} lacks "next"`) });
  await eventually('it is not ready', async () => (await ready(address)).status === 503);
  const missing = 'keys and seals of the server need the master key "next", which MASTER_KEYS lack';
  expect((await ready(address)).body).toEqual({ status: 'master key missing', warnings: [clock, missing] });
  await eventually('it signs no more', async () => (await askToken()).status === 500);
  await eventually('the log names the key', async () => server.screen().includes('"missing_key":"next"'));

  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
  expect((await pool.query('SELECT name FROM running_process')).rows).toEqual([]);
});

it('a process that leaves no sign of life for a minute is gone, and one that stops leaves none', async () => {
  const own = await ownTestApp();
  const renew = () => admin(withNext, ['keys', 'renew'], '', own.database);
  const stop = await startHeartbeat(own.database.pool, 'worker', { ids: ['other', 'test'] });
  const warnings = ['another process encrypts with the master key "other", which MASTER_KEYS lack'];
  expect(await ready(own.address)).toMatchObject({ status: 200, body: { status: 'ready', warnings } });
  expect((await renew()).err).toContain(`worker ${process.pid} on ${hostname()}`);
  await own.database.pool.query("UPDATE running_process SET seen_at = now() - interval '61 seconds'");
  expect((await renew()).code).toBe(0);
  await stop();
  expect((await own.database.pool.query('SELECT name FROM running_process')).rows).toEqual([]);
});
