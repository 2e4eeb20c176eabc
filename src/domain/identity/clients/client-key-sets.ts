import type { JWK } from 'jose';
import { usableKeys } from './client-keys.ts';

/** A set is read again after ten minutes, so that a key that its owner has withdrawn is refused by then. */
const FRESH_MS = 10 * 60_000;
/** Milliseconds between two requests to one address, whether the first succeeded or not. */
const BETWEEN_REQUESTS_MS = 60_000;
const MAX_SETS = 1_000;

/** The key sets that clients keep at addresses of their own. */
export interface ClientKeySets {
  /**
   * The keys of a set. Keys of up to ten minutes ago are taken as they are, unless none of them has the wanted id.
   * @param kid the id of the key that is looked for
   * @returns null where the set cannot be read
   */
  find(address: string, kid: string | undefined): Promise<JWK[] | null>;
}

interface KnownSet {
  keys: JWK[] | null;
  readAt: number;
  askedAt: number;
  reading: Promise<void> | null;
}

/**
 * @param fetch that sends requests to public addresses alone, and ends within 5 s
 * @param onFailure is told of an address that gave no set
 * @param now milliseconds of a clock that is never set back
 */
export function createClientKeySets(
  fetch: (address: string, init: { headers: Record<string, string> }) => Promise<Response>,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): ClientKeySets {
  const sets = new Map<string, KnownSet>();

  async function read(address: string, set: KnownSet): Promise<void> {
    set.askedAt = now();
    try {
      const response = await fetch(address, { headers: { accept: 'application/jwk-set+json, application/json' } });
      if (response.status !== 200) throw new Error(`a key set was answered with ${response.status}`);
      const keys = usableKeys(await response.json());
      [set.keys, set.readAt] = [keys, set.askedAt];
    } catch (error) {
      onFailure(error);
    }
  }

  function recall(address: string): KnownSet {
    const known = sets.get(address);
    if (known) return known;
    const [oldest] = sets.keys();
    if (oldest !== undefined && sets.size >= MAX_SETS) sets.delete(oldest);
    const set: KnownSet = { keys: null, readAt: Number.NEGATIVE_INFINITY, askedAt: Number.NEGATIVE_INFINITY, reading: null };
    sets.set(address, set);
    return set;
  }

  return {
    async find(address, kid) {
      const set = recall(address);
      const isFresh = () => now() - set.readAt < FRESH_MS;
      const hasKey = () => isFresh() && set.keys !== null && (kid === undefined || set.keys.some((key) => key.kid === kid));
      if (!hasKey() && (set.reading || now() - set.askedAt >= BETWEEN_REQUESTS_MS)) {
        set.reading ??= read(address, set).finally(() => {
          set.reading = null;
        });
        await set.reading;
      }
      return isFresh() ? set.keys : null;
    },
  };
}
