import type { Command } from 'commander';
import { z } from 'zod';
import {
  CUSTOM_FIELD_TYPES,
  type CustomField,
  createCustomField,
  listCustomFields,
  optionsOf,
  setCustomField,
} from '../../domain/patients/record/custom-fields.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, clearable, id, organization, patient, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

export function customFieldCommands(program: Command, { command }: CommandDeclarer): void {
  const fields = program.command('custom-fields').description('Custom fields: what a practice keeps on its charts beside the usual.');

  command(fields, 'create', {
    summary: 'Create a custom field',
    options: z.object({
      organization: organization(),
      name: text(100).describe('its name'),
      type: choice(...CUSTOM_FIELD_TYPES).describe('what its values are'),
      option: z
        .array(text(200))
        .exactOptional()
        .meta({ placeholder: 'text', several: true })
        .describe('what can be chosen in a field of type select, may be repeated'),
    }),
    run: async ({ write }, { organization: organizationId, option: options = [], ...input }) =>
      record(row(await write(organizationId, (db, caller) => createCustomField(db, caller, { ...input, options })))),
  });

  command(fields, 'list', {
    summary: 'List the custom fields of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listCustomFields)).map(row), 'The practice has no custom fields yet.'),
  });

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

const row = (field: CustomField): Row => ({
  id: field.id,
  organization_id: field.organizationId,
  name: field.name,
  type: field.type,
  options: optionsOf(field).map(({ value }) => value),
  active: field.active,
});
