import { z } from 'zod';
import type { Release, ReviewHold } from '../../../../domain/monitoring/monthly-billing/rules/holds.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { instant } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';

export const HOLD_KINDS = ['long_review', 'overlapping_reviews', 'too_many_units'] as const;

export const ReleaseShape = z
  .strictObject({ at: instant(), by: PersonShape, reason: z.string() })
  .meta({ id: 'HoldReleaseNote' })
  .describe('Who released the hold, when and why');

export const ReviewHoldShape = z
  .strictObject({
    kind: z.enum(['long_review', 'overlapping_reviews']),
    text: z.string().describe('Reason, such as: 65 minutes, more than 60'),
    overlapping_review_uuids: z.array(z.int()).describe('Reviews by the same user at the same time, except for hidden charts'),
    released: ReleaseShape.nullable().describe('Null while it is held'),
  })
  .meta({ id: 'ReviewHold' });

export const fromRelease = ({ at, by, reason }: Release): z.input<typeof ReleaseShape> => ({
  at: writeInstant(at),
  by: fromPerson(by),
  reason,
});

export const fromReviewHold = ({ kind, why, overlappingIds, release }: ReviewHold): z.input<typeof ReviewHoldShape> => ({
  kind,
  text: why,
  overlapping_review_uuids: overlappingIds,
  released: release && fromRelease(release),
});
