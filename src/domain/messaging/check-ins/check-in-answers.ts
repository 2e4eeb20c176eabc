import { multiLine } from '../../values/text-form.ts';
import type { SurveyQuestion } from './survey-types.ts';
import { type Answer, type Answers, MAX_ANSWER_LENGTH, MAX_NUMBER, type Question } from './surveys.ts';

/** A validation error of one answer, with a message for the patient. */
export interface AnswerError {
  key: string;
  message: string;
}

export interface ParsedAnswers {
  answers: Answers;
  /** In the order of the questions; empty where all answers can be stored. */
  errors: AnswerError[];
}

/** A valid answer, null for an optional question left empty, or an error message. */
type ParsedAnswer = { answer: Answer | null } | { error: string };

const invalidAnswer = (message: string): ParsedAnswer => ({ error: message });

/**
 * Validates the answers of a form.
 * @param sent form values by question key
 */
export function parseAnswers(questions: readonly SurveyQuestion[], sent: Readonly<Record<string, string>>): ParsedAnswers {
  const answers: Answers = {};
  const errors: AnswerError[] = [];
  for (const surveyQuestion of questions) {
    const { key } = surveyQuestion.question;
    const parsed = parseAnswer(surveyQuestion, multiLine(Object.hasOwn(sent, key) ? (sent[key] ?? '') : ''));
    if ('error' in parsed) errors.push({ key, message: parsed.error });
    else if (parsed.answer !== null) answers[key] = parsed.answer;
  }
  return { answers, errors };
}

const MISSING: Record<Question['kind'], string> = {
  text: 'Please write an answer.',
  number: 'Please enter a number.',
  choice: 'Please choose an answer.',
  scale: 'Please choose a number.',
  yes_no: 'Please choose yes or no.',
};

function parseAnswer({ question, item }: SurveyQuestion, written: string): ParsedAnswer {
  if (written === '') return question.required ? invalidAnswer(MISSING[question.kind]) : { answer: null };
  switch (question.kind) {
    case 'text':
      return parseText(written);
    case 'number':
      return parseNumber(question, written, item?.unit ?? null);
    case 'choice':
      return question.choices.includes(written) ? { answer: written } : invalidAnswer(MISSING.choice);
    case 'scale': {
      // Adding 0 turns -0 into 0; JSON has no -0.
      const step = /^-?\d{1,9}$/.test(written) ? Number(written) + 0 : Number.NaN;
      return step >= question.min && step <= question.max ? { answer: step } : invalidAnswer(MISSING.scale);
    }
    case 'yes_no':
      return written === 'yes' || written === 'no' ? { answer: written === 'yes' } : invalidAnswer(MISSING.yes_no);
  }
}

function parseText(written: string): ParsedAnswer {
  const text = written.replaceAll(/\r\n?/g, '\n');
  if (text.length > MAX_ANSWER_LENGTH) return invalidAnswer(`Please shorten this to ${MAX_ANSWER_LENGTH} characters.`);
  if (text.includes('\0') || !text.isWellFormed()) return invalidAnswer('Please write this without special signs.');
  return { answer: text };
}

/** Sign, integer digits and decimals, with a decimal point or a decimal comma. */
const NUMBER = /^([+-]?)(\d{1,12})(?:[.,](\d{1,12}))?$/;
const DECIMALS = 3;

/** Accepts a decimal comma or point, and the unit of the item after the number. */
function parseNumber(
  { min = -MAX_NUMBER, max = MAX_NUMBER }: Question & { kind: 'number' },
  written: string,
  unit: string | null,
): ParsedAnswer {
  const bare = (unit !== null && written.toLowerCase().endsWith(unit.toLowerCase()) ? written.slice(0, -unit.length) : written).trim();
  // One comma with three digits after it is ambiguous: thousands or decimals.
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(bare)) return invalidAnswer('Please write this number without a comma, such as 1200 or 1.2.');
  const [, sign = '', whole = '', decimals = ''] = NUMBER.exec(bare.replace('−', '-')) ?? [];
  if (whole === '') return invalidAnswer('Please enter a number, such as 120 or 98.6.');
  if (decimals.length > DECIMALS) return invalidAnswer('Please write no more than three digits after the point.');
  const value = Number(`${sign === '-' ? '-' : ''}${whole}.${decimals || '0'}`) + 0;
  return value >= min && value <= max ? { answer: value } : invalidAnswer(rangeMessage(min, max));
}

function rangeMessage(min: number, max: number): string {
  if (min === -MAX_NUMBER) return `Please enter a number of ${max} or less.`;
  if (max === MAX_NUMBER) return `Please enter a number of ${min} or more.`;
  return `Please enter a number from ${min} to ${max}.`;
}
