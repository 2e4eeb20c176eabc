import type { Command } from 'commander';
import { z } from 'zod';
import { setCustomField } from '../../domain/patients/record/custom-fields.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { clearable, id, organization, patient, text } from '../terminal/options.ts';
import { record } from '../terminal/output.ts';

export function customFieldCommands(program: Command, { command }: CommandDeclarer): void {
  const fields = program
    .command('custom-fields')
    .description('Custom fields of charts; the file of the practice has the fields themselves.');

  command(fields, 'set', {
    summary: 'Set a custom field of a patient',
    options: z.object({
      field: id().meta({ positional: true }).describe('id of the custom field'),
      patient: patient(),
      organization: organization(),
      value: clearable(text(1_000)).describe('a text, a number, a day such as 2026-11-20 or one of the options; an empty text clears it'),
    }),
    run: async ({ write }, { field, patient: patientId, organization: organizationId, value }) => {
      await write(organizationId, (db, caller) => setCustomField(db, caller, patientId, field, value));
      return record({ patient_id: patientId, custom_field_id: field, set: value !== null });
    },
  });
}
