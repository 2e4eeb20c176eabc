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
import { recordNumber } from '../../domain/values/text-form.ts';
import { birthDay, calendarDay, day, email, flag, id, optional, phone, reading, state, text, zip } from './wire-types.ts';

/** Shapes of a chart's fields, the same in every dialect. An empty value or null clears a field. */

/** A text of one line: a name, a line of an address. */
const line = () => optional(text(PATIENT_LIMITS.name));

/** @param form the pattern or the choices that the document shows */
const coded = (read: (sent: string) => string | null, otherwise: string, form: { pattern: string } | { enum: string[] }) =>
  optional(text(PATIENT_LIMITS.name).transform(reading(read, otherwise)).meta(form));

/** The pattern of a country: two or three letters. */
export const COUNTRY = '^[A-Za-z]{2,3}$';

const language = () =>
  coded(readChartLanguage, 'must be an ISO 639-2 code such as spa, or declined', { pattern: '^(declined|[A-Za-z]{3})$' });
const ethnicity = () =>
  coded(readEthnicity, 'must be a code of 2.16.840.1.113883.5.50 such as 2186-5, or declined', { pattern: '^(declined|\\d{4}-\\d)$' });
const country = () => coded(readCountry, 'must be an ISO 3166-1 code such as USA or US', { pattern: COUNTRY });
const censusCode = () =>
  coded(readCensusCode, 'must be a US Census code of up to four digits, or other', { pattern: '^(other|\\d{1,4})$' });

const readTerm = (read: (sent: string) => string | null, terms: readonly { plain: string }[]) =>
  coded(read, `must be one of ${terms.map(({ plain }) => plain).join('; ')}`, { enum: terms.map(({ plain }) => plain) });
const genderIdentity = () => readTerm(readGenderIdentity, GENDER_IDENTITIES);
const sexualOrientation = () => readTerm(readSexualOrientation, SEXUAL_ORIENTATIONS);

const readOneOf = <const T extends readonly [string, ...string[]]>(words: T) => {
  const known = new Map<string, string>(words.map((word) => [word.toLowerCase(), word]));
  return optional(
    z.preprocess((sent) => (typeof sent === 'string' ? (known.get(sent.trim().toLowerCase()) ?? sent) : sent), z.enum(words)),
  );
};
const relationship = () => readOneOf(RELATIONSHIPS);
const maritalStatus = () => readOneOf(MARITAL_STATUSES);

/** The status of a chart; `deleted` for whom the domain lets delete charts. */
export const chartStatus = () => readOneOf(['active', 'inactive', 'prospective', 'deleted']);
/** The same without `deleted`. */
export const openStatus = () => readOneOf(['active', 'inactive', 'prospective']);

/** The shapes of the kinds in requests; an API has its own form of some. */
export const CHART_KINDS = {
  name: line,
  line,
  words: line,
  city: () => optional(text(PATIENT_LIMITS.city)),
  state: () => optional(state()).describe('two-letter code; the name of the state is understood too'),
  zip: () => optional(zip()).describe('five or nine digits'),
  country: () => country().describe('ISO 3166-1 code'),
  phone: () => optional(phone()).describe('North American'),
  phoneOrDeclined: () => optional(phone()).describe('North American'),
  email: () => optional(email()),
  emailOrDeclined: () => optional(email()),
  recordNumber: () => optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)),
  sex: () => optional(text(PATIENT_LIMITS.sex)).describe('M, F, male or female in any case; another word is stored as sent'),
  genderIdentity: () => genderIdentity().describe('a term of either edition of the standard'),
  sexualOrientation: () => sexualOrientation().describe('a term of either edition of the standard'),
  maritalStatus: () => maritalStatus().describe('D, M, P, S, U, W or X'),
  ethnicity: () => ethnicity().describe('code of 2.16.840.1.113883.5.50, or `declined`'),
  language: () => language().describe('ISO 639-2 code, or `declined`'),
  relationship,
  censusCode: () => censusCode().describe('US Census code, or `other`'),
  day: () => optional(day()).describe('YYYY-MM-DD'),
  pastDay: () => optional(birthDay(day())).describe('YYYY-MM-DD, not in the future'),
  flags: () => optional(z.array(text(PATIENT_LIMITS.flag)).max(PATIENT_LIMITS.flags)).describe(`at most ${PATIENT_LIMITS.flags}`),
  flag: () => optional(flag()),
  yesNo: () => optional(flag()),
  reference: () => optional(id()),
  employer: () => optional(id()),
};

const shownText = () => z.string().nullable();
const shownPhone = () => shownText().describe('ten digits if North American, otherwise E.164');
const shownDay = () => calendarDay().nullable().describe('YYYY-MM-DD');

/** The shapes of the kinds in responses of the integration and the mobile API. */
export const SHOWN_KINDS = {
  name: shownText,
  line: shownText,
  words: shownText,
  city: shownText,
  state: () => shownText().describe('two-letter code'),
  zip: () => shownText().describe('five digits, or nine with a hyphen'),
  phone: shownPhone,
  phoneOrDeclined: shownPhone,
  emailOrDeclined: shownText,
  recordNumber: shownText,
  sex: () => shownText().describe('M or F, or the word that was sent'),
  language: () => shownText().describe('ISO 639-2 code, or `declined`'),
  day: shownDay,
  pastDay: shownDay,
  flags: () => z.array(z.string()),
  flag: () => z.boolean().nullable(),
  yesNo: () => z.boolean(),
  reference: () => z.int().nullable(),
};
