import type { ImportRun, readReport } from '../../domain/imports/import-runs.ts';
import { REPORT_COLUMNS } from '../../domain/imports/rows/headers.ts';
import { type Cell, writeCsv, writeRows } from './csv.ts';

const isTable = ({ format }: ImportRun): boolean => format !== 'ndjson';

export const reportType = (run: ImportRun): string => (isTable(run) ? 'text/csv' : 'application/x-ndjson');

export const reportFileName = (run: ImportRun): string => `import-${run.id}-report.${isTable(run) ? 'csv' : 'ndjson'}`;

const REMARKS: readonly string[] = REPORT_COLUMNS;

type Parts = ReturnType<typeof readReport>;
type ReportRow = Awaited<ReturnType<Parts['next']>>['value'] extends infer P ? (P extends readonly (infer R)[] ? R : never) : never;

/** The report of an import in the format of its file: the rows as they were sent, with what became of each. */
export async function* writeReport(run: ImportRun, parts: Parts): AsyncGenerator<string> {
  if (!isTable(run)) {
    for await (const rows of parts) yield rows.map((row) => `${JSON.stringify({ ...parseSentRow(row), ...toRemarks(row) })}\n`).join('');
    return;
  }
  const own = run.columns.filter((name) => !REMARKS.includes(name));
  const columns = own.includes('on_match') ? own : [...own, 'on_match'];
  yield writeCsv([[...columns, ...REPORT_COLUMNS]]);
  for await (const rows of parts) yield writeRows(rows.map((row) => listCells(columns, row)));
}

function listCells(columns: readonly string[], row: ReportRow): Cell[] {
  const sent = new Map<string, unknown>(Object.entries(parseSentRow(row)));
  const cells = columns.map((name) => sent.get(name) ?? null);
  return [...cells, ...Object.values(toRemarks(row))].map((cell) => (cell === null || typeof cell === 'number' ? cell : String(cell)));
}

function parseSentRow({ row }: ReportRow): Record<string, unknown> {
  const sent: unknown = JSON.parse(row);
  if (typeof sent !== 'object' || sent === null) throw new Error('a row of a report is an object');
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !REMARKS.includes(name)));
}

const toRemarks = ({
  line,
  outcome,
  fields,
  reason,
  patientId,
}: ReportRow): Record<(typeof REPORT_COLUMNS)[number], string | number | null> => ({
  import_line: line,
  import_outcome: outcome,
  import_field: fields,
  import_reason: reason,
  import_patient: patientId,
});
