import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import { type Caller, listOpenedCharts } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { writeInstant } from '../../values/time/time.ts';
import { type TagLinkRow, tagLinkCount, tagLinkPage } from './contact-tags.sql.ts';
import { ensureContact, recordContactChange, recordContactsRead } from './contacts.ts';

export type TagLink = TagLinkRow;

export interface TagLinkSearch {
  contactId?: number | undefined;
  tagId?: number | undefined;
}

/** Lists which contacts have which tags, by id of the link. Audited as a search that showed the contacts of the page. */
export async function listTagLinks(
  prepared: Prepared,
  caller: Caller,
  { contactId, tagId }: TagLinkSearch,
  page: PageRequest,
): Promise<Page<TagLink>> {
  const filter = { contact: contactId !== undefined, tag: tagId !== undefined };
  const values = [contactId, tagId].filter((value) => value !== undefined);
  const offset = (page.page - 1) * page.limit;
  const [items, [counted]] = await Promise.all([
    prepared.rows(tagLinkPage(filter), [caller.organizationId, page.limit, offset, ...values]),
    prepared.rows(tagLinkCount(filter), [caller.organizationId, ...values]),
  ]);
  const contacts = new Map(items.map(({ contact_id: id, patient_id }) => [id, { id, patient_id }]));
  recordContactsRead(caller, [...contacts.values()], 'search');
  return { ...page, items, total: counted?.total ?? 0 };
}

/** Adds a tag to a contact; where the contact already has it, the existing link is returned unchanged. @throws Failure not_found */
export async function tagContact(db: Db, caller: Caller, contactId: number, tagId: number): Promise<TagLink> {
  const { organizationId } = caller;
  const contact = await ensureContact(db, caller, contactId);
  // Waits for a concurrent deletion of the tag; the share lock keeps the tag until the link is stored.
  const [tag] = await db.$queryRaw<{ name: string; color: string }[]>`
    SELECT name, color FROM contact_tag WHERE organization_id = ${organizationId} AND id = ${tagId} FOR KEY SHARE`;
  if (!tag) throw notFound('contact tag', 'tagId');
  const link = { organizationId, contactId, contactTagId: tagId };
  const { count } = await db.contactContactTag.createMany({ data: [link], skipDuplicates: true });
  const where = { organizationId_contactId_contactTagId: link };
  const { id, createdAt } = await db.contactContactTag.findUniqueOrThrow({ where });
  if (count > 0) recordContactChange(caller, contact, 'contact.tagged', ['tags']);
  else recordContactsRead(caller, [{ id: contactId, patient_id: contact.patientId }], 'read');
  return {
    id,
    contact_id: contactId,
    patient_id: contact.patientId,
    contact_tag_id: tagId,
    tag_name: tag.name,
    tag_color: tag.color,
    created_at: writeInstant(createdAt),
  };
}

/** The contact of a link. @throws Failure not_found */
export async function findTaggedContactId(db: Db, { organizationId }: Caller, linkId: number): Promise<number> {
  const where = { organizationId_id: { organizationId, id: linkId } };
  const link = await db.contactContactTag.findUnique({ where, select: { contactId: true } });
  if (!link) throw notFound('contact tag link');
  return link.contactId;
}

/** Removes a tag from a contact. @throws Failure not_found, also where the contact is not listed */
export async function untagContact(db: Db, caller: Caller, linkId: number): Promise<void> {
  const { organizationId } = caller;
  const [removed] = await db.$queryRaw<{ id: number; patientId: number | null }[]>`
    DELETE FROM contact_contact_tag l USING contact c
     WHERE l.organization_id = ${organizationId} AND l.id = ${linkId} AND c.organization_id = l.organization_id AND c.id = l.contact_id
       AND (c.patient_id IS NULL OR EXISTS (
             SELECT FROM patient_name_key k WHERE k.organization_id = ${organizationId} AND k.patient_id = c.id AND k.ordinal = 1)
            OR c.id = ANY (${listOpenedCharts(caller)}::int[]))
    RETURNING c.id, c.patient_id AS "patientId"`;
  if (!removed) throw notFound('contact tag link');
  recordContactChange(caller, removed, 'contact.untagged', ['tags']);
}
