import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { createKeyring, type Keyring } from '../database/encryption/keyring.ts';
import { Failure } from '../domain/errors.ts';
import { BACKUP_ID } from './places/backup-place.ts';

/** Name of the file that makes a backup whole: it is written last. */
export const MANIFEST = 'manifest.json';
/** Rows of a table from which on progress names it. */
export const REPORTED_ROWS = 100_000;
/** The form of backups that this program makes and reads. */
export const FORM = 1;

/** A stored file of a backup: its length and SHA-256 as they lie there, encrypted. */
const part = z.object({ part: z.string().regex(/^[a-z0-9._-]{1,120}$/), bytes: z.number(), sha256: z.string() });

const manifest = z.object({
  form: z.literal(FORM),
  id: z.string().regex(BACKUP_ID),
  /** The instant of the snapshot. */
  at: z.iso.datetime(),
  /** Versions of this program and of PostgreSQL. */
  version: z.string(),
  postgresql: z.string(),
  /** Names of the applied migrations, oldest first. */
  migrations: z.array(z.string()),
  /** A transaction number that no row of the logs in the snapshot reaches, nor any position in them that was handed out before. */
  log_position: z.string().regex(/^\d{1,18}$/),
  tables: z.array(part.extend({ schema: z.string(), name: z.string(), columns: z.array(z.string()), rows: z.number() })),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), last_value: z.string().regex(/^\d{1,19}$/) })),
  /** The partitions of the logs without the default one. Left out where the logs are not divided yet. */
  log_partitions: z
    .array(
      z.object({
        log: z.enum(['audit_entry', 'client_request', 'event']),
        name: z.string().regex(/^[a-z0-9_]{1,63}$/),
        /** Rows are not before it; null where they begin with the first one. */
        lower: z.iso.datetime({ offset: true }).nullable(),
        /** Rows are before it. */
        upper: z.iso.datetime({ offset: true }),
      }),
    )
    .optional(),
  /** The newest link of each organization's audit chain: position and hash with a colon between. */
  audit_heads: z.array(z.object({ organization_id: z.number(), head: z.string() })),
  files: z.object({
    count: z.number(),
    packs: z.array(part),
    /** Keys of files that the snapshot names, and whose content was gone or is not what was stored. */
    faulty: z.array(z.object({ key: z.string(), fault: z.enum(['missing', 'altered']) })),
  }),
  /** Ids of the master keys that open values in the backup. Seals of the audit that older keys made are verified with those alone. */
  master_keys: z.array(z.string()),
  /** The key that encrypts the backup: of BACKUP_KEY, or of MASTER_KEYS where there is none. */
  key: z.object({ from: z.enum(['BACKUP_KEY', 'MASTER_KEYS']), id: z.string(), salt: z.string() }),
});

export type Manifest = z.output<typeof manifest>;

const storedManifest = manifest.extend({ mac: z.string() });
/** A manifest whose code was not checked: anybody who can write to the place may have written it. */
export type StoredManifest = z.output<typeof storedManifest>;
export type BackupTable = Manifest['tables'][number];
export type Part = z.output<typeof part>;

/** The keys of backups: those of BACKUP_KEY for new ones where it is set, else the master keys. Either may open old ones. */
export interface BackupKeys {
  current: Manifest['key']['from'];
  keyrings: Record<Manifest['key']['from'], Keyring | null>;
}

export function createBackupKeys({ BACKUP_KEY, MASTER_KEYS }: Pick<Config, 'BACKUP_KEY' | 'MASTER_KEYS'>): BackupKeys {
  const own = BACKUP_KEY ? createKeyring(BACKUP_KEY) : null;
  const master = MASTER_KEYS.length > 0 ? createKeyring(MASTER_KEYS) : null;
  return { current: own ? 'BACKUP_KEY' : 'MASTER_KEYS', keyrings: { BACKUP_KEY: own, MASTER_KEYS: master } };
}

export function newKey(keys: BackupKeys): Manifest['key'] {
  return { from: keys.current, id: requireKeyring(keys, keys.current).currentId, salt: randomBytes(32).toString('base64url') };
}

/** The key of one stored file; each has its own. */
export function partKey(keys: BackupKeys, { key: { from, id, salt } }: Pick<Manifest, 'key'>, name: string): Buffer {
  return requireKeyring(keys, from).mac('backup', Buffer.from(`${salt}/${name}`), id);
}

function requireKeyring({ keyrings }: BackupKeys, from: Manifest['key']['from']): Keyring {
  const keyring = keyrings[from];
  if (keyring === null) throw unreadable(`It is encrypted under ${from}, which is missing.`);
  return keyring;
}

export function writeManifest(made: Manifest, keys: BackupKeys): string {
  // In the order of the shape, in which it is read again: the code covers the text.
  const content = manifest.parse(made);
  return `${JSON.stringify({ ...content, mac: signManifest(content, keys) }, null, 2)}\n`;
}

/** @returns null for what is damaged, or of a form that this program does not know */
export const parseManifest = (text: string): StoredManifest | null => storedManifest.safeParse(json(text)).data ?? null;

/** @throws Failure where this program, or these keys, cannot read the backup, and where its manifest was altered */
export function openManifest(stored: StoredManifest | null, keys: BackupKeys): Manifest {
  if (stored === null) throw unreadable('Its manifest is damaged, or in a format unknown to this version.');
  const { mac, ...content } = stored;
  const { from, id } = content.key;
  if (keys.keyrings[from]?.ids.includes(id) !== true)
    throw unreadable(`It is encrypted under the key "${id}" of ${from}, which is missing. Add it to ${from}.`);
  if (!timingSafeEqual(hash(mac), hash(signManifest(content, keys))))
    throw unreadable(`Its manifest was altered, or the key "${id}" of ${from} differs.`);
  return content;
}

export const unreadable = (sentence: string) => new Failure('unprocessable', 'backup_unreadable', `The backup cannot be used. ${sentence}`);

/**
 * @param lost ids of master keys that nobody has any more
 * @throws Failure where what is in the backup needs a master key that is not given
 */
export function requireMasterKeys({ master_keys }: Manifest, given: readonly string[], lost: readonly string[]): void {
  const missing = master_keys.filter((id) => !given.includes(id) && !lost.includes(id));
  if (missing.length === 0) return;
  throw new Failure(
    'unprocessable',
    'master_keys_missing',
    `The backup needs the master keys ${master_keys.join(', ')}, and MASTER_KEYS lacks ${missing.join(', ')}.`,
  );
}

const signManifest = (content: Manifest, keys: BackupKeys) =>
  requireKeyring(keys, content.key.from)
    .mac('backup-manifest', Buffer.from(JSON.stringify(content)), content.key.id)
    .toString('base64url');

const hash = (text: string) => createHash('sha256').update(text).digest();

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
