import { Prisma } from '../../../../generated/prisma/client.ts';
import type { Caller } from '../../../caller.ts';
import type { Tx } from '../../../tx.ts';
import { isListedFor } from '../../care-team.ts';
import type { TimeSpan } from './review-minutes.ts';

export type ReviewHoldKind = 'long_review' | 'overlapping_reviews';

export interface Release {
  at: Date;
  by: { id: number; firstName: string; lastName: string };
  reason: string;
}

/** An implausible review: its minutes and its contact do not count until an admin releases it. */
export interface ReviewHold {
  kind: ReviewHoldKind;
  reviewId: number;
  patientId: number;
  /** `65 minutes, more than 60` */
  why: string;
  /** Other reviews by the same reviewer at the same time, without those of charts that are not listed. */
  overlappingIds: number[];
  release: Release | null;
}

export interface UnitRelease extends Release {
  patientId: number;
  /** As many units may be billed. */
  units: number;
}

/** The implausible reviews of patients, held and released, and the releases of their units. */
export interface Holds {
  reviews: ReviewHold[];
  units: UnitRelease[];
}

/** A review above this is held. */
const MAX_PLAUSIBLE_MINUTES = 60;
/** Units of a code for each further 20 minutes in a month; more are held. */
export const MAX_PLAUSIBLE_UNITS = 4;
/** Longest review; another one that overlaps may have begun this long before. */
const MAX_REVIEW = Prisma.sql`interval '8 hours'`;

interface HoldRow {
  kind: ReviewHoldKind;
  reviewId: number;
  patientId: number;
  minutes: number;
  overlappingIds: number[];
  reason: string | null;
  at: Date;
  byId: number;
  firstName: string;
  lastName: string;
}

/** Whether the review `o` is of the same reviewer and time as the review `r`. */
const whereOverlapping = ({
  organizationId,
}: Caller) => Prisma.sql`o.organization_id = ${organizationId} AND o.user_id = r.user_id AND o.id <> r.id AND o.deleted_at IS NULL
  AND o.started_at > r.started_at - ${MAX_REVIEW} AND o.started_at < r.started_at + make_interval(mins => r.minutes)
  AND o.started_at + make_interval(mins => o.minutes) > r.started_at`;

/** The reviews at the same time as a review by the same reviewer, those of charts that are not listed too. Not audited. */
export async function findOverlapping(tx: Tx, reviewId: number): Promise<number[]> {
  const found = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT o.id FROM check_in_review r JOIN check_in_review o ON ${whereOverlapping(tx)}
     WHERE r.organization_id = ${tx.organizationId} AND r.id = ${reviewId} ORDER BY o.id`;
  return found.map(({ id }) => id);
}

/** The holds of reviews, released ones too. Not audited. */
export const findReviewHolds = async (tx: Tx, reviewIds: readonly number[]): Promise<ReviewHold[]> =>
  reviewIds.length === 0 ? [] : findHoldsWhere(tx, Prisma.sql`r.id = ANY (${reviewIds}::bigint[])`);

/**
 * Reviews above 60 minutes, and those at the same time as another review by the same reviewer, whoever the patients are.
 * @param which a condition on the review `r`
 */
async function findHoldsWhere(tx: Tx, which: Prisma.Sql): Promise<ReviewHold[]> {
  const rows = await tx.prisma.$queryRaw<HoldRow[]>`
    SELECT k.kind, r.id AS "reviewId", r.patient_id AS "patientId", r.minutes, o.ids AS "overlappingIds",
           x.reason, x.released_at AS at, u.id AS "byId", u.first_name AS "firstName", u.last_name AS "lastName"
      FROM check_in_review r
     CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(o.id ORDER BY o.id), '{}') AS all_ids,
              coalesce(json_agg(o.id ORDER BY o.id) FILTER (WHERE ${isListedFor(tx)}), '[]') AS ids
         FROM check_in_review o JOIN patient p ON p.organization_id = o.organization_id AND p.id = o.patient_id
        WHERE ${whereOverlapping(tx)}) o
     CROSS JOIN LATERAL (VALUES ('long_review', r.minutes > ${MAX_PLAUSIBLE_MINUTES}), ('overlapping_reviews', o.all_ids <> '{}')) AS k (kind, holds)
      LEFT JOIN LATERAL (
        -- A release is of the reviews that overlapped then: another one that came up later is held, and so is what it overlaps with.
        SELECT * FROM review_release x
         WHERE x.organization_id = ${tx.organizationId} AND x.review_id = r.id AND x.kind = k.kind
           AND (k.kind = 'long_review' OR x.overlapping_ids @> o.all_ids)
         ORDER BY x.id DESC LIMIT 1) x ON true
      LEFT JOIN "user" u ON u.organization_id = ${tx.organizationId} AND u.id = x.released_by_id
     WHERE r.organization_id = ${tx.organizationId} AND ${which} AND r.deleted_at IS NULL AND k.holds
     ORDER BY r.id, k.kind`;
  return rows.map(({ kind, reviewId, patientId, minutes, overlappingIds, ...row }) => ({
    kind,
    reviewId,
    patientId,
    overlappingIds,
    release: toHoldRelease(row),
    why: kind === 'long_review' ? `${minutes} minutes, more than ${MAX_PLAUSIBLE_MINUTES}` : writeOverlap(overlappingIds),
  }));
}

/** A month of the ledger: `2026-11`, and as instants. */
interface Month {
  month: string;
  span: TimeSpan;
}

/** The holds of patients' reviews with minutes in a month, and the releases of their units in it. Not audited. */
export async function findHolds(tx: Tx, { month, span }: Month, patientIds: number[]): Promise<Holds> {
  const [from, before] = [new Date(span.from), new Date(span.before)];
  const inMonth = Prisma.sql`r.patient_id = ANY (${patientIds}::int[]) AND r.started_at > ${from}::timestamptz - ${MAX_REVIEW}
    AND r.started_at < ${before} AND r.started_at + make_interval(mins => r.minutes) > ${from}`;
  const [reviews, units] = await Promise.all([
    findHoldsWhere(tx, inMonth),
    tx.prisma.$queryRaw<(Omit<HoldRow, 'kind' | 'reviewId' | 'minutes' | 'overlappingIds'> & { units: number })[]>`
      SELECT x.patient_id AS "patientId", x.units, x.reason, x.released_at AS at, u.id AS "byId", u.first_name AS "firstName",
             u.last_name AS "lastName"
        FROM review_release x JOIN "user" u ON u.organization_id = x.organization_id AND u.id = x.released_by_id
       WHERE x.organization_id = ${tx.organizationId} AND x.patient_id = ANY (${patientIds}::int[]) AND x.month = ${month}
       ORDER BY x.patient_id, x.units`,
  ]);
  return {
    reviews,
    units: units.flatMap(({ patientId, units: released, ...row }) => {
      const release = toHoldRelease(row);
      return release ? [{ ...release, patientId, units: released }] : [];
    }),
  };
}

const toHoldRelease = ({ reason, at, byId, firstName, lastName }: Pick<HoldRow, 'reason' | 'at' | 'byId' | 'firstName' | 'lastName'>) =>
  reason === null ? null : { reason, at, by: { id: byId, firstName, lastName } };

const writeOverlap = (ids: readonly number[]): string =>
  ids.length === 0
    ? 'overlaps with other work of the same reviewer'
    : `overlaps with ${ids.length === 1 ? 'review' : 'reviews'} ${ids.join(', ')} of the same reviewer`;

export const isHeld = ({ release }: Pick<ReviewHold, 'release'>): boolean => release === null;
