import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { list, looksRandom } from './checks.ts';
import { makeFolder, noFolder } from './make-folder.ts';
import { ConfigError } from './start-errors.ts';

export interface MasterKey {
  id: string;
  key: Buffer;
}

/** `id:base64`, several separated by commas; each key has 32 bytes. The first is current, the others only read. */
export const masterKeys = list.pipe(
  z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_+/=-]+$/, 'must have the form id:key')
        .transform((text) => {
          const [id = '', key = ''] = text.split(':');
          return { id, key: Buffer.from(key, 'base64') };
        })
        .refine(({ key }) => key.length === 32, { error: 'each key must be 32 bytes in base64 (openssl rand -base64 32)', abort: true })
        .refine(({ key }) => looksRandom(key), 'a key is too regular to be random (openssl rand -base64 32)'),
    )
    .min(1, 'must contain at least one id:key')
    .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'contains an id twice'),
);

const storedSecrets = z.object({ MASTER_KEYS: masterKeys });

/** The keys in DATA_DIR; none where there is no file with them. @throws ConfigError where they cannot be used */
export function readFolderKeys(dataDir: string): MasterKey[] {
  return readKeys(dataDir, readIfExists);
}

/**
 * New keys in DATA_DIR, or those that another process has made meanwhile. The file is created atomically, so that simultaneous
 * first starts use the same keys. @throws ConfigError where they cannot be written or used
 */
export function makeStoredKeys(dataDir: string): MasterKey[] {
  return readKeys(dataDir, (file) => createSecrets(dataDir, file));
}

function readKeys(dataDir: string, read: (file: string) => string | null): MasterKey[] {
  const file = join(dataDir, 'secrets.json');
  try {
    const text = read(file);
    return text === null ? [] : storedSecrets.parse(JSON.parse(text)).MASTER_KEYS;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (isCode(error, 'ENOTDIR')) throw noFolder(dataDir);
    const reason = error instanceof Error && 'code' in error ? error.message : 'they are not JSON with valid MASTER_KEYS';
    throw new ConfigError(`DATA_DIR: the secrets in ${file} cannot be used (${reason})`);
  }
}

function createSecrets(dataDir: string, file: string): string {
  makeFolder(dataDir);
  const temporary = `${file}.${process.pid}.making`;
  const secrets = `${JSON.stringify({ MASTER_KEYS: `dev:${randomBytes(32).toString('base64')}` })}\n`;
  writeFileSync(temporary, secrets, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(temporary);
  }
  return readFileSync(file, 'utf8');
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
