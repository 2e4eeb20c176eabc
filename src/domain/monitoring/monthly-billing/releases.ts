import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { hasListedPatient } from '../care-team.ts';
import { countPatientMonths } from './patient-months.ts';
import { readBillingPeriod } from './rules/billing-period.ts';
import { findOverlapping, findReviewHolds, type Release, type ReviewHoldKind } from './rules/holds.ts';

export type HoldKind = ReviewHoldKind | 'too_many_units';

/** A hold of a review, or of the units of a patient's month. */
export interface NewRelease {
  kind: HoldKind;
  reviewId?: number | undefined;
  patientId?: number | undefined;
  /** `2026-11` */
  month?: string | undefined;
  reason: string;
}

interface HeldSubject {
  patientId: number;
  reviewId: number | null;
  month: string | null;
  /** As many of a code may be billed. */
  units: number | null;
}

export interface StoredRelease extends Release, HeldSubject {
  id: number;
  kind: HoldKind;
}

/**
 * Releases a hold: the review, or the units, count from then on.
 * @throws Failure invalid where it is not said of what; not_found for an unknown review or patient; conflict where nothing is held,
 *   or it was released before
 */
export async function releaseHold(tx: Tx, { kind, reason, ...input }: NewRelease): Promise<StoredRelease> {
  const subject = kind === 'too_many_units' ? await findHeldUnits(tx, input) : await findHeldReview(tx, kind, input);
  const overlappingIds = kind === 'overlapping_reviews' && subject.reviewId !== null ? await findOverlapping(tx, subject.reviewId) : [];
  const { id, releasedAt, releasedBy } = await tx.prisma.reviewRelease.create({
    data: { ...tx.practice, kind, reason, releasedById: tx.userId ?? 0, overlappingIds, ...subject },
    include: { releasedBy: { select: { id: true, firstName: true, lastName: true } } },
  });
  recordChange(tx, 'create', { name: 'review_hold.released', id }, [subject.patientId]);
  return { id, kind, reason, at: releasedAt, by: releasedBy, ...subject };
}

type Named = Pick<NewRelease, 'reviewId' | 'patientId' | 'month'>;

async function findHeldReview(tx: Tx, kind: ReviewHoldKind, { reviewId }: Named): Promise<HeldSubject> {
  const { organizationId } = tx;
  if (reviewId === undefined) throw invalid('heldReviewId', 'must be given', 'missing');
  await tx.prisma
    .$queryRaw`SELECT id FROM check_in_review WHERE organization_id = ${organizationId} AND id = ${reviewId} FOR NO KEY UPDATE`;
  const where = { organizationId, id: reviewId, deletedAt: null, ...hasListedPatient(tx) };
  const review = await tx.prisma.checkInReview.findFirst({ where, select: { patientId: true } });
  if (!review) throw notFound('check-in review', 'heldReviewId');
  const hold = (await findReviewHolds(tx, [reviewId])).find((one) => one.kind === kind);
  if (!hold) throw notHeld();
  if (hold.release) throw conflict('already_released', 'An admin has already released it.');
  return { reviewId, patientId: review.patientId, month: null, units: null };
}

async function findHeldUnits(tx: Tx, { patientId, month }: Named): Promise<HeldSubject> {
  if (patientId === undefined) throw invalid('heldPatientId', 'must be given', 'missing');
  if (month === undefined) throw invalid('month', 'must be given', 'missing');
  await findPatient(tx, patientId, 'heldPatientId');
  const period = await readBillingPeriod(tx, month);
  const found = (await countPatientMonths(tx, period, [patientId])).get(patientId);
  const [held] = found?.heldUnits ?? [];
  if (!held) throw notHeld();
  return { patientId, reviewId: null, month: period.month, units: held.supported };
}

const notHeld = () => conflict('not_held', 'No such record is held.');
