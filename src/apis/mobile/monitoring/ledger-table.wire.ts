import type { Ledger, LedgerRow } from '../../../domain/monitoring/monthly-billing/ledger.ts';
import { writeInstant } from '../../../domain/values/time.ts';
import type { Cell } from '../../../http/csv.ts';

/** `99457 99458x2`: the codes, with their units where there are several, and the first day of a period of 30 days. */
const writeCodes = ({ codes }: LedgerRow) =>
  codes.map(({ code, units, period }) => `${code}${units === 1 ? '' : `x${units}`}${period?.from ? ` (${period.from})` : ''}`).join(' ');

const writeSources = ({ codes, sources }: LedgerRow) => codes.map(({ code }) => `${code}: ${sources[code] ?? ''}`).join('; ');

const writeHolds = ({ holds }: LedgerRow, isReleased: boolean) =>
  holds
    .filter(({ release }) => (release !== null) === isReleased)
    .map(({ reviewId, why, release }) => `${reviewId === null ? '' : `review ${reviewId}: `}${why}${release ? ` (${release.reason})` : ''}`)
    .join('; ');

/** Columns of the CSV, and the cell that each row has in them. */
const COLUMNS: readonly [string, (row: LedgerRow, month: string) => Cell][] = [
  ['month', (_, month) => month],
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
  ['left_out', ({ leftOut }) => leftOut.map(({ count, code, kind, why }) => `${count} ${code ?? kind}: ${why}`).join('; ')],
  ['held', (row) => writeHolds(row, false)],
  ['released', (row) => writeHolds(row, true)],
  ['closed_at', ({ closed }) => writeInstant(closed?.versions[0]?.at ?? null)],
  ['version', ({ closed }) => closed?.versions.at(-1)?.version ?? null],
  ['row_hash', ({ closed }) => closed?.versions.at(-1)?.hash ?? null],
  ['pending_corrections', ({ pendingCorrections }) => pendingCorrections.join('; ')],
];

export function toTable({ items, period: { month } }: Ledger): { fileName: string; rows: Cell[][] } {
  const rows = items.map((row) => COLUMNS.map(([, cell]) => cell(row, month)));
  return { fileName: `monitoring-${month}.csv`, rows: [COLUMNS.map(([name]) => name), ...rows] };
}
