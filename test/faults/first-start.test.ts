import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { removeFolder } from '../support/scratch.ts';
import {
  databaseProcesses,
  databaseUrl,
  eventually,
  killServers,
  postmasters,
  type ServerProcess,
  startServer,
} from '../support/server-process.ts';

/** 15 where the other proof kills 100 times. */
const KILLS = Math.max(3, Math.ceil(Number(process.env.KILLS ?? 100) * 0.15));
/** Messages of a first start in their order, and milliseconds after each within which a kill may fall. */
const STAGES = ['', 'creating a database', 'applying', 'creating two demo practices', 'ready at'];
const WITHIN_MS = 700;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-first-'));
});
afterEach(async () => {
  await killServers();
  await forgetAll();
});

const start = (env: Record<string, string> = {}): ServerProcess => startServer(dataDir, { SEED_DEMO: '', ...env });

async function forgetAll(): Promise<void> {
  await eventually('no database process is left', async () => (await databaseProcesses(dataDir)).length === 0);
  await removeFolder(dataDir);
}

interface DemoFile {
  baseUrl: string;
  practices: {
    practiceid: number;
    users: { email: string; password: string }[];
    clients: { client_id: string; client_secret: string }[];
  }[];
}

/** Exactly two practices, and every credential of demo.json is good. */
async function expectDemo(address: string, url: string): Promise<void> {
  const demo: DemoFile = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  expect(demo.baseUrl).toBe(address);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: number }>('SELECT id FROM organization ORDER BY id');
  await client.end();
  expect(rows.map(({ id }) => id)).toEqual(demo.practices.map(({ practiceid }) => practiceid));
  expect(rows).toHaveLength(2);
  for (const { users, clients } of demo.practices) {
    for (const { client_id, client_secret } of clients) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
      expect((await fetch(`${address}/oauth2/v1/token`, { method: 'POST', body })).status).toBe(200);
    }
    for (const { email, password } of users) {
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${address}/login`, { method: 'POST', headers, body: JSON.stringify({ email, password }) })).status).toBe(200);
    }
  }
}

describe('a first start', () => {
  it(`ends in two demo practices with good credentials when it was killed ${KILLS} times before`, {
    timeout: 60_000 + KILLS * 20_000,
  }, async () => {
    for (let round = 1; round <= KILLS; round += 1) {
      const server = start();
      const stage = STAGES[(round * 2) % STAGES.length] ?? '';
      // A stage that an earlier start got done is not told again.
      await eventually('it is that far', async () => server.screen().includes(stage) || server.screen().includes('ready at'));
      await sleep(randomInt(WITHIN_MS));
      server.kill('SIGKILL');
      const { stdout } = await server.exited;
      const told = STAGES.filter((each) => stdout.includes(each)).at(-1);
      console.log(`  kill ${round} of ${KILLS}: ${told || 'beginning'}`);
      // The next start finds what this one left half done. After a complete start, everything is removed.
      if (told === STAGES.at(-1) && round !== KILLS) await forgetAll();
    }
    const server = start();
    const address = await server.ready;
    await expectDemo(address, await databaseUrl(dataDir));
    expect(await postmasters(dataDir)).toHaveLength(1);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('database.making'))).toEqual([]);
  });

  it('writes a demo.json anew that a start left behind which did not commit', async () => {
    const unfilled = start({ SEED_DEMO: 'false' });
    await unfilled.ready;
    unfilled.kill('SIGKILL');
    await unfilled.exited;
    const client = { api: 'integration', client_id: 'hudson-integration', client_secret: 'never committed', scope: 'integration.read' };
    const left = { baseUrl: '', practices: [{ practiceid: 1, name: 'Never', users: [], clients: [client] }] };
    await writeFile(join(dataDir, 'demo.json'), JSON.stringify(left));

    const second = start();
    await expectDemo(await second.ready, await databaseUrl(dataDir));
  });

  it('is done by exactly one of ten that begin at once, and the others say so in one line', async () => {
    const servers = Array.from({ length: 10 }, () => start({ SEED_DEMO: 'false' }));
    const outcomes = await Promise.all(
      servers.map((server) =>
        Promise.race([
          server.ready.then((address) => ({ address, refusal: null })).catch(() => new Promise<never>(() => {})),
          server.exited.then(({ code, stderr }) => ({ address: null, refusal: { code, stderr } })),
        ]),
      ),
    );
    const winners = outcomes.filter(({ address }) => address !== null);
    expect(winners).toHaveLength(1);
    for (const { refusal } of outcomes) {
      if (refusal) expect(refusal).toEqual({ code: 1, stderr: expect.stringMatching(/^DATA_DIR is in use: process \d+ .*\n$/) });
    }
    expect((await fetch(`${winners[0]?.address}/readyz`)).status).toBe(200);
    expect(await postmasters(dataDir)).toHaveLength(1);
  });

  it('stops at a signal, and the next one goes on from there', async () => {
    const first = start();
    await eventually('it makes its database', async () => first.screen().includes('creating a database'));
    first.kill('SIGTERM');
    expect(await first.exited).toMatchObject({ code: 0, stderr: '' });
    expect(await databaseProcesses(dataDir)).toEqual([]);
    const second = start();
    await expectDemo(await second.ready, await databaseUrl(dataDir));
  });
});

describe('a first start on a DATABASE_URL', () => {
  it('with SEED_DEMO=true fills it once when two begin at once', async () => {
    const cluster = await startCluster({ folder: dataDir });
    try {
      const servers = [1, 2].map((number) =>
        startServer(join(dataDir, `server ${number}`), {
          DATABASE_URL: cluster.url,
          DATABASE_OWNER_URL: cluster.ownerUrl,
          SEED_DEMO: 'true',
        }),
      );
      await Promise.all(servers.map(({ ready }) => ready));
      const screens = servers.map((server) => server.screen().includes('demo.json'));
      expect(screens.filter(Boolean)).toHaveLength(1);
      const client = new pg.Client({ connectionString: cluster.url });
      await client.connect();
      const { rowCount } = await client.query('SELECT FROM organization');
      await client.end();
      expect(rowCount).toBe(2);
    } finally {
      await killServers();
      await cluster.stop();
    }
  });
});

describe('after a kill', () => {
  it('exactly one of ten that begin at once takes over', async () => {
    const killed = start({ SEED_DEMO: 'false' });
    await killed.ready;
    killed.kill('SIGKILL');
    await killed.exited;
    const servers = Array.from({ length: 10 }, () => start({ SEED_DEMO: 'false' }));
    const ready = await Promise.all(
      servers.map((server) =>
        server.ready.then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(ready.filter(Boolean)).toHaveLength(1);
    expect(await postmasters(dataDir)).toHaveLength(1);
  });
});
