import { NONE } from '../../../database/statements/no-id.ts';
import type { VisitMessageRule } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { invalid, WrongFields } from '../../errors.ts';
import { findAppointmentType, whereVisibleType } from '../../scheduling/types/appointment-types.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { VISIT_MESSAGE_KINDS, type VisitMessageKind } from '../templates/categories.ts';
import { requireSendable } from '../templates/template-wordings.ts';
import { findTemplate } from '../templates/templates.ts';
import { RULES_OF_TYPE, type Rule } from './rules.sql.ts';

/** The settings of a practice for one kind of message. */
export interface RuleInput {
  kind: VisitMessageKind;
  /** Null for the types that have no rule of this kind. */
  appointmentTypeId: number | null;
  enabled: boolean;
  /** Times before the visit (reminder) or after it (follow-up), as readLeadTime writes them. Other kinds go at once, and have none. */
  offsets: string[];
  /** Null for the active template of the category, else the server's own words. */
  templateId: number | null;
}

/** Messages of these kinds go at a time before or after the visit. The others go with what they tell of. */
const TIMED_KINDS: readonly string[] = ['reminder', 'follow-up'] satisfies VisitMessageKind[];

/** The rules of the practice, in their order, without types and templates that are gone. */
export async function listRules(tx: Tx): Promise<RuleInput[]> {
  const [rules, types] = await Promise.all([
    tx.prisma.visitMessageRule.findMany({
      where: tx.practice,
      include: { template: { select: { deletedAt: true } } },
      orderBy: { id: 'asc' },
    }),
    tx.prisma.appointmentType.findMany({ where: whereVisibleType(tx), select: { id: true } }),
  ]);
  const known = new Set(types.map(({ id }) => id));
  return rules.flatMap((rule) => {
    const kind = VISIT_MESSAGE_KINDS.find((one) => one === rule.kind);
    if (!kind || (rule.appointmentTypeId !== null && !known.has(rule.appointmentTypeId))) return [];
    return [{ ...rule, kind, templateId: rule.template?.deletedAt === null ? rule.templateId : null }];
  });
}

/**
 * Replaces the rules of the practice. What would have been due before its rule was set is not sent.
 * @throws Failure invalid for offsets that the kind does not have, and for two rules of one message; not_found for an appointment type or
 *   a template; unprocessable for a template that the kind cannot send
 */
export async function replaceRules(tx: Tx, rules: readonly RuleInput[]): Promise<RuleInput[]> {
  const { organizationId } = tx;
  await requireSoundRules(tx, rules);
  await tx.prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('visit_message_rule', ${organizationId}::bigint))`;
  const before = await tx.prisma.visitMessageRule.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const isSame =
    before.length === rules.length && rules.every((rule, index) => before[index] && writeRule(rule) === writeRule(before[index]));
  if (isSame) return listRules(tx);
  const now = nowIn(organizationId);
  const findSince = (rule: RuleInput) => before.find((one) => writeTimes(one) === writeTimes(rule))?.since ?? now;
  await tx.prisma.visitMessageRule.deleteMany({ where: { organizationId } });
  await tx.prisma.visitMessageRule.createMany({ data: rules.map((rule) => ({ ...rule, organizationId, since: findSince(rule) })) });
  recordChange(tx, 'administer', { name: 'visit_messages.changed', id: organizationId, changed: ['rules'] });
  return listRules(tx);
}

type Written = Pick<VisitMessageRule, 'kind' | 'appointmentTypeId' | 'enabled' | 'offsets' | 'templateId'>;
const writeTimes = ({ kind, appointmentTypeId, enabled, offsets }: Written): string =>
  JSON.stringify([kind, appointmentTypeId, enabled, offsets]);
const writeRule = (rule: Written): string => `${writeTimes(rule)} ${rule.templateId}`;

async function requireSoundRules(tx: Tx, rules: readonly RuleInput[]): Promise<void> {
  const wrong = new WrongFields();
  const known = new Set<string>();
  for (const [index, rule] of rules.entries()) {
    const { kind, appointmentTypeId, templateId, offsets } = rule;
    const field = (name: string) => `data.${index}.${name}`;
    if (TIMED_KINDS.includes(kind) !== offsets.length > 0)
      wrong.add(
        invalid(field('offsets'), offsets.length > 0 ? `must be empty: ${kind} is sent immediately` : `must have a time such as 1d or 2h`),
      );
    for (const lead of offsets.length > 0 ? offsets : [null]) {
      const message = JSON.stringify([kind, appointmentTypeId, lead]);
      if (known.has(message)) wrong.add(invalid(field(lead === null ? 'kind' : 'offsets'), 'is set twice for this type', 'duplicate'));
      known.add(message);
    }
    if (appointmentTypeId !== null) await wrong.check(() => findAppointmentType(tx, appointmentTypeId, field('appointmentTypeId')));
    if (templateId === null) continue;
    const template = await wrong.check(() => findTemplate(tx, templateId, field('templateId')));
    if (template) requireSendable({ ...template, category: `visit-${kind}` }, field('templateId'));
  }
  wrong.throwIfAny();
}

/** The rules that are in force for visits of a type. */
export async function findTypeRules(tx: PracticeTx, typeId: number | null): Promise<Rule[]> {
  const rules = await tx.rows(RULES_OF_TYPE, [typeId ?? NONE]);
  const hasOwn = (kind: string) => rules.some((rule) => rule.kind === kind && rule.appointmentTypeId !== null);
  return rules.filter(({ kind, enabled, appointmentTypeId }) => enabled && (appointmentTypeId !== null || !hasOwn(kind)));
}
