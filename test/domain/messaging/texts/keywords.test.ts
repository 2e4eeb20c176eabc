import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf, keywordOf } from '../../../../src/domain/messaging/texts/keywords.ts';

describe('keywords of a text', () => {
  it.each([
    [
      'stop',
      [
        'STOP',
        'stop',
        ' Stop. ',
        'STOP!',
        'stopall',
        'STOP ALL',
        'Unsubscribe',
        'cancel',
        'END',
        'Quit',
        'revoke',
        'OptOut',
        'opt-out',
        '"STOP"',
        'Stop, please.',
        'please stop',
        'por favor alto',
      ],
    ],
    ['start', ['START', 'start.', 'UnStop', 'opt in']],
    ['help', ['HELP', 'help?', 'Info', 'Help please!']],
    [
      null,
      ['', '  ', 'STOP IT', 'I want to cancel my appointment', 'please stop by', 'thanks', 'please', 'Y', 'yes', 'restart', 'ending', '🛑'],
    ],
  ] as const)('are %s in all their spellings', (keyword, spellings) => {
    for (const body of spellings) expect([body, keywordOf(body, false)]).toEqual([body, keyword]);
  });

  it('takes YES for START only from who had stopped', () => {
    expect(keywordOf('YES', true)).toBe('start');
    expect(keywordOf('Yes!', true)).toBe('start');
    expect(keywordOf('Yes, please', true)).toBe('start');
    expect(keywordOf('YES', false)).toBeNull();
    expect(keywordOf('Y', true)).toBeNull();
  });

  it('never fails, whatever is written', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (body, out) => keywordOf(body, out) !== undefined));
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
