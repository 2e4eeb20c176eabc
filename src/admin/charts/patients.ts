import type { Command } from 'commander';
import { z } from 'zod';
import { updateChart } from '../../domain/patients/chart/chart.ts';
import { copyChart } from '../../domain/patients/chart/chart-copies.ts';
import { findPatientsBySsn, readSsn, setGuarantorSsn, setSsn } from '../../domain/patients/record/ssn.ts';
import { setRegistration } from '../../domain/patients/registration/office-registrations.ts';
import { writeDay } from '../../domain/values/time.ts';
import type { Patient } from '../../generated/prisma/client.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { choice, id, organization, patient } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { checkCommand } from './patient-check.ts';
import { eraseCommand } from './patient-erase.ts';
import { exportCommand } from './patient-export.ts';
import { chartFields, toChartInput } from './patient-fields.ts';

export function patientCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const patients = program.command('patients').description('Charts: the fields that no API writes, and what older data must be mended.');

  command(patients, 'set', {
    summary: 'Change fields of a chart',
    details: 'Only what is given changes; an empty text clears. Values are arguments, which other users of this machine may see.',
    options: z.object({ patient: patient(), organization: organization(), ...chartFields }),
    run: async ({ write }, { patient: patientId, organization: organizationId, ...given }) => {
      const input = toChartInput(given);
      if (Object.keys(input).length === 0) throw new UsageError('Say what to change; --help lists it.');
      return record(row(await write(organizationId, (db, caller) => updateChart(db, caller, patientId, input))));
    },
  });

  checkCommand(patients, command);
  exportCommand(patients, command);
  eraseCommand(patients, command);
  registrationCommands(patients, command);
  ssnCommands(patients, command, io);
}

function registrationCommands(patients: Command, command: CommandDeclarer['command']): void {
  command(patients, 'register', {
    summary: 'Register a patient in one more office, or say how an office knows the patient',
    options: z.object({
      patient: patient(),
      organization: organization(),
      office: id().describe('id of the office'),
      status: choice('active', 'inactive', 'prospective', 'deleted').exactOptional().describe('of the patient there'),
      provider: id().exactOptional().describe('id of the provider who cares for the patient there'),
    }),
    run: async ({ write }, { patient: patientId, organization: organizationId, office: officeId, status, provider }) => {
      const known = {
        ...(status === undefined ? {} : { status }),
        ...(provider === undefined ? {} : { primaryProviderId: provider }),
      };
      const made = await write(organizationId, (db, caller) => setRegistration(db, caller, patientId, { officeId, ...known }));
      return record({
        patient_id: patientId,
        office_id: officeId,
        provider_group_id: made.providerGroupId,
        local_patient_id: made.localPatientId,
        provider_id: made.primaryProviderId,
        status: made.status,
        registered_on: writeDay(made.registeredOn),
      });
    },
  });

  command(patients, 'copy', {
    summary: 'Give a patient of an enterprise practice a chart of its own in the provider group of an office',
    details: 'The copy knows the same person and lives on by itself; its id is the local patient id there.',
    options: z.object({
      patient: patient(),
      organization: organization(),
      office: id().describe('id of the office'),
      provider: id().exactOptional().describe('id of the provider who cares for the patient there'),
    }),
    run: async ({ write }, { patient: patientId, organization: organizationId, office: officeId, provider }) => {
      const input = { officeId, ...(provider === undefined ? {} : { primaryProviderId: provider }) };
      return record(row(await write(organizationId, (db, caller) => copyChart(db, caller, patientId, input))));
    },
  });
}

function ssnCommands(patients: Command, command: CommandDeclarer['command'], io: Io): void {
  command(patients, 'set-ssn', {
    summary: 'Store the social security number of a patient, read from standard input',
    details: 'It is stored encrypted, and shown by no command.',
    options: z.object({
      patient: patient(),
      organization: organization(),
      guarantor: z.boolean().default(false).describe('the number of who pays, instead of the number of the patient'),
      clear: z.boolean().default(false).describe('take the stored number away; standard input is not read'),
    }),
    run: async (session, { patient: patientId, organization: organizationId, guarantor, clear }) => {
      const number = clear ? null : await readNumber(io);
      const store = guarantor ? setGuarantorSsn : setSsn;
      await session.write(organizationId, (db, caller) => store(db, session.keyring, caller, patientId, number));
      return record({ id: patientId, organization_id: organizationId, [guarantor ? 'guarantor_ssn_stored' : 'ssn_stored']: !clear });
    },
  });

  command(patients, 'find-by-ssn', {
    summary: 'Find the patients with a social security number, read from standard input',
    options: z.object({ organization: organization() }),
    run: async (session, { organization: organizationId }) => {
      const number = await readNumber(io);
      const found = await session.read(organizationId, (db, caller) => findPatientsBySsn(db, session.keyring, caller, number));
      return list(found.map(row), 'Nobody has this number.');
    },
  });
}

async function readNumber(io: Io): Promise<string> {
  const number = readSsn(await readInput(io));
  if (number === null) throw new UsageError('Standard input must be the nine digits of a social security number, with or without hyphens.');
  return number;
}

/** A chart without identifying details, since terminals keep their output. */
const row = (chart: Patient): Row => ({
  id: chart.id,
  organization_id: chart.organizationId,
  status: chart.status,
  medical_record_no: chart.medicalRecordNo,
  enterprise_id: chart.enterpriseId,
  office_id: chart.primaryOfficeId,
  provider_id: chart.primaryProviderId,
  employer_id: chart.employerId,
  deceased_date: writeDay(chart.deceasedDate),
});
