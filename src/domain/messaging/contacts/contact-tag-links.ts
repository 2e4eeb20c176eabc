import { listOpenedCharts } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
export async function listTagLinks(tx: Tx, { contactId, tagId }: TagLinkSearch, page: PageRequest): Promise<Page<TagLink>> {
  const filter = { contact: contactId !== undefined, tag: tagId !== undefined };
  const values = [contactId, tagId].filter((value) => value !== undefined);
  const offset = (page.page - 1) * page.limit;
  const [items, [counted]] = await Promise.all([
    tx.rows(tagLinkPage(filter), [page.limit, offset, ...values]),
    tx.rows(tagLinkCount(filter), [...values]),
  ]);
  const contacts = new Map(items.map(({ contact_id: id, patient_id }) => [id, { id, patient_id }]));
  recordContactsRead(tx, [...contacts.values()], 'search');
  return { ...page, items, total: counted?.total ?? 0 };
}

/** Adds a tag to a contact; where the contact already has it, the existing link is returned unchanged. @throws Failure not_found */
export async function tagContact(tx: Tx, contactId: number, tagId: number): Promise<TagLink> {
  const { organizationId } = tx;
  const contact = await ensureContact(tx, contactId);
  // Waits for a concurrent deletion of the tag; the share lock keeps the tag until the link is stored.
  const [tag] = await tx.prisma.$queryRaw<{ name: string; color: string }[]>`
    SELECT name, color FROM contact_tag WHERE organization_id = ${organizationId} AND id = ${tagId} FOR KEY SHARE`;
  if (!tag) throw notFound('contact tag', 'tagId');
  const link = { organizationId, contactId, contactTagId: tagId };
  const { count } = await tx.prisma.contactContactTag.createMany({ data: [link], skipDuplicates: true });
  const where = { organizationId_contactId_contactTagId: link };
  const { id, createdAt } = await tx.prisma.contactContactTag.findUniqueOrThrow({ where });
  if (count > 0) recordContactChange(tx, contact, 'contact.tagged', ['tags']);
  else recordContactsRead(tx, [{ id: contactId, patient_id: contact.patientId }], 'read');
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
export async function findTaggedContactId(tx: Tx, linkId: number): Promise<number> {
  const where = tx.key(linkId);
  const link = await tx.prisma.contactContactTag.findUnique({ where, select: { contactId: true } });
  if (!link) throw notFound('contact tag link');
  return link.contactId;
}

/** Removes a tag from a contact. @throws Failure not_found, also where the contact is not listed */
export async function untagContact(tx: Tx, linkId: number): Promise<void> {
  const { organizationId } = tx;
  const [removed] = await tx.prisma.$queryRaw<{ id: number; patientId: number | null }[]>`
    DELETE FROM contact_contact_tag l USING contact c
     WHERE l.organization_id = ${organizationId} AND l.id = ${linkId} AND c.organization_id = l.organization_id AND c.id = l.contact_id
       AND (c.patient_id IS NULL OR EXISTS (
             SELECT FROM patient_name_key k WHERE k.organization_id = ${organizationId} AND k.patient_id = c.id AND k.ordinal = 1)
            OR c.id = ANY (${listOpenedCharts(tx)}::int[]))
    RETURNING c.id, c.patient_id AS "patientId"`;
  if (!removed) throw notFound('contact tag link');
  recordContactChange(tx, removed, 'contact.untagged', ['tags']);
}
