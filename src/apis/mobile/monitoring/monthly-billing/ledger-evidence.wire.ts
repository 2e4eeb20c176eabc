import { z } from 'zod';
import { ITEM_KINDS } from '../../../../domain/messaging/check-ins/usual-items.ts';
import { type ClaimFacts, type ClaimProvider, datesOfService } from '../../../../domain/monitoring/monthly-billing/ledger/claim-facts.ts';
import type { LedgerEvidence } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { PatientEvidence } from '../../../../domain/monitoring/monthly-billing/rules/evidence-types.ts';
import { MONITORING_SERVICES } from '../../../../domain/monitoring/programs/programs.ts';
import { fullName } from '../../../../domain/values/person-names.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { calendarDay, instant } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';
import { fromReviewHold, ReviewHoldShape } from './holds.wire.ts';
import { fromLedgerRow, LedgerRowShape } from './ledger.wire.ts';

const judged = {
  counts: z.boolean(),
  why: z.string().nullable().describe('Why it does not count; null if it counts'),
};

const RecorderShape = z.strictObject({ uuid: z.int(), name: z.string() }).meta({ id: 'LedgerRecorder' });

const ClaimProviderShape = z
  .strictObject({ uuid: z.int(), name: z.string(), npi: z.string().nullable().describe('National Provider Identifier') })
  .meta({ id: 'ClaimProvider' });

const LedgerEvidenceShape = z
  .strictObject({
    row: LedgerRowShape,
    claim: z
      .strictObject({
        birthdate: calendarDay().nullable().describe('Birth date of the patient'),
        record_number: z.string().nullable().describe('Medical record number'),
        diagnoses: z.array(z.string()).describe('ICD-10-CM codes of the conditions that were tracked in the month'),
        ordering_provider: ClaimProviderShape.nullable().describe('User of the newest tracked condition, otherwise the primary provider'),
        billing_provider: ClaimProviderShape.nullable().describe('Primary provider, or the supervisor of a provider who does not bill'),
        place: z
          .strictObject({ place_of_service: z.string().nullable().describe('Place of service code of CMS'), name: z.string() })
          .nullable()
          .describe('Office of the patient'),
        dates_of_service: z
          .array(z.strictObject({ code: z.string(), from: z.string(), to: z.string() }))
          .describe('First and last day of service of each code'),
      })
      .nullable()
      .describe('Data that a claim needs in addition to the codes, as of now'),
    consents: z.array(
      z.strictObject({
        ...{
          uuid: z.int(),
          given_at: instant(),
          revoked_at: instant().nullable(),
          how: z.string(),
          by: z.string(),
          note: z.string().nullable(),
        },
        recorded_at: instant().describe('When it was recorded, which may be long after it was given'),
        recorded_by: RecorderShape.nullable().describe('User who recorded it; null for the command line'),
        revocation_recorded_at: instant().nullable().describe('When the revocation was recorded; null without one'),
        revocation_recorded_by: RecorderShape.nullable().describe('User who recorded the revocation'),
      }),
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
        item: z.strictObject({
          uuid: z.int(),
          name: z.string(),
          unit: z.string().nullable(),
          kind: z.enum(ITEM_KINDS).describe('Rule for counting readings; for a closed month, the rule at its closing'),
        }),
        value: z.number(),
        measured_at: instant(),
        measured_on: z.string().describe('Day in the organization’s time zone'),
        source: z.enum(['device', 'self', 'staff']),
        device: z.string().nullable().describe('Identifier of the device'),
        received_at: instant().describe('When it was stored'),
        recorded_by: RecorderShape.nullable().describe('User who recorded it; null if a client or the patient sent it'),
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

export function fromEvidence({ period, row, claim, evidence, users }: LedgerEvidence): z.input<typeof LedgerEvidenceShape> {
  const findUserName = (id: number) => users.get(id) ?? '';
  const recorder = (id: number | null) => (id === null ? null : { uuid: id, name: findUserName(id) });
  return {
    row: fromLedgerRow(period)(row),
    claim: claim && fromClaim(claim, row, period),
    consents: evidence.consents.map(({ id, givenAt, revokedAt, how, by, note, ...consent }) => ({
      uuid: id,
      how,
      by,
      note,
      given_at: writeInstant(givenAt),
      revoked_at: writeInstant(revokedAt),
      recorded_at: writeInstant(consent.recordedAt),
      recorded_by: recorder(consent.recordedById),
      revocation_recorded_at: writeInstant(consent.revocationRecordedAt),
      revocation_recorded_by: recorder(consent.revocationRecordedById),
    })),
    enrolments: evidence.episodes.map(({ enrolmentId, programId, service, from, to }) => ({
      uuid: enrolmentId,
      program_uuid: programId,
      service,
      from: writeInstant(from),
      to: writeInstant(to),
    })),
    readings: evidence.readings.map((reading) => ({ ...fromReading(reading), recorded_by: recorder(reading.recordedById) })),
    reviews: evidence.reviews.map((review) => ({ ...fromReview(review), user_name: findUserName(review.userId) })),
    visits: evidence.visits.map(({ sessionId, from, before, userIds, counts, why }) => ({
      video_session_uuid: sessionId,
      counts,
      why,
      from: writeInstant(from),
      before: writeInstant(before),
      users: userIds.map((id) => ({ uuid: id, name: findUserName(id) })),
    })),
  };
}

const fromClaim = (claim: ClaimFacts, { codes }: LedgerEvidence['row'], period: LedgerEvidence['period']) => ({
  birthdate: claim.birthDate,
  record_number: claim.recordNumber,
  diagnoses: claim.diagnoses,
  ordering_provider: claim.ordering && fromProvider(claim.ordering),
  billing_provider: claim.billing && fromProvider(claim.billing),
  place: claim.place && { place_of_service: claim.place.code, name: claim.place.name },
  dates_of_service: codes.map((code) => ({ code: code.code, ...datesOfService(code, period) })),
});

const fromProvider = (provider: ClaimProvider) => ({ uuid: provider.id, name: fullName(provider) ?? '', npi: provider.npi });

const fromReading = ({
  id,
  itemId,
  itemName,
  unit,
  kind,
  value,
  measuredAt,
  measuredOn,
  ...reading
}: PatientEvidence['readings'][number]) => ({
  uuid: id,
  item: { uuid: itemId, name: itemName, unit, kind },
  value,
  measured_at: writeInstant(measuredAt),
  measured_on: measuredOn,
  received_at: writeInstant(reading.receivedAt),
  source: reading.source,
  device: reading.device,
  counts: reading.counts,
  why: reading.why,
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
  counts: review.counts,
  why: review.why,
});
