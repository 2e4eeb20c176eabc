import { describe, expect, it } from 'vitest';
import { keywordOf } from '../../../../../src/domain/messaging/texts/inbound/keywords.ts';

describe('the word YES', () => {
  it('takes YES for START only from who had stopped', () => {
    const start = { keyword: 'start', sure: true };
    expect([keywordOf('YES', true), keywordOf('Yes!', true), keywordOf('Yes, please', true)]).toEqual([start, start, start]);
    expect(keywordOf('YES', false)).toBeNull();
    expect(keywordOf('Y', true)).toBeNull();
  });
});
