import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import type { EventName } from '../../events/catalogue.ts';
import type { AuditAction } from '../../journal.ts';
import { whereListed } from '../../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../tx.ts';
import { cutPage, type Page, type PageRequest, toPageStart } from '../../values/paging.ts';
import { asSeen } from '../../values/same-text.ts';
import {
  CONTACT_BY_NUMBER,
  CONTACTS_BY_ID,
  type ContactFilter,
  type ContactOrder,
  type ContactRow,
  contactCount,
  contactOrder,
  contactPage,
  PATIENT_BY_NUMBER,
} from './contacts.sql.ts';

/**
 * A contact of the practice. Every listed patient is a contact under the patient's id and name, and has no row of its
 * own until something refers to it; deleted, restricted and blocked charts are no contacts. A number that is not a
 * patient's gets a row when it first calls or writes, with an id of the same sequence.
 */
export type Contact = ContactRow;
export type { ContactOrder };

export interface ContactSort {
  order: ContactOrder;
  descending: boolean;
}

export interface ContactSearch {
  /** Prefix of a name, of a word of the last name, of both names in either order, or of a number. */
  text?: string | undefined;
  /** The input field that contains the text. */
  field?: string | undefined;
  tagId?: number | undefined;
  updatedSince?: Date | undefined;
}

/** Lists contacts. Audited as a search that showed those of the page. */
export async function listContacts(
  tx: Tx,
  { text = '', field, tagId, updatedSince }: ContactSearch,
  sort: ContactSort,
  page: PageRequest,
): Promise<Page<Contact>> {
  const { search, texts } = parseContactSearch(text, field);
  const filter = { search, tag: tagId !== undefined, updated: updatedSince !== undefined };
  const values = [...texts, tagId, updatedSince].filter((value) => value !== undefined);
  const listing = { filter, ...sort };
  const start = toPageStart(page, contactOrder(listing).name);
  const statement = contactPage(listing, start.after.length > 0);
  const found = await tx.rows(statement, [start.limit, start.offset, ...values, ...start.after]);
  const count = () => tx.rows(contactCount(filter), [...values]);
  const { rows: ids, total, end } = await cutPage(page, found, ({ position }) => position, count);
  const rows = ids.length > 0 ? await tx.rows(CONTACTS_BY_ID, [ids.map(({ id }) => id)]) : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  // Patients deleted between the two queries are left out.
  const items = ids.flatMap(({ id }) => byId.get(id) ?? []);
  recordContactsRead(tx, items, 'search');
  return { ...page, items, total, end };
}

/** Finds one contact. Audited. @throws Failure not_found, also for a deleted, restricted or blocked chart */
export async function readContact(tx: Tx, id: number): Promise<Contact> {
  const [contact] = await tx.rows(CONTACTS_BY_ID, [[id]]);
  if (!contact) throw notFound('contact');
  recordContactsRead(tx, [contact], 'read');
  return contact;
}

/** Digits with the usual separators of telephone numbers. */
const NUMBER = /^\+?[\d\s().-]*\d[\d\s().-]*$/;
/** Area code and exchange: half of a practice's patients share one area code. */
const MIN_DIGITS = 6;

/**
 * Splits a search text into prefixes. A number without a plus is tried as North American and as an international
 * number.
 * @throws Failure invalid for too few digits
 */
export function parseContactSearch(text: string, field = 'search'): { search: ContactFilter['search']; texts: string[] } {
  const whole = asSeen(text)
    .replace(/^ ?tel:/i, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[ ,]+|[ ,]+$/g, '');
  if (whole === '') return { search: null, texts: [] };
  const digits = whole.replaceAll(/\D/g, '');
  if (NUMBER.test(whole) && digits.length < MIN_DIGITS)
    throw invalid(field, `a number is found by its first ${MIN_DIGITS} digits or more`, 'too_short');
  if (NUMBER.test(whole))
    return { search: 'number', texts: whole.startsWith('+') ? [`+${digits}`, `+${digits}`] : [`+1${digits}`, `+${digits}`] };
  const [, head, tail] = /^([^,]*\S) ?, ?(\S.*)$/.exec(whole) ?? /^([^ ]+) (.+)$/.exec(whole) ?? [];
  return head === undefined || tail === undefined ? { search: 'name', texts: [whole] } : { search: 'names', texts: [whole, head, tail] };
}

export interface ContactKey {
  id: number;
  patientId: number | null;
}

export interface NumberContact extends ContactKey {
  /** Whether the chart of that patient is restricted or blocked. */
  restricted: boolean;
}

/**
 * Makes sure that a contact has a row, so that a tag or a message can refer to it.
 * @param field the input field that contains the id
 * @throws Failure not_found, also for a deleted, restricted or blocked chart
 */
export async function ensureContact(tx: Tx, id: number, field?: string): Promise<ContactKey> {
  const listed = await tx.prisma.patient.findFirst({ where: { ...tx.practice, id, ...whereListed(tx) }, select: { id: true } });
  if (listed) {
    await tx.prisma.contact.createMany({ data: [{ ...tx.practice, id, patientId: id }], skipDuplicates: true });
    return { id, patientId: id };
  }
  const unknown = await tx.prisma.contact.findFirst({ where: { ...tx.practice, id, patientId: null }, select: { id: true } });
  if (!unknown) throw notFound('contact', field);
  return { id, patientId: null };
}

/** A withheld number does not match and belongs to no contact. */
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Finds the contact of a caller or sender: the patient with that number, first of all one whose chart is restricted or blocked;
 * else the contact of the number itself, created on first use. Concurrent calls get the same contact.
 * @returns null where the number is withheld or invalid
 */
export async function findOrCreateContactByNumber(tx: Tx, number: string): Promise<NumberContact | null> {
  if (!E164.test(number)) return null;
  const values = [number];
  const [[patient], [existing]] = await Promise.all([tx.rows(PATIENT_BY_NUMBER, values), tx.rows(CONTACT_BY_NUMBER, values)]);
  if (patient) return { ...patient, patientId: patient.id };
  if (existing) return { id: existing.id, patientId: null, restricted: false };
  // Waits for a concurrent insert of the same number, and then sees its row.
  const { count } = await tx.prisma.contact.createMany({ data: [{ ...tx.practice, phone: number }], skipDuplicates: true });
  const { id } = await tx.prisma.contact.findFirstOrThrow({
    where: { ...tx.practice, phone: number, patientId: null },
    select: { id: true },
  });
  if (count > 0) recordChange(tx, 'create', { name: 'contact.added', id, changed: ['phone'] });
  return { id, patientId: null, restricted: false };
}

/** Audits that contacts were shown; a patient's contact is audited under the patient. */
export function recordContactsRead(caller: Caller, contacts: { id: number; patient_id: number | null }[], action: 'read' | 'search'): void {
  const ids = (resource: 'patient' | 'contact') =>
    contacts.filter(({ patient_id }) => (patient_id === null) === (resource === 'contact')).map(({ id }) => id);
  for (const resource of ['patient', 'contact'] as const) {
    const shown = ids(resource);
    if (shown.length > 0) recordRead(caller, resource, shown, action);
  }
}

/** Records a change of a contact. The event names the contact, the audit row the patient if it is one. */
export function recordContactChange(caller: Caller, { id, patientId }: ContactKey, name: EventName, changed: string[]): void {
  const action: AuditAction = 'update';
  caller.journal.events.push({ name, id, changed });
  caller.journal.audits.push({ action, resource: patientId === null ? 'contact' : 'patient', ids: [id] });
}
