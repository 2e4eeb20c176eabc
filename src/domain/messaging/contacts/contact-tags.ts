import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { ContactTag } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
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

export async function listTags(
  prepared: Prepared,
  { organizationId }: Caller,
  sort: { order: TagOrder; descending: boolean },
  page: PageRequest,
): Promise<Page<Tag>> {
  const values = [organizationId, page.limit, (page.page - 1) * page.limit];
  const [items, [counted]] = await Promise.all([
    prepared.rows(tagPage(sort.order, sort.descending), values),
    prepared.rows(TAG_COUNT, [organizationId]),
  ]);
  return { ...page, items, total: counted?.total ?? 0 };
}

/** @throws Failure not_found */
export async function findTag(db: Db, { organizationId }: Caller, id: number): Promise<Tag> {
  const tag = await db.contactTag.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!tag) throw notFound('contact tag');
  return tagView(tag);
}

/** @throws Failure conflict where another tag has the same name, ignoring case and accents */
export async function createTag(db: Db, caller: Caller, { name, color = DEFAULT_COLOR }: TagInput & { name: string }): Promise<Tag> {
  const { organizationId } = caller;
  await requireUnusedName(db, caller, name, null);
  const tag = await db.contactTag.create({ data: { organizationId, name, color } });
  recordChange(caller, 'create', { name: 'contact_tag.created', id: tag.id, changed: ['name', 'color'] });
  return tagView(tag);
}

/** Updates the given fields; without a difference nothing is recorded. @throws Failure not_found; conflict as createTag */
export async function updateTag(db: Db, caller: Caller, id: number, input: TagInput): Promise<Tag> {
  const { organizationId } = caller;
  const key = { organizationId_id: { organizationId, id } };
  await db.$queryRaw`SELECT id FROM contact_tag WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await db.contactTag.findUnique({ where: key });
  if (!before) throw notFound('contact tag');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return tagView(before);
  if (changes.name !== undefined) await requireUnusedName(db, caller, changes.name, id);
  const tag = await db.contactTag.update({ where: key, data: changes });
  recordChange(caller, 'update', { name: 'contact_tag.updated', id, changed });
  return tagView(tag);
}

/** Deletes a tag and removes it from every contact. @throws Failure not_found */
export async function deleteTag(db: Db, caller: Caller, id: number): Promise<void> {
  const { count } = await db.contactTag.deleteMany({ where: { organizationId: caller.organizationId, id } });
  if (count === 0) throw notFound('contact tag');
  recordChange(caller, 'delete', { name: 'contact_tag.deleted', id });
}

async function requireUnusedName(db: Db, { organizationId }: Caller, name: string, id: number | null): Promise<void> {
  const others = await db.$queryRaw<unknown[]>`
    SELECT id FROM contact_tag WHERE organization_id = ${organizationId} AND fold(name) = fold(${name}) AND id <> ${id ?? 0}`;
  if (others.length > 0) throw conflict('contact_tag_exists', 'Another tag has this name.', 'name');
}

const tagView = ({ id, name, color, createdAt, updatedAt }: ContactTag): Tag => ({
  id,
  name,
  color,
  created_at: writeInstant(createdAt),
  updated_at: writeInstant(updatedAt),
});
