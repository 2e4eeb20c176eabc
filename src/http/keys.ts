import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { ensureSigningKey, liveSigningKeys, type PublicJwk, type SigningKey, toJwk } from '../domain/identity/signing-keys.ts';

/** How soon every process signs with a rotated key, and forgets one that verifies no more. */
const FRESH_MS = 2_000;
/** An unknown key id makes the keys be read anew, at most this often. */
const UNKNOWN_MS = 1_000;
/** Key ids that were looked for in vain; nobody makes a key with an id that a stranger has written before. */
const MOST_STRANGERS = 1_000;

/** A key that signs, and the private half in PEM to do it with. */
export interface Signer {
  id: string;
  privatePem: string;
}

/** The signing keys of this moment, in memory; rotation by another process is noticed without a restart. */
export interface Keys {
  signing(): Promise<Signer>;
  /** The key of an id, whichever process made it and however short a time ago; null for a stranger's. */
  find(id: string): Promise<SigningKey | null>;
  jwks(): Promise<{ keys: PublicJwk[] }>;
}

export function createKeys(prisma: Database['prisma'], keyring: Keyring): Keys {
  const { recent, readAgain } = createKeyReader(prisma, keyring);
  const strangers = new Set<string>();

  return {
    async signing() {
      const key = (await recent()).find(({ retired }) => !retired);
      if (!key?.privatePem) throw new Error('there is no signing key that opens with MASTER_KEYS');
      return { id: key.id, privatePem: key.privatePem };
    },
    async find(id) {
      const known = (await recent()).find((key) => key.id === id);
      if (known || strangers.has(id)) return known ?? null;
      const found = (await readAgain()).find((key) => key.id === id);
      if (!found) remember(strangers, id);
      return found ?? null;
    },
    async jwks() {
      return { keys: (await recent()).map(toJwk) };
    },
  };
}

/** Reads the keys, one reading at a time for all who ask. Ages are told by a clock that is never set back. */
function createKeyReader(prisma: Database['prisma'], keyring: Keyring) {
  let live: SigningKey[] = [];
  let begunAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<SigningKey[]> | null = null;
  let next: Promise<SigningKey[]> | null = null;

  async function read(): Promise<SigningKey[]> {
    const at = performance.now();
    let keys = await liveSigningKeys(prisma, keyring);
    if (keys.every(({ retired }) => retired)) {
      await prisma.$transaction((tx) => ensureSigningKey(tx, keyring));
      keys = await liveSigningKeys(prisma, keyring);
    }
    [live, begunAt] = [keys, at];
    return keys;
  }

  function readNow(): Promise<SigningKey[]> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  return {
    recent: async () => (performance.now() - begunAt < FRESH_MS ? live : readNow()),
    /** What a reading shows that begins after this call, so that it sees a key that was made before it. */
    readAgain(): Promise<SigningKey[]> {
      next ??= (async () => {
        do {
          await reading?.catch(() => {});
          await sleep(Math.max(0, begunAt + UNKNOWN_MS - performance.now()));
        } while (reading);
        next = null;
        return readNow();
      })();
      return next;
    },
  };
}

function remember(ids: Set<string>, id: string): void {
  const [oldest] = ids;
  if (oldest !== undefined && ids.size >= MOST_STRANGERS) ids.delete(oldest);
  ids.add(id);
}

/** What @fastify/jwt must be given at start. Keys rotate, so each call names its own (tokens.ts); these are never used or kept. */
export function unusedKeys(): { private: string; public: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { private: privateKey, public: publicKey };
}
