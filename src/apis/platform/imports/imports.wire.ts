import { z } from 'zod';
import { DECISIONS, IMPORT_KINDS } from '../../../domain/imports/import-kinds.ts';
import type { ImportOptions } from '../../../domain/imports/import-rows.ts';
import { type ImportRun, measureRate, readOptions } from '../../../domain/imports/import-runs.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../http/input/query.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { flag, instant, longId, paging, text } from '../../../http/wire/wire-types.ts';

const count = (description: string) => z.int().describe(description);

export const ImportShape = z
  .strictObject({
    id: z.int().describe('Id of the import'),
    kind: z.enum(IMPORT_KINDS).describe('Kind of the records'),
    state: z
      .enum(['receiving', 'running', 'done', 'failed'])
      .describe('receiving: the file is arriving; running: its rows are being processed; failed: see failure; rows stored before are kept'),
    dry_run: z.boolean().describe('Nothing is stored but this import and its report'),
    on_match: z.enum(DECISIONS).describe('Handling of rows about a person who has a chart, unless the row names its own'),
    format: z.enum(['csv', 'ndjson']).nullable().describe('Format of the file; null before its first rows are read'),
    received_bytes: count('Bytes of the file that have arrived'),
    total_bytes: z.int().nullable().describe('Bytes of the whole file; null if not known yet'),
    read_bytes: count('Number of bytes processed'),
    counts: z
      .strictObject({
        rows: count('Number of rows processed'),
        created: count('Number of rows that created records'),
        updated: count('Number of rows that changed records'),
        skipped: count('Number of rows with an existing, unchanged record'),
        matched: count('Number of rows of persons who already have a chart, also counted above'),
        refused: count('Number of refused rows; the report has the reasons'),
      })
      .describe('Results of the rows so far'),
    rate: z.int().nullable().describe('Rows per second; null before the first row'),
    ignored_columns: z.array(z.string()).describe('Column names that match no field'),
    failure: z.string().nullable().describe('Why it failed'),
    created_at: instant().describe('When it was requested'),
    started_at: instant().nullable().describe('When its first rows were processed'),
    finished_at: instant().nullable().describe('When it ended'),
  })
  .meta({ id: 'Import' });

export const ImportResponse = one(ImportShape).meta({ id: 'ImportResponse' });
export const ImportList = wrapList(ImportShape).meta({ id: 'ImportList' });

export const importParams = z.object({ id: longId().describe('Id of the import') });
export const importsQuery = z.object(paging);

const names = z.record(z.string(), z.string());

/** A JSON object of texts. */
const mapping = text(20_000)
  .meta({ pattern: String.raw`^\s*\{` })
  .transform((sent, context) => {
    try {
      const { data } = names.safeParse(JSON.parse(sent));
      if (data) return data;
    } catch {
      // The message is the same.
    }
    context.addIssue('must be a JSON object such as {"Given name": "firstname"}');
    return z.NEVER;
  });

export const importQuery = z.object({
  kind: z.enum(IMPORT_KINDS).describe('Kind of the records'),
  on_match: z
    .enum(DECISIONS)
    .default('skip')
    .describe('Handling of rows about a person who has a chart: skip the row, change the chart, or create another one'),
  dry_run: alsoNamed(flag(), 'dryrun', 'dryRun', 'dry-run').default(false).describe('Stores nothing but the import and its report'),
  mapping: mapping.optional().describe('JSON object that maps names in the file to field names; an empty name leaves a column out'),
});

export const toImport = ({
  kind,
  on_match: onMatch,
  dry_run: dryRun,
  mapping: given = {},
}: z.output<typeof importQuery>): ImportOptions => ({
  kind,
  onMatch,
  dryRun,
  mapping: given,
});

const toState = (state: string) => ImportShape.shape.state.parse(state);
const toFormat = (format: string | null) => ImportShape.shape.format.parse(format);

export function fromImport(run: ImportRun): z.input<typeof ImportShape> {
  const { rows, created, updated, skipped, matched, refused } = run;
  const { kind, onMatch } = readOptions(run);
  return {
    id: run.id,
    kind,
    state: toState(run.state),
    dry_run: run.dryRun,
    on_match: onMatch,
    format: toFormat(run.format),
    received_bytes: run.receivedBytes,
    total_bytes: run.totalBytes,
    read_bytes: run.readBytes,
    counts: { rows, created, updated, skipped, matched, refused },
    rate: measureRate(run),
    ignored_columns: run.ignoredColumns,
    failure: run.failure,
    created_at: writeInstant(run.createdAt),
    started_at: writeInstant(run.startedAt),
    finished_at: writeInstant(run.finishedAt),
  };
}
