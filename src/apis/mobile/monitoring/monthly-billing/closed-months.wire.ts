import { z } from 'zod';
import type { MonthCheck } from '../../../../domain/monitoring/monthly-billing/closing/closed-month-check.ts';
import type { ClosingState } from '../../../../domain/monitoring/monthly-billing/closing/closing.ts';
import type { NewRelease, StoredRelease } from '../../../../domain/monitoring/monthly-billing/releases.ts';
import { type BillingPeriod, readMonth } from '../../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { checkedText, flag, id, instant, longId, multilineText, optional } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { one } from '../../shared.wire.ts';
import { HOLD_KINDS } from './holds.wire.ts';
import { LedgerRowShape } from './ledger.wire.ts';

const LONGEST_REASON = 1_000;
const MONTH = { pattern: '^\\d{4}-\\d{2}' };
const month = () => checkedText(40, readMonth).meta(MONTH).describe('Month, such as 2026-11');

export const monthParams = z.object({ month: month() });
export const evidenceParams = z.object({ month: month(), patient: id().describe('Patient id') });

const ReleaseRecordShape = z
  .strictObject({
    uuid: z.int(),
    kind: z.enum(HOLD_KINDS),
    review_uuid: z.int().nullable(),
    patient_uuid: z.int(),
    month: z.string().nullable().describe('Month of released units'),
    units: z.int().nullable().describe('Units of a code that may be billed'),
    reason: z.string(),
    released_at: instant(),
    released_by: PersonShape,
  })
  .meta({ id: 'HoldRelease' });
export const ReleaseResponse = one(ReleaseRecordShape).meta({ id: 'HoldReleaseResponse' });

export const NewReleaseRequest = z
  .object({
    kind: z.enum(HOLD_KINDS),
    review_uuid: optional(longId()).describe('Review that is held; needed unless the kind is too_many_units'),
    patient_uuid: optional(id()).describe('Patient whose units are held; needed for too_many_units'),
    month: optional(month()).describe('Month of the units, such as 2026-11; needed for too_many_units'),
    reason: multilineText(LONGEST_REASON).min(1).describe('Why it is correct'),
  })
  .meta({ id: 'HoldReleaseCreate' });

export const CloseMonthRequest = z
  .object({
    leave_held: optional(flag()).describe('True: closes the month despite open holds, and bills nothing that is held; false by default'),
  })
  .meta({ id: 'CloseMonthRequest' });

export const NewCorrectionRequest = z
  .object({ patient_uuid: id().describe('Patient id'), reason: multilineText(LONGEST_REASON).min(1).describe('Reason of the correction') })
  .meta({ id: 'LedgerCorrectionCreate' });
export const CorrectionResponse = one(LedgerRowShape).meta({ id: 'LedgerRowResponse' });

const ClosedMonthShape = z
  .strictObject({
    month: z.string(),
    closed_at: instant(),
    closed_by: PersonShape,
    rows: z.int().describe('Number of patients'),
    held: z.int().describe('Number of holds left open'),
    hash: z.string().describe('SHA-256 of the hashes of the rows, also in the audit'),
  })
  .meta({ id: 'ClosedMonth' });

const ClosingShape = z
  .strictObject({
    month: z.string(),
    state: z
      .enum(['open', 'closing', 'closed', 'refused'])
      .describe('refused: holds were open when the rows were computed; the month stays open'),
    patients: z.int().describe('Number of patients with a row; 0 before closing was requested'),
    patients_done: z.int().describe('Number of patients with a computed row'),
    held: z.int().describe('Number of open holds so far'),
    requested_at: instant().nullable().describe('Null before closing was requested'),
    requested_by: PersonShape.nullable().describe('Admin who requested the closing'),
    closed_at: instant().nullable().describe('Null until the month is closed'),
    closed_by: PersonShape.nullable(),
    rows: z.int().nullable().describe('Number of rows of the closed month'),
    hash: z.string().nullable().describe('SHA-256 of the hashes of the rows, also in the audit; null until the month is closed'),
  })
  .meta({ id: 'LedgerClosing' });
export const ClosingResponse = one(ClosingShape).meta({ id: 'LedgerClosingResponse' });

export const MonthCheckResponse = one(
  z
    .strictObject({
      ...ClosedMonthShape.shape,
      corrections: z.int(),
      intact: z.boolean().describe('Whether every hash matches the stored data, and the audit has the hash of the month'),
      hash_holds: z.boolean().describe('Whether the hash of the month matches its rows'),
      audit_holds: z.boolean().describe('Whether the audit has the same hash'),
      broken: z
        .array(z.strictObject({ patient_uuid: z.int(), version: z.int() }))
        .describe('Versions with a wrong hash, a hash that differs from the audit, or no counterpart'),
    })
    .meta({ id: 'ClosedMonthCheck' }),
).meta({ id: 'ClosedMonthCheckResponse' });

export const toRelease = (body: z.output<typeof NewReleaseRequest>): NewRelease => ({
  kind: body.kind,
  reason: body.reason,
  reviewId: body.review_uuid ?? undefined,
  patientId: body.patient_uuid ?? undefined,
  month: body.month ?? undefined,
});

export const fromStoredRelease = (release: StoredRelease): z.input<typeof ReleaseRecordShape> => ({
  uuid: release.id,
  kind: release.kind,
  review_uuid: release.reviewId,
  patient_uuid: release.patientId,
  month: release.month,
  units: release.units,
  reason: release.reason,
  released_at: writeInstant(release.at),
  released_by: fromPerson(release.by),
});

export const fromClosing = ({ month, state, patients, done, held, requested, closed }: ClosingState): z.input<typeof ClosingShape> => ({
  month,
  state,
  patients,
  patients_done: done,
  held: closed?.held ?? held,
  requested_at: requested && writeInstant(requested.at),
  requested_by: requested && fromPerson(requested.by),
  closed_at: closed && writeInstant(closed.at),
  closed_by: closed && fromPerson(closed.by),
  rows: closed?.rows ?? null,
  hash: closed?.hash ?? null,
});

const fromClosedMonth = ({
  month,
  closed,
}: Pick<BillingPeriod, 'month'> & Pick<MonthCheck, 'closed'>): z.input<typeof ClosedMonthShape> => ({
  month,
  rows: closed.rows,
  held: closed.held,
  hash: closed.hash,
  closed_at: writeInstant(closed.at),
  closed_by: fromPerson(closed.by),
});

export const fromMonthCheck = (check: MonthCheck) => ({
  ...fromClosedMonth(check),
  corrections: check.corrections,
  intact: check.hashHolds && check.auditHolds && check.broken.length === 0,
  hash_holds: check.hashHolds,
  audit_holds: check.auditHolds,
  broken: check.broken.map(({ patientId, version }) => ({ patient_uuid: patientId, version })),
});
