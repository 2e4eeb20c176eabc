import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The 100,000 commonest passwords: the first bytes of the SHA-256 of each, in order. Made by scripts/common-passwords.ts. */
export const COMMON_PASSWORDS_FILE = new URL('common-passwords.bin', import.meta.url);
/** A password that is not in the list is taken for one of it once in ten million times. */
export const KEY_BYTES = 5;

/** The key of a password in the list, without regard to case. */
export const commonPasswordKey = (password: string): Buffer =>
  createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().subarray(0, KEY_BYTES);

let list: Promise<Buffer> | undefined;

/** Whether a password is one of the 100,000 commonest, or one of them repeated, without regard to case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  const repeated = repeatedPart(password);
  return (await isListed(password)) || (repeated !== null && (await isListed(repeated)));
}

/** The part that a password repeats, with whatever separates it and up to four digits after it; null where it repeats nothing. */
function repeatedPart(password: string): string | null {
  const plain = password.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return /^(.{3,}?)\1+\d{0,4}$/u.exec(plain)?.[1] ?? null;
}

/** The list is read once, when it is first needed. */
async function isListed(password: string): Promise<boolean> {
  list ??= readFile(COMMON_PASSWORDS_FILE);
  const keys = await list;
  const key = commonPasswordKey(password);
  let [low, high] = [0, keys.length / KEY_BYTES - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = keys.compare(key, 0, KEY_BYTES, middle * KEY_BYTES, (middle + 1) * KEY_BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
