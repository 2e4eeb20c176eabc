import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswers } from '../../../../src/domain/messaging/check-ins/check-in-answers.ts';
import {
  type Answer,
  isUrgentAnswer,
  questionsShape,
  readAnswers,
  readQuestions,
} from '../../../../src/domain/messaging/check-ins/surveys.ts';
import { CHECK_IN_WORDS, wordsOfProblem } from '../../../../src/pages/patients/check-in/check-in-words.ts';

const ask = (question: object, unit: string | null = null) =>
  readQuestions([{ key: 'it', text: 'How much?', ...question }]).map((asked) => ({
    question: asked,
    item: unit === null ? null : { id: 1, name: 'Item', unit, plausibleMin: -1e9, plausibleMax: 1e9 },
  }));
const take = (question: object, it: string, unit?: string) => {
  const { answers, errors } = parseAnswers(ask(question, unit), { it });
  return { answers, errors: errors.map(({ key, problem }) => ({ key, message: wordsOfProblem(CHECK_IN_WORDS.en, problem) })) };
};
const pressure = { kind: 'number', min: 60, max: 260, itemId: 1 };

describe('a number', () => {
  it.each([
    ['120', 120],
    ['98.6', 98.6],
    ['98,6', 98.6],
    [' 120 mmHg ', 120],
    ['120MMHG', 120],
    ['+60', 60],
    ['99.125', 99.125],
    ['0100', 100],
  ])('is read as it is written: "%s"', (written, value) => {
    expect(take(pressure, written, 'mmHg')).toEqual({ answers: { it: value }, errors: [] });
  });

  it.each([
    ['59.9', 'from 60 to 260'],
    ['261', 'from 60 to 260'],
    ['1,200', 'without a comma'],
    ['120 kg', 'such as 120 or 98.6'],
    ['1e2', 'such as 120 or 98.6'],
    ['0x80', 'such as 120 or 98.6'],
    ['12 0', 'such as 120 or 98.6'],
    ['Infinity', 'such as 120 or 98.6'],
    ['99.1234', 'three digits after the decimal point'],
    ['', 'Please enter a number'],
  ])('is refused in words: "%s"', (written, said) => {
    const { answers, errors } = take(pressure, written, 'mmHg');
    expect(answers).toEqual({});
    expect(errors).toEqual([{ key: 'it', message: expect.stringContaining(said) }]);
  });

  it.each([
    ['180 lbs', 'lb', 180],
    ['180lbs.', 'lb', 180],
    ['82 kg', 'lb', 180.779],
    ['98.6 F', '°F', 98.6],
    ['98.6ºF', '°F', 98.6],
    ['37 ℃', '°F', 98.6],
    ['٩٨٫٦', '°F', 98.6],
    ['９８', '%', 98],
    ['97 %', '%', 97],
    ['120 mg/dl', 'mg/dL', 120],
    ['.5', 'kg', 0.5],
    ['80.', 'kg', 80],

    ['–5', null, -5],
  ])('is one with a unit of devices, and in the digits of any script: "%s" in %s', (written, unit, value) => {
    expect(take({ kind: 'number', itemId: 1 }, written, unit ?? undefined)).toEqual({ answers: { it: value }, errors: [] });
  });

  it('without bounds fits into a reading', () => {
    expect(take({ kind: 'number' }, '999999999').answers).toEqual({ it: 999_999_999 });
    expect(take({ kind: 'number' }, '-0').answers).toEqual({ it: 0 });
    expect(take({ kind: 'number' }, '−3,5').answers).toEqual({ it: -3.5 });
    expect(take({ kind: 'number' }, '1000000000').errors).toMatchObject([{ message: expect.stringContaining('999999999 or less') }]);
    expect(take({ kind: 'number', min: 0 }, '-1').errors).toMatchObject([{ message: 'Please enter a number of 0 or more.' }]);
  });
});

describe('other answers', () => {
  it('are one of the choices, a step of the scale, yes or no, or words', () => {
    const choice = { kind: 'choice', choices: ['None', 'Some'] };
    const scale = { kind: 'scale', min: 0, max: 3 };
    expect(take(choice, 'Some').answers).toEqual({ it: 'Some' });
    expect(take(choice, 'some').errors).toHaveLength(1);
    expect([take(scale, '0').answers, take(scale, '٣').answers]).toEqual([{ it: 0 }, { it: 3 }]);
    for (const wrong of ['4', '-1', '1.5', 'two']) expect(take(scale, wrong).errors).toHaveLength(1);
    expect([take({ kind: 'yes_no' }, 'yes').answers, take({ kind: 'yes_no' }, 'no').answers]).toEqual([{ it: true }, { it: false }]);
    expect(take({ kind: 'yes_no' }, 'maybe').errors).toHaveLength(1);
    expect(take({ kind: 'text' }, ' Two\r\nlines ').answers).toEqual({ it: 'Two\nlines' });
  });

  it('are refused where they are too long or cannot be stored', () => {
    expect(take({ kind: 'text' }, '😀'.repeat(2_000)).errors).toEqual([]);
    for (const wrong of ['x'.repeat(2_001), 'a\0b', 'a\ud800']) expect(take({ kind: 'text' }, wrong).errors).toHaveLength(1);
  });

  it('may be left out where the question says so, and only there', () => {
    for (const kind of [{ kind: 'text' }, { kind: 'number' }, { kind: 'yes_no' }, { kind: 'scale', min: 1, max: 2 }]) {
      expect(take({ ...kind, required: false }, ' ')).toEqual({ answers: {}, errors: [] });
      expect(take(kind, ' ').errors).toHaveLength(1);
    }
  });

  it('are refused or can be read again, whatever is sent', () => {
    const questions = [
      { key: 'a', text: 'A', kind: 'number', required: false },
      { key: 'b', text: 'B', kind: 'text', required: false },
      { key: 'c', text: 'C', kind: 'scale', min: -2, max: 2, required: false },
    ];
    const asked = readQuestions(questions).map((question) => ({ question, item: null }));
    const odd = fc.constantFrom('\0', '\ud800', '１２', '-0', '1e5', '٣', '1 000', ' 7 ');
    const anything = fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String), odd);
    fc.assert(
      fc.property(fc.record({ a: anything, b: anything, c: anything }), (sent) => {
        const { answers, errors } = parseAnswers(asked, sent);
        const stored: unknown = JSON.parse(JSON.stringify(answers));
        const kept = readAnswers(questions, stored).filter(({ answer }) => answer !== null);
        expect(Object.fromEntries(kept.map(({ question, answer }) => [question.key, answer]))).toEqual(answers);
        expect(errors.every(({ key }) => !Object.hasOwn(answers, key))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an answer', () => {
  const words = { kind: 'text', urgentWords: ['Short of breath', 'dolor de pecho', 'can’t breathe', '胸痛'] };
  const choice = { kind: 'choice', choices: ['None', 'Headache', 'Short of breath'], urgentChoices: ['Short of breath'] };
  const scale = { kind: 'scale', min: 0, max: 10 };

  it.each<[object, Answer | null, boolean]>([
    [{ kind: 'yes_no', urgentIf: 'yes' }, true, true],
    [{ kind: 'yes_no', urgentIf: 'yes' }, false, false],
    [{ kind: 'yes_no', urgentIf: 'no' }, false, true],
    [{ kind: 'yes_no' }, false, false],
    [choice, 'Short of breath', true],
    [choice, 'Headache', false],
    [{ ...scale, urgentFrom: 8 }, 8, true],
    [{ ...scale, urgentFrom: 8 }, 7, false],
    [{ ...scale, urgentTo: 2 }, 0, true],
    [{ ...scale, urgentTo: 2 }, 3, false],
    [{ ...scale, urgentFrom: 4, urgentTo: 5 }, 6, false],
    [scale, 10, false],
    [{ kind: 'number' }, 300, false],
    [words, 'Since noon I am SHORT  OF\nBREATH!', true],
    [words, 'short-of-breath', true],
    [words, 'shortofbreath', true],
    [words, 'i cant breathe', true],
    [words, 'I can`t  breathe', true],
    [words, 'I cannot breathe', true],
    [words, 'dolordepecho', true],
    [words, 'do\u00adlor de pe\u200bcho', true],
    [words, 'ｄｏｌｏｒ　ｄｅ　ｐｅｃｈｏ', true],
    [words, 'color de pecho', false],
    [{ kind: 'text', urgentWords: ['chestpain'] }, 'Chest-pain since noon', true],
    [{ kind: 'text', urgentWords: ['chest pain'] }, 'CHESTPAIN!!', true],
    [{ kind: 'text', urgentWords: ['chest pain'] }, 'chest paint', false],
    [words, 'a short walk, no breath of wind', false],
    [words, 'shortness of breath', true],
    [{ kind: 'text' }, 'Tengo dolor de pecho y me falta el aire', true],
    [{ kind: 'text' }, 'i can’t breath', true],
    [{ kind: 'text' }, 'Ya no quiero vivir', true],
    [{ kind: 'text' }, 'ME ESTOY AHOGANDO', true],
    [{ kind: 'text' }, 'no respiro bien, dolores de pecho', true],
    [{ kind: 'text' }, 'I can’t catch my breath', true],
    [{ kind: 'text' }, 'I CAN’T BREATHE', true],
    [{ kind: 'text', urgentWords: [] }, 'chest pain', false],
    [words, 'Tengo dolor de pechó', true],
    [words, "I can't breathe", true],
    [words, '今日は胸痛があります', true],
    [words, null, false],
  ])('to %j of %j is urgent: %s', (question, answer, urgent) => {
    const [read] = readQuestions([{ key: 'it', text: 'How is it?', ...question }]);
    expect(read && isUrgentAnswer(read, answer)).toBe(urgent);
  });
});

describe('words of an emergency', () => {
  it.each([
    ...[
      'she is not breathing',
      'My throat is closing',
      'anaphylaxis!',
      'blood everywhere',
      'i fell and cant get up',
      "I fell and can't get up",
    ],
    ...[
      'thinking of hurting myself',
      'He stopped breathing',
      'no respira',
      'Se me cierra la garganta',
      'anafilaxia',
      'me caí y no me puedo levantar',
    ],
    ...['hay sangre por todas partes', 'pienso en lastimarme'],
  ])('are found in "%s"', (answer) => {
    const [question] = readQuestions([{ key: 'it', text: 'How are you?', kind: 'text' }]);
    expect(question && isUrgentAnswer(question, answer)).toBe(true);
  });
});

describe('stored questions', () => {
  const number = { key: 'a', text: 'A', kind: 'number', itemId: 1 };

  it.each([
    ['without a key', { text: 'A', kind: 'text' }],
    ['of a kind that is not known', { key: 'a', text: 'A', kind: 'drawing' }],
    ['with a key that no form can hold', { key: 'a b', text: 'A', kind: 'text' }],
    ['with one choice', { key: 'a', text: 'A', kind: 'choice', choices: ['Only'] }],
    ['with the same choice twice', { key: 'a', text: 'A', kind: 'choice', choices: ['X', 'X'] }],
    ['with a scale that goes nowhere', { key: 'a', text: 'A', kind: 'scale', min: 3, max: 3 }],
    ['with a scale that is too wide', { key: 'a', text: 'A', kind: 'scale', min: 0, max: 100 }],
    ['with bounds that leave no number', { ...number, min: 2, max: 1 }],
    ['with an urgent choice that is not offered', { key: 'a', text: 'A', kind: 'choice', choices: ['X', 'Y'], urgentChoices: ['x'] }],
    ['with urgent steps beside the scale', { key: 'a', text: 'A', kind: 'scale', min: 1, max: 5, urgentFrom: 6 }],
    ['with urgent steps that go nowhere', { key: 'a', text: 'A', kind: 'scale', min: 1, max: 5, urgentFrom: 4, urgentTo: 3 }],
    ['with urgent words that are none', { key: 'a', text: 'A', kind: 'text', urgentWords: ['pain', '…'] }],
    ['with an urgent answer that is none', { key: 'a', text: 'A', kind: 'yes_no', urgentIf: 'maybe' }],
  ])('%s are none', (_, question) => {
    expect(questionsShape.safeParse([question]).success).toBe(false);
    expect(readQuestions([question])).toEqual([]);
  });

  it('have keys and items of their own', () => {
    expect(questionsShape.safeParse([number, { ...number, itemId: 2 }]).success).toBe(false);
    expect(questionsShape.safeParse([number, { ...number, key: 'b' }]).success).toBe(false);
    expect(questionsShape.safeParse([number, { ...number, key: 'b', itemId: 2 }]).success).toBe(true);
  });

  it.each([null, undefined, {}, 'text', [], [1]])('that are %j are none', (stored) => expect(readQuestions(stored)).toEqual([]));

  it('are shown with their answers, and with none where nobody answered or what is stored is something else', () => {
    const question = expect.objectContaining({ key: 'a', required: true });
    expect(readAnswers([number], { a: 3, z: 4 })).toEqual([{ question, answer: 3 }]);
    for (const stored of [null, undefined, {}, 'a', [3], { a: { b: 1 } }, { a: null }])
      expect(readAnswers([number], stored)).toEqual([{ question, answer: null }]);
  });
});
