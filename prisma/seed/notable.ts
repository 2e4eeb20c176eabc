import { day } from './dates.ts';
import type { NamePlan, PatientRow } from './plan.ts';

/** Difficult values for lists, searches and forms: one entry a patient, in the order of a plan's names. */
const NOTABLE: readonly PatientRow[] = [
  {
    sex: 'F',
    birthDate: day('1987-04-19'),
    races: ['2106-3'],
    ethnicityCode: '2135-2',
    languageCode: 'spa',
    preferredPronouns: 'she/her',
    flags: ['RPM', 'Hypertension'],
    census: true,
  },
  { sex: 'M', birthDate: day('1959-12-31'), races: ['2106-3'], languageCode: 'dan' },
  { sex: 'M', birthDate: day('1996-02-08'), races: ['2106-3'], languageCode: 'pol', maritalStatus: 'M' },
  { sex: 'F', birthDate: day('1991-07-06'), maritalStatus: 'M', races: ['2106-3', '2028-9'] },
  { sex: 'M', birthDate: day('1972-10-15'), maritalStatus: 'X', suffix: 'III' },
  { sex: 'F', birthDate: day('1948-01-04'), races: ['2131-1'], ethnicityCode: '2135-2', languageCode: 'spa' },
  // The twins; people.ts gives them one address and telephone, and that of their mother.
  { sex: 'F', birthDate: day('2017-05-23'), races: ['2054-5'], maritalStatus: 'S' },
  { sex: 'M', birthDate: day('2017-05-23'), races: ['2054-5'], maritalStatus: 'S' },
  { birthDate: null, sex: null },
  {
    sex: 'M',
    birthDate: day('1938-11-02'),
    deceasedDate: day('2025-03-14'),
    registrationDate: day('2019-05-06'),
    status: 'inactive',
    maritalStatus: 'W',
  },
  { birthDate: day('1966-08-08'), status: 'inactive' },
  { birthDate: day('2001-06-30'), status: 'prospective', registrationDate: null, medicalRecordNo: null },
  { birthDate: day('1979-03-21'), status: 'deleted' },
  {
    sex: 'F',
    birthDate: day('1931-02-28'),
    email: null,
    emailDeclined: true,
    mobilePhone: null,
    mobilePhoneDeclined: true,
    contactPreference: 'MAIL',
    homebound: true,
  },
  { birthDate: day('1955-06-08'), races: ['2028-9'], ethnicityCode: 'declined', languageCode: 'declined', middleName: null },
  {
    sex: 'M',
    birthDate: day('1994-09-12'),
    assignedSexAtBirth: 'M',
    genderIdentity: 'Transgender Female/Male-to-Female (MTF)',
    preferredName: 'Sasha',
    altFirstName: 'Alexandra',
    preferredPronouns: 'she/her',
    sexualOrientation: 'Something else, please describe',
    sexualOrientationOther: 'Pansexual',
  },
  { birthDate: day('1961-11-11'), doNotCall: true, doNotSms: true, contactPreference: 'MAIL' },
  {
    birthDate: day('1999-01-27'),
    doNotSms: true,
    genderIdentity: 'Additional gender category / other, please specify',
    genderIdentityOther: 'Agender',
    preferredPronouns: 'they/them',
  },
  {
    sex: 'M',
    birthDate: day('2003-05-05'),
    suffix: 'Jr.',
    races: ['1002-5', '2106-3'],
    industryCode: '7860',
    occupationCode: 'other',
    timeZone: 'America/Denver',
  },
  { sex: 'F', birthDate: day('1983-02-12'), races: ['2047-9', '2028-9'], languageCode: 'vie' },
  { sex: 'F', birthDate: day('1984-02-29') },
  { sex: 'F', birthDate: day('1984-02-29'), races: ['declined'] },
  { sex: 'F', birthDate: day('1986-11-30'), maritalStatus: 'M', races: ['2054-5'] },
];

/** Position of the first twin; the second follows. */
export const TWINS = 6;

/** Position of their mother. */
export const MOTHER = 22;

/** The fixed values of the patient at a position; none after the notable ones. */
export function notable(names: readonly NamePlan[], position: number): PatientRow {
  const name = names[position];
  if (!name) return {};
  return {
    firstName: name.first,
    middleName: name.middle ?? null,
    preferredName: null,
    lastName: name.last,
    ...(name.sex && { sex: name.sex }),
    ...NOTABLE[position],
  };
}
