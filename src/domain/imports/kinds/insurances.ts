import { z } from 'zod';
import { addInsurances, type InsuranceInput } from '../../patients/record/insurances.ts';
import { writeDay } from '../../values/time.ts';
import { storeSections } from '../chart-sections.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { birthDay, choice, count, day, id, optional, text } from '../rows/cells.ts';
import { kindOf } from './kind.ts';

const line = (longest: number) => optional(text(longest));

const cells = z.object({
  ...patientCells,
  sequenceNumber: optional(count(1, 99)),
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
  holderFirstName: line(100),
  holderLastName: line(100),
  holderBirthDate: optional(birthDay()),
  holderSex: optional(choice('M', 'F')),
});

export const insurances = kindOf({
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
    holderFirstName: ['insurancepolicyholderfirstname'],
    holderLastName: ['insurancepolicyholderlastname'],
    holderBirthDate: ['insurancepolicyholderdob'],
    holderSex: ['insurancepolicyholdersex'],
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

function toInput(row: z.output<typeof cells>): InsuranceInput {
  const { patientId: _, patientExternalId: __, patientRecordNo: ___, ...rest } = row;
  const { sequenceNumber, holderFirstName, holderLastName, holderBirthDate, holderSex, ...given } = rest;
  const fields: InsuranceInput = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) Object.assign(fields, { [name]: value });
  return {
    ...fields,
    ...(sequenceNumber ? { sequenceNumber } : {}),
    holder: {
      ...(holderFirstName ? { firstName: holderFirstName } : {}),
      ...(holderLastName ? { lastName: holderLastName } : {}),
      ...(holderBirthDate ? { birthDate: writeDay(holderBirthDate) } : {}),
      ...(holderSex ? { sex: holderSex } : {}),
    },
  };
}
