import { z } from 'zod';
import { type BillingPeriod, readMonth } from '../../../domain/monitoring/monthly-billing/billing-period.ts';
import type { SupportedCode } from '../../../domain/monitoring/monthly-billing/cpt-codes.ts';
import type { Ledger, LedgerRequest, LedgerRow } from '../../../domain/monitoring/monthly-billing/ledger.ts';
import { MONITORING_SERVICES } from '../../../domain/monitoring/programs.ts';
import { writeInstant } from '../../../domain/values/time.ts';
import type { Cell } from '../../../http/csv.ts';
import { FORMAT } from '../../../http/csv-endpoint.ts';
import { alsoNamed, filterNames } from '../../../http/query.ts';
import { checkedText, id, instant, paging } from '../../../http/wire-types.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { listOf } from '../shared.wire.ts';

export const LedgerRowShape = z
  .strictObject({
    month: z.string(),
    patient_uuid: z.int(),
    patient: PersonShape,
    service: z.enum(MONITORING_SERVICES).describe('Service that the month is billed as'),
    minutes: z.int().describe('Minutes of reviews and of video visits with the care team that count; overlapping time counts once'),
    reviews: z.int().describe('Number of reviews, whether they count or not'),
    reading_days: z.int().describe('Days of the month with readings that count, in the organization’s time zone'),
    live_contact: z.boolean().describe('Whether a live contact began in the month'),
    consent: z
      .strictObject({ uuid: z.int(), given_at: instant(), how: z.string(), by: z.string() })
      .nullable()
      .describe('Consent that holds at the end of the month'),
    readings_policy: z
      .enum(['device', 'any'])
      .describe('Readings that count by the policy of the practice: those that the rule accepts, or any'),
    codes: z
      .array(
        z.strictObject({
          code: z.string(),
          units: z.int(),
          source: z.string(),
          from: z.string().optional().describe('First day of a period of 30 days'),
          to: z.string().optional().describe('Its last day'),
          days: z.int().optional().describe('Its days with readings'),
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
          count: z.int().describe('Number of records, or units of the code'),
          why: z.string(),
        }),
      )
      .describe('Records that do not count, and codes that are not billed beside others, with the reason'),
  })
  .meta({ id: 'LedgerRow' });

export const LedgerList = listOf(LedgerRowShape).meta({ id: 'LedgerList' });

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
  ({ month, rules, readings }: BillingPeriod) =>
  (row: LedgerRow): z.input<typeof LedgerRowShape> => ({
    month,
    patient_uuid: row.patient.id,
    patient: fromPerson(row.patient),
    service: row.service,
    minutes: row.minutes,
    reviews: row.reviews,
    reading_days: row.days,
    live_contact: row.liveContact,
    consent: fromConsent(row),
    readings_policy: readings,
    codes: row.codes.map((one) => ({ ...fromCode(one), source: rules.find((rule) => rule.code === one.code)?.source ?? '' })),
    missing: row.missing.map(({ code, minutes, days, liveContact, consent, text }) => ({
      ...{ code, minutes, days, consent, text },
      live_contact: liveContact,
    })),
    left_out: row.leftOut,
  });

const fromConsent = ({ consentOnFile }: LedgerRow) =>
  consentOnFile && { uuid: consentOnFile.id, given_at: writeInstant(consentOnFile.givenAt), how: consentOnFile.how, by: consentOnFile.by };

const fromCode = ({ code, units, period }: SupportedCode) => ({
  ...{ code, units },
  ...(period?.from && period.to ? { from: period.from, to: period.to, days: period.days } : {}),
});

const COLUMNS = [
  'month',
  'patient_uuid',
  'lastname',
  'firstname',
  'minutes',
  'reviews',
  'reading_days',
  'live_contact',
  'codes',
  'missing',
];

/** `99457 99458x2`: the codes, with their units where there are several. */
const writeCodes = ({ codes }: LedgerRow) => codes.map(({ code, units }) => (units === 1 ? code : `${code}x${units}`)).join(' ');

export function toTable({ items, period: { month } }: Ledger): { fileName: string; rows: Cell[][] } {
  const rows = items.map((row): Cell[] => {
    const { patient, minutes, reviews, days, liveContact, missing } = row;
    const counts = [minutes, reviews, days, liveContact ? 'yes' : 'no'];
    return [month, patient.id, patient.lastName, patient.firstName, ...counts, writeCodes(row), missing.map(({ text }) => text).join('; ')];
  });
  return { fileName: `monitoring-${month}.csv`, rows: [COLUMNS, ...rows] };
}
