import type { Command } from 'commander';
import { z } from 'zod';
import { addInsurance, type Insurance, listInsurances, removeInsurance } from '../../domain/patients/record/insurances.ts';
import { writeDay } from '../../domain/values/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { birthDay, choice, count, day, id, organization, patient, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

const addOptions = z.object({
  patient: patient(),
  organization: organization(),
  plan: text(200).describe('name of the plan'),
  package: id().exactOptional().describe('id of the insurance package, which the practice API returns'),
  sequence: count(1, 99).exactOptional().describe('1 is primary (default: the next free number)'),
  idNumber: text(50).exactOptional().describe('number of the policy'),
  groupNumber: text(50).exactOptional(),
  type: text(100).exactOptional().describe('such as Commercial or Medicare Part B'),
  reportingCategory: text(100).exactOptional().describe('insurance reporting category (IRC), by which reports group insurances'),
  relationship: text(50).exactOptional().describe('of the patient to the insured, such as Self or Spouse'),
  relationshipId: id().exactOptional().describe('the relationship as a code: 1 is the patient'),
  eligibility: choice('Eligible', 'Ineligible', 'Unverified').exactOptional(),
  eligibilityReason: text(200).exactOptional(),
  checkedOn: day().exactOptional().describe('day of the last check of eligibility'),
  issuedOn: day().exactOptional(),
  expiresOn: day().exactOptional(),
  holderFirstName: text(100)
    .exactOptional()
    .describe('first name of the policy holder; holder fields that are not given are those of the patient'),
  holderLastName: text(100).exactOptional(),
  holderBirthDate: birthDay().exactOptional(),
  holderSex: choice('M', 'F').exactOptional(),
});

export function insuranceCommands(program: Command, { command }: CommandDeclarer): void {
  const insurances = program.command('insurances').description('Insurances of patients.');

  command(insurances, 'add', {
    summary: 'Add an insurance to a patient',
    options: addOptions,
    run: async ({ write }, { patient: patientId, organization: organizationId, ...given }) =>
      record(row(await write(organizationId, (db, caller) => addInsurance(db, caller, patientId, toInput(given))))),
  });

  command(insurances, 'list', {
    summary: 'List the insurances of a patient, the primary first',
    options: z.object({ patient: patient(), organization: organization() }),
    run: async ({ read }, { patient: patientId, organization: organizationId }) => {
      const rows = await read(organizationId, (db, caller) => listInsurances(db, caller, patientId));
      return list(rows.map(row), 'The patient has no insurance.');
    },
  });

  command(insurances, 'remove', {
    summary: 'Remove an insurance from a patient',
    options: z.object({
      insurance: id().meta({ positional: true }).describe('id of the insurance'),
      patient: patient(),
      organization: organization(),
    }),
    run: async ({ write }, { insurance, patient: patientId, organization: organizationId }) => {
      await write(organizationId, (db, caller) => removeInsurance(db, caller, patientId, insurance));
      return record({ id: insurance, patient_id: patientId, removed: true });
    },
  });
}

type Given = Omit<z.output<typeof addOptions>, 'patient' | 'organization'>;

function toInput({ holderFirstName, holderLastName, holderBirthDate, holderSex, ...given }: Given) {
  return {
    planName: given.plan,
    insurancePackageId: given.package ?? null,
    ...(given.sequence === undefined ? {} : { sequenceNumber: given.sequence }),
    idNumber: given.idNumber ?? null,
    groupNumber: given.groupNumber ?? null,
    type: given.type ?? null,
    ircName: given.reportingCategory ?? null,
    relationshipToInsured: given.relationship ?? null,
    relationshipToInsuredId: given.relationshipId ?? null,
    eligibilityStatus: given.eligibility ?? null,
    eligibilityReason: given.eligibilityReason ?? null,
    eligibilityCheckedOn: given.checkedOn ?? null,
    issuedOn: given.issuedOn ?? null,
    expiresOn: given.expiresOn ?? null,
    holder: {
      ...(holderFirstName === undefined ? {} : { firstName: holderFirstName }),
      ...(holderLastName === undefined ? {} : { lastName: holderLastName }),
      ...(holderBirthDate === undefined ? {} : { birthDate: holderBirthDate }),
      ...(holderSex === undefined ? {} : { sex: holderSex }),
    },
  };
}

const row = (insurance: Insurance): Row => ({
  id: insurance.id,
  patient_id: insurance.patientId,
  sequence: insurance.sequenceNumber,
  package: insurance.insurancePackageId,
  plan: insurance.planName,
  id_number: insurance.idNumber,
  group_number: insurance.groupNumber,
  eligibility: insurance.eligibilityStatus,
  issued_on: writeDay(insurance.issuedOn),
  expires_on: writeDay(insurance.expiresOn),
});
