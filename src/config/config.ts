import { resolve } from 'node:path';
import { z } from 'zod';
import { API_VARIANTS } from './api-variants.ts';
import { isAddressRange, isMailServer, isOrigin, isPath, isPlace, isPlainAddress, list, NOT_A_PLACE, OPERATOR_NAME } from './checks.ts';
import { isDatabaseUrl, isForWrites, requireAddresses } from './database-address.ts';
import { type MasterKey, masterKeys, readFolderKeys } from './master-keys.ts';
import { CARRIER, OF_TESTS, ROOMS, TRACING } from './outside-services.ts';
import { PRACTICE_LIMITS, practiceLimits } from './practice-limits.ts';
import { requireForProduction } from './production.ts';
import { SECRETS, withSecretFiles } from './secret-files.ts';
import { ConfigError } from './start-errors.ts';
import { complainOfUnknown } from './unknown-variables.ts';

const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
const whole = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${lowest} to ${highest}`)
    .transform(Number)
    .refine((number) => number >= lowest && number <= highest, `must be a whole number from ${lowest} to ${highest}`);
const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, 'must have the form postgresql://user:password@host:port/database, with special characters as %xx')
  .refine(isForWrites, 'must have target_session_attrs=read-write or primary, since the server writes');
const count = whole(1, 1_000_000_000);

/** The environment. docs/environment.md lists these; every default serves a first start with nothing set. */
const environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test'], 'must be development, production or test').default('development'),
  TRIPTYCH_HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  /** Base of links and of `demo.json`; by default the address that the server listens on. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://', abort: true })
    .refine(isPlainAddress, 'must have no user, password, query or fragment')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  DATA_DIR: z.string().refine(isPath, 'must be a folder').default('.data'),
  DATABASE_URL: databaseUrl.optional(),
  /** Address of the same database for the role that owns the tables; migrations are applied under it. */
  DATABASE_OWNER_URL: databaseUrl.optional(),
  /** Address of the same database past the pooler that DATABASE_URL leads to, for all that needs a session. */
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_POOL: whole(2, 1_000).default(10),
  MIGRATE_ON_START: flag.default(true),
  SEED_DEMO: flag.optional(),
  /** Whether an installation has practices for trying things out beside its own, and their sandbox. */
  SANDBOX: z.enum(['on', 'off'], 'must be on or off').default('off'),
  /** Whether this process also runs the recurring jobs. */
  RUN_JOBS: flag.default(true),
  MASTER_KEYS: masterKeys.optional(),
  /** Ids of master keys that nobody has any more: a start does without the values that only they open. */
  LOST_MASTER_KEY_IDS: list
    .pipe(z.array(z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be ids of master keys, separated by commas')))
    .default([]),
  /** Name of the operator at the command line, for the audit; required there in production, unless --as gives it. */
  TRIPTYCH_OPERATOR: z.string().regex(OPERATOR_NAME, 'must be 1 to 64 characters of letters, digits, ".", "_", "@" and "-"').optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be fatal, error, warn, info, debug, trace or silent')
    .default('info'),
  /** Milliseconds from which on a statement has a line in the log. */
  SLOW_STATEMENT_MS: whole(1, 600_000).default(1_000),
  /** Path segment variants that the practice API answers to. */
  API_VARIANTS: list
    .pipe(
      z
        .array(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be words of letters, digits, - and _, separated by commas'))
        .min(1, 'must name at least one'),
    )
    .default([...API_VARIANTS]),
  /** Form of the practice API's fields of the types IntegerString and BooleanString: strings, or as JSON's numbers and booleans. */
  PRACTICE_TYPES: z.enum(['strings', 'native'], 'must be strings or native').default('strings'),
  CORS_ORIGINS: list
    .pipe(z.array(z.string().refine(isOrigin, 'must be origins such as https://portal.example.org, separated by commas')))
    .default([]),
  /** CIDRs or addresses of proxies whose X-Forwarded-For is trusted. */
  TRUST_PROXY: list.pipe(z.array(z.string().refine(isAddressRange, 'must be addresses or CIDRs, separated by commas'))).default([]),
  /** Seconds for which a server answers after its stop signal, not ready, until proxies have noticed; a stop takes 10 s at most. */
  DRAIN_SECONDS: whole(0, 5).default(0),
  /** Requests a minute for one client or user, and for one address without a token. */
  RATE_LIMIT: count.default(6000),
  RATE_LIMIT_ANONYMOUS: count.default(600),
  PRACTICE_LIMITS: practiceLimits.default(PRACTICE_LIMITS),
  /** Storage of uploaded files: DATA_DIR/files, or a bucket of S3 or of a compatible server. */
  TRIPTYCH_FILES: z.enum(['local', 's3'], 'must be local or s3').default('local'),
  FILES_S3_BUCKET: z.string().optional(),
  FILES_S3_REGION: z.string().default('us-east-1'),
  FILES_S3_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' }).optional(),
  /** Both or none; without them the SDK searches for credentials in its usual places. */
  FILES_S3_ACCESS_KEY_ID: z.string().optional(),
  FILES_S3_SECRET_ACCESS_KEY: z.string().optional(),
  /** Seconds without progress after which an upload or download of a file is aborted. */
  TRANSFER_IDLE_SECONDS: whole(1, 3_600).default(30),
  /** Place outside of the database to which the heads of the audit are written every hour, signed. */
  AUDIT_ANCHOR: z
    .string()
    .regex(/^(file:\/.+|s3:\/\/[^/]+(\/.*)?)$/, 'must have the form file:/path or s3://bucket/prefix')
    .optional(),
  /** Days for which the bucket keeps each of them from being deleted. */
  AUDIT_ANCHOR_DAYS: whole(1, 36_500).default(365),
  /** The keys of backups, written as MASTER_KEYS are; without them the master keys encrypt backups too. */
  BACKUP_KEY: masterKeys.optional(),
  /** A folder, or s3://bucket/prefix, in which processes that run jobs make backups. Without it none are made but at the command line. */
  BACKUP_TO: z.string().refine(isPlace, NOT_A_PLACE).optional(),
  /** Seconds between two of them. */
  BACKUP_EVERY: z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a number of minutes, hours or days, such as 24h')
    .transform((text) => Number(text.slice(0, -1)) * (text.endsWith('m') ? 60 : text.endsWith('h') ? 3_600 : 86_400))
    .default(86_400),
  /** Number of whole ones that remain. */
  BACKUP_KEEP: whole(1, 10_000).default(14),
  /** Failed sign-ins in fifteen minutes after which an account, or an address, has to wait. */
  SIGN_IN_FAILURES_ACCOUNT: count.default(10),
  SIGN_IN_FAILURES_ADDRESS: count.default(50),
  /** Whether mails remain in the database, where the sandbox shows them. Production has to say so where it has no mail server. */
  TRIPTYCH_MAIL: z.enum(['local'], 'must be local, or unset if SMTP_URL is a mail server').optional(),
  /** The mail server; without one, mails are as with TRIPTYCH_MAIL=local. */
  SMTP_URL: z.string().refine(isMailServer, 'must have the form smtps://user:password@host:port or smtp://…').optional(),
  /** Sender address of mails. */
  MAIL_FROM: z.email('must be a mail address').optional(),
  ...ROOMS,
  ...CARRIER,
  ...OF_TESTS,
  /** VAPID keys for push services, public:private; by default generated on first use. */
  VAPID_KEYS: z
    .string()
    .regex(/^[\w-]{87}:[\w-]{43}$/, 'must have the form public:private, with keys from npx web-push generate-vapid-keys')
    .optional(),
  /**
   * Whether requests to addresses that somebody gave us (push endpoints, key sets, identity providers) may go to private
   * addresses and over http: in development by default, for tests, and for services in a network of one's own.
   */
  ALLOW_PRIVATE_ADDRESSES: flag.optional(),
  /** The bearer token that /metrics asks for. */
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  ...TRACING,
  /** A port of its own for /metrics, which then has no other. */
  METRICS_PORT: whole(0, 65_535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** Port of a worker for its health and metrics; without it a worker listens on none. */
  WORKER_PORT: whole(0, 65_535).optional(),
  WORKER_HOST: z.string().default('127.0.0.1'),
  /** Whether /docs and the OpenAPI documents are served. */
  TRIPTYCH_DOCS: z.enum(['on', 'off'], 'must be on or off').default('on'),
});

/** Whether a process may have a sandbox: in development, and where it is asked for. Tests have it for the practices that they name. */
export const mayHaveSandbox = ({ SANDBOX, NODE_ENV }: Pick<Config, 'SANDBOX' | 'NODE_ENV'>): boolean =>
  SANDBOX === 'on' || NODE_ENV === 'development';

/** The names of an operator's variables. Those of secrets also exist with `_FILE` (secret-files.ts). */
export const VARIABLES: readonly string[] = Object.keys(environment.shape).filter((name) => !(name in OF_TESTS));
const KNOWN = [...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`)];

export type Config = Omit<z.output<typeof environment>, 'MASTER_KEYS' | 'ALLOW_PRIVATE_ADDRESSES'> & {
  /** Empty where none are given, and none are in DATA_DIR yet. */
  MASTER_KEYS: MasterKey[];
  ALLOW_PRIVATE_ADDRESSES: boolean;
};

export type DatabaseConfig = Pick<Config, 'DATABASE_URL' | 'DATABASE_OWNER_URL' | 'DATABASE_DIRECT_URL' | 'DATA_DIR'>;

export type KeyConfig = Pick<Config, 'MASTER_KEYS' | 'LOST_MASTER_KEY_IDS' | 'DATA_DIR'>;

type Environment = Record<string, string | undefined>;

/**
 * Reads the environment once, at start. Empty variables count as unset.
 * In production the secrets, the address of the server and the way of its mails must be given; elsewhere the secrets are
 * those in DATA_DIR, where a process that has looked into its database makes them (startup/open-keys.ts).
 * @throws ConfigError naming each variable that is missing, malformed, weak or misspelt, never its value
 */
export function readConfig(env: Environment): Config {
  const { MASTER_KEYS: keys, ...given } = parse(environment, env);
  const config = { ...given, ALLOW_PRIVATE_ADDRESSES: given.ALLOW_PRIVATE_ADDRESSES ?? given.NODE_ENV === 'development' };
  config.DATA_DIR = resolve(config.DATA_DIR);
  requireCompanions(config);
  if (config.NODE_ENV === 'production') requireForProduction({ ...config, MASTER_KEYS: keys });
  return { ...config, MASTER_KEYS: keys ?? readFolderKeys(config.DATA_DIR) };
}

const databaseEnvironment = environment.pick({
  DATABASE_URL: true,
  DATABASE_OWNER_URL: true,
  DATABASE_DIRECT_URL: true,
  DATA_DIR: true,
  LOST_MASTER_KEY_IDS: true,
});
const keyEnvironment = environment.pick({ MASTER_KEYS: true });

/**
 * Reads the variables of the database alone, for a migration: it needs no secrets, and looks whether those that there are open it.
 * @throws ConfigError as readConfig
 */
export function readDatabaseConfig(env: Environment): DatabaseConfig & KeyConfig {
  const given = parse(databaseEnvironment, env);
  requireAddresses(given);
  const config = { ...given, DATA_DIR: resolve(given.DATA_DIR) };
  return { ...config, MASTER_KEYS: usableKeys(env) ?? readFolderKeys(config.DATA_DIR) };
}

/** A migration may have no access to the keys that the servers have. */
function usableKeys(env: Environment): MasterKey[] | undefined {
  try {
    return parse(keyEnvironment, env).MASTER_KEYS;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function parse<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const given = Object.entries(withSecretFiles(env, Object.keys(schema.shape)));
  const set = Object.fromEntries(given.flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])));
  const parsed = schema.safeParse(set);
  const sentences = complainOfUnknown(set, KNOWN);
  if (parsed.success && sentences.length === 0) return parsed.data;
  for (const issue of parsed.error?.issues ?? []) sentences.push(`${String(issue.path[0])}: ${issue.message}`);
  throw new ConfigError([...new Set(sentences)].join('\n'));
}

type Settings = Omit<Config, 'MASTER_KEYS'>;

/** Variables that are required where another one has a certain value. */
function requireCompanions(config: Settings): void {
  const { TRIPTYCH_CARRIER, TRIPTYCH_FILES, ICE_SERVERS, SMTP_URL, TELEHEALTH } = config;
  requireAddresses(config);
  requireAll(config, TRIPTYCH_FILES === 's3' && 'TRIPTYCH_FILES is s3', ['FILES_S3_BUCKET']);
  const missing = (['FILES_S3_ACCESS_KEY_ID', 'FILES_S3_SECRET_ACCESS_KEY'] as const).filter((name) => config[name] === undefined);
  if (missing.length === 1) throw new ConfigError(`${missing[0]}: must be set together with the other credential`);
  requireAll(config, TRIPTYCH_CARRIER === 'twilio' && 'TRIPTYCH_CARRIER is twilio', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN']);
  const account = ['LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'] as const;
  requireAll(config, TELEHEALTH === 'livekit' && 'TELEHEALTH is livekit', account);
  const needsSecret = (ICE_SERVERS ?? []).some((url) => url.startsWith('turn'));
  requireAll(config, needsSecret && 'ICE_SERVERS names a TURN server', ['TURN_SECRET']);
  requireAll(config, SMTP_URL !== undefined && 'SMTP_URL is set: the sender address of mails', ['MAIL_FROM']);
  if (SMTP_URL !== undefined && config.TRIPTYCH_MAIL === 'local')
    throw new ConfigError('TRIPTYCH_MAIL: must not be local if SMTP_URL is a mail server');
  if (config.METRICS_PORT === config.PORT && config.PORT !== 0)
    throw new ConfigError(
      `METRICS_PORT: must be another port than PORT, which is ${config.PORT}; without METRICS_PORT, /metrics is served with the APIs`,
    );
}

/** @param condition under which the variables are required, in words; false where they are not */
function requireAll(config: Settings, condition: string | false, names: readonly (keyof Settings)[]): void {
  const missing = condition === false ? [] : names.filter((name) => config[name] === undefined);
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name}: must be set if ${condition}`).join('\n'));
}
