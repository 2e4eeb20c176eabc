import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { makeFolder } from '../../config/make-folder.ts';
import { measure } from '../../domain/files/stored-files.ts';
import { exportPatient, type PatientExport, type PatientFile } from '../../domain/patient-rights/export-patient.ts';
import { LEFT_OUT_COLUMNS } from '../../domain/patient-rights/patient-tables.ts';
import { inPractice } from '../../domain/tx.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { createFiles } from '../../gateways/files/create-files.ts';
import type { Files } from '../../gateways/files/files.ts';
import { archiveSentence } from '../audit/audit-archive.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { folder, id } from '../terminal/options.ts';
import { type CommandResult, record } from '../terminal/output.ts';
import { findPractice, type NamedPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';
import { drawExport, type ExportedFile } from './patient-export-page.ts';

/** For the operator alone: the folder has everything about a person. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export function exportCommand(patients: Command, command: CommandDeclarer['command']): void {
  command(patients, 'export', {
    summary: 'Export everything about one person to a folder: JSON, a page to read or print, files, and who accessed the chart',
    details:
      'Includes all charts of the person in the practice, restricted ones too, since the person has a right to them. Nothing in the folder is encrypted.',
    options: z.object({
      patient: id().describe('id of a chart of the person'),
      practice: practice(),
      to: folder().describe('a new or an empty folder'),
    }),
    run: exportTo,
  });
}

interface ExportOptions {
  patient: number;
  practice: NamedPractice;
  to: string;
}

async function exportTo(session: Session, { patient, practice, to }: ExportOptions): Promise<CommandResult> {
  await requireEmptyFolder(to);
  const { id: organizationId, name } = await findPractice(session.db, practice);
  const { config, database, keyring } = session;
  const exported = await session.read(organizationId, (tx) => exportPatient(database, keyring, tx, patient));
  const files = await copyFiles(await createFiles(config), exported.files, to);
  const at = new Date();
  await writeFile(join(to, 'patient.json'), JSON.stringify(toDocument(exported, { practice: name, at, files }), null, 2), NEW);
  await writeFile(join(to, 'index.html'), drawExport(exported, { practice: name, at, files }), NEW);
  const rows = Object.values(exported.records).reduce((sum, { length }) => sum + length, 0);
  const written = record({
    charts: exported.charts,
    restricted_charts: exported.restrictedCharts,
    records: rows,
    files: files.filter(({ fault }) => fault === null).length,
    audit_entries: exported.audit.length,
    folder: to,
  });
  const archived = await archiveSentence(inPractice(session.db, organizationId));
  const shown = archived === null ? written : { ...written, remark: `It includes the audit entries in the table only. ${archived}` };
  const faulty = files.flatMap(({ id: number, fault }) => (fault === null ? [] : [`File ${number} ${fault}; it is not in the export.`]));
  return faulty.length === 0 ? shown : { ...shown, problem: faulty.join('\n') };
}

const NEW = { flag: 'wx', mode: FILE_MODE } as const;

/** @throws UsageError where something is in it */
async function requireEmptyFolder(folder: string): Promise<void> {
  try {
    makeFolder(resolve(folder), '--to', FOLDER_MODE);
  } catch {
    throw new UsageError('--to: the folder cannot be created.');
  }
  if ((await readdir(folder)).length > 0) throw new UsageError('--to: must be a new or an empty folder.');
}

/** A file that cannot be copied, or is not as it was stored, is named and does not stop the others. */
async function copyFiles(store: Files, files: readonly PatientFile[], to: string): Promise<ExportedFile[]> {
  if (files.length > 0) await mkdir(join(to, 'files'), { mode: FOLDER_MODE });
  const copied: ExportedFile[] = [];
  for (const file of files) {
    const path = `files/${file.id}-${file.fileName}`;
    copied.push({ id: file.id, path, mediaType: file.mediaType, fault: await copy(store, file, join(to, path)) });
  }
  return copied;
}

/** @returns what is wrong with the file, which is not in the folder then; null where it is */
async function copy(store: Files, { storageKey, byteLength, sha256 }: PatientFile, path: string): Promise<string | null> {
  try {
    const content = measure(await store.read(storageKey), byteLength);
    await pipeline(content.bytes(), createWriteStream(path, { flags: 'wx', mode: FILE_MODE }));
    if (content.found().sha256.toString('hex') === sha256) return null;
    await rm(path, { force: true });
    return 'was altered in the store';
  } catch {
    await rm(path, { force: true });
    return 'cannot be read';
  }
}

function toDocument(
  { organizationId, charts, restrictedCharts, records, names, audit }: PatientExport,
  { practice, at, files }: { practice: string; at: Date; files: readonly ExportedFile[] },
) {
  return {
    exported_at: writeInstant(at),
    practice: { id: organizationId, name: practice },
    charts,
    restricted_charts: restrictedCharts,
    records,
    names,
    files: files.map(({ id: attachment, path, mediaType, fault }) => ({
      attachment_id: attachment,
      path: fault === null ? path : null,
      media_type: mediaType,
      fault,
    })),
    audit: audit.map(({ at: moment, ...look }) => ({ at: writeInstant(moment), ...look })),
    columns_left_out: LEFT_OUT_COLUMNS,
  };
}
