import type { HeldUnits } from './rules/cpt-codes.ts';
import type { Release, ReviewHold, ReviewHoldKind, UnitRelease } from './rules/holds.ts';

/** A hold of a patient's month, or one that an admin released. */
export interface LedgerHold {
  kind: ReviewHoldKind | 'too_many_units';
  reviewId: number | null;
  /** Of held units. */
  code: string | null;
  units: number | null;
  /** `65 minutes, more than 60` */
  why: string;
  release: Release | null;
}

/** The holds of a month: of its reviews, and of the units of a code. */
export function writeHolds(
  { heldUnits }: { heldUnits: readonly HeldUnits[] },
  holds: readonly ReviewHold[],
  unitRelease: UnitRelease | null,
): LedgerHold[] {
  const ofReviews = holds.map(
    ({ kind, reviewId, why, release }): LedgerHold => ({ kind, reviewId, code: null, units: null, why, release }),
  );
  const ofUnits = heldUnits.map(
    ({ code, supported, held }): LedgerHold => ({
      kind: 'too_many_units',
      reviewId: null,
      code,
      units: held,
      release: null,
      why: `${supported} units of ${code}, more than ${supported - held}`,
    }),
  );
  return [...ofReviews, ...ofUnits, ...(unitRelease ? [releasedUnits(unitRelease)] : [])];
}

function releasedUnits({ at, by, reason, units }: UnitRelease): LedgerHold {
  const release = { at, by, reason };
  return { kind: 'too_many_units', reviewId: null, code: null, units, why: `up to ${units} units of one code`, release };
}
