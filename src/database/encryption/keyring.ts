import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { MasterKey } from '../../config/master-keys.ts';

/** The place of an encrypted value. It opens nowhere else: not in another row, column, table or practice. */
export interface SealedPlace {
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
 * value for one purpose cannot be decrypted for another. The place is authenticated with the value.
 */
export interface Keyring {
  currentId: string;
  /** Ids of all master keys, the current one first. */
  ids: readonly string[];
  /** Whether nobody has the key of that id any more (LOST_MASTER_KEY_IDS). */
  isLost(keyId: string): boolean;
  /** AES-256-GCM. @returns `id.v2.iv.ciphertext.tag`, the last three in base64url */
  encrypt(purpose: string, plaintext: string, place: SealedPlace): string;
  /**
   * @throws KeyringError when the value was altered or moved, encrypted for another purpose, or under a key that is not
   *   configured
   */
  decrypt(purpose: string, value: string, place: SealedPlace): string;
  /** HMAC-SHA-256 under the named key, else the current one. */
  mac(purpose: string, data: Buffer | string, keyId?: string): Buffer;
}

export class KeyringError extends Error {
  /** Where the value stands that does not open; it names no value, and may be logged. */
  readonly place: SealedPlace | undefined;
  constructor(message: string, place?: SealedPlace) {
    super(message);
    this.place = place;
  }
}

/** @param lostIds of keys that nobody has any more */
export function createKeyring(masterKeys: readonly MasterKey[], lostIds: readonly string[] = []): Keyring {
  const [current] = masterKeys;
  if (!current) throw new KeyringError('there is no master key');
  // Key objects, not bytes: a hash under bytes takes five times as long, and the audit is sealed by one for each row.
  const derived = new Map<string, KeyObject>();

  function keyFor(purpose: string, id: string, place?: SealedPlace): KeyObject {
    const name = `${id}/${purpose}`;
    const known = derived.get(name);
    if (known) return known;
    const master = masterKeys.find((candidate) => candidate.id === id);
    if (!master) throw new KeyringError(`the master key "${id}" is not among MASTER_KEYS`, place);
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', master.key, '', `triptych/${purpose}`, 32)));
    derived.set(name, key);
    return key;
  }

  return {
    currentId: current.id,
    ids: masterKeys.map(({ id }) => id),
    isLost: (keyId) => lostIds.includes(keyId) && masterKeys.every(({ id }) => id !== keyId),
    encrypt(purpose, plaintext, place) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose, current.id), iv);
      cipher.setAAD(bytesOfPlace(place));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return [current.id, FORM, ...[iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt(purpose, value, place) {
      const [id = '', form, ...parts] = value.split('.');
      const key = keyFor(purpose, id, place);
      if (form !== FORM) throw new KeyringError(`a value for "${purpose}" is in a form that is not in use`, place);
      return explained(purpose, () => open(key, parts, place), place);
    },
    mac(purpose, data, keyId = current.id) {
      return createHmac('sha256', keyFor(purpose, keyId)).update(data).digest();
    },
  };
}

/** The second part of a value. */
const FORM = 'v2';

const bytesOfPlace = ({ table, column, organizationId, row }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([FORM, table, column, organizationId, String(row)]));

function open(key: KeyObject, parts: string[], place: SealedPlace): string {
  const [iv, ciphertext, tag] = bytesOf(parts);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 });
  decipher.setAAD(bytesOfPlace(place));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}

function explained(purpose: string, opened: () => string, place: SealedPlace): string {
  try {
    return opened();
  } catch {
    throw new KeyringError(`a value for "${purpose}" does not open with its key in its place`, place);
  }
}

/** The three parts of a value. Base64 has several encodings of the same bytes; only the canonical one is accepted. */
function bytesOf(parts: string[]): [Buffer, Buffer, Buffer] {
  const [iv, ciphertext, tag, ...more] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (!iv || !ciphertext || !tag || more.length > 0) throw new KeyringError('a value has three parts');
  if ([iv, ciphertext, tag].some((bytes, index) => bytes.toString('base64url') !== parts[index]))
    throw new KeyringError('a value is misspelt');
  return [iv, ciphertext, tag];
}
