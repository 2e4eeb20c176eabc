import { z } from 'zod';
import { type CustomField, type CustomFieldAnswer, readFieldOptions } from '../../../domain/patients/record/custom-fields.ts';
import { readUsDay, writeDay } from '../../../domain/values/time/time.ts';
import { id, optional, text } from '../../../http/wire/wire-types.ts';

const flag = (what: string) => z.boolean().describe(what);

export const CustomFieldDefinition = z
  .strictObject({
    customfieldid: z.string().describe('Custom field id'),
    name: z.string().describe('Name of the field'),
    type: z.enum(['TEXT', 'NUMERIC', 'DATE']).describe('Kind of the values; options are texts'),
    select: flag('Whether values are chosen from selectlist'),
    selectyn: flag('As select'),
    selectlist: z
      .array(z.strictObject({ optionid: z.string().describe('Option id'), optionvalue: z.string().describe('Value of the option') }))
      .optional()
      .describe('Options of the field, if it has any'),
    searchable: flag('Always false: searches do not use the field'),
    searchableyn: flag('As searchable'),
    casesensitive: flag('Always false: case is ignored for options'),
    casesensitiveyn: flag('As casesensitive'),
    disallowupdate: flag('Always false: clients can write every field'),
    disallowupdateyn: flag('As disallowupdate'),
  })
  .meta({ id: 'CustomFieldDefinition' });

const TYPES: Readonly<Record<string, 'TEXT' | 'NUMERIC' | 'DATE'>> = { number: 'NUMERIC', date: 'DATE' };

export function fromCustomFieldDefinition(field: CustomField): z.input<typeof CustomFieldDefinition> {
  const select = field.type === 'select';
  const selectlist = readFieldOptions(field).map(({ id: optionid, value }) => ({ optionid: String(optionid), optionvalue: value }));
  return {
    customfieldid: String(field.id),
    name: field.name,
    type: TYPES[field.type] ?? 'TEXT',
    select,
    selectyn: select,
    selectlist: select ? selectlist : undefined,
    searchable: false,
    searchableyn: false,
    casesensitive: false,
    casesensitiveyn: false,
    disallowupdate: false,
    disallowupdateyn: false,
  };
}

const departmentid = () => optional(id()).describe('Department id. In an enterprise practice, selects the copy of the patient');

export const customFieldsQuery = z.object({ departmentid: departmentid() });

const MOST_FIELDS = 200;

function readJson(sent: unknown): unknown {
  try {
    return typeof sent === 'string' ? JSON.parse(sent) : sent;
  } catch {
    return sent;
  }
}

const customfields = z
  .preprocess(
    (sent) => [sent].flat().flatMap((one) => readJson(one)),
    z
      .array(
        z.object(
          {
            customfieldid: id().describe('Custom field id'),
            customfieldvalue: optional(text(1_000)).describe('Dates are mm/dd/yyyy; an empty value without an optionid clears the field'),
            optionid: optional(id()).describe('Id of the chosen option'),
          },
          'must be a list in JSON, such as [{"customfieldid": "1", "customfieldvalue": "A"}]',
        ),
      )
      .min(1)
      .max(MOST_FIELDS),
  )
  .meta({ type: 'string' })
  .describe('A list in JSON, such as `[{"customfieldid": "1", "customfieldvalue": "A"}]`; other fields stay unchanged');

export const CustomFieldsForm = z
  .object({ customfields, departmentid: optional(id()).describe('Has no effect: a field has one value per chart') })
  .meta({ id: 'PatientCustomFieldsUpdate' });

export const CustomFieldsAnswer = z
  .strictObject({
    success: z.literal(true).describe('Always true: the fields were stored'),
    updatedcount: z.int().describe('Number of fields of the request'),
    disallowedcount: z.int().describe('Always 0: clients can write every field'),
  })
  .meta({ id: 'PatientCustomFieldsUpdated' });

export const toAnswers = (form: z.output<typeof CustomFieldsForm>): CustomFieldAnswer[] =>
  form.customfields.map(({ customfieldid, customfieldvalue, optionid }) => ({
    customFieldId: customfieldid,
    value: inIso(customfieldvalue ?? null),
    optionId: optionid ?? null,
  }));

/** A day of this API as the domain writes it; anything else as it is. */
const inIso = (value: string | null): string | null => (value === null ? null : (writeDay(readUsDay(value)) ?? value));
