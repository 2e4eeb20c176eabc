import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createSemaphore } from '../values/semaphore.ts';

/** OWASP's second recommended configuration of Argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * One hash occupies a core and 19 MiB, so more than the cores at a time would only delay other requests. It also occupies
 * one of Node's four pool threads, of which one is left for files and name look-ups.
 */
const SLOTS = Math.max(1, Math.min(availableParallelism() - 1, 3));
/** Longer queues would take seconds; further callers are refused and may retry. */
const LONGEST_QUEUE = 100;

const semaphore = createSemaphore({
  slots: SLOTS,
  longestQueue: LONGEST_QUEUE,
  tooMany: 'Too many people are signing in. Try again in a moment.',
});

/** The present load of hashing, and the number of hashes that this process has computed. */
export const hashingLoad = semaphore.load;

/** The Argon2id hash of a password or a client secret. @throws Failure unavailable when 100 others are queued */
export const hashSecret = (secret: string): Promise<string> => semaphore.run(() => hash(secret, ARGON2ID));

/**
 * Whether a secret matches a stored hash. Without a hash (an unknown account) it computes one, which takes as long, and
 * returns false, so that the response time reveals nothing.
 * @throws Failure unavailable when 100 others are queued
 */
export async function verifySecret(stored: string | null, secret: string): Promise<boolean> {
  if (stored !== null) return semaphore.run(() => verify(stored, secret).catch(() => false));
  await hashSecret(secret);
  return false;
}

/** The form in which passwords are hashed: keyboards write the same letter in several ways. Nothing else is changed. */
export const normalizePassword = (password: string): string => password.normalize('NFC');

/** A secret of 192 random bits, shown once. */
export const newSecret = (): string => randomBytes(24).toString('base64url');

/** The stored form of a random token: its SHA-256. */
export const hashToken = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(createHash('sha256').update(token).digest());
