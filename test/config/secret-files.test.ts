import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig, readDatabaseConfig } from '../../src/config/config.ts';
import { readComplaint } from './complaint.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-secrets-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (env: Record<string, string>) => readConfig({ DATA_DIR: folder, ...env });
const GOOD_KEY = `k1:${randomBytes(32).toString('base64')}`;
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://clinic.example.org', TRIPTYCH_MAIL: 'local' };

const complaint = (env: Record<string, string>) => readComplaint(() => read(env));

describe('a secret in a file', () => {
  const file = async (text: string) => {
    const path = join(folder, randomBytes(4).toString('hex'));
    await writeFile(path, text);
    return path;
  };

  it('is read as if it were in the environment', async () => {
    const path = await file(`${GOOD_KEY}\n`);
    expect(read({ MASTER_KEYS_FILE: path }).MASTER_KEYS).toEqual(read({ MASTER_KEYS: GOOD_KEY }).MASTER_KEYS);
    const url = 'postgresql://u:p@localhost/db';
    expect(readDatabaseConfig({ DATA_DIR: folder, DATABASE_URL_FILE: await file(url) }).DATABASE_URL).toBe(url);
    expect(complaint({ ...PRODUCTION, MASTER_KEYS_FILE: path })).toBe('no complaint');
  });

  it('is refused when it is missing, empty or given twice, all at once and without its value', async () => {
    const [empty, token] = [await file('\n'), await file('hunter2-hunter2-hunter2')];
    const env = { MASTER_KEYS_FILE: join(folder, 'none'), SMTP_URL_FILE: empty, METRICS_TOKEN: 'x', METRICS_TOKEN_FILE: token };
    expect(complaint(env).split('\n')).toEqual([
      'MASTER_KEYS_FILE: the file cannot be read (ENOENT)',
      'SMTP_URL_FILE: the file is empty',
      'METRICS_TOKEN_FILE: is set, but METRICS_TOKEN is too; unset one of them',
    ]);
    expect(complaint({ VAPID_KEYS_FILE: token })).toMatch(/^VAPID_KEYS: must have the form/);
    expect(complaint({ VAPID_KEYS_FILE: token })).not.toContain('hunter2');
  });

  it('that a migration does not need is not read by one', () => {
    const env = { DATA_DIR: folder, DATABASE_URL: 'postgresql://u:p@localhost/db', MASTER_KEYS_FILE: join(folder, 'none') };
    expect(readDatabaseConfig(env)).toEqual({ MASTER_KEYS: [], LOST_MASTER_KEY_IDS: [], DATA_DIR: folder, DATABASE_URL: env.DATABASE_URL });
  });
});
