import { describe, expect, it } from 'vitest';
import { answerOf, keywordOf } from '../../../../src/domain/messaging/texts/keywords.ts';

describe('the word YES', () => {
  it('takes YES for START only from who had stopped', () => {
    const start = { keyword: 'start', sure: true };
    expect([keywordOf('YES', true), keywordOf('Yes!', true), keywordOf('Yes, please', true)]).toEqual([start, start, start]);
    expect(keywordOf('YES', false)).toBeNull();
    expect(keywordOf('Y', true)).toBeNull();
  });
});

describe('answers', () => {
  it.each([
    ['Yes', ['Y', 'y', 'YES', 'Yes.', 'yes please', 'Yes, thank you!', 'yep', 'ok', 'Confirm', 'C', '1', 'Sí', 'si gracias', 'SÍ']],
    ['No', ['N', 'no', 'No.', 'no thanks', 'nope', 'decline', '2']],
    [null, ['', 'maybe', 'yes and no', 'no problem, I will come', 'Can I come at 3 instead?', 'STOP', '12', 'noon']],
  ] as const)('are %s in all their spellings', (answer, spellings) => {
    for (const body of spellings) expect([body, answerOf(body)]).toEqual([body, answer]);
  });
});
