import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { DECISIONS, IMPORT_KINDS } from '../../domain/imports/import-kinds.ts';
import { createImporter, type ImportOptions } from '../../domain/imports/import-rows.ts';
import { createImport, type ImportRun, importCaller, readReport, resumeCutOff } from '../../domain/imports/import-runs.ts';
import { runImport } from '../../domain/imports/run-import.ts';
import { writeReport } from '../../http/wire/import-report.ts';
import { parseYaml } from '../../practice-file/yaml-source.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { choice, text } from '../terminal/options.ts';
import { type CommandResult, record } from '../terminal/output.ts';
import { type NamedPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';

const path = () => text(1_000).meta({ placeholder: 'file' });

const options = z.object({
  kind: choice(...IMPORT_KINDS)
    .meta({ positional: true })
    .describe('kind of the records'),
  file: path().meta({ positional: true }).describe('CSV with a header row, or NDJSON; optionally compressed with gzip'),
  practice: practice(),
  dryRun: z.boolean().default(false).describe('store nothing; report what would happen to each row'),
  onMatch: choice(...DECISIONS)
    .default('skip')
    .describe('what to do with a row whose chart or record is there (default: skip); a column on_match overrides it for its row'),
  mapping: path().exactOptional().describe('YAML file that maps column names to field names'),
  report: path().exactOptional().describe('a new file for refused and matched rows, to correct and import again'),
});
type Options = z.output<typeof options>;

export function importCommand(program: Command, { command }: CommandDeclarer, io: Io): void {
  command(program, 'import', {
    summary: 'Import records from a file of another system',
    details:
      'Each row is checked separately; an error in one row does not stop the others. If interrupted, run the same command to continue. A column external_id, ' +
      'or the medical record number, prevents a second run from creating duplicates.',
    options,
    run: (session, chosen) => importFile(session, chosen, io),
  });
}

async function importFile(session: Session, chosen: Options, io: Io): Promise<CommandResult> {
  const { kind, file, practice, dryRun, onMatch, report } = chosen;
  const asked = { kind, onMatch, dryRun, mapping: await readMapping(chosen.mapping) };
  createImporter(asked);
  const size = await requireFileSize(file);
  if (report !== undefined && (await stat(report).catch(() => null))) throw new UsageError('--report: must be a new file.');
  const run = await beginImport(session, practice, asked, { file, size });
  if (run.rows > 0) io.stderr(`Continuing after ${groupDigits(run.rows)} rows.\n`);
  const ended = await runImport(run, {
    unitOfWork: session.unitOfWork,
    keyring: session.keyring,
    caller: importCaller(run, 'admin import'),
    open: () => createReadStream(file),
    onFailure: (error) => io.stderr(`${error instanceof Error ? error.message : String(error)}\n`),
    onProgress: progressTo(io, size, run),
  });
  if (report !== undefined)
    await pipeline(
      writeReport(ended, readReport(session.db, ended, importCaller(run, 'admin import'))),
      createWriteStream(report, { flags: 'wx', mode: 0o600 }),
    );
  return toResult(ended, report);
}

async function beginImport(
  session: Session,
  practice: NamedPractice,
  asked: ImportOptions,
  { file, size }: { file: string; size: number },
) {
  const hash = createHash('sha256').update(JSON.stringify(asked));
  await pipeline(createReadStream(file), hash);
  const place = createHash('sha256')
    .update(await realpath(file))
    .digest();
  const fingerprint = Uint8Array.from([...hash.digest(), ...place]);
  return session.write(practice, async (tx) => {
    const cutOff = await resumeCutOff(tx, fingerprint);
    return cutOff ?? createImport(tx, { ...asked, totalBytes: size, fingerprint });
  });
}

async function requireFileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new UsageError(`There is no file ${file}.`);
  return found.size;
}

const Mapping = z.record(
  z.string(),
  z
    .string()
    .nullable()
    .transform((ours) => ours ?? ''),
);

async function readMapping(file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const written = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`There is no file ${file}.`);
  });
  const { data } = Mapping.safeParse(parseYaml(file, written).data ?? {});
  if (data) return data;
  throw new UsageError('--mapping: must have a line for each name, such as "Given name: firstname".');
}

const groupDigits = (number: number): string => number.toLocaleString('en-US');
/** Milliseconds between two lines of progress. */
const EVERY_MS = 2_000;

function progressTo(io: Io, size: number, { rows: before }: ImportRun): (run: ImportRun) => void {
  const begun = performance.now();
  let next = begun + EVERY_MS;
  return (run) => {
    const now = performance.now();
    if (now < next) return;
    next = now + EVERY_MS;
    const seconds = (now - begun) / 1_000;
    const rate = (run.rows - before) / seconds;
    const rowsLeft = (run.rows / Math.max(1, run.readBytes)) * (size - run.readBytes);
    const left = Math.ceil(rowsLeft / rate);
    io.stderr(`${groupDigits(run.rows)} rows, ${groupDigits(Math.round(rate))} a second, about ${writeDuration(left)} left\n`);
  };
}

const writeDuration = (seconds: number): string => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

function toResult(run: ImportRun, report: string | undefined): CommandResult {
  const { id: number, state, rows, created, updated, skipped, matched, refused, ignoredColumns, failure } = run;
  const shown = record({
    id: number,
    state,
    dry_run: run.dryRun,
    rows,
    created,
    updated,
    skipped,
    matched,
    refused,
    ignored_columns: ignoredColumns,
  });
  if (failure !== null) return { ...shown, problem: failure };
  if (refused === 0) return shown;
  const where = report === undefined ? 'Add --report <file> to see the reasons' : `Correct ${report} and import it`;
  return { ...shown, problem: `${refused === 1 ? '1 row was' : `${groupDigits(refused)} rows were`} refused. ${where}.` };
}
