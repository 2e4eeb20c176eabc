import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { ensureSigningKey, liveSigningKeys, type PublicJwk, type SigningKey, toJwk } from '../../domain/identity/signing-keys.ts';

/** Milliseconds within which every process uses a rotated key, and drops an expired one. */
const FRESH_MS = 2_000;
/** An unknown key id makes the keys be read again, at most once in so many milliseconds. */
const UNKNOWN_MS = 1_000;
/** The number of unknown key ids that are remembered. Ids are random, so none of these becomes that of a key. */
const MAX_UNKNOWN_IDS = 1_000;

/** A key that signs, and the private half in PEM to do it with. */
export interface Signer {
  id: string;
  privatePem: string;
}

/** The current signing keys, in memory; a rotation by another process is noticed without a restart. */
export interface Keys {
  signing(): Promise<Signer>;
  /** The key with an id, also where another process made it a moment ago; null for an unknown one. */
  find(id: string): Promise<SigningKey | null>;
  jwks(): Promise<{ keys: PublicJwk[] }>;
}

export function createKeys(prisma: Database['prisma'], keyring: Keyring): Keys {
  const { recent, readAgain } = createKeyReader(prisma, keyring);
  const unknownIds = new Set<string>();

  return {
    async signing() {
      const key = (await recent()).find(({ retired }) => !retired);
      if (!key?.privatePem) throw key?.flaw ?? new Error('there is no signing key');
      return { id: key.id, privatePem: key.privatePem };
    },
    async find(id) {
      const known = (await recent()).find((key) => key.id === id);
      if (known || unknownIds.has(id)) return known ?? null;
      const found = (await readAgain()).find((key) => key.id === id);
      if (!found) remember(unknownIds, id);
      return found ?? null;
    },
    async jwks() {
      return { keys: (await recent()).map(toJwk) };
    },
  };
}

/** Reads the keys, with one query at a time for all callers. Ages are measured with the monotonic clock. */
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
    /** The keys read by a query that begins after this call, so that it finds every key made before. */
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
  if (oldest !== undefined && ids.size >= MAX_UNKNOWN_IDS) ids.delete(oldest);
  ids.add(id);
}

/** A key pair that @fastify/jwt requires at start. Each call names its own key (tokens.ts); this one is never used or stored. */
export function unusedKeys(): { private: string; public: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { private: privateKey, public: publicKey };
}
