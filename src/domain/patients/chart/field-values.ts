import { findCountry } from '../../code-sets/countries.ts';
import { ethnicityName } from '../../code-sets/ethnicities.ts';
import { readLanguage } from '../../code-sets/languages.ts';
import { genderIdentityIn, isGenderIdentity, isSexualOrientation, sexualOrientationIn } from '../record/gender-terms.ts';

/** Readers of the values of a chart's coded fields, for every dialect: the value as it is stored, or null for one that is not accepted. */

/** The word of a patient who does not say. */
export const DECLINED = 'declined';

export const isDeclined = (sent: string): boolean => sent.trim().toLowerCase() === DECLINED;

const orDeclined =
  (read: (sent: string) => string | null) =>
  (sent: string): string | null =>
    isDeclined(sent) ? DECLINED : read(sent);

export const readChartLanguage = orDeclined(readLanguage);
export const readEthnicity = orDeclined((code) => (ethnicityName(code) === null ? null : code));
export const readGenderIdentity = (sent: string) => (isGenderIdentity(sent) ? genderIdentityIn(sent, 'certified') : null);
export const readSexualOrientation = (sent: string) => (isSexualOrientation(sent) ? sexualOrientationIn(sent, 'certified') : null);
export const readCountry = (sent: string) => findCountry(sent)?.alpha3 ?? null;

/** M and F in any spelling are letters, as the practice API shows them; another word is kept as it is. */
export const readSex = (word: string): string => /^(m|male|f|female)$/i.exec(word)?.[0]?.[0]?.toUpperCase() ?? word;

/** A US Census code of an industry or an occupation, with the zeros at its front, which answers leave out; or `other`. */
export function readCensusCode(sent: string): string | null {
  const code = sent.trim().toLowerCase();
  return /^\d{1,4}$/.test(code) ? code.padStart(4, '0') : code === 'other' ? code : null;
}

export const RELATIONSHIPS = ['SPOUSE', 'PARENT', 'CHILD', 'SIBLING', 'FRIEND', 'COUSIN', 'GUARDIAN', 'OTHER'] as const;
export const MARITAL_STATUSES = ['D', 'M', 'S', 'U', 'W', 'X', 'P'] as const;
