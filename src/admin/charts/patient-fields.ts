import { z } from 'zod';
import { countryOf } from '../../domain/code-sets/countries.ts';
import { ethnicityName } from '../../domain/code-sets/ethnicities.ts';
import { readLanguage } from '../../domain/code-sets/languages.ts';
import { raceOf } from '../../domain/code-sets/races.ts';
import type { ChartInput } from '../../domain/patients/chart/chart-input.ts';
import { PATIENT_LIMITS } from '../../domain/patients/field-limits.ts';
import {
  GENDER_IDENTITIES,
  genderIdentityIn,
  SEXUAL_ORIENTATIONS,
  sexualOrientationIn,
} from '../../domain/patients/record/gender-terms.ts';
import { birthDay, choice, clearable, day, email, id, patientPhone, reading, state, text, yesNo, zip } from '../terminal/options.ts';

/** The flags of `patients set`: fields of the chart that no API writes. An empty text clears the field. */

const DECLINED = 'declined';
const line = () => clearable(text(100)).exactOptional();
const number = () => clearable(patientPhone()).exactOptional();
const date = () => clearable(day()).exactOptional();
const reference = () => clearable(id()).exactOptional();
const coded = (read: (input: string) => string | null, otherwise: string) =>
  clearable(z.string().trim().transform(reading(read, otherwise))).exactOptional();
const either = <const T extends readonly [string, ...string[]]>(...words: T) => clearable(choice(...words)).exactOptional();
const relationship = () => either('SPOUSE', 'PARENT', 'CHILD', 'SIBLING', 'FRIEND', 'COUSIN', 'GUARDIAN', 'OTHER');
const census = () => coded((code) => (/^\d{4}$|^other$/.test(code) ? code : null), 'must be four digits, or other');

/** The term of the 2015 Edition with any of its spellings. */
const term = (terms: readonly { certified: string }[], certified: (input: string) => string | null) =>
  coded(
    (input) => terms.find((one) => one.certified === certified(input))?.certified ?? null,
    `must be one of ${terms.map((one) => one.certified).join('; ')}`,
  );

const person = {
  middleName: line(),
  suffix: line(),
  preferredName: line(),
  altFirstName: line().describe('another first name, such as the one on an insurance card'),
  preferredPronouns: line(),
  assignedSexAtBirth: either('M', 'F'),
  genderIdentity: term(GENDER_IDENTITIES, (input) => genderIdentityIn(input, 'certified')),
  genderIdentityOther: line(),
  sexualOrientation: term(SEXUAL_ORIENTATIONS, (input) => sexualOrientationIn(input, 'certified')),
  sexualOrientationOther: line(),
  maritalStatus: either('D', 'M', 'S', 'U', 'W', 'X', 'P'),
  ethnicityCode: coded((code) => (code === DECLINED || ethnicityName(code) ? code : null), 'must be a v3 ethnicity code, or declined'),
  languageCode: coded((code) => (code === DECLINED ? code : readLanguage(code)), 'must be an ISO 639-2 code, or declined'),
};

const relatives = {
  contactName: line().describe('emergency contact'),
  contactRelationship: relationship(),
  contactHomePhone: number(),
  contactMobilePhone: number(),
  nextOfKinName: line(),
  nextOfKinRelationship: relationship(),
  nextOfKinPhone: number(),
  guardianFirstName: line(),
  guardianMiddleName: line(),
  guardianLastName: line(),
};

const guarantor = {
  guarantorFirstName: line().describe('who pays'),
  guarantorMiddleName: line(),
  guarantorLastName: line(),
  guarantorAddressSameAsPatient: yesNo().exactOptional(),
  guarantorAddress1: line(),
  guarantorAddress2: line(),
  guarantorCity: clearable(text(PATIENT_LIMITS.city)).exactOptional(),
  guarantorState: clearable(state()).exactOptional(),
  guarantorZip: clearable(zip()).exactOptional(),
  guarantorBirthDate: clearable(birthDay()).exactOptional(),
  guarantorEmail: clearable(email()).exactOptional(),
  guarantorPhone: number(),
  guarantorRelationshipToPatient: line().describe('as a code: 1 is the patient'),
};

const rest = {
  homePhone: number(),
  workPhone: number(),
  contactPreference: line().describe('such as MOBILEPHONE or MAIL'),
  doNotCall: yesNo().exactOptional().describe('yes: no communication from the practice'),
  homebound: yesNo().exactOptional(),
  deceasedDate: clearable(birthDay()).exactOptional(),
  registrationDate: date(),
  employerPhone: number().describe('instead of the one of the employer'),
  industryCode: census().describe('US Census code, or other'),
  occupationCode: census().describe('US Census code, or other'),
  portalTermsOnFile: yesNo().exactOptional(),
  portalSignatureOnFile: yesNo().exactOptional(),
  medicationHistoryConsentVerified: yesNo().exactOptional(),
};

/** Fields whose flag has another name. */
const renamed = {
  status: choice('active', 'inactive', 'prospective').exactOptional(),
  race: z
    .array(z.string().refine((code) => code === '' || code === DECLINED || raceOf(code) !== null, 'must be a v3 race code, or declined'))
    .transform((codes) => codes.filter(Boolean))
    .exactOptional()
    .meta({ placeholder: 'code', several: true })
    .describe('v3 race code, the primary one first, may be repeated'),
  country: coded((code) => countryOf(code)?.alpha3 ?? null, 'must be an ISO 3166-1 code').describe('two or three letters'),
  office: reference().describe('id of the office that cares for the patient'),
  provider: reference().describe('id of the provider who does'),
  employer: reference().describe('id of the employer'),
  guarantorEmployer: reference().describe('id of the employer of who pays'),
};

const same = { ...person, ...relatives, ...guarantor, ...rest };
export const chartFields = { ...renamed, ...same };

/** The flags, in the words of the domain. */
export function toChartInput(given: z.output<z.ZodObject<typeof chartFields>>): ChartInput {
  const { race, country, office, provider, employer, guarantorEmployer, ...fields } = given;
  const code = country === undefined || country === null ? null : (countryOf(country)?.alpha2 ?? null);
  return {
    ...fields,
    ...(race === undefined ? {} : { races: race }),
    ...(country === undefined ? {} : { countryCode: country, countryCode3166: code }),
    ...(office === undefined ? {} : { primaryOfficeId: office }),
    ...(provider === undefined ? {} : { primaryProviderId: provider }),
    ...(employer === undefined ? {} : { employerId: employer }),
    ...(guarantorEmployer === undefined ? {} : { guarantorEmployerId: guarantorEmployer }),
  };
}
