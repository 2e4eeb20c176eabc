import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase } from '../support/app.ts';
import { asOwner, createEmptyDatabase } from '../support/database-roles.ts';
import { startOldDatabase } from '../support/old-database.ts';
import { removeFolder } from '../support/scratch.ts';
import { killServers, startServer } from '../support/server-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-external-'));
});
afterEach(killServers);
afterAll(() => removeFolder(folder));

const PRODUCTION = {
  NODE_ENV: 'production',
  MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PUBLIC_URL: 'https://clinic.example.org',
  TRIPTYCH_MAIL: 'local',
  LOG_LEVEL: 'info',
};

describe('servers on a DATABASE_URL', () => {
  it('all come up when several begin at once on an empty one, make nothing of their own and put no demo data in it', async () => {
    const url = await createEmptyDatabase();
    const env = { DATABASE_URL: url, DATABASE_OWNER_URL: asOwner(url) };
    // SEED_DEMO is as it is without anybody setting it.
    const dataDir = join(folder, 'several');
    const servers = Array.from({ length: 3 }, () => startServer(dataDir, { ...env, SEED_DEMO: '' }));
    const addresses = await Promise.all(servers.map(({ ready }) => ready));
    const states = await Promise.all(addresses.map(async (address) => (await fetch(`${address}/readyz`)).json()));
    const ready = { status: 'ready', jobs: 'running' };
    expect(states).toEqual([ready, ready, ready]);

    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT FROM organization');
    await client.end();
    expect(rows).toEqual([]);
    // Secrets for development, and nothing else.
    expect(await readdir(dataDir)).toEqual(['secrets.json']);
    for (const server of servers) server.kill('SIGTERM');
    for (const server of servers) expect(await server.exited).toMatchObject({ code: 0, stderr: '' });
  });

  it('write log lines alone in production, and nothing to DATA_DIR', async () => {
    const dataDir = join(folder, 'production');
    const env = { ...PRODUCTION, DATABASE_URL: await createTestDatabase(), SLOW_STATEMENT_MS: '600000' };
    const server = startServer(dataDir, env);
    await server.ready;
    server.kill('SIGTERM');
    const { code, stdout } = await server.exited;
    expect(code).toBe(0);
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line), line).toMatchObject({ level: 'info' });
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
  });

  it('with SANDBOX=on get practices for trying things out once, beside their own, which list nothing of them', async () => {
    const url = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "INSERT INTO organization (id, name, time_zone, updated_at) VALUES (195900, 'Real Clinic', 'America/New_York', now())",
    );
    const env = { ...PRODUCTION, SANDBOX: 'on', DATABASE_URL: url };
    const dataDir = join(folder, 'sandbox');
    for (const round of ['made', 'there']) {
      const servers = Array.from({ length: 2 }, () => startServer(dataDir, env));
      await Promise.all(servers.map(({ ready }) => ready));
      const [, address] = /listens on ([^\s"]+)/.exec(servers[0]?.screen() ?? '') ?? [];
      expect((await fetch(`${address}/sandbox`)).status, round).toBe(200);
      for (const server of servers) server.kill('SIGTERM');
      for (const server of servers) expect(await server.exited).toMatchObject({ code: 0, stderr: '' });
    }
    const { rows } = await client.query(
      'SELECT o.name, t.organization_id IS NOT NULL AS trial FROM organization o LEFT JOIN test_practice t ON t.organization_id = o.id',
    );
    const shared = await client.query('SELECT FROM appointment_type WHERE is_global');
    await client.end();
    expect(rows.filter(({ trial }) => !trial)).toEqual([{ name: 'Real Clinic', trial: false }]);
    expect(rows).toHaveLength(3);
    expect(shared.rows).toEqual([]);
    expect(await readdir(dataDir)).toContain('demo.json');
  });

  it('with MIGRATE_ON_START=false refuse one that lacks migrations, and serve one that has them', async () => {
    const env = { MIGRATE_ON_START: 'false' };
    const refused = startServer(folder, { ...env, DATABASE_URL: await createEmptyDatabase() });
    const serving = startServer(folder, { ...env, DATABASE_URL: await createTestDatabase() });
    expect(await refused.exited).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^MIGRATE_ON_START is false, and .* Run "npm run db:migrate" first\.\n$/),
    });
    expect((await fetch(`${await serving.ready}/readyz`)).status).toBe(200);
  });
});

describe('a DATABASE_URL that cannot be reached', () => {
  it.each([
    ['nobody listens there', async () => 'postgresql://u:secret-password@127.0.0.1:1/db', 'ECONNREFUSED'],
    [
      'it lets nobody in with that password',
      async () => inject('templateUrl').replace(/:[^:@]+@/, ':secret-password@'),
      'password authentication failed',
    ],
    ['there is no such database', async () => inject('templateUrl').replace(/[^/]+$/, 'no_such_database'), 'does not exist'],
  ])('is told in one line that hides the password, when %s', async (_what, url, reason) => {
    const { code, stderr } = await startServer(folder, { DATABASE_URL: await url() }).exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DATABASE_URL: the database cannot be reached \(.*\)\.\n$/);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('secret-password');
  });

  it('is refused in one line where its PostgreSQL is too old', async () => {
    const old = await startOldDatabase('14.19 (Debian 14.19-0+deb11u1)');
    const { code, stderr } = await startServer(folder, { DATABASE_URL: old.url }).exited;
    await old.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'DATABASE_URL: it points to PostgreSQL 14.19, which is too old. Use version 15 or later.\n',
    });
  });

  it('is given up when it accepts a connection and never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const { code, stderr } = await startServer(folder, { DATABASE_URL: `postgresql://u:p@127.0.0.1:${port}/db` }).exited;
    silent.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DATABASE_URL: the database cannot be reached \(timeout expired\)\.\n$/);
  });
});

describe('an environment that is not right', () => {
  it('is told in sentences that name the variables', async () => {
    const { code, stdout, stderr } = await startServer(folder, { PORT: 'abc', LOG_LEVEL: 'loud' }).exited;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^PORT: .*\nLOG_LEVEL: .*\n$/);
  });

  it('is told that a demo cannot be written down, before it is filled in', async () => {
    const file = join(folder, 'a file');
    await writeFile(file, '');
    const env = { SEED_DEMO: 'true', DATABASE_URL: await createTestDatabase(), MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    const { code, stderr } = await startServer(join(file, 'below'), env).exited;
    expect(code).toBe(1);
    expect(stderr).toContain(`DATA_DIR: ${join(file, 'below')} is not a folder.\n`);
  });

  it('refuses production without secrets, address and mail server, before anything is made', async () => {
    const dataDir = join(folder, 'refused');
    const { code, stderr } = await startServer(dataDir, { NODE_ENV: 'production' }).exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^MASTER_KEYS: .*\nPUBLIC_URL: .*\nSMTP_URL: .*\n$/);
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
  });
});
