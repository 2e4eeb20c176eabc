import { z } from 'zod';
import {
  MARITAL_STATUSES,
  RELATIONSHIPS,
  readCensusCode,
  readChartLanguage,
  readCountry,
  readEthnicity,
  readGenderIdentity,
  readSexualOrientation,
} from '../../domain/patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../domain/patients/field-limits.ts';
import { GENDER_IDENTITIES, SEXUAL_ORIENTATIONS } from '../../domain/patients/record/gender-terms.ts';
import { optional, reading, text } from './wire-types.ts';

/** Shapes of a chart's fields, the same in every dialect. An empty value or null clears a field. */

/** A text of one line: a name, a line of an address. */
export const line = () => optional(text(PATIENT_LIMITS.name));

/** @param form the pattern or the choices that the document shows */
const coded = (read: (sent: string) => string | null, otherwise: string, form: { pattern: string } | { enum: string[] }) =>
  optional(text(PATIENT_LIMITS.name).transform(reading(read, otherwise)).meta(form));

/** The pattern of a country: two or three letters. */
export const COUNTRY = '^[A-Za-z]{2,3}$';

export const language = () =>
  coded(readChartLanguage, 'must be an ISO 639-2 code such as spa, or declined', { pattern: '^(declined|[A-Za-z]{3})$' });
export const ethnicity = () =>
  coded(readEthnicity, 'must be a code of 2.16.840.1.113883.5.50 such as 2186-5, or declined', { pattern: '^(declined|\\d{4}-\\d)$' });
export const country = () => coded(readCountry, 'must be an ISO 3166-1 code such as USA or US', { pattern: COUNTRY });
export const censusCode = () =>
  coded(readCensusCode, 'must be a US Census code of up to four digits, or other', { pattern: '^(other|\\d{1,4})$' });

const readTerm = (read: (sent: string) => string | null, terms: readonly { plain: string }[]) =>
  coded(read, `must be one of ${terms.map(({ plain }) => plain).join('; ')}`, { enum: terms.map(({ plain }) => plain) });
export const genderIdentity = () => readTerm(readGenderIdentity, GENDER_IDENTITIES);
export const sexualOrientation = () => readTerm(readSexualOrientation, SEXUAL_ORIENTATIONS);

const readOneOf = <const T extends readonly [string, ...string[]]>(words: T) => {
  const known = new Map<string, string>(words.map((word) => [word.toLowerCase(), word]));
  return optional(
    z.preprocess((sent) => (typeof sent === 'string' ? (known.get(sent.trim().toLowerCase()) ?? sent) : sent), z.enum(words)),
  );
};
export const relationship = () => readOneOf(RELATIONSHIPS);
export const maritalStatus = () => readOneOf(MARITAL_STATUSES);

/** The status of a chart; `deleted` for whom the domain lets delete charts. */
export const chartStatus = () => readOneOf(['active', 'inactive', 'prospective', 'deleted']);
/** The same without `deleted`. */
export const openStatus = () => readOneOf(['active', 'inactive', 'prospective']);
