import { type InEachLanguage, isLanguage } from '../../values/languages.ts';
import type { RecipientLanguage } from '../recipients/recipient-language.ts';
import { CATEGORIES, type CategoryName } from './categories.ts';
import type { OwnWords } from './category.ts';

type Addressed = Pick<RecipientLanguage, 'nameToGuardian'>;

/** The server's own words of a category, to a patient or to their guardian. */
export const findOwnWords = (name: CategoryName, { nameToGuardian }: Addressed): OwnWords =>
  (nameToGuardian === null ? undefined : CATEGORIES[name].toGuardian) ?? CATEGORIES[name];

const UNNAMED: InEachLanguage = { en: 'your child', es: 'su hijo o hija' };

/** The name of a patient in words to their guardian; null in those to the patient. */
export const patientToGuardian = ({ nameToGuardian }: Addressed, tag: string): string | null =>
  nameToGuardian === '' ? UNNAMED[isLanguage(tag) ? tag : 'en'] : nameToGuardian;

const ABOUT: InEachLanguage<(name: string) => string> = { en: (name) => `About ${name}: `, es: (name) => `Sobre ${name}: ` };

/** The words of a template, with the patient whom they are about before them where their guardian reads them. */
export function nameToGuardian(text: string, recipient: Addressed, tag: string): string {
  const name = patientToGuardian(recipient, tag);
  if (name === null) return text;
  return `${isLanguage(tag) ? ABOUT[tag](name) : `${name}: `}${text}`;
}
