import { type ClaimFacts, type ClaimProvider, datesOfService } from '../../domain/monitoring/monthly-billing/ledger/claim-facts.ts';
import type { Ledger, LedgerRow } from '../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { writeCount } from '../../domain/monitoring/monthly-billing/ledger/row-changes.ts';
import { fullName } from '../../domain/values/person-names.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { Cell } from './csv.ts';

/** `99457 99458x2`: the codes, with their units where there are several, and the first day of a period of 30 days. */
export const writeCodes = ({ codes }: LedgerRow) =>
  codes.map(({ code, units, period }) => `${code}${units === 1 ? '' : `x${units}`}${period?.from ? ` (${period.from})` : ''}`).join(' ');

const writeSources = ({ codes, sources }: LedgerRow) => codes.map(({ code }) => `${code}: ${sources[code] ?? ''}`).join(' | ');

const writeHolds = ({ holds }: LedgerRow, isReleased: boolean) =>
  holds
    .filter(({ release }) => (release !== null) === isReleased)
    .map(({ reviewId, why, release }) => `${reviewId === null ? '' : `review ${reviewId}: `}${why}${release ? ` (${release.reason})` : ''}`)
    .join('; ');

/** The newest version, where it is a correction. */
const findCorrection = ({ closed }: LedgerRow) => closed?.versions.findLast(({ version }) => version > 1);

function correctedBy(row: LedgerRow): string | null {
  const by = findCorrection(row)?.by;
  return by ? `${by.firstName} ${by.lastName}` : null;
}

/** `99457: 2026-10-01 to 2026-10-31` */
const writeDates = ({ codes }: LedgerRow, period: Ledger['period']) =>
  codes
    .map((code) => {
      const { from, to } = datesOfService(code, period);
      return `${code.code}: ${from} to ${to}`;
    })
    .join(' | ');

const writeProviderName = (provider: ClaimProvider | null | undefined) => provider && (fullName(provider) ?? '');

const CLAIM_COLUMNS: readonly [string, (claim: ClaimFacts | undefined) => Cell][] = [
  ['birthdate', (claim) => claim?.birthDate ?? null],
  ['record_number', (claim) => claim?.recordNumber ?? null],
  ['diagnoses', (claim) => claim?.diagnoses.join(' ') ?? null],
  ['ordering_provider', (claim) => writeProviderName(claim?.ordering) ?? null],
  ['ordering_npi', (claim) => claim?.ordering?.npi ?? null],
  ['billing_provider', (claim) => writeProviderName(claim?.billing) ?? null],
  ['billing_npi', (claim) => claim?.billing?.npi ?? null],
  ['place_of_service', (claim) => claim?.place?.code ?? null],
  ['place', (claim) => claim?.place?.name ?? null],
];

/** Columns of the CSV, and the cell that each row has in them. */
const COLUMNS: readonly [string, (row: LedgerRow, period: Ledger['period']) => Cell][] = [
  ['month', (_, { month }) => month],
  ['patient_uuid', ({ patient }) => patient.id],
  ['lastname', ({ patient }) => patient.lastName],
  ['firstname', ({ patient }) => patient.firstName],
  ['minutes', ({ minutes }) => minutes],
  ['reviews', ({ reviews }) => reviews],
  ['reading_days', ({ days }) => days],
  ['live_contact', ({ liveContact }) => (liveContact ? 'yes' : 'no')],
  ['codes', writeCodes],
  ['missing', ({ missing }) => missing.map(({ text }) => text).join('; ')],
  ['service', ({ service }) => service],
  ['consent_given', ({ consentOnFile }) => consentOnFile && writeInstant(consentOnFile.givenAt)],
  ['readings', ({ readings }) => readings],
  ['readings_policy', ({ readingsPolicy }) => readingsPolicy],
  ['sources', writeSources],
  ['left_out', ({ leftOut }) => leftOut.map((left) => `${writeCount(left)}: ${left.why}`).join('; ')],
  ['held', (row) => writeHolds(row, false)],
  ['released', (row) => writeHolds(row, true)],
  ['closed_at', ({ closed }, period) => writeInstant(closed && (period.closed?.at ?? null))],
  ['version', ({ closed }) => closed?.versions.at(-1)?.version ?? null],
  ['row_hash', ({ closed }) => closed?.versions.at(-1)?.hash ?? null],
  ['corrected_at', (row) => writeInstant(findCorrection(row)?.at ?? null)],
  ['corrected_by', (row) => correctedBy(row)],
  ['correction_reason', (row) => findCorrection(row)?.reason ?? null],
  ['pending_corrections', ({ pendingCorrections }) => pendingCorrections.join('; ')],
  ['dates_of_service', writeDates],
];

/** The whole ledger of a month; the first row has the names of the columns. */
export function toTable({ items, period, claims }: Ledger): { fileName: string; rows: Cell[][] } {
  const rows = items.map((row) => [
    ...COLUMNS.map(([, cell]) => cell(row, period)),
    ...CLAIM_COLUMNS.map(([, cell]) => cell(claims.get(row.patient.id))),
  ]);
  return { fileName: `monitoring-${period.month}.csv`, rows: [[...COLUMNS, ...CLAIM_COLUMNS].map(([name]) => name), ...rows] };
}
