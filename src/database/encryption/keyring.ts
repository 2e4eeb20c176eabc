import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { MasterKey } from '../../config/master-keys.ts';

/** The row and column of an encrypted value, which opens nowhere else: not in another row, column, table or practice. */
export interface Cell {
  table: string;
  column: string;
  /** Null for rows of the server, and for what is not stored. */
  organizationId: number | null;
  /** The name of the row in its table: its id. */
  row: string | number;
}

/**
 * Encryption and MACs under the master keys. Every value contains the id of its key, so that keys can rotate: the first of
 * MASTER_KEYS is used for new values, the others still decrypt old ones. A purpose ("signing-key", "audit" …) separates uses: a
 * value for one purpose cannot be decrypted for another. The cell is authenticated with the value.
 */
export interface Keyring {
  currentId: string;
  /** Ids of all master keys, the current one first. */
  ids: readonly string[];
  /** Whether nobody has the key of that id any more (LOST_MASTER_KEY_IDS). */
  isLost(keyId: string): boolean;
  /** AES-256-GCM. @returns `id.v2.iv.ciphertext.tag`, the last three in base64url */
  encrypt(purpose: string, plaintext: string, cell: Cell): string;
  /** @throws KeyringError when the value was altered or moved, encrypted for another purpose, or under a key that is not configured */
  decrypt(purpose: string, value: string, cell: Cell): string;
  /** HMAC-SHA-256 under the named key, else the current one. */
  mac(purpose: string, data: Buffer | string, keyId?: string): Buffer;
}

export class KeyringError extends Error {
  /** The cell whose value does not open; it may be logged, since it names no value. */
  readonly cell: Cell | undefined;
  /** The id of the master key that is not among MASTER_KEYS. */
  readonly missingKey: string | undefined;
  constructor(message: string, cell?: Cell, missingKey?: string) {
    super(message);
    this.cell = cell;
    this.missingKey = missingKey;
  }
}

/** @param lostIds of keys that nobody has any more */
export function createKeyring(masterKeys: readonly MasterKey[], lostIds: readonly string[] = []): Keyring {
  const [current] = masterKeys;
  if (!current) throw new KeyringError('there is no master key');
  // Key objects, not bytes: a hash under bytes takes five times as long, and the audit is sealed by one for each row.
  const derived = new Map<string, KeyObject>();

  function keyFor(purpose: string, id: string, cell?: Cell): KeyObject {
    const name = `${id}/${purpose}`;
    const known = derived.get(name);
    if (known) return known;
    const master = masterKeys.find((candidate) => candidate.id === id);
    if (!master) throw new KeyringError(`the master key "${id}" is not among MASTER_KEYS`, cell, id);
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', master.key, '', `triptych/${purpose}`, 32)));
    derived.set(name, key);
    return key;
  }

  return {
    currentId: current.id,
    ids: masterKeys.map(({ id }) => id),
    isLost: (keyId) => lostIds.includes(keyId) && masterKeys.every(({ id }) => id !== keyId),
    encrypt(purpose, plaintext, cell) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose, current.id), iv);
      cipher.setAAD(associatedData(cell));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return [current.id, FORM, ...[iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt(purpose, value, cell) {
      const [id = '', form, ...parts] = value.split('.');
      const key = keyFor(purpose, id, cell);
      if (form !== FORM) throw new KeyringError(`a value for "${purpose}" is in a form that is not in use`, cell);
      return explainDecryption(purpose, () => open(key, parts, cell), cell);
    },
    mac(purpose, data, keyId = current.id) {
      return createHmac('sha256', keyFor(purpose, keyId)).update(data).digest();
    },
  };
}

/** The second part of a value. */
const FORM = 'v2';

const associatedData = ({ table, column, organizationId, row }: Cell): Buffer =>
  Buffer.from(JSON.stringify([FORM, table, column, organizationId, String(row)]));

function open(key: KeyObject, parts: string[], cell: Cell): string {
  const [iv, ciphertext, tag] = decodeParts(parts);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 });
  decipher.setAAD(associatedData(cell));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}

function explainDecryption(purpose: string, opened: () => string, cell: Cell): string {
  try {
    return opened();
  } catch {
    throw new KeyringError(`a value for "${purpose}" does not open with its key in its cell`, cell);
  }
}

/** The three parts of a value. Base64 has several encodings of the same bytes; only the canonical one is accepted. */
function decodeParts(parts: string[]): [Buffer, Buffer, Buffer] {
  const [iv, ciphertext, tag, ...more] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (!iv || !ciphertext || !tag || more.length > 0) throw new KeyringError('a value has three parts');
  if ([iv, ciphertext, tag].some((bytes, index) => bytes.toString('base64url') !== parts[index]))
    throw new KeyringError('a value is misspelt');
  return [iv, ciphertext, tag];
}
