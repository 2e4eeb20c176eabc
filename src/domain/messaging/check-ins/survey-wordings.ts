import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { isLanguage, type Language, languageTag, readLanguageTag } from '../../values/languages.ts';
import { type Question, shortText, urgentWords } from './surveys.ts';

/** A language as people write it. */
const writtenLanguage = z.string().transform((written, context) => {
  const tag = readLanguageTag(written);
  if (tag !== null) return tag;
  context.addIssue('must be a language such as es');
  return z.NEVER;
});

/** The words of a survey in a further language: those of all of its questions. */
const variantShape = z.strictObject({
  language: writtenLanguage,
  name: shortText(100),
  questions: z.array(
    z.strictObject({
      key: z.string(),
      text: shortText(500),
      choices: z.array(shortText(200)).optional(),
      minLabel: shortText(60).optional(),
      maxLabel: shortText(60).optional(),
      urgentWords: urgentWords.optional(),
    }),
  ),
});
export type SurveyVariant = z.output<typeof variantShape>;

export const variantsShape = z.array(variantShape).max(20);
const storedVariants = variantsShape.catch([]);

/** The variants of a stored survey type; none where the stored value cannot be read. */
export const readVariants = (stored: unknown): SurveyVariant[] => storedVariants.parse(stored ?? []);

/** A survey type's own words, and the same in further languages. */
export interface SurveyWording {
  /** Primary subtag of BCP 47, of its own words. */
  language: string;
  name: string;
  variants: readonly SurveyVariant[];
}

/** The languages in which a survey type can be asked, its own first. */
export const surveyLanguages = ({ language, variants }: Pick<SurveyWording, 'language' | 'variants'>): string[] => [
  language,
  ...variants.map((variant) => variant.language),
];

export interface QuestionWords {
  text: string;
  /** In the order of the question's own; the answer is stored in these. */
  choices: readonly string[];
  minLabel: string | undefined;
  maxLabel: string | undefined;
}

/** A survey in the language that its page shows. */
export interface SurveyWords {
  language: string;
  name: string;
  findQuestionWords: (question: Question) => QuestionWords;
}

/**
 * The survey in the language of its page. A patient whose language the server has no words in reads the questions in it all the same,
 * where the survey has it; a language that the survey lacks leaves its own words.
 */
export function surveyInLanguage({ language, name, variants }: SurveyWording, page: Language, patientCode: string | null): SurveyWords {
  const patient = languageTag(patientCode);
  const isForeign = patient !== null && !isLanguage(patient) && surveyLanguages({ language, variants }).includes(patient);
  const wanted = isForeign ? patient : page;
  const variant = wanted === language ? undefined : variants.find((one) => one.language === wanted);
  const findQuestionWords = (question: Question): QuestionWords => {
    const words = variant?.questions.find(({ key }) => key === question.key);
    const { minLabel, maxLabel } = words ?? (question.kind === 'scale' ? question : {});
    return { text: words?.text ?? question.text, choices: words?.choices ?? listChoices(question), minLabel, maxLabel };
  };
  return { language: variant?.language ?? language, name: variant?.name ?? name, findQuestionWords };
}

const listChoices = (question: Question): readonly string[] => (question.kind === 'choice' ? question.choices : []);

/** @throws Failure invalid for a second wording in one language, and for one that lacks words of a question */
export function requireCompleteVariants(
  questions: readonly Question[],
  { language, variants }: Pick<SurveyWording, 'language' | 'variants'>,
): void {
  const languages = new Set([language]);
  for (const [index, variant] of variants.entries()) {
    const field = `variants.${index}`;
    if (languages.has(variant.language))
      throw invalid(`${field}.language`, 'is also the language of another wording', 'duplicate_language');
    languages.add(variant.language);
    const stranger = variant.questions.find(({ key }) => questions.every((question) => question.key !== key));
    if (stranger)
      throw invalid(`${field}.questions`, `has the question "${stranger.key}", which the survey does not have`, 'unknown_question');
    for (const question of questions) {
      const lack = findLack(question, variant);
      if (lack !== null) throw invalid(`${field}.questions`, `must have ${lack} of the question "${question.key}"`, 'missing_words');
    }
  }
}

function findLack(question: Question, { questions }: SurveyVariant): string | null {
  const own = questions.filter(({ key }) => key === question.key);
  const [words] = own;
  if (!words || own.length > 1) return 'the text, once,';
  if (question.kind === 'choice' && new Set(words.choices).size !== question.choices.length)
    return `${question.choices.length} different choices, in the order of the survey’s choices,`;
  if (question.kind === 'scale' && (question.minLabel === undefined) !== (words.minLabel === undefined)) return 'the same labels';
  if (question.kind === 'scale' && (question.maxLabel === undefined) !== (words.maxLabel === undefined)) return 'the same labels';
  return null;
}

/** A stored question with the urgent words of its own alone. */
export function withoutVariantWords(question: Question, variants: readonly SurveyVariant[]): Question {
  if (question.kind !== 'text' || question.urgentWords === undefined) return question;
  const further = new Set(variants.flatMap((variant) => variant.questions.find(({ key }) => key === question.key)?.urgentWords ?? []));
  const { urgentWords: all, ...rest } = question;
  const own = all.filter((words) => !further.has(words));
  return own.length === 0 && further.size > 0 ? rest : { ...rest, urgentWords: own };
}

/** The questions with the urgent words of every variant beside their own. */
export const withUrgentWords = (questions: readonly Question[], variants: readonly SurveyVariant[]): Question[] =>
  questions.map((question) => {
    const further = variants.flatMap((variant) => variant.questions.find(({ key }) => key === question.key)?.urgentWords ?? []);
    return question.kind !== 'text' || further.length === 0
      ? question
      : { ...question, urgentWords: [...new Set([...(question.urgentWords ?? []), ...further])] };
  });
