import type { Command } from 'commander';
import { z } from 'zod';
import { copyChart } from '../../domain/patients/chart/chart-copies.ts';
import { findPatientsBySsn, readSsn } from '../../domain/patients/record/ssn.ts';
import { writeDay } from '../../domain/values/time/time.ts';
import type { Patient } from '../../generated/prisma/client.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { id, patient } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';
import { checkCommand } from './patient-check.ts';
import { eraseCommand } from './patient-erase.ts';
import { exportCommand } from './patient-export.ts';

export function patientCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const patients = program.command('patients').description('Charts: search by number, copies, export, erasure, and older data to correct.');

  checkCommand(patients, command);
  exportCommand(patients, command);
  eraseCommand(patients, command);
  copyCommand(patients, command);
  findCommand(patients, command, io);
}

function copyCommand(patients: Command, command: CommandDeclarer['command']): void {
  command(patients, 'copy', {
    summary: 'Create a separate chart for a patient of an enterprise practice in the provider group of an office',
    details: 'The id of the new chart is the local patient id in that group.',
    options: z.object({
      patient: patient(),
      practice: practice(),
      office: id().describe('id of the office'),
      provider: id().exactOptional().describe('id of the patient’s provider in that group'),
    }),
    run: async ({ write }, { patient: patientId, practice, office: officeId, provider }) => {
      const input = { officeId, ...(provider === undefined ? {} : { primaryProviderId: provider }) };
      return record(toRow(await write(practice, (tx) => copyChart(tx, patientId, input))));
    },
  });
}

function findCommand(patients: Command, command: CommandDeclarer['command'], io: Io): void {
  command(patients, 'find-by-ssn', {
    summary: 'Find the patients with a social security number, read from standard input',
    options: z.object({ practice: practice() }),
    run: async (session, { practice }) => {
      const number = await readNumber(io);
      const found = await session.read(practice, (tx) => findPatientsBySsn(tx, session.keyring, number));
      return list(found.map(toRow), 'No patient has this number.');
    },
  });
}

async function readNumber(io: Io): Promise<string> {
  const number = readSsn(await readInput(io));
  if (number === null) throw new UsageError('Standard input must be the nine digits of a social security number, with or without hyphens.');
  return number;
}

/** A chart without identifying details, since terminals keep their output. */
const toRow = (chart: Patient): Row => ({
  id: chart.id,
  practice_id: chart.organizationId,
  status: chart.status,
  medical_record_no: chart.medicalRecordNo,
  enterprise_id: chart.enterpriseId,
  office_id: chart.primaryOfficeId,
  provider_id: chart.primaryProviderId,
  employer_id: chart.employerId,
  deceased_date: writeDay(chart.deceasedDate),
});
