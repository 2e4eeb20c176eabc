import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../../database/keyring.ts';

/** What a row keeps of the codes that open it. */
export interface CodeState {
  codeHash: Uint8Array<ArrayBuffer> | null;
  codeExpiresAt: Date | null;
  /** Those of the last hour count. */
  codesSentAt: Date[];
  /** Typed instead of the code that stands. */
  wrongCodes: number;
  /** Since a right one. */
  wrongInAll: number;
}

const PURPOSE = 'one-time-code';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a code opens. */
export const CODE_MINUTES = 10;
export const MAX_CODES_PER_HOUR = 5;
/** So many wrong ones void the code that stands. */
export const MAX_GUESSES_PER_CODE = 5;
/** So many in a row, over however many codes, and no code opens any more (the bound of NIST SP 800-63B, 5.2.2). */
const MAX_GUESSES_IN_A_ROW = 100;

/** Whether there is a code that opens now. */
export const isCodeValid = ({ codeHash, codeExpiresAt }: CodeState, now: Date): boolean =>
  codeHash !== null && codeExpiresAt !== null && now < codeExpiresAt;

/** Guessed at for too long: no code helps any more. */
export const isLocked = ({ wrongInAll }: CodeState): boolean => wrongInAll >= MAX_GUESSES_IN_A_ROW;

/** When another code may be asked for; null where it may be now. */
export function nextCodeAllowedAt({ codesSentAt }: CodeState, now: Date): Date | null {
  const recent = ofLastHour(codesSentAt, now);
  const first = recent.at(-MAX_CODES_PER_HOUR);
  return first === undefined ? null : new Date(first.getTime() + HOUR_MS);
}

const ofLastHour = (times: Date[], now: Date): Date[] =>
  times.filter((time) => time.getTime() > now.getTime() - HOUR_MS).sort((one, other) => one.getTime() - other.getTime());

/**
 * A new code, which takes the place of the one before.
 * @param subject what it opens: a code of one thing opens no other
 * @returns six digits, of which only the hash may be stored; and what the row keeps
 */
export function createCode(keyring: Keyring, subject: string, state: CodeState, now: Date) {
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

/** What became of a code that somebody typed, and what the row keeps of that. */
export type CodeCheck =
  | { outcome: 'right' | 'wrong'; kept: Pick<CodeState, 'codeHash' | 'wrongCodes' | 'wrongInAll'> }
  /** There is none that opens. */
  | { outcome: 'none' };

/**
 * Compares a code with the one that stands, which opens once. Under the lock of the row, so that guesses at the same time
 * all count.
 */
export function checkCode(keyring: Keyring, subject: string, state: CodeState, typed: string, now: Date): CodeCheck {
  const { codeHash } = state;
  if (codeHash === null || !isCodeValid(state, now) || isLocked(state)) return { outcome: 'none' };
  // Under each key: the first one may have been changed since the code was made.
  const isRight = keyring.ids.some((id) => timingSafeEqual(keyring.mac(PURPOSE, `${subject}/${typed}`, id), codeHash));
  if (isRight) return { outcome: 'right', kept: { codeHash: null, wrongCodes: 0, wrongInAll: 0 } };
  const [wrongCodes, wrongInAll] = [state.wrongCodes + 1, state.wrongInAll + 1];
  return { outcome: 'wrong', kept: { codeHash: wrongCodes < MAX_GUESSES_PER_CODE ? codeHash : null, wrongCodes, wrongInAll } };
}
