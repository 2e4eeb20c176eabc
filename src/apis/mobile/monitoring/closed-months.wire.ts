import { z } from 'zod';
import { type BillingPeriod, readMonth } from '../../../domain/monitoring/monthly-billing/billing-period.ts';
import type { MonthCheck } from '../../../domain/monitoring/monthly-billing/closed-month-check.ts';
import type { NewRelease, StoredRelease } from '../../../domain/monitoring/monthly-billing/releases.ts';
import { writeInstant } from '../../../domain/values/time.ts';
import { checkedText, flag, id, instant, longId, multilineText, optional } from '../../../http/wire-types.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { one } from '../shared.wire.ts';
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
    units: z.int().nullable().describe('As many units of a code may be billed'),
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
    reason: multilineText(LONGEST_REASON).describe('Why it is right'),
  })
  .meta({ id: 'HoldReleaseCreate' });

export const CloseMonthRequest = z
  .object({
    leave_held: optional(flag()).describe('True: closes although holds are open, and bills nothing of what is held; false by default'),
  })
  .meta({ id: 'CloseMonthRequest' });

export const NewCorrectionRequest = z
  .object({ patient_uuid: id().describe('Patient id'), reason: multilineText(LONGEST_REASON).describe('Why the month has changed') })
  .meta({ id: 'LedgerCorrectionCreate' });
export const CorrectionResponse = one(LedgerRowShape).meta({ id: 'LedgerRowResponse' });

const ClosedMonthShape = z
  .strictObject({
    month: z.string(),
    closed_at: instant(),
    closed_by: PersonShape,
    rows: z.int().describe('Number of patients'),
    held: z.int().describe('Number of holds that were left'),
    hash: z.string().describe('SHA-256 over the hashes of the rows, which the audit has too'),
  })
  .meta({ id: 'ClosedMonth' });
export const ClosedMonthResponse = one(ClosedMonthShape).meta({ id: 'ClosedMonthResponse' });

export const MonthCheckResponse = one(
  z
    .strictObject({
      ...ClosedMonthShape.shape,
      corrections: z.int(),
      intact: z.boolean().describe('Whether every hash is that of what is stored, and the audit has the hash of the month'),
      hash_holds: z.boolean().describe('Whether the hash of the month is that of its rows'),
      audit_holds: z.boolean().describe('Whether the audit has the same hash'),
      broken: z.array(z.strictObject({ patient_uuid: z.int(), version: z.int() })).describe('Rows that do not have their hash'),
    })
    .meta({ id: 'ClosedMonthCheck' }),
).meta({ id: 'ClosedMonthCheckResponse' });

export const toRelease = (body: z.output<typeof NewReleaseRequest>): NewRelease => ({
  ...{ kind: body.kind, reason: body.reason },
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

export const fromClosedMonth = ({
  month,
  closed,
}: Pick<BillingPeriod, 'month'> & Pick<MonthCheck, 'closed'>): z.input<typeof ClosedMonthShape> => ({
  ...{ month, rows: closed.rows, held: closed.held, hash: closed.hash },
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
