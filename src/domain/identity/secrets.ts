import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

/** OWASP's second choice for Argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashing fills a core and 19 MiB; more at once than cores would only starve the other requests. */
const slots = Math.max(1, availableParallelism() - 1);
let busy = 0;
const queue: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= slots) await new Promise<void>((resolve) => queue.push(resolve));
  else busy += 1;
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next) next();
    else busy -= 1;
  }
}

/** The Argon2id hash of a password or a client secret. */
export const hashSecret = (secret: string): Promise<string> => inTurn(() => hash(secret, ARGON2ID));

/**
 * Whether a secret is the one that was hashed. With no hash to compare (an unknown account) it works just as long and
 * answers false, so that time tells nothing.
 */
export async function verifySecret(stored: string | null, secret: string): Promise<boolean> {
  const against = stored ?? (await decoy());
  const same = await inTurn(() => verify(against, secret).catch(() => false));
  return stored !== null && same;
}

let decoyHash: Promise<string> | undefined;
function decoy(): Promise<string> {
  decoyHash ??= hashSecret(randomBytes(18).toString('base64url'));
  return decoyHash;
}

/** A secret of 192 random bits, for people to copy once. */
export const newSecret = (): string => randomBytes(24).toString('base64url');

/** What is stored of a token that is random by itself. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
