import { Failure, invalid } from '../../errors.ts';
import type { RecipientLanguage } from '../recipients/recipient-language.ts';
import { findCategory } from './categories.ts';
import type { Category } from './category.ts';
import {
  hasUnbalancedBraces,
  PLACEHOLDERS,
  type PlaceholderName,
  placeholderInSingleBraces,
  placeholdersIn,
  SPECIAL_PLACEHOLDERS,
} from './placeholders.ts';

export interface Wording {
  /** Primary subtag of BCP 47, such as `es`. */
  language: string;
  body: string;
}

/** The words of a template: its own body, and the same in further languages. */
export interface Wordings extends Wording {
  variants: Wording[];
}

/** All wordings, that of the template's own body first. */
export const allWordings = ({ language, body, variants }: Wordings): [Wording, ...Wording[]] => [{ language, body }, ...variants];

/** The wording for a recipient: in the patient's language, else the practice's, else the template's own body. */
export function chooseWording(template: Wordings, { patient, practice }: Pick<RecipientLanguage, 'patient' | 'practice'>): Wording {
  const all = allWordings(template);
  const inLanguage = (tag: string | null) => all.find(({ language }) => language === tag);
  return inLanguage(patient) ?? inLanguage(practice) ?? all[0];
}

/** Placeholders of a template's own body that another wording has not, in the order of the body. */
export function placeholdersLacking({ body }: Wording, { body: own }: Wording): PlaceholderName[] {
  const { known } = placeholdersIn(body);
  return placeholdersIn(own).known.filter((name) => !known.includes(name));
}

const MAX_NAME_LENGTH = 60;

export const ALL_PLACEHOLDERS: readonly PlaceholderName[] = [...PLACEHOLDERS, ...SPECIAL_PLACEHOLDERS];

const joinPlaceholders = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');

/** @throws Failure invalid naming the unknown placeholder and listing the known ones */
export function requireKnownPlaceholders(body: string, field = 'body', names: readonly PlaceholderName[] = PLACEHOLDERS): void {
  const { known, unknown } = placeholdersIn(body);
  const foreign = unknown[0] ?? known.find((name) => !names.includes(name));
  if (foreign !== undefined) {
    const named = `{{${[...foreign].slice(0, MAX_NAME_LENGTH).join('')}}}`;
    throw invalid(
      field,
      `has the placeholder ${named}, which is unknown. ${names.length === 0 ? 'This text has no placeholders.' : `Known placeholders: ${joinPlaceholders(names)}.`}`,
      'unknown_placeholder',
    );
  }
  if (hasUnbalancedBraces(body)) throw invalid(field, 'has unbalanced double braces', 'unclosed_placeholder');
  const single = placeholderInSingleBraces(body);
  if (single !== null) throw invalid(field, `has {${single}} in single braces; use two: {{${single}}}`, 'unclosed_placeholder');
}

/** Without these, a text in another language would not do what the text does. */
const ESSENTIAL: readonly PlaceholderName[] = ['url', 'review url', 'code'];

/**
 * Checks the wordings of a template for its category, active or not.
 * @throws Failure invalid for an unknown placeholder, a second wording in one language, or one that lacks a link of the body
 */
export function requireSoundWordings(template: Wordings & { category: string }): void {
  const names = [...new Set([...PLACEHOLDERS, ...(findCategory(template.category)?.values ?? [])])];
  const languages = new Set<string>();
  for (const [index, wording] of allWordings(template).entries()) {
    const field = toFieldName(index);
    requireKnownPlaceholders(wording.body, field, names);
    if (languages.has(wording.language))
      throw invalid(index === 0 ? 'language' : `variants.${index - 1}.language`, 'is that of another wording', 'duplicate_language');
    languages.add(wording.language);
    const lacking = placeholdersLacking(wording, template).filter((name) => ESSENTIAL.includes(name));
    if (lacking.length > 0) throw invalid(field, `lacks ${joinPlaceholders(lacking)}, which the body has`, 'missing_placeholder');
  }
}

const toFieldName = (index: number): string => (index === 0 ? 'body' : `variants.${index - 1}.body`);

/**
 * Checks that the server can send a template of one of its categories by itself; a category of the practice's own has no conditions.
 * @param field that names the template, where its words are not the input
 * @throws Failure unprocessable: missing_placeholder, unusable_placeholder, cannot_ask
 */
export function requireSendable(template: Wordings & { category: string; tracksResponse: boolean }, field?: string): void {
  const category = findCategory(template.category);
  if (!category) return;
  for (const [index, wording] of allWordings(template).entries()) {
    const fault = findFault(wording, category);
    if (fault) {
      const message = `A template in use for ${template.category} ${fault.message}`;
      throw new Failure('unprocessable', fault.code, `${message} (${wording.language}).`, {
        issues: [{ field: field ?? toFieldName(index), code: fault.code, message: `${message}.` }],
      });
    }
  }
  if (template.tracksResponse && !category.mayAsk) {
    const message = `A template in use for ${template.category} cannot ask for a yes or no.`;
    const issues = [{ field: field ?? 'tracksResponse', code: 'cannot_ask', message }];
    throw new Failure('unprocessable', 'cannot_ask', message, { issues });
  }
}

/** Whether the server can send a wording of one of its categories, with all that the category needs. */
export const isSendable = (wording: Wording, category: Category): boolean => findFault(wording, category) === null;

function findFault({ body }: Wording, { needs, values }: Category): { code: string; message: string } | null {
  const { known } = placeholdersIn(body);
  const missing = needs.filter((name) => !known.includes(name));
  if (missing.length > 0) return { code: 'missing_placeholder', message: `must have ${joinPlaceholders(missing)}` };
  const unusable = known.filter((name) => !values.includes(name));
  if (unusable.length > 0) return { code: 'unusable_placeholder', message: `has no value for ${joinPlaceholders(unusable)}` };
  return null;
}
