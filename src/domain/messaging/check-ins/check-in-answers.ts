import { convertReading, isNoUnit } from '../../values/reading-units.ts';
import { asSeen } from '../../values/same-text.ts';
import { multiLine } from '../../values/text-form.ts';
import type { MeasuredItem } from './measured-items.sql.ts';
import type { SurveyQuestion } from './survey-types.ts';
import { type Answer, type Answers, MAX_ANSWER_LENGTH, MAX_NUMBER, type Question } from './surveys.ts';
import { isPlausible, plausibleRange } from './usual-items.ts';

/** The reason for which an answer cannot be stored. The page has the words. */
export type AnswerProblem =
  /** None was given, or none of those that the question offers. */
  | { code: 'missing'; kind: Question['kind'] }
  /** `most` characters. */
  | { code: 'too_long'; most: number }
  | { code: 'special_signs' }
  /** A comma that may stand before thousands or before decimals. */
  | { code: 'comma' }
  | { code: 'no_number' }
  /** More than three digits after the point. */
  | { code: 'decimals' }
  /** Null where the question sets no such bound; of the two one is set. */
  | { code: 'out_of_range'; min: number | null; max: number | null };

export interface AnswerError {
  key: string;
  problem: AnswerProblem;
}

export interface ParsedAnswers {
  answers: Answers;
  /** In the order of the questions; empty where all answers can be stored. */
  errors: AnswerError[];
  /** Numbers that are outside of what their question takes, by its key: they are not stored, but may be grave. */
  outside: Readonly<Record<string, number>>;
}

/** A valid answer, null for an optional question left empty, or what is wrong. */
type ParsedAnswer = { answer: Answer | null } | { problem: AnswerProblem; outside?: number };

const refuse = (problem: AnswerProblem): ParsedAnswer => ({ problem });
const missing = ({ kind }: Question): ParsedAnswer => refuse({ code: 'missing', kind });

/** Validates the answers of a form. @param sent form values by question key */
export function parseAnswers(questions: readonly SurveyQuestion[], sent: Readonly<Record<string, string>>): ParsedAnswers {
  const answers: Answers = {};
  const errors: AnswerError[] = [];
  const outside: Record<string, number> = {};
  for (const surveyQuestion of questions) {
    const { key } = surveyQuestion.question;
    const parsed = parseAnswer(surveyQuestion, multiLine(Object.hasOwn(sent, key) ? (sent[key] ?? '') : ''));
    if ('problem' in parsed) {
      errors.push({ key, problem: parsed.problem });
      if (parsed.outside !== undefined) outside[key] = parsed.outside;
    } else if (parsed.answer !== null) answers[key] = parsed.answer;
  }
  return { answers, errors, outside };
}

function parseAnswer({ question, item }: SurveyQuestion, written: string): ParsedAnswer {
  if (written === '') return question.required ? missing(question) : { answer: null };
  switch (question.kind) {
    case 'text':
      return parseText(written);
    case 'number':
      return parseNumber(question, written, item);
    case 'choice':
      return question.choices.includes(written) ? { answer: written } : missing(question);
    case 'scale': {
      // Adding 0 turns -0 into 0; JSON has no -0.
      const number = asSeen(written);
      const step = /^-?\d{1,9}$/.test(number) ? Number(number) + 0 : Number.NaN;
      return step >= question.min && step <= question.max ? { answer: step } : missing(question);
    }
    case 'yes_no':
      return written === 'yes' || written === 'no' ? { answer: written === 'yes' } : missing(question);
  }
}

function parseText(written: string): ParsedAnswer {
  const text = written.replaceAll(/\r\n?/g, '\n');
  if ([...text].length > MAX_ANSWER_LENGTH) return refuse({ code: 'too_long', most: MAX_ANSWER_LENGTH });
  if (text.includes('\0') || !text.isWellFormed()) return refuse({ code: 'special_signs' });
  return { answer: text };
}

/** Sign, integer digits and decimals, with a decimal point or a decimal comma, and a unit. */
const NUMBER = /^([+-]?)(\d{0,12})(?:[.,](\d{0,12}))?(?<unit>(?![\d.,]).*)$/su;
const DECIMALS = 3;

/**
 * Accepts a decimal comma or point, and after the number the item's unit or one that can be converted to it. A value that is not
 * plausible is none, so that nobody is alarmed by it.
 */
function parseNumber(question: Question & { kind: 'number' }, written: string, item: MeasuredItem | null): ParsedAnswer {
  const number = asSeen(written.replaceAll('º', '°')).replaceAll('٫', '.').replaceAll('٬', ',');
  // One comma with three digits after it is ambiguous: thousands or decimals.
  if (/^[+-]?[1-9]\d{0,2},\d{3}(?!\d)/.test(number)) return refuse({ code: 'comma' });
  const [, sign = '', whole = '', decimals = '', unit = ''] = NUMBER.exec(number) ?? [];
  if (whole + decimals === '') return refuse({ code: 'no_number' });
  if (decimals.length > DECIMALS) return refuse({ code: 'decimals' });
  const given = Number(`${sign === '-' ? '-' : ''}${whole || '0'}.${decimals || '0'}`) + 0;
  const value = unit === '' ? given : inUnit(given, unit, item?.unit ?? null);
  if (value === null) return refuse({ code: 'no_number' });
  const plausible = item ? plausibleRange(item) : { min: null, max: null };
  const min = Math.max(question.min ?? -MAX_NUMBER, plausible.min ?? -MAX_NUMBER);
  const max = Math.min(question.max ?? MAX_NUMBER, plausible.max ?? MAX_NUMBER);
  if (value >= min && value <= max) return { answer: value };
  const problem = outOfRange(min, max);
  return isPlausible(plausible, value) ? { problem, outside: value } : { problem };
}

/** Null for a unit that the item does not have. */
function inUnit(given: number, unit: string, itemUnit: string | null): number | null {
  if (itemUnit === null) return isNoUnit(unit) ? given : null;
  return convertReading(given, unit, itemUnit);
}

const outOfRange = (min: number, max: number): AnswerProblem => ({
  code: 'out_of_range',
  min: min === -MAX_NUMBER ? null : min,
  max: max === MAX_NUMBER && min !== -MAX_NUMBER ? null : max,
});
