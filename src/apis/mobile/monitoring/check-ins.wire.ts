import { z } from 'zod';
import type { CheckInCounts } from '../../../domain/monitoring/reviews/check-in-counts.ts';
import type { CheckInSort, MeasuredAnswer, ReportedCheckIn } from '../../../domain/monitoring/reviews/check-ins.ts';
import type { ReviewFilter } from '../../../domain/monitoring/reviews/reviews.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { dateBound, id, instant, pagingByPosition } from '../../../http/wire/wire-types.ts';
import { DeliveryShape, fromDelivery } from '../messaging/check-ins/check-ins.wire.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { one, sortBy, wrapList } from '../shared.wire.ts';
import { fromTarget, TargetShape } from './readings/targets.wire.ts';

const AnswerShape = z.strictObject({
  key: z.string(),
  question: z.string(),
  kind: z.enum(['text', 'number', 'choice', 'scale', 'yes_no']),
  answer: z
    .union([z.string(), z.number()])
    .nullable()
    .describe(
      'A number for number and scale, otherwise text: yes or no for yes_no. Null if the question was skipped or the check-in has not been answered yet',
    ),
  item: z
    .strictObject({ uuid: z.int(), name: z.string(), unit: z.string().nullable() })
    .nullable()
    .describe('Item that the question measures'),
  source: z.literal('self').nullable().describe('Source of the reading from the answer: the patient; null if nothing was measured'),
  target: TargetShape.nullable().describe('Target at the time of the answer'),
  out_of_target: z.boolean().nullable().describe('Null if there is no numeric answer or no target'),
  urgent: z.boolean().nullable().describe('Whether the survey marks the answer as urgent; null if there is no answer'),
});

export const CheckInReportShape = z
  .strictObject({
    uuid: z.int(),
    patient_uuid: z.int(),
    patient: PersonShape,
    survey_type: z.strictObject({ uuid: z.int(), name: z.string() }).nullable(),
    scheduled_checkin_uuid: z.int().nullable(),
    sent_by_user_uuid: z.int().nullable().describe('Null if the check-in was sent by a schedule'),
    channel: z.enum(['sms', 'email']),
    sent_at: instant(),
    expires_at: instant(),
    answered_at: instant().nullable(),
    delivery: DeliveryShape.nullable().describe('Delivery of the message; null if the message is no longer stored'),
    answers: z.array(AnswerShape),
    out_of_target: z.boolean().nullable().describe('Whether any answer is out of target; null if the check-in has not been answered yet'),
    reviewed: z.boolean(),
    reviews: z.array(z.int()).describe('Review ids'),
  })
  .meta({ id: 'CheckInReport' });

export const CheckInReportList = wrapList(CheckInReportShape).meta({ id: 'CheckInReportList' });

const number = z.int();

export const CheckInCountsShape = z
  .strictObject({
    user_uuid: number,
    total: number,
    answered: number,
    unanswered: number.describe('Check-ins without an answer: total minus answered'),
    reviewed: number,
    unreviewed: number.describe('Check-ins without a review: total minus reviewed'),
    open_reviews: number.describe('Answered check-ins waiting for a review'),
  })
  .meta({ id: 'CheckInCounts' });

export const CheckInCountsResponse = one(CheckInCountsShape).meta({ id: 'CheckInCountsResponse' });

const FIELDS = { sent_at: 'sentAt', answered_at: 'answeredAt', title: 'patientName', uuid: 'id', id: 'id' } as const satisfies Record<
  string,
  CheckInSort['order']
>;

/** Newest first unless asked otherwise. */
export const newestFirst = <O extends string>(fields: Parameters<typeof sortBy<O>>[0]) => {
  const { sort, order } = sortBy(fields);
  return { sort, order: order.unwrap().optional().describe('DESC by default; ASC by title') };
};

export const date = () =>
  dateBound().optional().describe('Date or date-time, ISO 8601; values without an offset are in the organization’s time zone');

export const checkInsQuery = z.object({ ...newestFirst(FIELDS), ...pagingByPosition });
export const patientCheckInsQuery = z.object({ ...newestFirst(FIELDS), start_date: date(), end_date: date(), ...pagingByPosition });
export const countParams = z.object({ user_uuid: id().describe('User id') });
export const patientParams = z.object({ patient_uuid: id().describe('Patient id') });

/** Times are sorted from the newest on unless the caller says so, names from A on. */
export const isDescending = (sort: CheckInSort['order'] | ReviewFilter['sort']['order'], order: 'ASC' | 'DESC' | undefined): boolean =>
  order === undefined ? sort !== 'patientName' : order === 'DESC';

export function toCheckInSort({ sort, order }: z.output<typeof checkInsQuery>): CheckInSort {
  return { order: sort, descending: isDescending(sort, order) };
}

export const toDates = ({ start_date: min, end_date: max }: { start_date?: string | undefined; end_date?: string | undefined }) => ({
  min,
  max,
  fields: { min: 'start_date', max: 'end_date' },
});

export function fromCheckIn(checkIn: ReportedCheckIn): z.input<typeof CheckInReportShape> {
  const { survey, reviews } = checkIn;
  return {
    uuid: checkIn.id,
    patient_uuid: checkIn.patientId,
    patient: fromPerson(checkIn.patient),
    survey_type: survey && { uuid: survey.id, name: survey.name },
    scheduled_checkin_uuid: checkIn.scheduledCheckInId,
    sent_by_user_uuid: checkIn.sentByUserId,
    channel: checkIn.channel === 'email' ? 'email' : 'sms',
    sent_at: writeInstant(checkIn.sentAt),
    expires_at: writeInstant(checkIn.expiresAt),
    answered_at: writeInstant(checkIn.answeredAt),
    delivery: fromDelivery(checkIn),
    answers: checkIn.answers.map(fromAnswer),
    out_of_target: checkIn.isOutOfTarget,
    reviewed: reviews.length > 0,
    reviews: reviews.map((review) => review.id),
  };
}

function fromAnswer({ question, answer, item, target, isOutOfTarget, isUrgent }: MeasuredAnswer): z.input<typeof AnswerShape> {
  return {
    key: question.key,
    question: question.text,
    kind: question.kind,
    answer: typeof answer === 'boolean' ? (answer ? 'yes' : 'no') : answer,
    item: item && { uuid: item.id, name: item.name, unit: item.unit },
    source: item !== null && typeof answer === 'number' ? 'self' : null,
    target: target && fromTarget(target),
    out_of_target: isOutOfTarget,
    urgent: isUrgent,
  };
}

export function fromCounts({ userId, open, ...counts }: CheckInCounts): z.input<typeof CheckInCountsShape> {
  return { user_uuid: userId, ...counts, open_reviews: open };
}
