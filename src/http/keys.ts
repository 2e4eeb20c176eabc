import { generateKeyPairSync } from 'node:crypto';
import type { Db } from '../database.ts';
import { liveSigningKeys, rotateSigningKey, type PublicJwk, type SigningKey, toJwk } from '../domain/identity/signing-keys.ts';
import type { Keyring } from '../keyring.ts';

/** How soon every process signs with a rotated key. */
const FRESH_MS = 30_000;
/** An unknown key id makes the keys be read anew, at most this often. */
const UNKNOWN_MS = 1_000;

/** The signing keys of this moment, in memory; rotation by another process is noticed without a restart. */
export interface Keys {
  signing(): Promise<SigningKey>;
  find(id: string): Promise<SigningKey | null>;
  jwks(): Promise<{ keys: PublicJwk[] }>;
}

export function createKeys(db: Db, keyring: Keyring): Keys {
  let live: SigningKey[] = [];
  let readAt = 0;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    live = await liveSigningKeys(db, keyring);
    if (live.length === 0) {
      await rotateSigningKey(db, keyring);
      live = await liveSigningKeys(db, keyring);
    }
    readAt = Date.now();
  }

  async function fresh(maxAge: number): Promise<SigningKey[]> {
    if (Date.now() - readAt >= maxAge) {
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    }
    return live;
  }

  return {
    async signing() {
      const [newest] = await fresh(FRESH_MS);
      if (!newest) throw new Error('there is no signing key');
      return newest;
    },
    async find(id) {
      const known = (await fresh(FRESH_MS)).find((key) => key.id === id) ?? (await fresh(UNKNOWN_MS)).find((key) => key.id === id);
      return known ?? null;
    },
    async jwks() {
      return { keys: (await fresh(FRESH_MS)).map(toJwk) };
    },
  };
}

/** What @fastify/jwt must be given at start. Keys rotate, so each call names its own (tokens.ts); these are never used or kept. */
export function unusedKeys(): { private: string; public: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { private: privateKey, public: publicKey };
}
