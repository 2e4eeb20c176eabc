import type { ContactTag } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { writeInstant } from '../../values/time/time.ts';
import { TAG_COUNT, type TagOrder, type TagRow, tagPage } from './contact-tags.sql.ts';

/** A tag that contacts are grouped by; dates are ISO 8601 in UTC. */
export type Tag = TagRow;
export type { TagOrder };

export interface TagInput {
  name?: string | undefined;
  /** `#rrggbb`, in lower case. */
  color?: string | undefined;
}

/** Grey, for tags without a color. */
export const DEFAULT_COLOR = '#9e9e9e';

export async function listTags(tx: Tx, sort: { order: TagOrder; descending: boolean }, page: PageRequest): Promise<Page<Tag>> {
  const values = [page.limit, (page.page - 1) * page.limit];
  const [items, [counted]] = await Promise.all([tx.rows(tagPage(sort.order, sort.descending), values), tx.rows(TAG_COUNT)]);
  return { ...page, items, total: counted?.total ?? 0 };
}

/** @throws Failure not_found */
export async function findTag(tx: Tx, id: number): Promise<Tag> {
  const tag = await tx.prisma.contactTag.findUnique({ where: tx.key(id) });
  if (!tag) throw notFound('contact tag');
  return tagView(tag);
}

/** @throws Failure conflict where another tag has the same name, ignoring case and accents */
export async function createTag(tx: Tx, { name, color = DEFAULT_COLOR }: TagInput & { name: string }): Promise<Tag> {
  await requireUnusedName(tx, name, null);
  const tag = await tx.prisma.contactTag.create({ data: { ...tx.practice, name, color } });
  recordChange(tx, 'create', { name: 'contact_tag.created', id: tag.id, changed: ['name', 'color'] });
  return tagView(tag);
}

/** Updates the given fields; without a difference nothing is recorded. @throws Failure not_found; conflict as createTag */
export async function updateTag(tx: Tx, id: number, input: TagInput): Promise<Tag> {
  const key = tx.key(id);
  await tx.prisma.$queryRaw`SELECT id FROM contact_tag WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await tx.prisma.contactTag.findUnique({ where: key });
  if (!before) throw notFound('contact tag');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return tagView(before);
  if (changes.name !== undefined) await requireUnusedName(tx, changes.name, id);
  const tag = await tx.prisma.contactTag.update({ where: key, data: changes });
  recordChange(tx, 'update', { name: 'contact_tag.updated', id, changed });
  return tagView(tag);
}

/** Deletes a tag and removes it from every contact. @throws Failure not_found */
export async function deleteTag(tx: Tx, id: number): Promise<void> {
  const { count } = await tx.prisma.contactTag.deleteMany({ where: { ...tx.practice, id } });
  if (count === 0) throw notFound('contact tag');
  recordChange(tx, 'delete', { name: 'contact_tag.deleted', id });
}

async function requireUnusedName(tx: Tx, name: string, id: number | null): Promise<void> {
  const others = await tx.prisma.$queryRaw<unknown[]>`
    SELECT id FROM contact_tag WHERE organization_id = ${tx.organizationId} AND fold(name) = fold(${name}) AND id <> ${id ?? 0}`;
  if (others.length > 0) throw conflict('contact_tag_exists', 'Another tag has this name.', 'name');
}

const tagView = ({ id, name, color, createdAt, updatedAt }: ContactTag): Tag => ({
  id,
  name,
  color,
  created_at: writeInstant(createdAt),
  updated_at: writeInstant(updatedAt),
});
