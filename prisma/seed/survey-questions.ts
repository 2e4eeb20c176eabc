import type { Faker } from '@faker-js/faker';
import type { Question } from '../../src/domain/messaging/check-ins/surveys.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';

/** The usual value by the question's key. */
const READINGS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  systolic: [108, 162],
  diastolic: [64, 98],
  glucose: [78, 190],
  feeling: [3, 10],
};
const NOTES = ['All good', 'Slept badly because of the heat', 'My ankles are a little swollen', 'Can I take the tablets in the evening?'];

/** Pounds about which a patient's weight varies, on the scale and as the patient reports it. */
export const usualWeight = (patientId: number): number => 130 + ((patientId * 37) % 91);

/**
 * A patient's answers by the questions' keys.
 * @param weight in pounds, about which the patient's answers vary
 */
export function drawAnswers(questions: readonly Question[], random: Faker, weight: number): Prisma.InputJsonObject {
  return Object.fromEntries(questions.map((question) => [question.key, drawAnswer(question, random, weight)]));
}

function drawAnswer(question: Question, random: Faker, weight: number): string | number | boolean {
  if (question.kind === 'yes_no') return random.datatype.boolean(0.8);
  if (question.kind === 'text') return random.helpers.arrayElement(NOTES);
  if (question.kind === 'choice')
    return random.datatype.boolean(0.6) ? (question.choices[0] ?? '') : random.helpers.arrayElement(question.choices);
  const { key, min = 0, max = 10 } = question;
  const [low, high] = key === 'weight' ? [weight - 2, weight + 2] : (READINGS[key] ?? [min, max]);
  return random.number.int({ min: low, max: high });
}
