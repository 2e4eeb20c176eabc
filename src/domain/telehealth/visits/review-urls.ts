import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';

const WITH_USER = {
  user: { select: { id: true, firstName: true, lastName: true, type: true } },
} as const satisfies Prisma.UserReviewUrlInclude;

export type ReviewUrl = Prisma.UserReviewUrlGetPayload<{ include: typeof WITH_USER }>;

const WITH_URLS = { reviewUrls: { orderBy: { id: 'asc' } } } as const satisfies Prisma.UserInclude;
export type ReviewedUser = Prisma.UserGetPayload<{ include: typeof WITH_URLS }>;

const ACTIVE_PERSON = { active: true, type: { not: 'interface' } } as const satisfies Prisma.UserWhereInput;

/** The review URLs of all active people of the practice, by id. */
export async function listReviewUrls(tx: PracticeTx, page: PageRequest): Promise<Page<ReviewUrl>> {
  const where = { ...tx.practice, user: ACTIVE_PERSON };
  const [items, total] = await Promise.all([
    tx.prisma.userReviewUrl.findMany({ where, include: WITH_USER, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.userReviewUrl.count({ where }),
  ]);
  return { ...page, items, total };
}

/** A review URL, also of a user who is no longer active. @throws Failure not_found */
export async function findReviewUrl(tx: PracticeTx, id: number): Promise<ReviewUrl> {
  const url = await tx.prisma.userReviewUrl.findUnique({ where: tx.key(id), include: WITH_USER });
  if (!url) throw notFound('review url');
  return url;
}

export interface ReviewedSort {
  by: 'lastName' | 'firstName' | 'id';
  descending: boolean;
}

/** The active people of the practice who have a review URL. */
export async function listReviewedUsers(tx: PracticeTx, { by, descending }: ReviewedSort, page: PageRequest): Promise<Page<ReviewedUser>> {
  const where = { ...tx.practice, ...ACTIVE_PERSON, reviewUrls: { some: tx.practice } };
  const direction = descending ? 'desc' : 'asc';
  const orders = { lastName: ['lastName', 'firstName', 'id'], firstName: ['firstName', 'lastName', 'id'], id: ['id'] } as const;
  const orderBy = orders[by].map((field): Prisma.UserOrderByWithRelationInput => ({ [field]: direction }));
  const [items, total] = await Promise.all([
    tx.prisma.user.findMany({ where, include: WITH_URLS, orderBy, ...window(page) }),
    tx.prisma.user.count({ where }),
  ]);
  return { ...page, items, total };
}

export interface ReviewUrlInput {
  userId: number;
  url: string;
  title?: string | undefined;
}

const MAX_URL_LENGTH = 500;

/**
 * Adds a review URL of a user.
 * @throws Failure not_found for an unknown user; invalid for an address that patients must not be sent to; conflict for one
 *   that the user already has
 */
export async function addReviewUrl(tx: Tx, { userId, url: written, title }: ReviewUrlInput): Promise<ReviewUrl> {
  const url = readAddress(written);
  const user = await tx.prisma.user.findFirst({ where: { ...tx.practice, id: userId, ...ACTIVE_PERSON }, select: { id: true } });
  if (!user) throw notFound('user', 'user');
  const existing = await tx.prisma.userReviewUrl.findUnique({
    where: { organizationId_userId_url: { ...tx.practice, userId, url } },
    select: { id: true },
  });
  if (existing) throw conflict('review_url_taken', 'The user already has this address.', 'url');
  const added = await tx.prisma.userReviewUrl.create({ data: { ...tx.practice, userId, url, title: title ?? null }, include: WITH_USER });
  recordChange(tx, 'administer', { name: 'review_url.added', id: added.id });
  return added;
}

/** @throws Failure not_found */
export async function removeReviewUrl(tx: Tx, id: number): Promise<ReviewUrl> {
  const removed = await findReviewUrl(tx, id);
  await tx.prisma.userReviewUrl.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'review_url.removed', id });
  return removed;
}

/** Patients are sent there, so it must be https, without credentials that could hide the host. @throws Failure invalid */
function readAddress(written: string): string {
  const address = URL.parse(written.trim());
  if (address?.protocol !== 'https:') throw invalid('url', 'must be an address that begins with https://');
  if (address.username !== '' || address.password !== '') throw invalid('url', 'must contain no user name or password');
  if (address.href.length > MAX_URL_LENGTH) throw invalid('url', `must have at most ${MAX_URL_LENGTH} characters`, 'too_big');
  return address.href;
}
