import type { Field, Fields } from './field.ts';
import { PATIENT } from './patient.ts';

/** Fields of an insurance that an API or an import may set, in the order of exports. */
export const INSURANCE = {
  insurancePackageId: { kind: 'number', practice: 'insurancepackageid', means: 'Id of the payer’s plan; GET /insurancepackages finds it' },
  planName: { kind: 'line', longest: 200, practice: 'insuranceplanname', headers: ['plan'], means: 'Name of the plan' },
  type: { kind: 'line', practice: 'insurancetype', means: 'Type of the insurance, such as Commercial or Medicare Part B' },
  ircName: { kind: 'line', practice: 'ircname', means: 'Insurance reporting category' },
  idNumber: { kind: 'line', longest: 50, practice: 'insuranceidnumber', headers: ['member_id'], means: 'Member id' },
  groupNumber: { kind: 'line', longest: 50, practice: 'policynumber', means: 'Group number' },
  relationshipToInsured: {
    kind: 'line',
    longest: 50,
    practice: 'relationshiptoinsured',
    means: 'Relationship of the patient to the insured, such as Self or Spouse',
  },
  relationshipToInsuredId: { kind: 'number', practice: 'relationshiptoinsuredid', means: 'Code of the relationship; 1 means the patient' },
  eligibilityStatus: { kind: 'eligibility', practice: 'eligibilitystatus', means: 'Result of the last eligibility check' },
  eligibilityReason: { kind: 'line', longest: 200, practice: 'eligibilityreason', means: 'Reason for that result' },
  eligibilityCheckedOn: { kind: 'day', practice: 'eligibilitylastchecked', means: 'Day of the last eligibility check' },
  issuedOn: { kind: 'day', practice: 'issuedate', means: 'First day of the insurance' },
  expiresOn: { kind: 'day', practice: 'expirationdate', means: 'Last day of the insurance' },
} as const satisfies Fields;

const { firstName, middleName, lastName, suffix, birthDate, sex, address1, address2, city, state, zip, countryCode, countryCode3166 } =
  PATIENT;

/** Fields of a policy holder or an insured, which are the patient's where nobody else is named. */
export const INSURED_PERSON = {
  firstName,
  middleName,
  lastName,
  suffix: { ...suffix, means: 'Suffix of the name' },
  birthDate,
  sex,
  address1,
  address2,
  city,
  state,
  zip,
  countryCode,
  countryCode3166: { ...countryCode3166, practice: 'countryiso3166' },
} as const satisfies Fields;

type PersonFields<P extends string> = {
  readonly [F in keyof typeof INSURED_PERSON]: Pick<(typeof INSURED_PERSON)[F], 'kind' | 'means'> & {
    readonly practice: `${P}${(typeof INSURED_PERSON)[F]['practice']}`;
  };
};

/** The same fields in the record of the insurance, where their names begin with the person. */
function fieldsOfPerson<P extends string>(prefix: P, person: string): PersonFields<P>;
function fieldsOfPerson(prefix: string, person: string): Fields {
  return Object.fromEntries(
    Object.entries<Field>(INSURED_PERSON).map(([field, { kind, practice, means }]) => [
      field,
      { kind, practice: `${prefix}${practice}`, means: `${means} of the ${person}` },
    ]),
  );
}

export const POLICY_HOLDER = fieldsOfPerson('insurancepolicyholder', 'policy holder');
export const INSURED = fieldsOfPerson('insured', 'insured');
