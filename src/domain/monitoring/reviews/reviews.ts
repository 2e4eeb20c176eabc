import { filter, type SortOf, sortBy } from '../../../database/statements/list.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed, recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { forbidden, invalid, notFound, WrongFields } from '../../errors.ts';
import { notifyUsers } from '../../notifications/notifications.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readRecords } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toGiven, type WrittenRange } from '../../values/time/date-range.ts';
import { findUsersToNotify, hasListedPatient } from '../care-team.ts';
import { BY_PATIENT_NAME, listOfPatients } from '../listed-page.sql.ts';
import { warnOfClosedMonths } from '../monthly-billing/closing/closed-month-warnings.ts';
import { findReviewHolds, type ReviewHold } from '../monthly-billing/rules/holds.ts';
import { readLateReason, readReviewStart, type WrittenWork } from './review-start.ts';

const NAMES = { id: true, firstName: true, lastName: true } as const;
const WITH_NAMES = {
  user: { select: NAMES },
  author: { select: NAMES },
  patient: { select: NAMES },
} as const satisfies Prisma.CheckInReviewInclude;

/** A review of a check-in: work that took `minutes` from `startedAt` on. */
export type Review = Prisma.CheckInReviewGetPayload<{ include: typeof WITH_NAMES }> & {
  /** Reasons for which its minutes do not count, or did not until an admin released it. */
  holds: ReviewHold[];
};

export interface NewReview extends WrittenWork {
  checkInId: number;
  /** The user who did the work; the caller unless given. */
  userId?: number | undefined;
  /** If given, must be the patient of the check-in. */
  patientId?: number | undefined;
  message: string | null;
  /** Whether the patient sees the message on the page of the check-in. */
  display: boolean;
  /** Whether somebody spoke with the patient. */
  liveContact: boolean;
}

/** Those that were not deleted. `patientName` is last name, then first name. */
export const REVIEWS = listOfPatients({
  table: 'check_in_review',
  where: 'r.deleted_at IS NULL',
  filters: {
    from: filter<Date>('timestamptz', (from) => `r.started_at >= ${from}`),
    before: filter<Date>('timestamptz', (before) => `r.started_at < ${before}`),
  },
  orders: {
    startedAt: sortBy('r.started_at', 'r.id'),
    createdAt: sortBy('r.created_at', 'r.id'),
    minutes: sortBy('r.minutes', 'r.id'),
    patientName: BY_PATIENT_NAME,
    id: sortBy('r.id'),
  },
});
export type ReviewSort = SortOf<typeof REVIEWS>;

export interface ReviewFilter {
  /** Range of `startedAt`. */
  dates: WrittenRange;
  sort: ReviewSort;
}

/** Reviews of the organization without deleted ones. Audited with the patients who are shown. */
export async function listReviews(tx: Tx, { dates, sort }: ReviewFilter, page: PageRequest): Promise<Page<Review>> {
  const filter = toGiven(await readRange(dates, () => organizationZone(tx)));
  const listed = await readRecords(tx, REVIEWS, { filter, sort, page }, (ids) =>
    tx.prisma.checkInReview.findMany({ where: { ...tx.practice, id: { in: ids } }, include: WITH_NAMES }),
  );
  recordListed(tx, 'check_in_review', listed.items);
  return { ...listed, items: await withHolds(tx, listed.items) };
}

/** The reviews of check-ins without deleted ones, the first one first. Audited. */
export async function findReviewsOfCheckIns(tx: Tx, checkInIds: number[]): Promise<Review[]> {
  const where = { ...tx.practice, checkInId: { in: checkInIds }, deletedAt: null };
  const reviews = await tx.prisma.checkInReview.findMany({ where, include: WITH_NAMES, orderBy: [{ startedAt: 'asc' }, { id: 'asc' }] });
  if (reviews.length > 0) recordListed(tx, 'check_in_review', reviews);
  return withHolds(tx, reviews);
}

async function withHolds<T extends { id: number }>(tx: Tx, reviews: T[]): Promise<(T & { holds: ReviewHold[] })[]> {
  const holds = await findReviewHolds(
    tx,
    reviews.map(({ id }) => id),
  );
  return reviews.map((review) => ({ ...review, holds: holds.filter(({ reviewId }) => reviewId === review.id) }));
}

/** Reads a review. Audited. @throws Failure not_found, also for a deleted one */
export async function readReview(tx: Tx, id: number): Promise<Review> {
  const where = { ...tx.practice, id, deletedAt: null, ...hasListedPatient(tx) };
  const review = await tx.prisma.checkInReview.findFirst({ where, include: WITH_NAMES });
  if (!review) throw notFound('check-in review', 'reviewId');
  recordReadWithPatients(tx, 'check_in_review', { ids: [id], patientIds: [review.patientId] }, 'read');
  return { ...review, holds: await findReviewHolds(tx, [id]) };
}

/**
 * Creates a review of a check-in, answered or not: calling a patient who has not answered is work too. The care team is
 * notified.
 * @throws Failure not_found for an unknown check-in or user; invalid for another patient than the check-in's, for work that has not
 *   ended yet or began before the check-in was sent, and for late work without a reason; forbidden for late work of others than admins
 */
export async function createReview(tx: Tx, input: NewReview): Promise<Review> {
  const { checkInId, minutes, message, display, liveContact } = input;
  const wrong = new WrongFields();
  const timeZone = await organizationZone(tx);
  const checkIn = await wrong.check(() => findReviewedCheckIn(tx, input));
  const userId = await wrong.check(() => findReviewer(tx, input.userId));
  const startedAt = await wrong.check(() => readReviewStart(input, checkIn?.sentAt ?? null, timeZone));
  const lateReason = startedAt && (await wrong.check(() => readLateReason(tx, input, startedAt, timeZone)));
  wrong.throwIfAny();
  if (!checkIn || userId === undefined || startedAt === undefined) throw new RangeError('a wrong field was not reported');
  const { patientId } = checkIn;
  const work = { checkInId, patientId, userId, startedAt, minutes, liveContact, lateReason: lateReason ?? null };
  const review = await tx.prisma.checkInReview.create({
    data: { ...tx.practice, ...work, createdById: tx.userId, message, display },
    include: WITH_NAMES,
  });
  recordChange(tx, 'create', { name: 'check_in_review.created', id: review.id }, [patientId]);
  recordRead(tx, 'patient', [patientId]);
  await warnOfClosedMonths(tx, [toSpan(work)]);
  const userIds = await findUsersToNotify(tx, { patientId, userId });
  await notifyUsers(tx, { kind: 'checkin_review.created', subject: { type: 'checkin_review', id: review.id }, userIds });
  return { ...review, holds: await findReviewHolds(tx, [review.id]) };
}

const toSpan = ({ startedAt, minutes }: { startedAt: Date; minutes: number }) => ({
  from: startedAt,
  to: new Date(startedAt.getTime() + minutes * 60_000),
});

async function findReviewedCheckIn(tx: Tx, { checkInId, patientId }: NewReview): Promise<{ patientId: number; sentAt: Date }> {
  const checkIn = await tx.prisma.checkIn.findFirst({
    where: { ...tx.practice, id: checkInId, ...hasListedPatient(tx) },
    select: { patientId: true, sentAt: true },
  });
  if (!checkIn) throw notFound('check-in', 'checkInId');
  if (patientId !== undefined && patientId !== checkIn.patientId)
    throw invalid('patientId', 'is not the patient of the check-in', 'other_patient');
  return checkIn;
}

async function findReviewer(tx: Tx, requested: number | undefined): Promise<number> {
  const { userId } = tx;
  const id = requested ?? userId;
  if (id === null) throw invalid('userId', 'must be given', 'missing');
  const user = await tx.prisma.user.findFirst({
    where: { ...tx.practice, id, active: true, type: { not: 'interface' } },
    select: { id: true },
  });
  if (!user) throw notFound('user', 'userId');
  return id;
}

/**
 * Marks a review as deleted: lists, counts and the ledger leave it out.
 * @throws Failure not_found; forbidden for users who are neither its author nor an admin
 */
export async function deleteReview(tx: Tx, id: number): Promise<void> {
  const { organizationId, userId, role } = tx;
  await tx.prisma.$queryRaw`SELECT id FROM check_in_review WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const where = { organizationId, id, deletedAt: null, ...hasListedPatient(tx) };
  const review = await tx.prisma.checkInReview.findFirst({
    where,
    select: { patientId: true, userId: true, createdById: true, startedAt: true, minutes: true },
  });
  if (!review) throw notFound('check-in review', 'reviewId');
  if (role !== 'admin' && (review.createdById ?? review.userId) !== userId)
    throw forbidden('not_the_author', 'Only the author of a review, or an admin, can delete it.');
  await tx.prisma.checkInReview.update({ where: tx.key(id), data: { deletedAt: new Date() } });
  recordChange(tx, 'delete', { name: 'check_in_review.deleted', id }, [review.patientId]);
  await warnOfClosedMonths(tx, [toSpan(review)]);
}
