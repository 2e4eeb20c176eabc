import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { practiceLanguage } from '../../practices/practice-language.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { CATEGORIES, CATEGORY_NAMES, type CategoryInUse } from './categories.ts';
import { requireSendable, requireSoundWordings, type Wording } from './template-wordings.ts';
import { ACTIVE_TEMPLATE, type SmsTemplate, TEMPLATE_BY_ID } from './templates.sql.ts';

const WITH_VARIANTS = {
  variants: { select: { language: true, body: true }, orderBy: { language: 'asc' } },
} as const satisfies Prisma.SmsTemplateInclude;

export type { SmsTemplate };

export interface TemplateInput {
  /** At most one template of each category is active. */
  category?: string | undefined;
  name?: string | undefined;
  body?: string | undefined;
  /** Of the body: a primary subtag of BCP 47. The practice's language unless given. */
  language?: string | undefined;
  /** All wordings in other languages; those that a template had before and are not here are deleted. */
  variants?: Wording[] | undefined;
  /** The text asks for a yes or no, and the reply is tracked. */
  tracksResponse?: boolean | undefined;
  active?: boolean | undefined;
}

export interface TemplateFilter {
  category?: string | undefined;
  active?: boolean | undefined;
}

/** Lists the templates of the organization by id, without deleted ones. */
export async function listTemplates(tx: Tx, filter: TemplateFilter, page: PageRequest): Promise<Page<SmsTemplate>> {
  const { category, active } = filter;
  const where = {
    ...tx.practice,
    deletedAt: null,
    ...(category === undefined ? {} : { category }),
    ...(active === undefined ? {} : { active }),
  };
  const [items, total] = await Promise.all([
    tx.prisma.smsTemplate.findMany({ where, include: WITH_VARIANTS, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.smsTemplate.count({ where }),
  ]);
  return { ...page, items, total };
}

/** @param field the input field that contains the id @throws Failure not_found, also for a deleted template */
export async function findTemplate(tx: Tx, id: number, field?: string): Promise<SmsTemplate> {
  const [template] = await tx.rows(TEMPLATE_BY_ID, [id]);
  if (!template) throw notFound('template', field);
  return template;
}

/** Finds a template that asks for a yes or no. @throws Failure not_found, also for a template that asks nothing */
export async function findTrackingTemplate(tx: Tx, id: number): Promise<SmsTemplate> {
  const template = await findTemplate(tx, id);
  if (!template.tracksResponse) throw notFound('tracking template');
  return template;
}

/** The template that is in use for a category; null where there is none. */
export async function findActiveTemplate(tx: PracticeTx, category: string): Promise<SmsTemplate | null> {
  const [template] = await tx.rows(ACTIVE_TEMPLATE, [category]);
  return template ?? null;
}

/** The categories of which the server sends texts by itself, each with the template that is in use for it. */
export async function listCategories(tx: Tx): Promise<CategoryInUse[]> {
  const active = await tx.prisma.smsTemplate.findMany({
    where: { ...tx.practice, category: { in: [...CATEGORY_NAMES] }, active: true, deletedAt: null },
    select: { id: true, category: true },
  });
  return CATEGORY_NAMES.map((name) => {
    const activeTemplateId = active.find(({ category }) => category === name)?.id ?? null;
    return { ...CATEGORIES[name], name, activeTemplateId };
  });
}

/**
 * Creates a template. An active one replaces the active one of its category.
 * @throws Failure invalid for unknown placeholders or two wordings in one language; unprocessable for an active one that its category
 *   cannot send
 */
export async function createTemplate(
  tx: Tx,
  input: TemplateInput & { category: string; name: string; body: string },
): Promise<SmsTemplate> {
  const { variants = [], ...fields } = changesTo({}, input);
  const { category, name, body } = input;
  const language = input.language ?? (await practiceLanguage(tx));
  requireRight({ tracksResponse: false, active: false, ...fields, category, body, language, variants });
  await lockTemplates(tx);
  if (input.active) await deactivateOthers(tx, category, null);
  const data = { ...fields, category, name, body, language, ...tx.practice };
  const created = await tx.prisma.smsTemplate.create({ data, include: WITH_VARIANTS });
  const { id } = created;
  recordChange(tx, 'create', { name: 'sms_template.created', id, changed: Object.keys(changesTo({}, input)) });
  if (variants.length === 0) return created;
  await writeVariants(tx, id, variants);
  return findTemplate(tx, id);
}

/**
 * Updates the given fields; without a difference nothing is recorded. A template that becomes active replaces the
 * active one of its category.
 * @throws Failure not_found; as createTemplate
 */
export async function updateTemplate(tx: Tx, id: number, input: TemplateInput): Promise<SmsTemplate> {
  await lockTemplates(tx);
  const before = await findTemplate(tx, id);
  const variants = input.variants?.toSorted(byLanguage);
  const changes = changesTo(before, { ...input, variants });
  const after = { ...before, ...changes, variants: input.variants ?? before.variants };
  requireRight(after);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  if (after.active) await deactivateOthers(tx, after.category, id);
  const { variants: _, ...columns } = changes;
  if (changes.variants) await writeVariants(tx, id, changes.variants);
  recordChange(tx, 'update', { name: 'sms_template.updated', id, changed });
  return tx.prisma.smsTemplate.update({ where: toKey(tx, id), data: columns, include: WITH_VARIANTS });
}

const byLanguage = (one: Wording, other: Wording): number => (one.language < other.language ? -1 : 1);

function requireRight(template: Parameters<typeof requireSendable>[0] & { active: boolean }): void {
  requireSoundWordings(template);
  if (template.active) requireSendable(template);
}

async function writeVariants(tx: Tx, templateId: number, variants: Wording[]): Promise<void> {
  await tx.prisma.smsTemplateVariant.deleteMany({ where: { ...tx.practice, templateId } });
  await tx.prisma.smsTemplateVariant.createMany({
    data: variants.map(({ language, body }) => ({ ...tx.practice, templateId, language, body })),
  });
}

/**
 * Deletes a template: it leaves every list, but texts that were sent with it keep the reference. An active one is not
 * replaced by another.
 * @throws Failure not_found
 */
export async function deleteTemplate(tx: Tx, id: number): Promise<void> {
  await lockTemplates(tx);
  await findTemplate(tx, id);
  await tx.prisma.smsTemplate.update({ where: toKey(tx, id), data: { active: false, deletedAt: new Date() }, select: { id: true } });
  recordChange(tx, 'delete', { name: 'sms_template.deleted', id });
}

const toKey = ({ organizationId }: Caller, id: number) => ({ organizationId_id: { organizationId, id } });

/** Serializes template changes of one organization: of two that become active, the later stays active. */
async function lockTemplates(tx: Tx): Promise<void> {
  await tx.prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('sms_template', ${tx.organizationId}::bigint))`;
}

async function deactivateOthers(tx: Tx, category: string, id: number | null): Promise<void> {
  const where = { ...tx.practice, category, active: true, deletedAt: null, ...(id === null ? {} : { id: { not: id } }) };
  for (const other of await tx.prisma.smsTemplate.findMany({ where, select: { id: true } })) {
    await tx.prisma.smsTemplate.update({ where: toKey(tx, other.id), data: { active: false }, select: { id: true } });
    recordChange(tx, 'update', { name: 'sms_template.updated', id: other.id, changed: ['active'] });
  }
}
