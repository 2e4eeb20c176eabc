import { z } from 'zod';
import { foldWords, hasWords } from '../../values/same-text.ts';
import { oneLine } from '../../values/text-form.ts';
import { URGENT_WORDS } from '../inbox/urgent-word-list.ts';

/**
 * The questions of a survey type as stored: a list in the order of asking. Each has a `key` that is unique in the list
 * (answers are stored under it), a `text`, a `kind`, and `required`, true by default. Further fields by kind:
 * - `text`: free text; an answer with one of the `urgentWords`, or of the shipped ones, is urgent. An empty list takes none.
 * - `number`: `min` and `max`, and the `itemId` of the measured item, in the unit of that item.
 * - `choice`: one of the `choices`, of which the `urgentChoices` are urgent.
 * - `scale`: an integer from `min` to `max`, with labels of the two ends (`minLabel`, `maxLabel`), and an `itemId`. Answers from
 *   `urgentFrom` to `urgentTo` are urgent; of the two one may be absent, which is then the end of the scale.
 * - `yes_no`: one of the two may be urgent (`urgentIf`).
 * Patients are not shown which answers are urgent.
 */
export type Question = z.output<typeof questionShape>;

/** An answer: a number, a choice or free text, yes or no. */
export type Answer = string | number | boolean;
/** By question key; unanswered questions have no entry. */
export type Answers = Record<string, Answer>;

/** Characters of a free-text answer. */
export const MAX_ANSWER_LENGTH = 2_000;
/** The largest value of a reading, which has nine digits before the decimal point and three after it. */
export const MAX_NUMBER = 999_999_999;
/** A scale is displayed as one row of buttons on a phone. */
const MAX_SCALE_STEPS = 20;
const MAX_QUESTIONS = 50;
/** Of all languages together. */
const MAX_URGENT_WORDS = 1_000;

export const shortText = (longest: number) =>
  z
    .string()
    .overwrite(oneLine)
    .min(1)
    .max(longest)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'contains characters that cannot be stored');

const common = {
  key: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'must start with a letter, followed by letters, digits and _, at most 40 characters'),
  text: shortText(500),
  required: z.boolean().default(true),
};
const number = () => z.number().min(-MAX_NUMBER).max(MAX_NUMBER);

/** Words of one language that make a free text urgent. */
export const urgentWords = z
  .array(shortText(60).refine((words) => foldWords(words) !== '', 'must contain a letter or a digit'))
  .max(MAX_URGENT_WORDS);

const areUnique = (values: readonly (string | number)[]) => new Set(values).size === values.length;

/** The ends of a question's values, and of those that are urgent. */
const ends = z.object({
  min: z.number().optional(),
  max: z.number().optional(),
  urgentFrom: z.number().optional(),
  urgentTo: z.number().optional(),
});

function areInOrder(question: unknown): boolean {
  const { min = -Infinity, max = Infinity } = ends.parse(question);
  return min < max;
}

function isUrgentWithin(question: unknown): boolean {
  const { min = 0, max = 0, urgentFrom = min, urgentTo = max } = ends.parse(question);
  return min <= urgentFrom && urgentFrom <= urgentTo && urgentTo <= max;
}

function hasFewSteps(question: unknown): boolean {
  const { min = 0, max = 0 } = ends.parse(question);
  return min < max && max - min < MAX_SCALE_STEPS;
}

const textShape = z.strictObject({
  ...common,
  kind: z.literal('text'),
  urgentWords: urgentWords.optional(),
});
const choiceShape = z
  .strictObject({
    ...common,
    kind: z.literal('choice'),
    choices: z
      .array(shortText(200))
      .min(2)
      .max(30)
      .refine((choices) => areUnique(choices), 'must be unique'),
    urgentChoices: z.array(shortText(200)).min(1).optional(),
  })
  .refine(({ choices, urgentChoices = [] }) => urgentChoices.every((one) => choices.includes(one)), {
    path: ['urgentChoices'],
    error: 'must be choices that the question offers',
  });
const yesNoShape = z.strictObject({ ...common, kind: z.literal('yes_no'), urgentIf: z.enum(['yes', 'no']).optional() });

const scaleFields = {
  ...common,
  kind: z.literal('scale'),
  min: z.int(),
  max: z.int(),
  minLabel: shortText(60).optional(),
  maxLabel: shortText(60).optional(),
  urgentFrom: z.int().optional(),
  urgentTo: z.int().optional(),
};

/** The shape of a question. @param measures the field that names the item that a number or a scale measures */
export const createQuestionShape = <T extends Readonly<Record<string, z.ZodType>>>(measures: T) =>
  z.discriminatedUnion('kind', [
    textShape,
    z
      .strictObject({ ...common, kind: z.literal('number'), min: number().optional(), max: number().optional(), ...measures })
      .refine(areInOrder, 'min must be less than max'),
    choiceShape,
    z
      .strictObject({ ...scaleFields, ...measures })
      .refine(isUrgentWithin, { path: ['urgentFrom'], error: 'must be steps of the scale, with urgentFrom not above urgentTo' })
      .refine(hasFewSteps, `must have 2 to ${MAX_SCALE_STEPS} steps from min to max`),
    yesNoShape,
  ]);

const questionShape = createQuestionShape({ itemId: z.int().min(1).max(2_147_483_647).optional() });

const listUrgentWords = ({ urgentWords: own }: Question & { kind: 'text' }): readonly string[] =>
  own?.length === 0 ? [] : [...new Set([...(own ?? []), ...URGENT_WORDS])];

/** Whether the survey marks this answer of a question as urgent; false where nothing was answered. */
export function isUrgentAnswer(question: Question, answer: Answer | null): boolean {
  switch (question.kind) {
    case 'text':
      return typeof answer === 'string' && hasWords(answer, ...listUrgentWords(question));
    case 'choice':
      return typeof answer === 'string' && (question.urgentChoices ?? []).includes(answer);
    case 'scale': {
      const { min, max, urgentFrom, urgentTo } = question;
      if (typeof answer !== 'number' || (urgentFrom === undefined && urgentTo === undefined)) return false;
      return answer >= (urgentFrom ?? min) && answer <= (urgentTo ?? max);
    }
    case 'yes_no':
      return typeof answer === 'boolean' && question.urgentIf === (answer ? 'yes' : 'no');
    case 'number':
      return false;
  }
}

export const readItemId = (question: Question): number | null => ('itemId' in question ? (question.itemId ?? null) : null);

export const questionsShape = z
  .array(questionShape)
  .min(1)
  .max(MAX_QUESTIONS)
  .refine((all) => areUnique(all.map(({ key }) => key)), 'must have unique keys')
  .refine((all) => areUnique(all.flatMap((one) => readItemId(one) ?? [])), 'must measure each item at most once');

const storedQuestions = questionsShape.catch([]);

/** The questions of a stored survey type, in their order; empty where the stored value cannot be read. */
export const readQuestions = (stored: unknown): Question[] => storedQuestions.parse(stored);

/** A question with its answer; null where it was skipped or the check-in is not answered yet. */
export interface AnsweredQuestion {
  question: Question;
  answer: Answer | null;
}

const answer = z.union([z.string(), z.number(), z.boolean()]).nullable().catch(null);
const kept = z.record(z.string(), answer).catch({});

/**
 * Answers in the order of the questions.
 * @param questions of the survey type, as stored
 * @param answers of the check-in, as stored; null for an unanswered one
 */
export function readAnswers(questions: unknown, answers: unknown): AnsweredQuestion[] {
  const given = kept.parse(answers ?? {});
  return readQuestions(questions).map((question) => ({
    question,
    answer: Object.hasOwn(given, question.key) ? (given[question.key] ?? null) : null,
  }));
}
