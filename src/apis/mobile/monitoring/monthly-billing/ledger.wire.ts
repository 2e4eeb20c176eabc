import { z } from 'zod';
import type { ClosedVersion } from '../../../../domain/monitoring/monthly-billing/ledger/closed-rows.ts';
import type { LedgerRequest, LedgerRow } from '../../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { evidencePath } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { LedgerHold } from '../../../../domain/monitoring/monthly-billing/ledger-holds.ts';
import { type BillingPeriod, readMonth } from '../../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import type { SupportedCode } from '../../../../domain/monitoring/monthly-billing/rules/cpt-codes.ts';
import { MONITORING_SERVICES } from '../../../../domain/monitoring/programs/programs.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { FORMAT } from '../../../../http/endpoints/run/csv-endpoint.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { checkedText, id, instant, paging } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { wrapList } from '../../shared.wire.ts';
import { fromRelease, HOLD_KINDS, ReleaseShape } from './holds.wire.ts';

const LedgerHoldShape = z
  .strictObject({
    kind: z.enum(HOLD_KINDS),
    review_uuid: z.int().nullable().describe('Review that is held; null for units'),
    code: z.string().nullable().describe('Code of held units'),
    units: z.int().nullable().describe('Number of held units; for released ones, the maximum that is billed'),
    text: z.string().describe('Reason, such as: 65 minutes, more than 60'),
    released: ReleaseShape.nullable().describe('Null while it is held'),
  })
  .meta({ id: 'LedgerHold' });

const VersionShape = z
  .strictObject({
    version: z.int().describe('1 is the row at the closing of the month'),
    hash: z.string().describe('SHA-256 of the stored row, which includes the previous version’s hash'),
    at: instant(),
    by: PersonShape,
    reason: z.string().nullable().describe('Reason of a correction'),
    minutes: z.int(),
    codes: z.array(z.strictObject({ code: z.string(), units: z.int() })),
  })
  .meta({ id: 'LedgerRowVersion' });

export const LedgerRowShape = z
  .strictObject({
    month: z.string(),
    patient_uuid: z.int(),
    patient: PersonShape,
    service: z.enum(MONITORING_SERVICES).describe('Service that the month is billed under'),
    minutes: z.int().describe('Minutes of reviews and of video visits with the care team that count; overlapping time counts once'),
    reviews: z.int().describe('Number of reviews, whether they count or not'),
    readings: z.int().describe('Number of readings, whether they count or not'),
    reading_days: z.int().describe('Days of the month with readings that count, in the organization’s time zone'),
    live_contact: z.boolean().describe('Whether a live contact began in the month'),
    consent: z
      .strictObject({ uuid: z.int(), given_at: instant(), how: z.string(), by: z.string() })
      .nullable()
      .describe('Consent that holds at the end of the month'),
    readings_policy: z
      .enum(['device', 'any'])
      .describe('Policy of the practice for counting readings: only those that the rule accepts, or any'),
    codes: z
      .array(
        z.strictObject({
          code: z.string(),
          units: z.int(),
          source: z.string(),
          from: z.string().optional().describe('First day of a 30-day period'),
          to: z.string().optional().describe('Last day of the period'),
          days: z.int().optional().describe('Days with readings in the period'),
        }),
      )
      .describe('CPT codes supported by the month'),
    missing: z
      .array(
        z.strictObject({
          code: z.string(),
          minutes: z.int(),
          days: z.int(),
          live_contact: z.boolean(),
          consent: z.boolean().describe('Whether a consent is missing'),
          text: z.string(),
        }),
      )
      .describe('Requirements missing for the next code or for one more unit, such as 4 minutes to 99457'),
    left_out: z
      .array(
        z.strictObject({
          kind: z.enum(['readings', 'reviews', 'visits', 'code']),
          code: z.string().nullable(),
          count: z.int().describe('Number of records, or of units of the code'),
          why: z.string(),
        }),
      )
      .describe('Records that do not count, and codes that are not billed together with others, with the reason'),
    holds: z.array(LedgerHoldShape).describe('Implausible records that are not billed until an admin releases them, and released ones'),
    closed: z
      .strictObject({ at: instant(), by: PersonShape, hash: z.string().describe('SHA-256 of the hashes of the month’s rows') })
      .nullable()
      .describe(
        'Closing of the month, which fixes its rows; null while it is open, and for a patient added later, who has no codes until a correction',
      ),
    versions: z.array(VersionShape).describe('For a closed month: the row at its closing, and its corrections; the newest is shown above'),
    pending_corrections: z
      .array(z.string())
      .describe('For a closed month: differences between the row and the current data, such as minutes: 25 instead of 20'),
    evidence_url: z.string().describe('Printable page with every reading and minute behind the row, for signed-in users'),
  })
  .meta({ id: 'LedgerRow' });

export const LedgerList = wrapList(LedgerRowShape).meta({ id: 'LedgerList' });

export const ledgerQuery = z.object({
  month: checkedText(40, readMonth)
    .meta({ pattern: '^\\d{4}-\\d{2}' })
    .optional()
    .describe('Month, such as 2026-11; defaults to the current month in the organization’s time zone'),
  patient_uuid: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id'),
  ...FORMAT,
  ...paging,
});

export const toLedgerRequest = ({ month, patient_uuid: patientId }: z.output<typeof ledgerQuery>): LedgerRequest => ({ month, patientId });

export const fromLedgerRow =
  ({ month, closed }: BillingPeriod) =>
  (row: LedgerRow): z.input<typeof LedgerRowShape> => ({
    month,
    patient_uuid: row.patient.id,
    patient: fromPerson(row.patient),
    service: row.service,
    minutes: row.minutes,
    reviews: row.reviews,
    readings: row.readings,
    reading_days: row.days,
    live_contact: row.liveContact,
    consent: fromConsent(row),
    readings_policy: row.readingsPolicy,
    codes: row.codes.map((one) => ({ ...fromCode(one), source: row.sources[one.code] ?? '' })),
    missing: row.missing.map(({ code, minutes, days, liveContact, consent, text }) => ({
      code,
      minutes,
      days,
      consent,
      text,
      live_contact: liveContact,
    })),
    left_out: row.leftOut,
    holds: row.holds.map(fromLedgerHold),
    closed: closed && row.closed && { at: writeInstant(closed.at), by: fromPerson(closed.by), hash: closed.hash },
    versions: row.closed?.versions.map(fromVersion) ?? [],
    pending_corrections: row.pendingCorrections,
    evidence_url: evidencePath(month, row.patient.id),
  });

const fromLedgerHold = ({ kind, reviewId, code, units, why, release }: LedgerHold): z.input<typeof LedgerHoldShape> => ({
  kind,
  review_uuid: reviewId,
  code,
  units,
  text: why,
  released: release && fromRelease(release),
});

const fromVersion = ({ version, hash, at, by, reason, row }: ClosedVersion): z.input<typeof VersionShape> => ({
  version,
  hash,
  at: writeInstant(at),
  by: fromPerson(by),
  reason,
  minutes: row.minutes,
  codes: row.codes.map(({ code, units }) => ({ code, units })),
});

const fromConsent = ({ consentOnFile }: LedgerRow) =>
  consentOnFile && { uuid: consentOnFile.id, given_at: writeInstant(consentOnFile.givenAt), how: consentOnFile.how, by: consentOnFile.by };

const fromCode = ({ code, units, period }: SupportedCode) => ({
  code,
  units,
  ...(period?.from && period.to ? { from: period.from, to: period.to, days: period.days } : {}),
});
