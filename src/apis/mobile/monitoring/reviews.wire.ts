import { z } from 'zod';
import { checkReviewStart } from '../../../domain/monitoring/reviews/review-start.ts';
import type { NewReview, Review, ReviewFilter } from '../../../domain/monitoring/reviews/reviews.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../http/input/query.ts';
import { withChecks } from '../../../http/wire/checked-shapes.ts';
import {
  bit,
  flag,
  id,
  instant,
  longId,
  multilineText,
  optional,
  pagingByPosition,
  text,
  toNumber,
} from '../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { one, wrapList } from '../shared.wire.ts';
import { date, isDescending, newestFirst, toDates } from './check-ins.wire.ts';
import { fromReviewHold, ReviewHoldShape } from './monthly-billing/holds.wire.ts';

export const ReviewShape = z
  .strictObject({
    uuid: z.int(),
    checkin_uuid: z.int(),
    user_uuid: z.int(),
    user: PersonShape.describe('User who did the work'),
    created_by: PersonShape.nullable().describe('User who recorded the review'),
    patient_uuid: z.int(),
    patient: PersonShape,
    message: z.string().nullable(),
    display: z.literal([0, 1]).describe('1: the review is shown to the patient on the page of the check-in'),
    minutes: z.int(),
    started_at: instant(),
    ended_at: instant(),
    live_contact: z.boolean().describe('Whether there was a conversation with the patient'),
    late_reason: z.string().nullable().describe('Why an admin recorded the work more than 30 days after it began; otherwise null'),
    holds: z
      .array(ReviewHoldShape)
      .describe('Why its minutes and live contact do not count in the ledger, or did not until an admin released it'),
    created_at: instant(),
  })
  .meta({ id: 'CheckInReview' });

export const ReviewResponse = one(ReviewShape).meta({ id: 'CheckInReviewResponse' });
export const ReviewList = wrapList(ReviewShape).meta({ id: 'CheckInReviewList' });

const LONGEST_MINUTES = 480;
const LONGEST_MESSAGE = 4_000;
const LONGEST_REASON = 1_000;
const fewMinutes = `must be a whole number from 1 to ${LONGEST_MINUTES}`;

export const NewReviewRequest = withChecks(
  z
    .object({
      checkin_uuid: longId().describe('Check-in id'),
      user_uuid: optional(id()).describe('Id of the user who did the work; the calling user by default'),
      patient_uuid: optional(id()).describe('Must be the patient of the check-in'),
      message: optional(multilineText(LONGEST_MESSAGE)),
      display: optional(bit()).describe('1: the review is shown to the patient on the page of the check-in; 0 by default'),
      minutes: z.preprocess(
        toNumber(4),
        z
          .int({ error: ({ input }) => (input === undefined ? undefined : fewMinutes) })
          .min(1, fewMinutes)
          .max(LONGEST_MINUTES, fewMinutes),
      ),
      started_at: optional(text(40).meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}' })).describe(
        'ISO 8601; values without an offset are in the organization’s time zone. Defaults to the current time minus the minutes of the review, or to when the check-in was sent if that is later. Not before the check-in was sent',
      ),
      reason: optional(multilineText(LONGEST_REASON)).describe(
        'Why the work is recorded more than 30 days after it began, which only an admin may do; otherwise ignored',
      ),
      live_contact: optional(flag()).describe('Whether there was a conversation with the patient; false by default'),
    })
    .meta({ id: 'CheckInReviewCreate' }),
  { besideOthers: { started_at: checkReviewStart } },
);

const FIELDS = {
  started_at: 'startedAt',
  created_at: 'createdAt',
  minutes: 'minutes',
  title: 'patientName',
  uuid: 'id',
  id: 'id',
} as const satisfies Record<string, ReviewFilter['sort']['order']>;

export const reviewsQuery = z.object({
  ...newestFirst(FIELDS),
  org_uuid: alsoNamed(id().optional(), ...filterNames('org')).describe('Id of your own organization'),
  start_date: date(),
  end_date: date(),
  ...pagingByPosition,
});
export const reviewParams = z.object({ checkin_review: longId().describe('Check-in review id') });

export function toReviewFilter(query: z.output<typeof reviewsQuery>): ReviewFilter {
  return { dates: toDates(query), sort: { order: query.sort, descending: isDescending(query.sort, query.order) } };
}

export function toReview(body: z.output<typeof NewReviewRequest>): NewReview {
  return {
    checkInId: body.checkin_uuid,
    userId: body.user_uuid ?? undefined,
    patientId: body.patient_uuid ?? undefined,
    message: body.message ?? null,
    display: body.display ?? false,
    minutes: body.minutes,
    startedAt: body.started_at ?? undefined,
    liveContact: body.live_contact ?? false,
    reason: body.reason,
  };
}

export function fromReview(review: Review): z.input<typeof ReviewShape> {
  const { startedAt, minutes } = review;
  return {
    uuid: review.id,
    checkin_uuid: review.checkInId,
    user_uuid: review.userId,
    user: fromPerson(review.user),
    created_by: review.author && fromPerson(review.author),
    patient_uuid: review.patientId,
    patient: fromPerson(review.patient),
    message: review.message,
    display: review.display ? 1 : 0,
    minutes,
    started_at: writeInstant(startedAt),
    ended_at: writeInstant(new Date(startedAt.getTime() + minutes * 60_000)),
    live_contact: review.liveContact,
    late_reason: review.lateReason,
    holds: review.holds.map(fromReviewHold),
    created_at: writeInstant(review.createdAt),
  };
}
