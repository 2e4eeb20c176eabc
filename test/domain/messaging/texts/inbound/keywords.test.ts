import { describe, expect, it } from 'vitest';
import { readKeyword } from '../../../../../src/domain/messaging/answers/keywords.ts';

describe('the word YES', () => {
  it('takes YES for START only from who had stopped', () => {
    const start = { keyword: 'start', sure: true };
    expect([readKeyword('YES', true), readKeyword('Yes!', true), readKeyword('Yes, please', true)]).toEqual([start, start, start]);
    expect(readKeyword('YES', false)).toBeNull();
    expect(readKeyword('Y', true)).toBeNull();
  });
});
