import type { Db } from '../../../database/database.ts';
import type { CannedReply } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import { inPractice, type PracticeTx, type Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';

export interface CannedReplyWithAuthor extends CannedReply {
  user: { id: number; firstName: string; lastName: string } | null;
}

export async function createCannedReply(tx: Tx, message: string): Promise<CannedReplyWithAuthor> {
  const reply = await tx.prisma.cannedReply.create({ data: { ...tx.practice, userId: tx.userId, message } });
  recordChange(tx, 'create', { name: 'canned_reply.created', id: reply.id, changed: ['message'] });
  return withAuthor(tx.prisma, reply);
}

/** @throws Failure not_found */
export async function findCannedReply(tx: Tx, id: number, field?: string): Promise<CannedReplyWithAuthor> {
  const reply = await tx.prisma.cannedReply.findUnique({ where: tx.key(id) });
  if (!reply) throw notFound('canned reply', field);
  return withAuthor(tx.prisma, reply);
}

/** @throws Failure not_found */
export async function changeCannedReply(tx: Tx, id: number, message: string): Promise<CannedReplyWithAuthor> {
  const before = await findCannedReply(tx, id);
  if (before.message === message) return before;
  await tx.prisma.cannedReply.update({ where: toKey(before), data: { message }, select: { id: true } });
  recordChange(tx, 'update', { name: 'canned_reply.updated', id, changed: ['message'] });
  return findCannedReply(tx, id);
}

/** @throws Failure not_found */
export async function deleteCannedReply(tx: Tx, id: number): Promise<void> {
  const { count } = await tx.prisma.cannedReply.deleteMany({ where: { ...tx.practice, id } });
  if (count === 0) throw notFound('canned reply');
  recordChange(tx, 'delete', { name: 'canned_reply.deleted', id });
}

const toKey = ({ organizationId, id }: CannedReply) => ({ organizationId_id: { organizationId, id } });

/** Ordered by id. */
export async function listCannedReplies(tx: Tx, page: PageRequest): Promise<Page<CannedReplyWithAuthor>> {
  const where = tx.practice;
  const [replies, total] = await Promise.all([
    tx.prisma.cannedReply.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.cannedReply.count({ where }),
  ]);
  const authors = await findAuthors(tx, replies);
  return { ...page, items: replies.map((reply) => ({ ...reply, user: authors.get(reply.userId) ?? null })), total };
}

async function withAuthor(db: Db, reply: CannedReply): Promise<CannedReplyWithAuthor> {
  const authors = await findAuthors(inPractice(db, reply.organizationId), [reply]);
  return { ...reply, user: authors.get(reply.userId) ?? null };
}

async function findAuthors(tx: PracticeTx, replies: CannedReply[]) {
  const ids = [...new Set(replies.flatMap(({ userId }) => userId ?? []))];
  const users = await tx.prisma.user.findMany({
    where: { ...tx.practice, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true },
  });
  return new Map<number | null, (typeof users)[number]>(users.map((user) => [user.id, user]));
}
