import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../../database/encryption/keyring.ts';

/** Columns of a row that is protected by one-time codes. */
export interface CodeState {
  codeHash: Uint8Array<ArrayBuffer> | null;
  codeExpiresAt: Date | null;
  /** Only those of the last hour count. */
  codesSentAt: Date[];
  /** Wrong guesses at the current code. */
  wrongCodes: number;
  /** Wrong guesses since the last right one. */
  wrongInAll: number;
}

const PURPOSE = 'one-time-code';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Validity of a code in minutes. */
export const CODE_MINUTES = 10;
export const MAX_CODES_PER_HOUR = 5;
export const MAX_GUESSES_PER_CODE = 5;
/** Consecutive wrong guesses, over any number of codes, after which no code is accepted (the bound of NIST SP 800-63B, 5.2.2). */
const MAX_GUESSES_IN_A_ROW = 100;

export const isCodeValid = ({ codeHash, codeExpiresAt }: CodeState, now: Date): boolean =>
  codeHash !== null && codeExpiresAt !== null && now < codeExpiresAt;

/** Locked after too many wrong guesses: no further code is accepted. */
export const isLocked = ({ wrongInAll }: CodeState): boolean => wrongInAll >= MAX_GUESSES_IN_A_ROW;

/** Time from which another code may be requested; null for now. */
export function nextCodeAllowedAt({ codesSentAt }: CodeState, now: Date): Date | null {
  const recent = ofLastHour(codesSentAt, now);
  const first = recent.at(-MAX_CODES_PER_HOUR);
  return first === undefined ? null : new Date(first.getTime() + HOUR_MS);
}

const ofLastHour = (times: Date[], now: Date): Date[] =>
  times.filter((time) => time.getTime() > now.getTime() - HOUR_MS).sort((one, other) => one.getTime() - other.getTime());

/**
 * Creates a code that replaces the previous one.
 * @param subject the protected object; a code for one object opens no other
 * @returns six digits, of which only the hash may be stored, and the columns to store
 */
export function createCode(keyring: Keyring, subject: string, state: Pick<CodeState, 'codesSentAt'>, now: Date) {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  return {
    code,
    kept: {
      codeHash: new Uint8Array(keyring.mac(PURPOSE, `${subject}/${code}`)),
      codeExpiresAt: new Date(now.getTime() + CODE_MINUTES * MINUTE_MS),
      codesSentAt: [...ofLastHour(state.codesSentAt, now), now],
      wrongCodes: 0,
    },
  };
}

/** Result of an entered code, and the columns to store. */
export type CodeCheck =
  | { outcome: 'right' | 'wrong'; kept: Pick<CodeState, 'codeHash' | 'wrongCodes' | 'wrongInAll'> }
  /** There is no valid code. */
  | { outcome: 'none' };

/** Compares an entered code with the current one, which works once. Call it with the row locked, so that concurrent guesses all count. */
export function checkCode(keyring: Keyring, subject: string, state: CodeState, typed: string, now: Date): CodeCheck {
  const { codeHash } = state;
  if (codeHash === null || !isCodeValid(state, now) || isLocked(state)) return { outcome: 'none' };
  // Tries every master key: the current one may have changed since the code was created.
  const isRight = keyring.ids.some((id) => timingSafeEqual(keyring.mac(PURPOSE, `${subject}/${typed}`, id), codeHash));
  if (isRight) return { outcome: 'right', kept: { codeHash: null, wrongCodes: 0, wrongInAll: 0 } };
  const [wrongCodes, wrongInAll] = [state.wrongCodes + 1, state.wrongInAll + 1];
  return { outcome: 'wrong', kept: { codeHash: wrongCodes < MAX_GUESSES_PER_CODE ? codeHash : null, wrongCodes, wrongInAll } };
}
