import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createSemaphore } from '../values/semaphore.ts';

/** OWASP's second choice for Argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashing fills a core and 19 MiB; more at once than cores would only starve the other requests. It also holds one of
 * Node's four pool threads, of which one is left for files and name look-ups.
 */
const SLOTS = Math.max(1, Math.min(availableParallelism() - 1, 3));
/** Who comes when so many wait would wait for seconds; better told to come again. */
const LONGEST_QUEUE = 100;

const semaphore = createSemaphore({
  slots: SLOTS,
  longestQueue: LONGEST_QUEUE,
  tooMany: 'Too many people are signing in at this moment. Try again in a moment.',
});

/** What hashing does now, and how many hashes this process has made or compared. */
export const hashingLoad = semaphore.load;

/**
 * The Argon2id hash of a password or a client secret.
 * @throws Failure unavailable when a hundred others wait already
 */
export const hashSecret = (secret: string): Promise<string> => semaphore.run(() => hash(secret, ARGON2ID));

/**
 * Whether a secret is the one that was hashed. With no hash to compare (an unknown account) it makes one, which takes
 * just as long, and answers false, so that time tells nothing.
 * @throws Failure unavailable when a hundred others wait already
 */
export async function verifySecret(stored: string | null, secret: string): Promise<boolean> {
  if (stored !== null) return semaphore.run(() => verify(stored, secret).catch(() => false));
  await hashSecret(secret);
  return false;
}

/** A secret of 192 random bits, for people to copy once. */
export const newSecret = (): string => randomBytes(24).toString('base64url');

/** What is stored of a token that is random by itself. */
export const hashToken = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(createHash('sha256').update(token).digest());
