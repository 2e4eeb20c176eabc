import { unpackFiles } from './file-packs.ts';
import { type BackupKeys, type BackupTable, type Manifest, openManifest, REPORTED_ROWS, unreadable } from './manifest.ts';
import { type OpenBackup, readPart } from './parts.ts';
import type { BackupPlace } from './places/backup-place.ts';
import type { StoredBackup } from './places/stored-backups.ts';

const NEWLINE = 0x0a;

export interface FoundBackup extends OpenBackup {
  manifest: Manifest;
}

/** @throws Failure backup_unreadable where it cannot be read with these keys */
export const openBackup = (place: BackupPlace, { folder, manifest }: StoredBackup, keys: BackupKeys): FoundBackup => ({
  place,
  folder,
  keys,
  manifest: openManifest(manifest, keys),
});

/**
 * Reads all of a backup: each file of it decrypts and is what the manifest names, each table has its rows, each stored file its
 * content.
 * @throws Failure backup_unreadable
 */
export async function verifyBackup(backup: FoundBackup, report: (step: string) => void = () => {}): Promise<void> {
  const { tables } = backup.manifest;
  report(`reading ${tables.length} tables`);
  for (const table of tables) {
    if (table.rows >= REPORTED_ROWS) report(`reading ${table.rows} rows of ${table.name}`);
    let rows = 0;
    for await (const chunk of readPart(backup, table)) rows += linesIn(chunk);
    requireRows(table, rows);
  }
  report('reading files');
  await readFiles(backup, async (_key, content) => {
    content.resume();
    await new Promise<void>((resolve, reject) => content.on('end', resolve).on('error', reject));
  });
}

/** @throws Failure backup_unreadable where a table has not the rows that the manifest names */
export function requireRows({ name, rows }: BackupTable, found: number): void {
  if (found !== rows) throw unreadable(`${name} has ${found} rows, but its manifest lists ${rows}.`);
}

/** Passes each file to a callback. @throws Failure backup_unreadable */
export async function readFiles(backup: FoundBackup, store: Parameters<typeof unpackFiles>[1]): Promise<void> {
  const { files } = backup.manifest;
  const faulty = new Set(files.faulty.map(({ key }) => key));
  let count = 0;
  for (const pack of files.packs) count += await unpackFiles(readPart(backup, pack), store, faulty);
  if (count !== files.count) throw unreadable(`It has ${count} files, but its manifest lists ${files.count}.`);
}

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
