import { z } from 'zod';
import {
  type BillingPeriod,
  type Ledger,
  type LedgerRequest,
  type LedgerRow,
  readMonth,
} from '../../../domain/monitoring/monthly-billing/ledger.ts';
import type { Cell } from '../../../http/csv.ts';
import { FORMAT } from '../../../http/csv-endpoint.ts';
import { alsoNamed, filterNames } from '../../../http/query.ts';
import { checkedText, id, paging } from '../../../http/wire-types.ts';
import { fromPerson, PersonShape } from '../people/people.wire.ts';
import { listOf } from '../shared.wire.ts';

export const LedgerRowShape = z
  .strictObject({
    month: z.string(),
    patient_uuid: z.int(),
    patient: PersonShape,
    minutes: z.int().describe('Review minutes; overlapping time counts once'),
    reviews: z.int(),
    reading_days: z.int().describe('Days with readings, in the organization’s time zone'),
    live_contact: z.boolean(),
    codes: z.array(z.strictObject({ code: z.string(), units: z.int(), source: z.string() })).describe('CPT codes supported by the month'),
    missing: z
      .array(z.strictObject({ code: z.string(), minutes: z.int(), days: z.int(), live_contact: z.boolean(), text: z.string() }))
      .describe('Requirements missing for the next code or for one more unit, such as 4 minutes to 99457'),
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
  ({ month, rules }: BillingPeriod) =>
  (row: LedgerRow): z.input<typeof LedgerRowShape> => ({
    month,
    patient_uuid: row.patient.id,
    patient: fromPerson(row.patient),
    minutes: row.minutes,
    reviews: row.reviews,
    reading_days: row.days,
    live_contact: row.liveContact,
    codes: row.codes.map(({ code, units }) => ({ code, units, source: rules.find((rule) => rule.code === code)?.source ?? '' })),
    missing: row.missing.map(({ code, minutes, days, liveContact, text }) => ({
      code,
      minutes,
      days,
      live_contact: liveContact,
      text,
    })),
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
