import type { Faker } from '@faker-js/faker';
import type { Prisma } from '../../src/generated/prisma/client.ts';

interface Question {
  key: string;
  text: string;
  kind: 'number' | 'scale' | 'choice' | 'yes_no' | 'text';
  required?: boolean;
  choices?: string[];
  min?: number;
  max?: number;
  minLabel?: string;
  maxLabel?: string;
  urgentIf?: 'yes' | 'no';
  urgentChoices?: string[];
  urgentFrom?: number;
  urgentTo?: number;
  urgentWords?: string[];
  /** Position of what is measured among the practice's items. */
  item?: number;
}

interface Survey {
  name: string;
  questions: readonly Question[];
}

/** All kinds of questions occur. */
export const SURVEYS: readonly Survey[] = [
  {
    name: 'Blood pressure and weight',
    questions: [
      { key: 'systolic', text: 'The upper number', kind: 'number', min: 60, max: 260, item: 0 },
      { key: 'diastolic', text: 'The lower number', kind: 'number', min: 30, max: 160, item: 1 },
      { key: 'weight', text: 'Your weight in pounds', kind: 'number', min: 50, max: 700, item: 2 },
      {
        key: 'symptoms',
        text: 'Do you feel any of these?',
        kind: 'choice',
        choices: ['None', 'Headache', 'Dizziness', 'Short of breath'],
        urgentChoices: ['Short of breath'],
      },
    ],
  },
  {
    name: 'Fasting glucose',
    questions: [
      { key: 'glucose', text: 'Your glucose before breakfast, in mg/dL', kind: 'number', min: 20, max: 600, item: 3 },
      { key: 'medication', text: 'Did you take your medication yesterday?', kind: 'yes_no' },
    ],
  },
  {
    name: 'How are you?',
    questions: [
      {
        key: 'feeling',
        text: 'How do you feel today?',
        kind: 'scale',
        min: 1,
        max: 10,
        minLabel: 'very bad',
        maxLabel: 'very good',
        urgentTo: 2,
      },
      { key: 'slept', text: 'Did you sleep well?', kind: 'yes_no' },
      { key: 'note', text: 'Anything that we should know?', kind: 'text', required: false, urgentWords: ['chest pain', 'short of breath'] },
    ],
  },
];

/** The usual value by the question's key. */
const READINGS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  systolic: [108, 162],
  diastolic: [64, 98],
  glucose: [78, 190],
  feeling: [3, 10],
};
const NOTES = ['All good', 'Slept badly because of the heat', 'My ankles are a little swollen', 'Can I take the tablets in the evening?'];

/** The questions of the survey at a position, as its row keeps them. */
export function surveyQuestions(position: number, itemIds: readonly number[]): Prisma.InputJsonArray {
  return (SURVEYS[position]?.questions ?? []).map(({ item, ...question }) => {
    const itemId = item === undefined ? undefined : itemIds[item];
    return itemId === undefined ? question : { ...question, itemId };
  });
}

/** Pounds about which a patient's weight varies, on the scale and as the patient reports it. */
export const usualWeight = (patientId: number): number => 130 + ((patientId * 37) % 91);

/**
 * A patient's answers by the questions' keys.
 * @param weight in pounds, about which the patient's answers vary
 */
export function answersOf(position: number, random: Faker, weight: number): Prisma.InputJsonObject {
  return Object.fromEntries((SURVEYS[position]?.questions ?? []).map((question) => [question.key, answerOf(question, random, weight)]));
}

function answerOf({ key, kind, choices = [], min = 0, max = 10 }: Question, random: Faker, weight: number): string | number | boolean {
  if (kind === 'yes_no') return random.datatype.boolean(0.8);
  if (kind === 'text') return random.helpers.arrayElement(NOTES);
  if (kind === 'choice') return random.datatype.boolean(0.6) ? (choices[0] ?? '') : random.helpers.arrayElement(choices);
  const [low, high] = key === 'weight' ? [weight - 2, weight + 2] : (READINGS[key] ?? [min, max]);
  return random.number.int({ min: low, max: high });
}
