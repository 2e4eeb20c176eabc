import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder } from '../support/scratch.ts';
import { killServers, startServer } from '../support/server-process.ts';

let dataDir: string;
let secrets: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-keys-'));
  secrets = join(dataDir, 'secrets.json');
});
afterEach(async () => {
  await killServers();
  await removeFolder(dataDir);
});

const token = async (address: string) => {
  const { practices } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  const { client_id, client_secret } = practices[0].clients[0];
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  return (await fetch(`${address}/oauth2/v1/token`, { method: 'POST', body })).status;
};

const PROGRAMS: Record<string, [string, ...string[]] | undefined> = {
  server: undefined,
  worker: [process.execPath, 'src/worker.ts'],
  migrate: [process.execPath, 'src/migrate.ts'],
  command: [process.execPath, 'src/admin/main.ts', 'audit', 'seal'],
};

it('without secrets.json, or with another one, nothing starts on a filled folder; with the right one all is well', async () => {
  const first = startServer(dataDir, { SEED_DEMO: '' });
  expect(await token(await first.ready)).toBe(200);
  first.kill('SIGTERM');
  await first.exited;

  const kept = join(dataDir, 'kept.json');
  await rename(secrets, kept);
  for (const [name, command] of Object.entries(PROGRAMS)) {
    const { code, stderr } = await startServer(dataDir, {}, command ? { command } : {}).exited;
    expect(code, name).toBe(1);
    expect(stderr.trim().split('\n'), name).toEqual([
      expect.stringMatching(
        /MASTER_KEYS are not those of this database: .*secrets\.json is missing, .* needs the key "dev"\. Restore the file/,
      ),
    ]);
    expect(await readdir(dataDir), name).not.toContain('secrets.json');
  }

  await writeFile(secrets, JSON.stringify({ MASTER_KEYS: `dev:${randomBytes(32).toString('base64')}` }));
  for (const [name, command] of Object.entries(PROGRAMS)) {
    const { code, stderr } = await startServer(dataDir, {}, command ? { command } : {}).exited;
    expect(code, name).toBe(1);
    expect(stderr, name).toMatch(/MASTER_KEYS are not those of this database: the key "dev" does not open .*signing_key\.private_pem/);
  }

  await rename(kept, secrets);
  const again = startServer(dataDir);
  expect(await token(await again.ready)).toBe(200);
  const verify = startServer(dataDir, {}, { command: [process.execPath, 'src/admin/main.ts', 'audit', 'verify'] });
  expect(await verify.exited).toMatchObject({ code: 0, stderr: '' });
}, 120_000);
