import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { createSurveyType, endSurveyType, listSurveyTypes, removeSurveyType } from '../../domain/messaging/check-ins/survey-types.ts';
import { variantsShape, withoutVariantWords } from '../../domain/messaging/check-ins/survey-wordings.ts';
import { createQuestionShape, type Question, questionsShape } from '../../domain/messaging/check-ins/surveys.ts';
import { releaseNumber } from '../../domain/messaging/numbers/number-release.ts';
import { assignNumber, listOwnNumbers } from '../../domain/messaging/numbers/practice-numbers.ts';
import { readCategory } from '../../domain/messaging/templates/categories.ts';
import { createTemplate, deleteTemplate, listTemplates, updateTemplate } from '../../domain/messaging/templates/templates.ts';
import { readLanguageTag } from '../../domain/values/languages.ts';
import { readNorthAmericanPhone } from '../../domain/values/phone-numbers.ts';
import { active, field, form, longText, reference, text } from '../fields.ts';
import { kind, type Work } from '../kind.ts';
import { toStored } from '../stored.ts';
import { requireEnding } from './monitoring.ts';

/** More than any practice has. */
const ALL = { page: 1, limit: 100_000 };

const QUESTIONS = z.array(
  createQuestionShape({ item: reference().optional().describe('Measured item, which sets the unit of the question') }),
);

const language = () => form(readLanguageTag, 'must be a language such as en, es or vi');

const SURVEY = z.strictObject({
  name: field(text(100), 'Name of the survey'),
  questions: field(QUESTIONS, 'Questions, in this order'),
  language: field(language(), 'Language of the name and the questions; that of the practice by default'),
  variants: field(variantsShape, 'Complete translations into other languages'),
  active: active('false: no longer sent; surveys already sent can still be answered'),
});

export const surveyKind = kind({
  name: 'surveys',
  one: 'survey',
  names: ['name'],
  references: { questions: { item: 'items' } },
  fixed: {
    fields: ['name', 'questions', 'language', 'variants'],
    instead: 'End the survey with active: false, and add another one with a new key; it may have the same name.',
  },
  table: 'survey_type',
  shape: SURVEY,
  whole: SURVEY.required({ name: true, questions: true }),
  read: async ({ tx }) =>
    (await listSurveyTypes(tx, undefined, ALL)).items.map((row) =>
      toStored(SURVEY, row, {
        questions: row.questions.map(({ question }) => {
          const { itemId, ...rest } = { itemId: undefined, ...withoutVariantWords(question, row.variants) };
          return itemId === undefined ? rest : { ...rest, item: itemId };
        }),
      }),
    ),
  async create(work, { name, questions, language: tag, variants, active: isActive = true }) {
    const asked = { name, language: tag, variants, questions: withIds(work, questions) };
    const survey = await createSurveyType(work.tx, asked);
    if (!isActive) await endSurveyType(work.tx, survey.id);
    return survey;
  },
  async change({ tx }, id, { active: isActive }) {
    requireEnding(isActive);
    if (isActive === false) await endSurveyType(tx, id);
  },
  remove: ({ tx }, id) => removeSurveyType(tx, id),
});

/** @throws Failure invalid for questions that do not go together */
function withIds({ findId }: Work, questions: z.output<typeof QUESTIONS>): Question[] {
  const read = questionsShape.safeParse(
    questions.map((question) => {
      const { item, ...rest } = { item: undefined, ...question };
      return item === undefined ? rest : { ...rest, itemId: findId('items', item) };
    }),
  );
  if (!read.success) throw invalid('questions', read.error.issues[0]?.message ?? 'are invalid');
  return read.data;
}

const body = () => longText(1_600);
const WORDING = z.strictObject({ language: language().describe('Language of this wording'), body: body().describe('The text') });

const TEMPLATE = z.strictObject({
  category: field(text(60).transform(readCategory), 'Category that it is sent for; one template per category is active'),
  name: field(text(200), 'Name of the template'),
  body: field(body(), 'The text, with placeholders such as {{first name}}'),
  language: field(language(), 'Language of the body; that of the practice by default'),
  variants: field(z.array(WORDING).max(20), 'All wordings in other languages'),
  tracksResponse: field(z.boolean(), 'Whether it asks for a yes or no'),
  active: active('Whether it is the active template of its category'),
});

export const templateKind = kind({
  name: 'templates',
  one: 'template',
  names: ['category', 'name'],
  between: ': ',
  unordered: ['variants'],
  shape: TEMPLATE,
  whole: TEMPLATE.required({ category: true, name: true, body: true }),
  read: async ({ tx }) =>
    (await listTemplates(tx, {}, ALL)).items.map((row) =>
      toStored(TEMPLATE, row, { variants: row.variants.map((one) => ({ language: one.language, body: one.body })) }),
    ),
  create: ({ tx }, item) => createTemplate(tx, item),
  change: ({ tx }, id, changes) => updateTemplate(tx, id, changes),
  remove: ({ tx }, id) => deleteTemplate(tx, id),
});

const NUMBER = z.strictObject({
  number: field(form(readNorthAmericanPhone, 'must be a North American telephone number'), 'Telephone number; ordered from the carrier'),
  kind: field(z.enum(['plain', 'fax', 'voice_pager']), 'Use: texts and calls, faxes, or voice messages'),
});

export const numberKind = kind({
  name: 'numbers',
  one: 'number',
  names: ['number'],
  shape: NUMBER,
  whole: NUMBER.required(),
  read: async ({ tx }) => (await listOwnNumbers(tx)).map((row) => toStored(NUMBER, row)),
  create: ({ tx, services }, item) => assignNumber(tx, item, services.forSale.get(item.number) ?? NOT_ASKED),
  async change({ tx }, id, { kind: use }) {
    const number = await tx.prisma.phoneNumber.findUnique({ where: tx.key(id) });
    if (number && use) await assignNumber(tx, { number: number.number, kind: use }, NOT_ASKED);
  },
  async remove({ tx }, id) {
    const number = await tx.prisma.phoneNumber.findUnique({ where: tx.key(id) });
    if (number) await releaseNumber(tx, number.kind, id);
  },
});

/** Of a number that the practice has: nobody asks the carrier for it. */
const NOT_ASKED = { carrier: 'local', answer: false, most: 0 } as const;
