import { z } from 'zod';
import type { FieldsOf } from '../../../records/field.ts';
import { headersOf } from '../../../records/headers.ts';
import { PATIENT } from '../../../records/patient.ts';
import { ownShapesOf } from '../../../records/shapes.ts';
import { findRace } from '../../code-sets/races.ts';
import type { PatientInput } from '../../patients/chart/chart-fields.sql.ts';
import {
  DECLINED,
  isDeclined as isDeclinedText,
  MARITAL_STATUSES,
  RELATIONSHIPS,
  readCensusCode,
  readChartLanguage,
  readCountry,
  readEthnicity,
  readGenderIdentity,
  readSex,
  readSexualOrientation,
} from '../../patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../patients/field-limits.ts';
import { readSsn } from '../../patients/record/ssn.ts';
import { oneLine, recordNumber } from '../../values/text-form.ts';
import { readTimeZone } from '../../values/time/time-zones.ts';
import { choice, day, email, flag, list, named, optional, pastDay, phone, read, state, text, zip } from '../rows/cells.ts';

const isDeclined = (sent: unknown) => typeof sent === 'string' && isDeclinedText(sent);

const line = () => optional(text(PATIENT_LIMITS.name));
/** A cell of a column that is never null: null stands for its value without any. */
const plain = <T extends z.ZodType, E>(cell: T, empty: E) => optional(cell).transform((value) => (value === null ? empty : value));
const coded = (reader: (sent: string) => string | null, otherwise: string) => optional(read((sent) => reader(oneLine(sent)), otherwise));
const ssn = () => coded(readSsn, 'must be the nine digits of a social security number, with or without hyphens');

const races = list(
  text(20).refine((code) => isDeclined(code) || findRace(code) !== null, 'has a code that is not in 2.16.840.1.113883.5.104'),
  PATIENT_LIMITS.races,
).refine((codes) => codes.length <= 1 || !codes.some(isDeclined), 'is declined, or has codes, but not both');

const CELLS = {
  status: () => plain(choice('active', 'inactive', 'prospective'), undefined),
  name: line,
  line,
  words: line,
  city: () => optional(text(PATIENT_LIMITS.city)),
  state: () => optional(state()),
  zip: () => optional(zip()),
  country: () => coded(readCountry, 'must be an ISO 3166-1 code such as USA or US'),
  phone: () => optional(phone()),
  phoneOrDeclined: () => optional(phone(DECLINED)),
  email: () => optional(email()),
  emailOrDeclined: () => optional(email(DECLINED)),
  recordNumber: () => optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)),
  externalId: () => optional(text(PATIENT_LIMITS.externalId, recordNumber)),
  sex: () => optional(text(PATIENT_LIMITS.sex)).transform((word) => word && readSex(word)),
  sexAtBirth: () => optional(choice('M', 'F')),
  genderIdentity: () => coded(readGenderIdentity, 'must be a term of gender identity'),
  sexualOrientation: () => coded(readSexualOrientation, 'must be a term of sexual orientation'),
  maritalStatus: () => optional(choice(...MARITAL_STATUSES)),
  ethnicity: () => coded(readEthnicity, 'must be a code of 2.16.840.1.113883.5.50, or declined'),
  language: () => coded(readChartLanguage, 'must be an ISO 639-2 code, or declined'),
  relationship: () => optional(choice(...RELATIONSHIPS)),
  censusCode: () => coded(readCensusCode, 'must be a US Census code of up to four digits, or other'),
  timeZone: () => coded(readTimeZone, 'must be a zone of the IANA database, such as America/New_York'),
  day: () => optional(day()),
  pastDay: () => optional(pastDay()),
  races: () => plain(races, []),
  flags: () => plain(list(text(PATIENT_LIMITS.flag), PATIENT_LIMITS.flags), []),
  flag: () => optional(flag()),
  yesNo: () => plain(flag(), false),
  reference: () => optional(named()),
  employer: () => optional(named()),
};

/** The cells by the domain's names. */
export const PatientCells = z.object({
  ...ownShapesOf(PATIENT, CELLS),
  consentToText: optional(flag()),
  ssn: ssn(),
  guarantorSsn: ssn(),
});
export type PatientRow = z.output<typeof PatientCells>;

/** The names of the cells in the three APIs, and in files. The cell `consentToText` says the opposite of its field. */
export const PATIENT_WORDS: { readonly [F in keyof PatientRow]?: readonly string[] } = headersOf(PATIENT, ['consenttotext']);

/** Fields of a row that name records of the practice. */
type Reference = FieldsOf<typeof PATIENT, 'reference' | 'employer'>;

/** The fields of a chart that a row gives, once its references are found; without its numbers of social security. */
export function toImportedPatient(
  { email: address, mobilePhone, flags, races: codes, consentToText, ssn: _, guarantorSsn: __, ...row }: PatientRow,
  references: { [F in Reference]: number | null | undefined },
): PatientInput {
  const consent = typeof consentToText === 'boolean' ? !consentToText : undefined;
  return {
    ...row,
    ...references,
    email: address === DECLINED ? undefined : address,
    emailDeclined: address === DECLINED ? true : row.emailDeclined,
    mobilePhone: mobilePhone === DECLINED ? undefined : mobilePhone,
    mobilePhoneDeclined: mobilePhone === DECLINED ? true : row.mobilePhoneDeclined,
    doNotSms: row.doNotSms ?? consent,
    flags: flags && [...new Set(flags)],
    races: codes && [...new Set(codes.map((code) => (isDeclined(code) ? DECLINED : code)))],
  };
}
