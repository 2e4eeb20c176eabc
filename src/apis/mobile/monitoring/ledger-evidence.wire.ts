import { z } from 'zod';
import type { PatientEvidence } from '../../../domain/monitoring/monthly-billing/evidence-types.ts';
import type { LedgerEvidence } from '../../../domain/monitoring/monthly-billing/ledger-evidence.ts';
import { MONITORING_SERVICES } from '../../../domain/monitoring/programs.ts';
import { writeInstant } from '../../../domain/values/time.ts';
import { instant } from '../../../http/wire-types.ts';
import { one } from '../shared.wire.ts';
import { fromReviewHold, ReviewHoldShape } from './holds.wire.ts';
import { fromLedgerRow, LedgerRowShape } from './ledger.wire.ts';

const judged = {
  counts: z.boolean(),
  why: z.string().nullable().describe('Why it does not count; null for what counts'),
};

const LedgerEvidenceShape = z
  .strictObject({
    row: LedgerRowShape,
    consents: z.array(
      z.strictObject({ uuid: z.int(), given_at: instant(), revoked_at: instant().nullable(), how: z.string(), by: z.string() }),
    ),
    enrolments: z.array(
      z.strictObject({
        uuid: z.int(),
        program_uuid: z.int(),
        service: z.enum(MONITORING_SERVICES),
        from: instant(),
        to: instant().nullable(),
      }),
    ),
    readings: z.array(
      z.strictObject({
        uuid: z.int(),
        item: z.strictObject({ uuid: z.int(), name: z.string(), unit: z.string().nullable() }),
        value: z.number(),
        measured_at: instant(),
        measured_on: z.string().describe('Day in the organization’s time zone'),
        source: z.enum(['device', 'self', 'staff']),
        device: z.string().nullable().describe('Identifier of the device'),
        ...judged,
      }),
    ),
    reviews: z.array(
      z.strictObject({
        uuid: z.int(),
        checkin_uuid: z.int(),
        user_uuid: z.int(),
        user_name: z.string(),
        started_at: instant(),
        minutes: z.int(),
        live_contact: z.boolean(),
        late_reason: z.string().nullable(),
        holds: z.array(ReviewHoldShape),
        ...judged,
      }),
    ),
    visits: z.array(
      z.strictObject({
        video_session_uuid: z.int(),
        from: instant(),
        before: instant(),
        users: z.array(z.strictObject({ uuid: z.int(), name: z.string() })),
        ...judged,
      }),
    ),
  })
  .meta({ id: 'LedgerEvidence' });

export const LedgerEvidenceResponse = one(LedgerEvidenceShape).meta({ id: 'LedgerEvidenceResponse' });

export function fromEvidence({ period, row, evidence, users }: LedgerEvidence): z.input<typeof LedgerEvidenceShape> {
  const nameOf = (id: number) => users.get(id) ?? '';
  return {
    row: fromLedgerRow(period)(row),
    consents: evidence.consents.map(({ id, givenAt, revokedAt, how, by }) => ({
      ...{ uuid: id, how, by },
      given_at: writeInstant(givenAt),
      revoked_at: writeInstant(revokedAt),
    })),
    enrolments: evidence.episodes.map(({ enrolmentId, programId, service, from, to }) => ({
      ...{ uuid: enrolmentId, program_uuid: programId, service },
      from: writeInstant(from),
      to: writeInstant(to),
    })),
    readings: evidence.readings.map(fromReading),
    reviews: evidence.reviews.map((review) => ({ ...fromReview(review), user_name: nameOf(review.userId) })),
    visits: evidence.visits.map(({ sessionId, from, before, userIds, counts, why }) => ({
      ...{ video_session_uuid: sessionId, counts, why },
      from: writeInstant(from),
      before: writeInstant(before),
      users: userIds.map((id) => ({ uuid: id, name: nameOf(id) })),
    })),
  };
}

const fromReading = ({ id, itemId, itemName, unit, value, measuredAt, measuredOn, ...reading }: PatientEvidence['readings'][number]) => ({
  uuid: id,
  item: { uuid: itemId, name: itemName, unit },
  value,
  measured_at: writeInstant(measuredAt),
  measured_on: measuredOn,
  ...{ source: reading.source, device: reading.device, counts: reading.counts, why: reading.why },
});

const fromReview = (review: PatientEvidence['reviews'][number]) => ({
  uuid: review.id,
  checkin_uuid: review.checkInId,
  user_uuid: review.userId,
  started_at: writeInstant(review.startedAt),
  minutes: review.minutes,
  live_contact: review.live,
  late_reason: review.lateReason,
  holds: review.holds.map(fromReviewHold),
  ...{ counts: review.counts, why: review.why },
});
