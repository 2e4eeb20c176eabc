import { z } from 'zod';
import { VISIT_MESSAGE_KINDS } from '../../domain/messaging/templates/categories.ts';
import { readLeadTime } from '../../domain/messaging/visit-messages/lead-times.ts';
import { listRules, type RuleInput, replaceRules } from '../../domain/messaging/visit-messages/rules.ts';
import { listOwnAppointmentTypes } from '../../domain/scheduling/types/appointment-types.ts';
import { field, form, reference } from '../fields.ts';
import { kind, type Reading, type Work } from '../kind.ts';

const RULE = z.strictObject({
  kind: z.enum(VISIT_MESSAGE_KINDS).describe('Kind of the message'),
  appointmentType: reference().nullable().default(null).describe('Type of the visits; null for all types without a rule of this kind'),
  enabled: z.boolean().default(true).describe('Whether the message is sent'),
  offsets: z
    .array(form(readLeadTime, 'must be a time such as 7d, 2h or 30m'))
    .max(20)
    .default([])
    .describe('Times before the visit (reminder) or after it (follow-up); others are sent immediately'),
  template: reference().nullable().default(null).describe('Template; null for the active one of the category, or the server’s own words'),
});

const VISIT_MESSAGES = z.strictObject({ rules: field(z.array(RULE).max(200), 'All rules, which replace the former ones') });

/** The messages about visits. Rules for types of other practices, which a file cannot name, stay as they are. */
export const visitMessageKind = kind({
  name: 'visitMessages',
  one: 'visit messages',
  single: true,
  names: [],
  references: { rules: { appointmentType: 'appointmentTypes', template: 'templates' } },
  shape: VISIT_MESSAGES,
  whole: VISIT_MESSAGES,
  async read(work) {
    const { own } = await readRules(work);
    const rules = own.map(({ kind: message, appointmentTypeId: appointmentType, enabled, offsets, templateId: template }) => ({
      kind: message,
      appointmentType,
      enabled,
      offsets,
      template,
    }));
    return [{ id: work.tx.organizationId, item: { rules } }];
  },
  async create(work, item) {
    await setRules(work, item);
    return { id: work.tx.organizationId };
  },
  change: (work, _id, changes) => setRules(work, changes),
});

async function readRules({ tx }: Reading): Promise<{ own: RuleInput[]; others: RuleInput[] }> {
  const [rules, types] = [await listRules(tx), await listOwnAppointmentTypes(tx)];
  const isOwn = ({ appointmentTypeId }: RuleInput) => appointmentTypeId === null || types.some(({ id }) => id === appointmentTypeId);
  return { own: rules.filter(isOwn), others: rules.filter((rule) => !isOwn(rule)) };
}

async function setRules(work: Work, { rules }: z.output<typeof VISIT_MESSAGES>): Promise<void> {
  if (rules === undefined) return;
  const idIn = (target: string, name: string | null) => (name === null ? null : work.findId(target, name));
  const { others } = await readRules(work);
  const given = rules.map(({ appointmentType, template, ...rule }) => ({
    ...rule,
    appointmentTypeId: idIn('appointmentTypes', appointmentType),
    templateId: idIn('templates', template),
  }));
  await replaceRules(work.tx, [...given, ...others]);
}
