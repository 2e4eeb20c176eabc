import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { z } from 'zod';
import { EXPORT_KIND_NAMES, type ExportRequest, exportRecords } from '../../domain/exports/exports.ts';
import { RECORD_FORMATS, writeRecords } from '../../http/wire/record-lines.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { choice, folder, id, moment, text } from '../terminal/options.ts';
import { type CommandResult, record } from '../terminal/output.ts';
import { findPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';

const options = z.object({
  kind: choice(...EXPORT_KIND_NAMES)
    .meta({ positional: true })
    .describe(`one of ${EXPORT_KIND_NAMES.join(', ')}`),
  practice: practice(),
  to: folder('must be a file, not an address').meta({ placeholder: 'file' }).describe('a new file; compressed if its name ends in .gz'),
  format: choice(...RECORD_FORMATS)
    .exactOptional()
    .describe('ndjson or csv (default: from the file name, otherwise ndjson)'),
  since: text(100).exactOptional().describe('only records changed after this cursor of the event log'),
  patient: id().exactOptional().describe('only records of this patient; not for patients'),
  office: id().exactOptional().describe('only records of this office; for patients and appointments'),
  provider: id().exactOptional().describe('only records of this provider; for patients and appointments'),
  status: text(30).exactOptional().describe('only records in this status; for patients, appointments and texts'),
  minDate: moment().exactOptional().describe('first day or moment of the start, arrival or measurement'),
  maxDate: moment().exactOptional().describe('last day or moment'),
});

export function exportCommand(program: Command, { command }: CommandDeclarer): void {
  command(program, 'export', {
    summary: 'Export all records of a kind to a file, as of one moment, one per line',
    details:
      'Like GET /platform/v1/exports, but includes restricted charts. The last line has the event cursor to pass as --since to the next export. Nothing in the file is encrypted.',
    options,
    run: exportToFile,
  });
}

async function exportToFile(
  session: Session,
  { practice: named, to, format, minDate, maxDate, ...given }: z.output<typeof options>,
): Promise<CommandResult> {
  const { id: practice } = await findPractice(session.db, named);
  const request: ExportRequest = { ...given, dates: { min: minDate, max: maxDate, fields: { min: 'minDate', max: 'maxDate' } } };
  const isCsv = format === undefined ? /\.csv(\.gz)?$/i.test(to) : format === 'csv';
  const cursor = await exportRecords(
    session.database,
    (read) => session.read(practice, read),
    request,
    async (opened) => {
      await writeFile(to, writeRecords(isCsv ? 'csv' : 'ndjson', opened));
      return opened.cursor;
    },
  );
  return record({ kind: given.kind, practice_id: practice, file: to, feed_cursor: cursor });
}

/** For the operator alone: the file has charts. What is not complete does not stay. @throws UsageError where there is such a file */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    file.once('open', () => resolve());
    file.once('error', () => reject(new UsageError('--to: must be a new file in an existing folder.')));
  });
  try {
    await pipeline(Readable.from(lines), path.endsWith('.gz') ? createGzip() : new PassThrough(), file);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
