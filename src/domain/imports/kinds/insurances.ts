import { z } from 'zod';
import { findCountry } from '../../code-sets/countries.ts';
import { PATIENT_LIMITS } from '../../patients/field-limits.ts';
import { addInsurances, type InsuranceInput } from '../../patients/record/insurances.ts';
import type { InsuredInput } from '../../patients/record/insured-person.ts';
import { oneLine } from '../../values/text-form.ts';
import { writeDay } from '../../values/time/time.ts';
import { storeSections } from '../chart-sections.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { choice, count, day, id, optional, pastDay, read, state, text, zip } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const line = (longest: number) => optional(text(longest));

const name = () => line(PATIENT_LIMITS.name);
const writtenPastDay = () => optional(pastDay()).transform((date) => date && writeDay(date));
const sex = () => optional(choice('M', 'F'));
const country = (part: 'alpha2' | 'alpha3') =>
  optional(read((sent) => findCountry(oneLine(sent))?.[part] ?? null, 'must be an ISO 3166-1 code such as USA or US'));

/** The fields of the policy holder and of the insured, after `holder` and `insured`, with the ends of their names in the practice API. */
const PERSON_WORDS = {
  FirstName: 'firstname',
  MiddleName: 'middlename',
  LastName: 'lastname',
  Suffix: 'suffix',
  BirthDate: 'dob',
  Sex: 'sex',
  Address1: 'address1',
  Address2: 'address2',
  City: 'city',
  State: 'state',
  Zip: 'zip',
  CountryCode: 'countrycode',
  CountryCode3166: 'countryiso3166',
};
const listPersonWords = (prefix: 'holder' | 'insured', theirs: string): Record<string, string[]> =>
  Object.fromEntries(Object.entries(PERSON_WORDS).map(([field, word]) => [`${prefix}${field}`, [`${theirs}${word}`]]));

const columns = {
  planName: line(200),
  insurancePackageId: optional(id()),
  idNumber: line(50),
  groupNumber: line(50),
  type: line(100),
  ircName: line(100),
  relationshipToInsured: line(50),
  relationshipToInsuredId: optional(id()),
  eligibilityStatus: optional(choice('Eligible', 'Ineligible', 'Unverified')),
  eligibilityReason: line(200),
  eligibilityCheckedOn: optional(day()),
  issuedOn: optional(day()),
  expiresOn: optional(day()),
};

const cells = z.object({
  ...patientCells,
  sequenceNumber: optional(count(1, 99)),
  ...columns,
  holderFirstName: name(),
  holderMiddleName: name(),
  holderLastName: name(),
  holderSuffix: name(),
  holderBirthDate: writtenPastDay(),
  holderSex: sex(),
  holderAddress1: line(PATIENT_LIMITS.addressLine),
  holderAddress2: line(PATIENT_LIMITS.addressLine),
  holderCity: line(PATIENT_LIMITS.city),
  holderState: optional(state()),
  holderZip: optional(zip()),
  holderCountryCode: country('alpha3'),
  holderCountryCode3166: country('alpha2'),
  insuredFirstName: name(),
  insuredMiddleName: name(),
  insuredLastName: name(),
  insuredSuffix: name(),
  insuredBirthDate: writtenPastDay(),
  insuredSex: sex(),
  insuredAddress1: line(PATIENT_LIMITS.addressLine),
  insuredAddress2: line(PATIENT_LIMITS.addressLine),
  insuredCity: line(PATIENT_LIMITS.city),
  insuredState: optional(state()),
  insuredZip: optional(zip()),
  insuredCountryCode: country('alpha3'),
  insuredCountryCode3166: country('alpha2'),
});

export const insurances = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    sequenceNumber: ['sequence'],
    planName: ['insuranceplanname', 'plan'],
    idNumber: ['insuranceidnumber', 'member_id'],
    groupNumber: ['policynumber'],
    type: ['insurancetype'],
    eligibilityCheckedOn: ['eligibilitylastchecked'],
    issuedOn: ['issuedate'],
    expiresOn: ['expirationdate'],
    ...listPersonWords('holder', 'insurancepolicyholder'),
    ...listPersonWords('insured', 'insured'),
  },
  store: (db, caller, rows) =>
    storeSections(db, caller, rows, 'insurances', (round) =>
      addInsurances(
        db,
        caller,
        round.map(({ patientId, values, decision }) => ({ patientId, replaces: decision === 'update', input: toInput(values) })),
      ),
    ),
});

type Row = z.output<typeof cells>;

function toInput(row: Row): InsuranceInput {
  const fields = Object.fromEntries(Object.entries(row).filter(([name, value]) => Object.hasOwn(columns, name) && value !== undefined));
  const insured = toPerson(row, 'insured');
  return {
    ...fields,
    ...(row.sequenceNumber ? { sequenceNumber: row.sequenceNumber } : {}),
    holder: toPerson(row, 'holder'),
    ...(Object.keys(insured).length > 0 ? { insured } : {}),
  };
}

function toPerson(row: Row, prefix: 'holder' | 'insured'): InsuredInput {
  const given = Object.entries(row).filter(([name, value]) => name.startsWith(prefix) && typeof value === 'string');
  return Object.fromEntries(
    given.map(([name, value]) => [`${name.charAt(prefix.length).toLowerCase()}${name.slice(prefix.length + 1)}`, value]),
  );
}
