import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordListed, recordRead, recordReadWithPatients } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { forbidden, invalid, notFound, WrongFields } from '../errors.ts';
import { notifyUsers } from '../notifications/notifications.ts';
import { organizationZoneIn } from '../practices/organization-zone.ts';
import { readRange, type WrittenRange } from '../values/date-range.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { readMoment } from '../values/time.ts';
import { findUsersToNotify, HAS_LISTED_PATIENT } from './care-team.ts';
import { byPatientName } from './patient-order.ts';

const NAMES = { id: true, firstName: true, lastName: true } as const;
const WITH_NAMES = {
  user: { select: NAMES },
  author: { select: NAMES },
  patient: { select: NAMES },
} as const satisfies Prisma.CheckInReviewInclude;

/** A review of a check-in: work that took `minutes` from `startedAt` on. */
export type Review = Prisma.CheckInReviewGetPayload<{ include: typeof WITH_NAMES }>;

export interface NewReview {
  checkInId: number;
  /** The user who did the work; the caller unless given. */
  userId?: number | undefined;
  /** If given, must be the patient of the check-in. */
  patientId?: number | undefined;
  message: string | null;
  /** Whether the patient sees the message on the page of the check-in. */
  display: boolean;
  minutes: number;
  /** ISO 8601, as the caller wrote it. Unless given, `minutes` ago. */
  startedAt?: string | undefined;
  /** Whether somebody spoke with the patient. */
  liveContact: boolean;
}

/** `patientName` is last name, then first name. */
export type ReviewOrder = 'startedAt' | 'createdAt' | 'minutes' | 'patientName' | 'id';

export interface ReviewFilter {
  /** Range of `startedAt`. */
  dates: WrittenRange;
  sort: { order: ReviewOrder; descending: boolean };
}

/** Tolerance for devices whose clocks are ahead. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Reviews of the organization without deleted ones. Audited with the patients who are shown. */
export async function listReviews(db: Db, caller: Caller, { dates, sort }: ReviewFilter, page: PageRequest): Promise<Page<Review>> {
  const { from, before } = await readRange(dates, () => organizationZoneIn(db, caller));
  const startedAt = { ...(from ? { gte: from } : {}), ...(before ? { lt: before } : {}) };
  const where = { organizationId: caller.organizationId, deletedAt: null, ...HAS_LISTED_PATIENT, ...(from || before ? { startedAt } : {}) };
  const direction = sort.descending ? 'desc' : 'asc';
  const first = sort.order === 'patientName' ? byPatientName(direction) : [{ [sort.order]: direction }];
  const [items, total] = await Promise.all([
    db.checkInReview.findMany({ where, include: WITH_NAMES, orderBy: [...first, { id: direction }], ...window(page) }),
    db.checkInReview.count({ where }),
  ]);
  recordListed(caller, 'check_in_review', items);
  return { ...page, items, total };
}

/** Reads a review. Audited. @throws Failure not_found, also for a deleted one */
export async function readReview(db: Db, caller: Caller, id: number): Promise<Review> {
  const where = { organizationId: caller.organizationId, id, deletedAt: null, ...HAS_LISTED_PATIENT };
  const review = await db.checkInReview.findFirst({ where, include: WITH_NAMES });
  if (!review) throw notFound('check-in review', 'reviewId');
  recordReadWithPatients(caller, 'check_in_review', { ids: [id], patientIds: [review.patientId] }, 'read');
  return review;
}

/**
 * Creates a review of a check-in, answered or not: calling a patient who has not answered is work too. The care team is
 * notified.
 * @throws Failure not_found for an unknown check-in or user; invalid for another patient than the check-in's, and for work that
 *   has not ended yet
 */
export async function createReview(db: Db, caller: Caller, input: NewReview): Promise<Review> {
  const { organizationId } = caller;
  const { checkInId, minutes, message, display, liveContact } = input;
  const wrong = new WrongFields();
  const patientId = await wrong.check(() => findReviewedPatient(db, caller, input));
  const userId = await wrong.check(() => findReviewer(db, caller, input.userId));
  const startedAt = await wrong.check(() => readStart(db, caller, input));
  wrong.throwIfAny();
  if (patientId === undefined || userId === undefined || startedAt === undefined) throw new RangeError('a wrong field was not reported');
  const review = await db.checkInReview.create({
    data: { organizationId, checkInId, patientId, userId, createdById: caller.userId, message, display, minutes, startedAt, liveContact },
    include: WITH_NAMES,
  });
  recordChange(caller, 'create', { name: 'check_in_review.created', subject: 'check_in_review', id: review.id });
  recordRead(caller, 'patient', [patientId]);
  const userIds = await findUsersToNotify(db, caller, { patientId, userId });
  await notifyUsers(db, caller, { kind: 'checkin_review.created', subject: { type: 'checkin_review', id: review.id }, userIds });
  return review;
}

async function findReviewedPatient(db: Db, { organizationId }: Caller, { checkInId, patientId }: NewReview): Promise<number> {
  const checkIn = await db.checkIn.findFirst({
    where: { organizationId, id: checkInId, ...HAS_LISTED_PATIENT },
    select: { patientId: true },
  });
  if (!checkIn) throw notFound('check-in', 'checkInId');
  if (patientId !== undefined && patientId !== checkIn.patientId)
    throw invalid('patientId', 'is not the patient of the check-in', 'other_patient');
  return checkIn.patientId;
}

async function findReviewer(db: Db, { organizationId, userId }: Caller, requested: number | undefined): Promise<number> {
  const id = requested ?? userId;
  if (id === null) throw invalid('userId', 'must be given', 'missing');
  const user = await db.user.findFirst({ where: { organizationId, id, active: true, type: { not: 'interface' } }, select: { id: true } });
  if (!user) throw notFound('user', 'userId');
  return id;
}

/** @throws Failure for a time that no zone has */
export const checkReviewStart = (startedAt: string): void => void readMoment(startedAt, 'UTC', 'startedAt');

async function readStart(db: Db, caller: Caller, { startedAt, minutes }: NewReview): Promise<Date> {
  const now = Date.now();
  if (startedAt === undefined) return new Date(now - minutes * 60_000);
  const { instant } = readMoment(startedAt, await organizationZoneIn(db, caller), 'startedAt');
  if (instant.getTime() + minutes * 60_000 > now + CLOCK_TOLERANCE_MS)
    throw invalid('startedAt', 'must be so early that the minutes are over', 'not_over');
  return instant;
}

/**
 * Marks a review as deleted: lists, counts and the ledger leave it out.
 * @throws Failure not_found; forbidden for users who are neither its author nor an admin
 */
export async function deleteReview(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId, userId, role } = caller;
  await db.$queryRaw`SELECT id FROM check_in_review WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const where = { organizationId, id, deletedAt: null, ...HAS_LISTED_PATIENT };
  const review = await db.checkInReview.findFirst({ where, select: { patientId: true, userId: true, createdById: true } });
  if (!review) throw notFound('check-in review', 'reviewId');
  if (role !== 'admin' && (review.createdById ?? review.userId) !== userId)
    throw forbidden('not_the_author', 'Only who wrote a review, or an admin, deletes it.');
  await db.checkInReview.update({ where: { organizationId_id: { organizationId, id } }, data: { deletedAt: new Date() } });
  recordChange(caller, 'delete', { name: 'check_in_review.deleted', subject: 'check_in_review', id }, [review.patientId]);
}
