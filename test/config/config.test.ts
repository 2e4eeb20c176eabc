import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig, readDatabaseConfig } from '../../src/config/config.ts';
import { makeStoredKeys } from '../../src/config/master-keys.ts';
import { createOwnOrigin } from '../../src/config/origin.ts';
import { readComplaint } from './complaint.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (env: Record<string, string | undefined>) => readConfig({ DATA_DIR: folder, ...env });
const GOOD_KEY = `k1:${randomBytes(32).toString('base64')}`;
const PRODUCTION = { NODE_ENV: 'production', MASTER_KEYS: GOOD_KEY, PUBLIC_URL: 'https://clinic.example.org', TRIPTYCH_MAIL: 'local' };

const complaint = (env: Record<string, string | undefined>) => readComplaint(() => read(env));

describe('the environment', () => {
  it('may be empty, or have empty variables', () => {
    const expected = {
      TRIPTYCH_HOST: '127.0.0.1',
      PORT: 3000,
      MIGRATE_ON_START: true,
      LOG_LEVEL: 'info',
      API_VARIANTS: ['v1', 'preview1', 'openpreview1'],
    };
    expect(read({})).toMatchObject(expected);
    expect(read({ PORT: '', TRIPTYCH_HOST: ' ', DATABASE_URL: '', LOG_LEVEL: undefined })).toMatchObject(expected);
    expect(read({ DATABASE_URL: '' }).DATABASE_URL).toBeUndefined();
  });

  it.each([
    ['NODE_ENV', 'staging'],
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['MAIL_FROM', 'the practice'],
    ['TRIPTYCH_CARRIER', 'pigeon'],
    ['TWILIO_ACCOUNT_SID', 'AC123'],
    ['TWILIO_AUTH_TOKEN', 'short'],
    ['TWILIO_BASE_URL', 'api.twilio.com'],
    ['TELEHEALTH', 'telephone'],
    ['LIVEKIT_URL', 'https://livekit.example.org'],
    ['LIVEKIT_API_SECRET', 'short'],
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '0x10'],
    ['PORT', '80.5'],
    ['PUBLIC_URL', 'example.org'],
    ['PUBLIC_URL', 'ftp://example.org'],
    ['PUBLIC_URL', 'https://example.org/?a=b'],
    ['PUBLIC_URL', 'https://user:password@example.org'],
    ['TRIPTYCH_MAIL', 'pigeon'],
    ['METRICS_TOKEN', 'short'],
    ['METRICS_PORT', '65536'],
    ['WORKER_PORT', 'none'],
    ['TRIPTYCH_DOCS', 'maybe'],
    ['ALLOW_PRIVATE_ADDRESSES', 'yes'],
    ['DATABASE_URL', 'mysql://localhost/db'],
    ['DATABASE_URL', 'postgresql://user:50%@localhost/db'],
    ['DATABASE_URL', 'localhost:5432'],
    ['DATABASE_URL', 'postgresql://user@a:1,b:port/db'],
    ['DATABASE_URL', 'postgresql://user@a:1,b:2/db?target_session_attrs=any'],
    ['DATABASE_OWNER_URL', 'localhost:5432'],
    ['DATA_DIR', 'user=triptych password=secret host=db'],
    ['DATA_DIR', '//triptych:secret@127.0.0.1/records'],
    ['BACKUP_TO', 's3:bucket'],
    ['BACKUP_TO', '"s3://bucket"'],
    ['DATABASE_POOL', '0'],
    ['MIGRATE_ON_START', 'yes'],
    ['SEED_DEMO', '1'],
    ['RUN_JOBS', 'on'],
    ['LOG_LEVEL', 'loud'],
    ['SLOW_STATEMENT_MS', '0'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer x'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['PRACTICE_TYPES', 'numbers'],
    ['API_VARIANTS', ','],
    ['API_VARIANTS', 'v1,a/b'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://example.org/path'],
    ['TRUST_PROXY', '10.0.0.0/40'],
    ['TRUST_PROXY', 'proxy.example.org'],
    ['RATE_LIMIT', '0'],
    ['SIGN_IN_FAILURES_ACCOUNT', 'ten'],
    ['MASTER_KEYS', 'nothing'],
  ])('names %s when it is malformed: %s', (name, value) => {
    const message = complaint({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name}: .+$`));
    expect(message.split('\n')).toHaveLength(1);
  });

  it('names what a carrier that is chosen needs', () => {
    const account = { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: '0123456789abcdef' };
    const twilio = { TRIPTYCH_CARRIER: 'twilio', ...account };
    expect([read({}).TRIPTYCH_CARRIER, read(twilio)]).toMatchObject([undefined, twilio]);
    for (const name of Object.keys(account))
      expect(complaint({ ...twilio, [name]: '' })).toBe(`${name}: must be set if TRIPTYCH_CARRIER is twilio`);
  });

  it('names what LiveKit needs where it is chosen', () => {
    const account = { LIVEKIT_URL: 'wss://livekit.example.org', LIVEKIT_API_KEY: 'key', LIVEKIT_API_SECRET: '0'.repeat(32) };
    expect(read({}).TELEHEALTH).toBe('mesh');
    expect(read({ TELEHEALTH: 'livekit', ...account })).toMatchObject(account);
    for (const name of Object.keys(account))
      expect(complaint({ TELEHEALTH: 'livekit', ...account, [name]: '' })).toBe(`${name}: must be set if TELEHEALTH is livekit`);
  });

  it('has /metrics on another port than the APIs', () => {
    expect(complaint({ PORT: '3000', METRICS_PORT: '3000' })).toMatch(/^METRICS_PORT: must be another port than PORT, which is 3000/);
    expect(read({ PORT: '3000', METRICS_PORT: '3001' }).METRICS_PORT).toBe(3001);
    expect(read({ PORT: '0', METRICS_PORT: '0' }).METRICS_PORT).toBe(0);
  });

  it('names the address of the server, where only that of the owner is given', () => {
    const [owner, runtime] = ['owner', 'runtime'].map((role) => `postgresql://${role}:secret@localhost/db`);
    expect(read({ DATABASE_URL: runtime, DATABASE_OWNER_URL: owner })).toMatchObject({ DATABASE_URL: runtime, DATABASE_OWNER_URL: owner });
    expect(complaint({ DATABASE_OWNER_URL: owner })).toMatch(/^DATABASE_URL: must be set if DATABASE_OWNER_URL is/);
    expect(() => readDatabaseConfig({ DATABASE_OWNER_URL: owner })).toThrow(/^DATABASE_URL: must be set/);
  });

  it('takes an address past a pooler for the same user alone, and beside that of the pooler', () => {
    const [pooled, direct] = ['pooler:6432', 'database'].map((host) => `postgresql://runtime:secret@${host}/db`);
    expect(read({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct })).toMatchObject({ DATABASE_DIRECT_URL: direct });
    expect(complaint({ DATABASE_DIRECT_URL: direct })).toMatch(/^DATABASE_URL: must be set if DATABASE_DIRECT_URL is/);
    const owner = 'postgresql://owner:secret@database/db';
    expect(complaint({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: owner })).toMatch(
      /^DATABASE_DIRECT_URL: must have the user of DATABASE_URL/,
    );
  });

  it('needs no secrets for a migration, and makes none', async () => {
    const env = { NODE_ENV: 'production', DATA_DIR: folder, DATABASE_URL: 'postgresql://u:p@localhost/db', PORT: 'abc' };
    expect(readDatabaseConfig(env)).toEqual({ MASTER_KEYS: [], LOST_MASTER_KEY_IDS: [], DATA_DIR: folder, DATABASE_URL: env.DATABASE_URL });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is told of everything that is wrong with it at once', () => {
    expect(complaint({ PORT: 'abc', LOG_LEVEL: 'loud' })).toMatch(/^PORT: .*\nLOG_LEVEL: .*$/);
  });

  it('is not quoted in a complaint about a secret', () => {
    expect(complaint({ DATABASE_URL: 'postgresql://user:hunter2%@localhost/db' })).not.toContain('hunter2');
    expect(complaint({ MASTER_KEYS: 'k1:c2VjcmV0' })).toBe('MASTER_KEYS: each key must be 32 bytes in base64 (openssl rand -base64 32)');
  });
});

describe('production', () => {
  it('has to be given its secrets, its address and the way of its mails, and is told of all three at once', () => {
    expect(complaint({ NODE_ENV: 'production' })).toMatch(
      /^MASTER_KEYS: .*\nPUBLIC_URL: must be set .*\nSMTP_URL: must be set .*TRIPTYCH_MAIL=local.*$/,
    );
    expect(complaint(PRODUCTION)).toBe('no complaint');
  });

  it.each(['http://clinic.example.org', 'http://10.0.0.1', 'http://localhost.example.org', 'http://127.example.org'])(
    'is not reached over http: %s',
    (PUBLIC_URL) => {
      expect(complaint({ ...PRODUCTION, PUBLIC_URL })).toMatch(/^PUBLIC_URL: must start with https/);
      expect(complaint({ PUBLIC_URL })).toBe('no complaint');
    },
  );

  it.each(['http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:3000'])('may be tried on this machine: %s', (PUBLIC_URL) => {
    expect(complaint({ ...PRODUCTION, PUBLIC_URL })).toBe('no complaint');
  });

  it('sends mails by a server, or says that none leave', () => {
    const server = { SMTP_URL: 'smtps://mail.example.org', MAIL_FROM: 'practice@example.org' };
    expect(complaint({ ...PRODUCTION, TRIPTYCH_MAIL: '' })).toMatch(/^SMTP_URL: must be set in production/);
    expect(complaint({ ...PRODUCTION, ...server, TRIPTYCH_MAIL: '' })).toBe('no complaint');
    expect(complaint({ ...PRODUCTION, ...server })).toMatch(/^TRIPTYCH_MAIL: must not be local if SMTP_URL/);
  });
});

describe('the address of links', () => {
  it.each([
    [{ PUBLIC_URL: 'https://clinic.example/a/', TRIPTYCH_HOST: '0.0.0.0' }, 'https://clinic.example/a'],
    [{}, 'http://127.0.0.1:3001'],
    [{ TRIPTYCH_HOST: '0.0.0.0' }, 'http://127.0.0.1:3001'],
    [{ TRIPTYCH_HOST: '::' }, 'http://127.0.0.1:3001'],
    [{ TRIPTYCH_HOST: '::1' }, 'http://[::1]:3001'],
    [{ TRIPTYCH_HOST: 'localhost' }, 'http://localhost:3001'],
  ])('is PUBLIC_URL, or the one that the server listens on: %j', (env, origin) => {
    const own = createOwnOrigin(read({ PORT: '0', ...env }));
    own.listensOn(3001);
    expect(own.origin()).toBe(origin);
  });
});

describe('the secrets', () => {
  it('have to be given in production', () => {
    expect(complaint({ ...PRODUCTION, MASTER_KEYS: '' })).toMatch(/^MASTER_KEYS: must be set in production/);
    expect(read(PRODUCTION).MASTER_KEYS).toHaveLength(1);
  });

  it.each([
    ['too short', randomBytes(16)],
    ['too long', randomBytes(64)],
    ['one byte again and again', Buffer.alloc(32, 7)],
    ['counted up', Buffer.from(Array.from({ length: 32 }, (_, index) => index * 3))],
    ['a sentence', Buffer.from('correct-horse-battery-staple-123')],
    ['hexadecimal digits', Buffer.from(randomBytes(16).toString('hex'))],
  ])('are refused when weak: %s', (_what, key) => {
    expect(complaint({ NODE_ENV: 'production', MASTER_KEYS: `k1:${key.toString('base64')}` })).toMatch(
      /^MASTER_KEYS: .*openssl rand -base64 32/,
    );
  });

  it('are taken when random', () => {
    for (let round = 0; round < 2_000; round += 1) {
      expect(complaint({ MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` })).toBe('no complaint');
    }
  });

  it('may be several, to rotate them, but not under one name', () => {
    const two = `new:${randomBytes(32).toString('base64')}, old:${randomBytes(32).toString('base64url')}`;
    expect(read({ MASTER_KEYS: two }).MASTER_KEYS.map(({ id }) => id)).toEqual(['new', 'old']);
    expect(complaint({ MASTER_KEYS: `${GOOD_KEY},${GOOD_KEY}` })).toMatch(/^MASTER_KEYS: contains an id twice/);
  });

  it('are made once in development, for this user alone', async () => {
    expect(read({}).MASTER_KEYS).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
    const [first] = makeStoredKeys(folder);
    const [second] = read({}).MASTER_KEYS;
    expect(second).toEqual(first);
    expect(makeStoredKeys(folder)).toEqual([first]);
    expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'secrets.json'), 'utf8')).toContain(first?.key.toString('base64'));
  });

  it('are never made anew over damaged ones, which would close what they opened', async () => {
    await writeFile(join(folder, 'secrets.json'), '{"MASTER_KEYS": "dev:');
    expect(complaint({})).toMatch(/^DATA_DIR: the secrets in .* cannot be used/);
    expect(await readFile(join(folder, 'secrets.json'), 'utf8')).toBe('{"MASTER_KEYS": "dev:');
  });

  it('are not made where DATA_DIR is no folder', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(complaint({ DATA_DIR: join(folder, 'file') })).toBe(`DATA_DIR: ${join(folder, 'file')} is not a folder.`);
  });
});
