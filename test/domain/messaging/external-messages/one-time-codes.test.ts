import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../../../src/database/encryption/keyring.ts';
import {
  type CodeState,
  checkCode,
  createCode,
  isCodeValid,
  isLocked,
  nextCodeAllowedAt,
} from '../../../../src/domain/messaging/external-messages/one-time-codes.ts';

const [older, newer] = ['older', 'newer'].map((id) => ({ id, key: randomBytes(32) }));
if (!older || !newer) throw new Error('two keys');
const keyring = createKeyring([older]);

const NOON = new Date('2026-11-21T12:00:00Z');
const minutesOn = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
const fresh: CodeState = { codeHash: null, codeExpiresAt: null, codesSentAt: [], wrongCodes: 0, wrongInAll: 0 };
const SUBJECT = 'message/1/7';

/** A state with a code, and another code that differs from it. */
function coded(state: CodeState = fresh, now = NOON) {
  const { code, kept } = createCode(keyring, SUBJECT, state, now);
  return { code, wrong: code === '000000' ? '000001' : '000000', state: { ...state, ...kept } };
}

/** Enters codes one after another. */
function type(state: CodeState, codes: string[], now = NOON) {
  const outcomes: string[] = [];
  let last = state;
  for (const typed of codes) {
    const trial = checkCode(keyring, SUBJECT, last, typed, now);
    outcomes.push(trial.outcome);
    if (trial.outcome !== 'none') last = { ...last, ...trial.kept };
  }
  return { outcomes, state: last };
}

describe('a code', () => {
  it('has six digits, of which nothing is kept', () => {
    const { code, state } = coded();
    expect(code).toMatch(/^\d{6}$/);
    expect(JSON.stringify(state)).not.toContain(code);
    expect(new Set(Array.from({ length: 20 }, () => coded().code)).size).toBeGreaterThan(15);
  });

  it('opens once', () => {
    const { code, state } = coded();
    expect(type(state, [code, code]).outcomes).toEqual(['right', 'none']);
  });

  it('opens for ten minutes', () => {
    const { code, state } = coded();
    expect([isCodeValid(state, minutesOn(9.9)), isCodeValid(state, minutesOn(10))]).toEqual([true, false]);
    expect(type(state, [code], minutesOn(9.9)).outcomes).toEqual(['right']);
    expect(type(state, [code], minutesOn(10)).outcomes).toEqual(['none']);
  });

  it('opens nothing else', () => {
    const { code, state } = coded();
    expect(checkCode(keyring, 'message/1/8', state, code, NOON).outcome).toBe('wrong');
    expect(checkCode(keyring, 'message/2/7', state, code, NOON).outcome).toBe('wrong');
  });

  it('is void after five wrong ones, also for who then has the right one', () => {
    const { code, wrong, state } = coded();
    expect(type(state, [wrong, wrong, wrong, wrong, code]).outcomes).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'right']);
    expect(type(state, [wrong, wrong, wrong, wrong, wrong, code]).outcomes).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'wrong', 'none']);
  });

  it('takes the place of the one before', () => {
    const first = coded();
    const second = coded(first.state, minutesOn(1));
    expect(type(second.state, [first.code, second.code], minutesOn(1)).outcomes).toEqual(['wrong', 'right']);
  });

  it('opens still when another master key has come in front of the one that it was made under', () => {
    const { code, state } = coded();
    const rotated = createKeyring([newer, older]);
    expect(checkCode(rotated, SUBJECT, state, code, NOON).outcome).toBe('right');
    expect(checkCode(createKeyring([newer]), SUBJECT, state, code, NOON).outcome).toBe('wrong');
  });
});

describe('another code', () => {
  it('may be asked for five times in any hour', () => {
    let state = fresh;
    for (const minute of [0, 10, 20, 30, 59]) {
      expect(nextCodeAllowedAt(state, minutesOn(minute)), `after ${minute} minutes`).toBeNull();
      state = coded(state, minutesOn(minute)).state;
    }
    expect(nextCodeAllowedAt(state, minutesOn(59.5))).toEqual(minutesOn(60));
    expect(nextCodeAllowedAt(state, minutesOn(60))).toBeNull();
    state = coded(state, minutesOn(60)).state;
    expect(nextCodeAllowedAt(state, minutesOn(61))).toEqual(minutesOn(70));
    expect(state.codesSentAt, 'older ones are forgotten').toHaveLength(5);
  });

  it('helps nobody who has guessed a hundred times in a row; a right one begins anew', () => {
    let state = fresh;
    for (let round = 0; round < 20; round += 1) {
      expect(isLocked(state)).toBe(false);
      const { wrong, state: next } = coded(state, minutesOn(round * 60));
      state = type(next, Array(5).fill(wrong), minutesOn(round * 60)).state;
    }
    expect(isLocked(state)).toBe(true);
    const last = coded(state, minutesOn(1_200));
    expect(type(last.state, [last.code], minutesOn(1_200)).outcomes).toEqual(['none']);
    const almost = coded({ ...fresh, wrongInAll: 99 });
    expect(type(almost.state, [almost.code]).state.wrongInAll).toBe(0);
  });
});
