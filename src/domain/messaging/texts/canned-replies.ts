import type { Db } from '../../../database/database.ts';
import type { CannedReply } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';

export interface CannedReplyWithAuthor extends CannedReply {
  user: { id: number; firstName: string; lastName: string } | null;
}

export async function createCannedReply(db: Db, caller: Caller, message: string): Promise<CannedReplyWithAuthor> {
  const { organizationId, userId } = caller;
  const reply = await db.cannedReply.create({ data: { organizationId, userId, message } });
  recordChange(caller, 'create', { name: 'canned_reply.created', id: reply.id, changed: ['message'] });
  return withAuthor(db, reply);
}

/** @throws Failure not_found */
export async function findCannedReply(db: Db, { organizationId }: Caller, id: number, field?: string): Promise<CannedReplyWithAuthor> {
  const reply = await db.cannedReply.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!reply) throw notFound('canned reply', field);
  return withAuthor(db, reply);
}

/** @throws Failure not_found */
export async function changeCannedReply(db: Db, caller: Caller, id: number, message: string): Promise<CannedReplyWithAuthor> {
  const before = await findCannedReply(db, caller, id);
  if (before.message === message) return before;
  await db.cannedReply.update({ where: toKey(before), data: { message }, select: { id: true } });
  recordChange(caller, 'update', { name: 'canned_reply.updated', id, changed: ['message'] });
  return findCannedReply(db, caller, id);
}

/** @throws Failure not_found */
export async function deleteCannedReply(db: Db, caller: Caller, id: number): Promise<void> {
  const { count } = await db.cannedReply.deleteMany({ where: { organizationId: caller.organizationId, id } });
  if (count === 0) throw notFound('canned reply');
  recordChange(caller, 'delete', { name: 'canned_reply.deleted', id });
}

const toKey = ({ organizationId, id }: CannedReply) => ({ organizationId_id: { organizationId, id } });

/** Ordered by id. */
export async function listCannedReplies(db: Db, { organizationId }: Caller, page: PageRequest): Promise<Page<CannedReplyWithAuthor>> {
  const where = { organizationId };
  const [replies, total] = await Promise.all([
    db.cannedReply.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    db.cannedReply.count({ where }),
  ]);
  const authors = await findAuthors(db, organizationId, replies);
  return { ...page, items: replies.map((reply) => ({ ...reply, user: authors.get(reply.userId) ?? null })), total };
}

async function withAuthor(db: Db, reply: CannedReply): Promise<CannedReplyWithAuthor> {
  const authors = await findAuthors(db, reply.organizationId, [reply]);
  return { ...reply, user: authors.get(reply.userId) ?? null };
}

async function findAuthors(db: Db, organizationId: number, replies: CannedReply[]) {
  const ids = [...new Set(replies.flatMap(({ userId }) => userId ?? []))];
  const users = await db.user.findMany({
    where: { organizationId, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true },
  });
  return new Map<number | null, (typeof users)[number]>(users.map((user) => [user.id, user]));
}
