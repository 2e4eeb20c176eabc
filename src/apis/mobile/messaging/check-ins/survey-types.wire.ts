import { z } from 'zod';
import type { SurveyQuestion, SurveyTypeView } from '../../../../domain/messaging/check-ins/survey-types.ts';
import type { Question } from '../../../../domain/messaging/check-ins/surveys.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { bit, instant, paging } from '../../../../http/wire/wire-types.ts';
import { wrapList } from '../../shared.wire.ts';

const UrgentShape = z.strictObject({
  answer: z.enum(['yes', 'no']).nullable().describe('Answers to a yes_no question'),
  choices: z.array(z.string()).nullable().describe('Choices of a choice question'),
  from: z.int().nullable().describe('Lowest urgent step of a scale'),
  to: z.int().nullable().describe('Highest urgent step of a scale'),
  words: z
    .array(z.string())
    .nullable()
    .describe(
      'For a text question: words in any language that make an answer urgent, in addition to the built-in ones; case and accents are ignored. Empty for none',
    ),
});

const QuestionShape = z
  .strictObject({
    key: z.string().describe('Name of the question in the answers'),
    text: z.string(),
    kind: z.enum(['text', 'number', 'choice', 'scale', 'yes_no']),
    required: z.boolean(),
    choices: z.array(z.string()).nullable().describe('Choices of a choice question'),
    min: z.number().nullable().describe('Lowest value of a number or a scale'),
    max: z.number().nullable(),
    min_label: z.string().nullable().describe('Label of the lower end of a scale'),
    max_label: z.string().nullable(),
    item: z
      .strictObject({ uuid: z.int(), name: z.string(), unit: z.string().nullable() })
      .nullable()
      .describe('The item that a number or scale measures; answers become readings of it'),
    urgent: UrgentShape.nullable().describe('Answers that raise an urgent alert; null if there are none. Patients are not shown it'),
  })
  .meta({ id: 'SurveyQuestion' });

const VariantShape = z
  .strictObject({
    language: z.string(),
    name: z.string(),
    questions: z
      .array(
        z.strictObject({
          key: z.string(),
          text: z.string(),
          choices: z.array(z.string()).nullable().describe('Choices in the order of the question’s own, in which answers are stored'),
          min_label: z.string().nullable().describe('Label of the lowest value of a scale'),
          max_label: z.string().nullable().describe('Label of the highest value of a scale'),
        }),
      )
      .describe('Wording of each question'),
  })
  .meta({ id: 'SurveyVariant' });

export const SurveyTypeShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    language: z.string().describe('Language of the name and the questions: a primary subtag of BCP 47'),
    active: z.literal([0, 1]),
    questions: z.array(QuestionShape).describe('In the order in which they are asked; questions never change'),
    variants: z.array(VariantShape).describe('Translations; patients see their own language if it is listed'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'SurveyType' });

export const SurveyTypeList = wrapList(SurveyTypeShape).meta({ id: 'SurveyTypeList' });

export const active = bit().optional().describe('1 if it is in use, 0 if it has ended');

export const surveyTypesQuery = z.object({ active, ...paging });

export const fromSurveyType = (survey: SurveyTypeView): z.input<typeof SurveyTypeShape> => ({
  uuid: survey.id,
  name: survey.name,
  language: survey.language,
  active: survey.active ? 1 : 0,
  questions: survey.questions.map(fromQuestion),
  variants: survey.variants.map(({ language, name, questions }) => ({
    language,
    name,
    questions: questions.map(({ key, text, choices, minLabel, maxLabel }) => ({
      key,
      text,
      choices: choices ?? null,
      min_label: minLabel ?? null,
      max_label: maxLabel ?? null,
    })),
  })),
  created_at: writeInstant(survey.createdAt),
  updated_at: writeInstant(survey.updatedAt),
});

function fromQuestion({ question, item }: SurveyQuestion): z.input<typeof QuestionShape> {
  return {
    key: question.key,
    text: question.text,
    kind: question.kind,
    required: question.required,
    choices: question.kind === 'choice' ? question.choices : null,
    min: 'min' in question ? (question.min ?? null) : null,
    max: 'max' in question ? (question.max ?? null) : null,
    min_label: question.kind === 'scale' ? (question.minLabel ?? null) : null,
    max_label: question.kind === 'scale' ? (question.maxLabel ?? null) : null,
    item: item && { uuid: item.id, name: item.name, unit: item.unit },
    urgent: fromUrgentMarks(question),
  };
}

const NO_MARKS = { answer: null, choices: null, from: null, to: null, words: null };

function fromUrgentMarks(question: Question): z.input<typeof UrgentShape> | null {
  if (question.kind === 'text') return question.urgentWords ? { ...NO_MARKS, words: question.urgentWords } : null;
  if (question.kind === 'choice') return question.urgentChoices ? { ...NO_MARKS, choices: question.urgentChoices } : null;
  if (question.kind === 'yes_no') return question.urgentIf ? { ...NO_MARKS, answer: question.urgentIf } : null;
  if (question.kind === 'number' || (question.urgentFrom === undefined && question.urgentTo === undefined)) return null;
  return { ...NO_MARKS, from: question.urgentFrom ?? question.min, to: question.urgentTo ?? question.max };
}
