import type { AskedQuestion } from './survey-types.ts';
import { type Answer, type Answers, LARGEST_NUMBER, LONGEST_ANSWER, type Question } from './surveys.ts';

/** What is wrong with an answer, in words for the patient. */
export interface AnswerFault {
  key: string;
  message: string;
}

export interface TakenAnswers {
  answers: Answers;
  /** In the order of the questions; none where the answers can be kept. */
  faults: AnswerFault[];
}

/** An answer that can be kept, nothing where none is needed, or what is wrong. */
type Taken = { answer: Answer | null } | { fault: string };

const fault = (message: string): Taken => ({ fault: message });

/** @param sent what a form holds, by the keys of the questions */
export function takeAnswers(questions: readonly AskedQuestion[], sent: Readonly<Record<string, string>>): TakenAnswers {
  const answers: Answers = {};
  const faults: AnswerFault[] = [];
  for (const asked of questions) {
    const { key } = asked.question;
    const taken = take(asked, (Object.hasOwn(sent, key) ? (sent[key] ?? '') : '').trim());
    if ('fault' in taken) faults.push({ key, message: taken.fault });
    else if (taken.answer !== null) answers[key] = taken.answer;
  }
  return { answers, faults };
}

const MISSING: Record<Question['kind'], string> = {
  text: 'Please write an answer.',
  number: 'Please enter a number.',
  choice: 'Please choose an answer.',
  scale: 'Please choose a number.',
  yes_no: 'Please choose yes or no.',
};

function take({ question, item }: AskedQuestion, written: string): Taken {
  if (written === '') return question.required ? fault(MISSING[question.kind]) : { answer: null };
  switch (question.kind) {
    case 'text':
      return takeText(written);
    case 'number':
      return takeNumber(question, written, item?.unit ?? null);
    case 'choice':
      return question.choices.includes(written) ? { answer: written } : fault(MISSING.choice);
    case 'scale': {
      // Adding nothing makes 0 of -0, which JSON cannot tell.
      const step = /^-?\d{1,9}$/.test(written) ? Number(written) + 0 : Number.NaN;
      return step >= question.min && step <= question.max ? { answer: step } : fault(MISSING.scale);
    }
    case 'yes_no':
      return written === 'yes' || written === 'no' ? { answer: written === 'yes' } : fault(MISSING.yes_no);
  }
}

function takeText(written: string): Taken {
  const text = written.replaceAll(/\r\n?/g, '\n');
  if (text.length > LONGEST_ANSWER) return fault(`Please shorten this to ${LONGEST_ANSWER} characters.`);
  if (text.includes('\0') || !text.isWellFormed()) return fault('Please write this without special signs.');
  return { answer: text };
}

/** Of the digits with what stands between them, as people on both sides of the Atlantic write them. */
const NUMBER = /^([+-]?)(\d{1,12})(?:[.,](\d{1,12}))?$/;
const DECIMALS = 3;

/** With a decimal comma or point; the unit that is asked for may follow. */
function takeNumber(
  { min = -LARGEST_NUMBER, max = LARGEST_NUMBER }: Question & { kind: 'number' },
  written: string,
  unit: string | null,
): Taken {
  const bare = (unit !== null && written.toLowerCase().endsWith(unit.toLowerCase()) ? written.slice(0, -unit.length) : written).trim();
  // One comma and three digits: a thousand and some, or three decimals. Nobody can know.
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(bare)) return fault('Please write this number without a comma, such as 1200 or 1.2.');
  const [, sign = '', whole = '', decimals = ''] = NUMBER.exec(bare.replace('−', '-')) ?? [];
  if (whole === '') return fault('Please enter a number, such as 120 or 98.6.');
  if (decimals.length > DECIMALS) return fault('Please write no more than three digits after the point.');
  const value = Number(`${sign === '-' ? '-' : ''}${whole}.${decimals || '0'}`) + 0;
  return value >= min && value <= max ? { answer: value } : fault(boundsInWords(min, max));
}

function boundsInWords(min: number, max: number): string {
  if (min === -LARGEST_NUMBER) return `Please enter a number of ${max} or less.`;
  if (max === LARGEST_NUMBER) return `Please enter a number of ${min} or more.`;
  return `Please enter a number from ${min} to ${max}.`;
}
