import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statement.ts';
import type { SmsTemplate } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { findPatient } from '../../patients/find-patient.ts';
import { readAppointment } from '../../scheduling/appointment-reader.ts';
import type { Appointment } from '../../scheduling/appointment-view.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { appointmentValues, patientNameValues, practiceValues } from './placeholder-values.ts';
import {
  hasUnbalancedBraces,
  PLACEHOLDERS,
  type PlaceholderValues,
  placeholdersIn,
  type RenderedText,
  renderTemplate,
} from './placeholders.ts';

export type { SmsTemplate };

export interface TemplateInput {
  /** At most one template of each category is active. */
  category?: string | undefined;
  name?: string | undefined;
  body?: string | undefined;
  /** The text asks for a yes or no, and the reply is tracked. */
  tracksResponse?: boolean | undefined;
  active?: boolean | undefined;
}

export interface TemplateFilter {
  category?: string | undefined;
  active?: boolean | undefined;
}

/** Lists the templates of the organization by id, without deleted ones. */
export async function listTemplates(db: Db, caller: Caller, filter: TemplateFilter, page: PageRequest): Promise<Page<SmsTemplate>> {
  const { category, active } = filter;
  const { organizationId } = caller;
  const where = {
    organizationId,
    deletedAt: null,
    ...(category === undefined ? {} : { category }),
    ...(active === undefined ? {} : { active }),
  };
  const [items, total] = await Promise.all([
    db.smsTemplate.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    db.smsTemplate.count({ where }),
  ]);
  return { ...page, items, total };
}

/**
 * @param field the input field that contains the id
 * @throws Failure not_found, also for a deleted template
 */
export async function findTemplate(db: Db, { organizationId }: Caller, id: number, field?: string): Promise<SmsTemplate> {
  const template = await db.smsTemplate.findFirst({ where: { organizationId, id, deletedAt: null } });
  if (!template) throw notFound('template', field);
  return template;
}

/**
 * Finds a template that asks for a yes or no.
 * @throws Failure not_found, also for a template that asks nothing
 */
export async function findTrackingTemplate(db: Db, caller: Caller, id: number): Promise<SmsTemplate> {
  const template = await findTemplate(db, caller, id);
  if (!template.tracksResponse) throw notFound('tracking template');
  return template;
}

/**
 * Creates a template. An active one replaces the active one of its category.
 * @throws Failure invalid for a body with unknown placeholders
 */
export async function createTemplate(
  db: Db,
  caller: Caller,
  input: TemplateInput & { category: string; name: string; body: string },
): Promise<SmsTemplate> {
  const { organizationId } = caller;
  requireKnownPlaceholders(input.body);
  await lockTemplates(db, caller);
  const fields = changesTo({}, input);
  if (input.active) await deactivateOthers(db, caller, input.category, null);
  const { category, name, body } = input;
  const template = await db.smsTemplate.create({ data: { ...fields, category, name, body, organizationId } });
  recordChange(caller, 'create', {
    name: 'sms_template.created',
    subject: 'sms_template',
    id: template.id,
    changed: Object.keys(fields),
  });
  return template;
}

/**
 * Updates the given fields; without a difference nothing is recorded. A template that becomes active replaces the
 * active one of its category.
 * @throws Failure not_found; invalid for a body with unknown placeholders
 */
export async function updateTemplate(db: Db, caller: Caller, id: number, input: TemplateInput): Promise<SmsTemplate> {
  if (input.body !== undefined) requireKnownPlaceholders(input.body);
  await lockTemplates(db, caller);
  const before = await findTemplate(db, caller, id);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const { active, category } = { ...before, ...changes };
  if (active) await deactivateOthers(db, caller, category, id);
  const template = await db.smsTemplate.update({ where: keyOf(caller, id), data: changes });
  recordChange(caller, 'update', { name: 'sms_template.updated', subject: 'sms_template', id, changed });
  return template;
}

/**
 * Deletes a template: it leaves every list, but texts that were sent with it keep the reference. An active one is not
 * replaced by another.
 * @throws Failure not_found
 */
export async function deleteTemplate(db: Db, caller: Caller, id: number): Promise<void> {
  await lockTemplates(db, caller);
  await findTemplate(db, caller, id);
  await db.smsTemplate.update({ where: keyOf(caller, id), data: { active: false, deletedAt: new Date() }, select: { id: true } });
  recordChange(caller, 'delete', { name: 'sms_template.deleted', subject: 'sms_template', id });
}

const keyOf = ({ organizationId }: Caller, id: number) => ({ organizationId_id: { organizationId, id } });

/** Serializes template changes of one organization: of two that become active, the later stays active. */
async function lockTemplates(db: Db, { organizationId }: Caller): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('sms_template', ${organizationId}::bigint))`;
}

async function deactivateOthers(db: Db, caller: Caller, category: string, id: number | null): Promise<void> {
  const { organizationId } = caller;
  const where = { organizationId, category, active: true, deletedAt: null, ...(id === null ? {} : { id: { not: id } }) };
  for (const other of await db.smsTemplate.findMany({ where, select: { id: true } })) {
    await db.smsTemplate.update({ where: keyOf(caller, other.id), data: { active: false }, select: { id: true } });
    recordChange(caller, 'update', { name: 'sms_template.updated', subject: 'sms_template', id: other.id, changed: ['active'] });
  }
}

const MAX_NAME_LENGTH = 60;

/** @throws Failure invalid naming the unknown placeholder and listing the known ones */
export function requireKnownPlaceholders(body: string, field = 'body'): void {
  const [unknown] = placeholdersIn(body).unknown;
  const known = PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ');
  if (unknown !== undefined) {
    const named = `{{${[...unknown].slice(0, MAX_NAME_LENGTH).join('')}}}`;
    throw invalid(field, `has the placeholder ${named}, which is not known. These are: ${known}.`, 'unknown_placeholder');
  }
  if (hasUnbalancedBraces(body)) throw invalid(field, 'has double braces that are not closed, or were not opened', 'unclosed_placeholder');
}

/** The patient and the appointment that a text is about, and the links in it. */
export interface RenderContext {
  patientId?: number | undefined;
  appointmentId?: number | undefined;
  /** Value of {{url}}. */
  url?: string | undefined;
  /** The user whose review page is the value of {{review url}}, and of {{url}} where no other is given. */
  reviewUserId?: number | undefined;
}

/** A template with its placeholders replaced. @throws Failure as findPlaceholderValues */
export async function renderWithContext(db: Db, caller: Caller, template: SmsTemplate, context: RenderContext): Promise<RenderedText> {
  const { appointmentId, ...rest } = context;
  const appointment =
    appointmentId === undefined ? undefined : await readAppointment(preparedIn(db), caller, appointmentId, 'appointmentId');
  const values = await findPlaceholderValues(db, caller, { ...rest, appointment });
  return renderTemplate(template.body, values, { asks: template.tracksResponse });
}

/**
 * Values of the placeholders. Without a patient, the appointment's is used. A patient who is not the appointment's is
 * audited as read; the appointment itself was audited by its reader.
 * @throws Failure not_found naming the field, invalid where the appointment is another patient's
 */
export async function findPlaceholderValues(
  db: Db,
  caller: Caller,
  { patientId, appointment, url, reviewUserId }: Omit<RenderContext, 'appointmentId'> & { appointment?: Appointment | undefined },
): Promise<PlaceholderValues> {
  const { organizationId } = caller;
  const organization = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true, phone: true } });
  const patient = await patientOf(db, caller, patientId, appointment);
  const reviewUrl = reviewUserId === undefined ? '' : await reviewUrlOf(db, caller, reviewUserId);
  return {
    ...practiceValues(organization),
    ...(patient ? patientNameValues(patient) : {}),
    ...(appointment ? appointmentValues(appointment, await providerOf(db, caller, appointment)) : {}),
    'review url': reviewUrl,
    url: url ?? reviewUrl,
  };
}

async function patientOf(db: Db, caller: Caller, patientId: number | undefined, appointment: Appointment | undefined) {
  const ofAppointment = appointment?.patientId ?? undefined;
  const id = patientId ?? ofAppointment;
  if (id === undefined) return null;
  const patient = appointment?.patient?.id === id ? appointment.patient : await findPatient(db, caller, id, 'patientId');
  if (ofAppointment === undefined) recordRead(caller, 'patient', [id]);
  else if (id !== ofAppointment) throw invalid('patientId', 'is not the patient of the appointment', 'other_patient');
  return patient;
}

/** Name of the appointment's provider, else of the first participant who is one; empty where there is none. */
async function providerOf(db: Db, { organizationId }: Caller, { providerId, users }: Appointment): Promise<string> {
  const who = providerId === null ? { userId: { in: users.map(({ id }) => id) } } : { id: providerId };
  const provider = await db.provider.findFirst({
    where: { organizationId, ...who },
    orderBy: { id: 'asc' },
    select: { displayName: true, firstName: true, lastName: true },
  });
  const person = provider ?? users.find(({ type }) => type === 'provider');
  return provider?.displayName?.trim() || `${person?.firstName ?? ''} ${person?.lastName ?? ''}`.trim();
}

async function reviewUrlOf(db: Db, { organizationId }: Caller, userId: number): Promise<string> {
  const found = await db.userReviewUrl.findFirst({ where: { organizationId, userId }, orderBy: { id: 'asc' }, select: { url: true } });
  return found?.url ?? '';
}
