import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** "true" and "false", as a person writes them into an environment. */
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const list = z.string().transform((text) => text.split(',').map((part) => part.trim()).filter(Boolean));
const port = z.coerce.number().int().min(0).max(65535);
const positive = z.coerce.number().int().positive();

/** `id:base64url`, several separated by commas; each key has 32 bytes. The first is current, the others only read. */
const masterKeys = list.pipe(
  z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_+/=-]+$/, 'must be written as id:key')
        .transform((text) => {
          const [id = '', key = ''] = text.split(':');
          return { id, key: Buffer.from(key, 'base64') };
        })
        .refine(({ key }) => key.length === 32, 'must be 32 bytes in base64 (openssl rand -base64 32)')
        .refine(({ key }) => new Set(key).size >= 12, 'is too regular to be random (openssl rand -base64 32)'),
    )
    .min(1)
    .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'names one id twice'),
);

/** The environment. README lists these; every default serves a first start with nothing set. */
const environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(3000),
  /** Where links and `demo.json` point; else the address that the server listens on. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')).optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgresql://').optional(),
  DATABASE_POOL: positive.default(10),
  MIGRATE_ON_START: flag.default(true),
  SEED_DEMO: flag.optional(),
  /** Whether this process also runs the recurring jobs. */
  RUN_JOBS: flag.default(true),
  MASTER_KEYS: masterKeys.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Path segment variants that the practice API answers to. */
  API_VARIANTS: list.default(['v1', 'preview1']),
  CORS_ORIGINS: list.default([]),
  /** CIDRs or addresses of proxies whose X-Forwarded-For is believed. */
  TRUST_PROXY: list.default([]),
  /** Requests a minute for one client or user, and for one address without a token. */
  RATE_LIMIT: positive.default(6000),
  RATE_LIMIT_ANONYMOUS: positive.default(600),
  /** Failed sign-ins in fifteen minutes before an account, or an address, has to wait. */
  SIGN_IN_FAILURES_ACCOUNT: positive.default(10),
  SIGN_IN_FAILURES_ADDRESS: positive.default(50),
});

export interface MasterKey {
  id: string;
  key: Buffer;
}

export type Config = Omit<z.output<typeof environment>, 'MASTER_KEYS'> & { MASTER_KEYS: MasterKey[] };

/** What is wrong with the environment, in sentences that name the variable. */
export class ConfigError extends Error {}

/**
 * Reads the environment once, at start. Empty variables count as unset.
 * In production the secrets must be given; elsewhere they are made once and kept in DATA_DIR.
 * @throws ConfigError naming each variable that is missing, malformed or weak
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`).join('\n'));
  }
  const { MASTER_KEYS: keys, ...config } = parsed.data;
  config.DATA_DIR = resolve(config.DATA_DIR);
  if (keys === undefined && config.NODE_ENV === 'production') {
    throw new ConfigError('MASTER_KEYS: must be set in production, as id:key with a key of 32 random bytes in base64 (openssl rand -base64 32)');
  }
  return { ...config, MASTER_KEYS: keys ?? developmentKeys(config.DATA_DIR) };
}

function developmentKeys(dataDir: string): MasterKey[] {
  const file = join(dataDir, 'secrets.json');
  try {
    const stored = z.object({ MASTER_KEYS: masterKeys }).parse(JSON.parse(readFileSync(file, 'utf8')));
    return stored.MASTER_KEYS;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw new ConfigError(`DATA_DIR: ${file} cannot be read as secrets`);
    }
  }
  const made = `dev:${randomBytes(32).toString('base64')}`;
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  try {
    writeFileSync(file, `${JSON.stringify({ MASTER_KEYS: made })}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return developmentKeys(dataDir);
    throw error;
  }
  return masterKeys.parse(made);
}
