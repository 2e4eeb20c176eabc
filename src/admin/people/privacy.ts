import type { Command } from 'commander';
import { z } from 'zod';
import {
  listPrivacyItems,
  PRIVACY_ITEM_KINDS,
  type PrivacyItem,
  setPrivacyForms,
} from '../../domain/patients/restrictions/patient-restrictions.ts';
import { writeDay } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, day, patient, yesNo } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

export function privacyItemCommands(program: Command, { command }: CommandDeclarer): void {
  const items = program.command('privacy-items').description('Privacy forms of patients: notice, release and assignment.');

  command(items, 'set', {
    summary: 'Set the state of a privacy form of a patient',
    details: 'All forms of a chart must be verified and not expired for its privacy information to count as verified.',
    options: z.object({
      patient: patient(),
      practice: practice(),
      kind: choice(...PRIVACY_ITEM_KINDS),
      verified: yesNo().describe('whether it was signed and checked'),
      on: day().exactOptional().describe('day on which it was verified (default: today)'),
      expires: day().exactOptional().describe('day on which it expires (default: never)'),
    }),
    run: async ({ write }, { patient: patientId, practice, kind, verified, on, expires }) => {
      const state = { verified, verifiedOn: on ?? null, expiresOn: expires ?? null };
      const [item] = await write(practice, (db, caller) => setPrivacyForms(db, caller, patientId, state, [kind]));
      return record(item ? itemRow(item) : {});
    },
  });

  command(items, 'list', {
    summary: 'List the privacy forms of a patient',
    options: z.object({ patient: patient(), practice: practice() }),
    run: async ({ read }, { patient: patientId, practice }) => {
      const rows = await read(practice, (db, caller) => listPrivacyItems(db, caller, patientId));
      return list(rows.map(itemRow), 'The patient has no privacy forms.');
    },
  });
}

const itemRow = (item: PrivacyItem): Row => ({
  patient_id: item.patientId,
  kind: item.kind,
  verified: item.verified,
  verified_on: writeDay(item.verifiedOn),
  expires_on: writeDay(item.expiresOn),
});
