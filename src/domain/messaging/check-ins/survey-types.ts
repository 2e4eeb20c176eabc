import type { SurveyType } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, Failure, invalid, notFound } from '../../errors.ts';
import { practiceLanguage } from '../../practices/practice-language.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { MEASURED_ITEMS, type MeasuredItem } from './measured-items.sql.ts';
import { readVariants, requireCompleteVariants, type SurveyVariant, withUrgentWords } from './survey-wordings.ts';
import { type Question, readItemId, readQuestions } from './surveys.ts';

/** A question with the item that it measures; null where it measures none that the practice has. */
export interface SurveyQuestion {
  question: Question;
  item: MeasuredItem | null;
}

/** A survey type. Its questions never change, so that stored answers keep their meaning. */
export interface SurveyTypeView extends Pick<SurveyType, 'id' | 'name' | 'language' | 'active' | 'createdAt' | 'updatedAt'> {
  questions: SurveyQuestion[];
  variants: SurveyVariant[];
}

export interface NewSurveyType {
  name: string;
  /** Of the name and the questions; the practice's unless given. */
  language?: string | undefined;
  questions: Question[];
  /** The same in further languages. */
  variants?: SurveyVariant[] | undefined;
}

/**
 * @throws Failure conflict where an active survey type has this name; invalid for an item that the practice does not have, and for a
 *   variant that lacks words of a question
 */
export async function createSurveyType(tx: Tx, { name, variants = [], ...input }: NewSurveyType): Promise<SurveyTypeView> {
  const language = input.language ?? (await practiceLanguage(tx));
  requireCompleteVariants(input.questions, { language, variants });
  const questions = withUrgentWords(input.questions, variants);
  const holder = await tx.prisma.surveyType.findFirst({ where: { ...tx.practice, name, active: true }, select: { id: true } });
  if (holder) throw conflict('survey_type_exists', `Survey type ${holder.id} already has this name. End it first.`);
  const withMeasuredItems = await withItems(tx, questions);
  for (const { question, item } of withMeasuredItems) {
    if (readItemId(question) !== null && item === null)
      throw invalid('questions', `the question "${question.key}" measures an item unknown to the practice`, 'item_not_found');
  }
  const survey = await tx.prisma.surveyType.create({ data: { ...tx.practice, name, language, questions, variants } });
  recordChange(tx, 'administer', { name: 'survey_type.created', id: survey.id });
  return { ...survey, questions: withMeasuredItems, variants };
}

/** Ends a survey type: it is not sent any more, but check-ins already sent can still be answered. @throws Failure not_found */
export async function endSurveyType(tx: Tx, id: number): Promise<SurveyTypeView> {
  const where = tx.key(id);
  const existing = await tx.prisma.surveyType.findUnique({ where });
  if (!existing) throw notFound('survey type');
  if (existing.active) recordChange(tx, 'administer', { name: 'survey_type.ended', id, changed: ['active'] });
  const survey = existing.active ? await tx.prisma.surveyType.update({ where, data: { active: false } }) : existing;
  return { ...survey, questions: await withItems(tx, readQuestions(survey.questions)), variants: readVariants(survey.variants) };
}

/** Lists survey types by id. @param active undefined for active and ended ones */
export async function listSurveyTypes(tx: Tx, active: boolean | undefined, page: PageRequest): Promise<Page<SurveyTypeView>> {
  const where = { ...tx.practice, ...(active === undefined ? {} : { active }) };
  const [rows, total] = await Promise.all([
    tx.prisma.surveyType.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.surveyType.count({ where }),
  ]);
  const read = rows.map((row) => ({ ...row, questions: readQuestions(row.questions), variants: readVariants(row.variants) }));
  const items = await findItems(
    tx,
    read.flatMap(({ questions }) => questions),
  );
  return { ...page, total, items: read.map((row) => ({ ...row, questions: row.questions.map((question) => withItem(question, items)) })) };
}

/**
 * Requires survey types that can be sent now.
 * @param field the input field that contains the ids
 * @throws Failure not_found for the first that the practice does not have, unprocessable for the first that was ended
 */
export async function requireActiveSurveyTypes(tx: Tx, ids: readonly number[], field: string): Promise<SurveyType[]> {
  const found = await tx.prisma.surveyType.findMany({ where: { ...tx.practice, id: { in: [...ids] } } });
  for (const id of ids) {
    const survey = found.find((one) => one.id === id);
    if (!survey) throw notFound('survey type', field);
    if (!survey.active) throw new Failure('unprocessable', 'survey_type_ended', `Survey type ${id} was ended and is no longer sent.`);
    if (readQuestions(survey.questions).length === 0)
      throw new Failure('unprocessable', 'survey_type_empty', `Survey type ${id} has no usable questions.`);
  }
  return found;
}

export async function withItems(tx: Tx, questions: readonly Question[]): Promise<SurveyQuestion[]> {
  const items = await findItems(tx, questions);
  return questions.map((question) => withItem(question, items));
}

async function findItems(tx: PracticeTx, questions: readonly Question[]): Promise<MeasuredItem[]> {
  const ids = [...new Set(questions.flatMap((question) => readItemId(question) ?? []))];
  if (ids.length === 0) return [];
  return tx.rows(MEASURED_ITEMS, [ids]);
}

export const withItem = (question: Question, items: readonly MeasuredItem[]): SurveyQuestion => ({
  question,
  item: items.find(({ id }) => id === readItemId(question)) ?? null,
});

/** Removes a survey type to which nothing refers. */
export async function removeSurveyType(tx: Tx, id: number): Promise<void> {
  await tx.prisma.surveyType.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'survey_type.removed', id });
}
