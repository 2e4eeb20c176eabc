import { z } from 'zod';
import type { CustomField } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound, WrongFields } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { readDay, writeDay } from '../../values/time/time.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';

export type { CustomField };

export const CUSTOM_FIELD_TYPES = ['text', 'number', 'date', 'select'] as const;

export interface CustomFieldInput {
  name: string;
  type: (typeof CUSTOM_FIELD_TYPES)[number];
  /** Options of a select field; else empty. */
  options: readonly string[];
}

const stored = z.array(z.object({ id: z.int(), value: z.string() }));

/** Options of a field; empty unless it is a select field. */
export const readFieldOptions = ({ options }: CustomField) => stored.catch([]).parse(options);

/** Adds a field that every chart may have. @throws Failure conflict when one has this name already, invalid */
export async function createCustomField(tx: Tx, { name, type, options }: CustomFieldInput): Promise<CustomField> {
  requireOptions(type, options);
  await requireFreeName(tx, name);
  const choices = options.length === 0 ? {} : { options: options.map((value, index) => ({ id: index + 1, value })) };
  const field = await tx.prisma.customField.create({ data: { ...tx.practice, name, type, ...choices } });
  recordChange(tx, 'administer', { name: 'custom_field.created', id: field.id });
  return field;
}

function requireOptions(type: string, options: readonly string[]): void {
  if ((type === 'select') !== options.length > 0)
    throw invalid('options', 'are required for a field of type select and not allowed for others', 'invalid_options');
}

async function requireFreeName(tx: Tx, name: string): Promise<void> {
  const holder = await tx.prisma.customField.findUnique({
    where: { organizationId_name: { ...tx.practice, name } },
    select: { id: true },
  });
  if (holder) throw conflict('custom_field_exists', `Custom field ${holder.id} already has this name.`);
}

/** The fields of the caller's practice, by id. */
export function listCustomFields(tx: PracticeTx): Promise<CustomField[]> {
  return tx.prisma.customField.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
}

/** A value for a field of a chart; null for both clears it. */
export interface CustomFieldAnswer {
  customFieldId: number;
  /** By the field's type: a number, a day such as 2026-11-20, or one of the options. */
  value: string | null;
  /** The option, of a select field. */
  optionId: number | null;
}

/** Sets fields of a chart. @throws Failure not_found for a patient or a field, or one that is not in use any more; invalid */
export async function setCustomFields(tx: Tx, patientId: number, answers: readonly CustomFieldAnswer[]): Promise<void> {
  await holdChart(tx, patientId);
  const fields = new Map((await listCustomFields(tx)).map((field) => [field.id, field]));
  const wrong = new WrongFields();
  for (const sent of answers) {
    const { customFieldId } = sent;
    const field = fields.get(customFieldId);
    if (!field?.active) {
      wrong.add(notFound('custom field', 'customFields'));
      continue;
    }
    const answer = await wrong.check(() => answerTo(field, sent));
    if (answer === undefined) continue;
    const key = { ...tx.practice, patientId, customFieldId };
    if (answer === null) await tx.prisma.patientCustomField.deleteMany({ where: key });
    else {
      const where = { organizationId_patientId_customFieldId: key };
      await tx.prisma.patientCustomField.upsert({ where, create: { ...key, ...answer }, update: answer });
    }
  }
  wrong.throwIfAny();
  if (answers.length > 0) recordChartChange(tx, patientId, 'customFields');
}

/** The messages must not repeat the value. @returns null where the field is cleared */
function answerTo(field: CustomField, { value, optionId }: CustomFieldAnswer): { value: string; optionId: number | null } | null {
  const refuse = (message: string, code: string) => invalid('customFields', `${field.name} ${message}`, code);
  if (value === null && optionId === null) return null;
  if (field.type === 'select') {
    const options = readFieldOptions(field);
    const option = options.find((one) => (optionId === null ? one.value.toLowerCase() === value?.toLowerCase() : one.id === optionId));
    if (!option || (value !== null && option.value.toLowerCase() !== value.toLowerCase()))
      throw refuse(`must be one of ${options.map(({ id, value: word }) => `${id} (${word})`).join(', ')}`, 'invalid_option');
    return { value: option.value, optionId: option.id };
  }
  if (optionId !== null || value === null) throw refuse('has no options', 'invalid_option');
  const day = readDay(value);
  if (field.type === 'date' && day === null) throw refuse('must be a day', 'invalid_date');
  if (field.type === 'number' && !/^-?\d{1,15}(\.\d{1,10})?$/.test(value)) throw refuse('must be a number', 'invalid_number');
  return { value: field.type === 'date' ? (writeDay(day) ?? value) : value, optionId: null };
}

export interface CustomFieldChanges {
  name?: string;
  /** All options of a select field. One that stays keeps its number; charts keep a value that is an option no longer. */
  options?: readonly string[];
  active?: boolean;
}

/** Changes the given fields that differ. @throws Failure not_found; conflict for the name of another one; invalid */
export async function changeCustomField(tx: Tx, id: number, { options, ...input }: CustomFieldChanges): Promise<void> {
  const where = tx.key(id);
  const before = await tx.prisma.customField.findUnique({ where });
  if (!before) throw notFound('custom field');
  if (options) requireOptions(before.type, options);
  if (input.name !== undefined && input.name !== before.name) await requireFreeName(tx, input.name);
  const [earlier, fields] = [readFieldOptions(before), changesTo(before, input)];
  const isOther = options && options.join('\n') !== earlier.map(({ value }) => value).join('\n');
  const last = Math.max(0, ...earlier.map((option) => option.id));
  const added = (options ?? []).filter((value) => !earlier.some((option) => option.value === value));
  const toOptionId = (value: string) => earlier.find((option) => option.value === value)?.id ?? last + 1 + added.indexOf(value);
  const changed = [...Object.keys(fields), ...(isOther ? ['options'] : [])];
  if (changed.length === 0) return;
  const numbered = isOther ? { options: options.map((value) => ({ id: toOptionId(value), value })) } : {};
  await tx.prisma.customField.update({ where, data: { ...fields, ...numbered }, select: { id: true } });
  recordChange(tx, 'administer', { name: 'custom_field.updated', id, changed });
}

/** Removes a custom field to which nothing refers. */
export async function removeCustomField(tx: Tx, id: number): Promise<void> {
  await tx.prisma.customField.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'custom_field.removed', id });
}
