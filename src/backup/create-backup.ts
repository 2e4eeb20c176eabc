import pg from 'pg';
import { VERSION } from '../config/version.ts';
import { openDatabase } from '../database/database.ts';
import { countMasterKeyUses, retiredKeyNeed } from '../database/encryption/key-uses.ts';
import { databaseErrorCode, isDiskFull } from '../database/errors.ts';
import { Failure } from '../domain/errors.ts';
import type { Files } from '../gateways/files/files.ts';
import { type Packing, packFiles } from './file-packs.ts';
import {
  type BackupKeys,
  type BackupTable,
  FORM,
  MANIFEST,
  type Manifest,
  newKey,
  type Part,
  REPORTED_ROWS,
  writeManifest,
} from './manifest.ts';
import type { Pace } from './pace.ts';
import { type OpenBackup, writePart } from './parts.ts';
import type { BackupPlace } from './places/backup-place.ts';
import { removeUnfinished } from './places/stored-backups.ts';
import { type NamedFile, openSnapshot, type Snapshot } from './snapshot.ts';

export interface BackupSource {
  /** Address of the database; the runtime role suffices. */
  url: string;
  files: Files;
  /** Whether the processes of the database are of this machine and of this installation. */
  embedded: boolean;
}

export interface BackupOptions {
  place: BackupPlace;
  keys: BackupKeys;
  pace: Pace;
  /** Receives each step as a participle. */
  report?: (step: string) => void;
  /** Ends the backup, which then does not count. */
  stopping?: AbortSignal;
}

/** Names of files read at a time. */
const PAGE = 1_000;
/** Milliseconds for one count of master keys, which reads all links of the audit. */
const COUNT_WITHIN_MS = 10 * 60_000;

/**
 * Makes a backup beside the running servers: all tables in one snapshot, then the files that it names, and at last the manifest,
 * without which it does not count. Leftovers of a backup of this database that was cut off are removed first, its own when it fails.
 * @returns the manifest
 * @throws Failure backup_under_way, backup_not_stored; the reason of the signal that ended it
 */
export async function createBackup(source: BackupSource, options: BackupOptions): Promise<Manifest> {
  const { place, keys, pace, report = () => {}, stopping } = options;
  const snapshot = await openSnapshot(source.url);
  try {
    if (source.embedded) pace.yieldTo(snapshot.process);
    await removeUnfinished(place, snapshot.owner);
    const key = newKey(keys);
    const id = `${snapshot.facts.at.replaceAll(/[-:.]/g, '')}-${snapshot.owner}`;
    const backup: OpenBackup = { place: guardPlace(place, stopping), folder: id, keys, manifest: { key } };
    try {
      const tables = await writeTables(backup, snapshot, { pace, report });
      const master_keys = await masterKeyIds(source.url, snapshot, keys);
      report('storing files');
      const files = await writeFiles(backup, snapshot, { pace, files: source.files });
      const manifest: Manifest = { form: FORM, id, version: VERSION, ...snapshot.facts, tables, files, master_keys, key };
      await backup.place.write(id, MANIFEST, yieldOnce(writeManifest(manifest, keys)));
      return manifest;
    } catch (error) {
      // A full disk has room again; where even this fails, the next backup does it. A process that ends has no time for it.
      if (stopping?.aborted !== true) await place.remove(id).catch(() => {});
      throw error;
    }
  } finally {
    await snapshot.close();
  }
}

/** The same place, on which writing ends with the signal, and whose own failures are told from those of what is written. */
function guardPlace(place: BackupPlace, stopping: AbortSignal | undefined): BackupPlace {
  return {
    ...place,
    async write(folder, name, content) {
      let ofContent: { error: unknown } | undefined;
      async function* watchContent() {
        try {
          for await (const chunk of content) {
            stopping?.throwIfAborted();
            yield chunk;
          }
        } catch (error) {
          ofContent = { error };
          throw error;
        }
      }
      try {
        await place.write(folder, name, watchContent());
      } catch (error) {
        throw ofContent === undefined ? notStored(error) : ofContent.error;
      }
    },
  };
}

function notStored(cause: unknown): Failure {
  const code = databaseErrorCode(cause);
  const reason = isDiskFull(cause) ? 'is full' : `refuses the file${code === undefined ? '' : ` (${code})`}`;
  const sentence = `The place of the backup ${reason}. The backup is incomplete and unusable; create another one once that is fixed.`;
  return new Failure('unavailable', 'backup_not_stored', sentence, { cause });
}

type Steps = Required<Pick<BackupOptions, 'pace' | 'report'>>;

async function writeTables(backup: OpenBackup, snapshot: Snapshot, { pace, report }: Steps): Promise<BackupTable[]> {
  const tables: BackupTable[] = [];
  for (const table of snapshot.tables) {
    const { bytes, countRows } = snapshot.copy(table);
    const name = `${String(tables.length + 1).padStart(3, '0')}-${table.schema}.${table.name}.zst`.toLowerCase();
    const part = await writePart(backup, name, pace.through(bytes));
    tables.push({ schema: table.schema, name: table.name, columns: table.columns, rows: countRows(), ...part });
    if (countRows() >= REPORTED_ROWS || tables.length === snapshot.tables.length)
      report(`storing tables: ${tables.length} of ${snapshot.tables.length}`);
  }
  return tables;
}

/** Ids of the given master keys that open values in the snapshot. Of other values none is an id for certain, so none is named. */
async function masterKeyIds(url: string, { name }: Snapshot, { keyrings }: BackupKeys): Promise<string[]> {
  const database = openDatabase({ url, poolSize: 1, statementTimeout: COUNT_WITHIN_MS });
  try {
    const uses = await database.prisma.$transaction(
      async (tx) => {
        // The statement takes no parameters; the name is one that PostgreSQL has just made.
        await tx.$executeRawUnsafe(`SET TRANSACTION SNAPSHOT ${pg.escapeLiteral(name)}`);
        return countMasterKeyUses(tx);
      },
      { isolationLevel: 'RepeatableRead', timeout: COUNT_WITHIN_MS },
    );
    return (keyrings.MASTER_KEYS?.ids ?? []).filter((id) => retiredKeyNeed(id, uses) === 'values');
  } finally {
    await database.close();
  }
}

async function writeFiles(
  backup: OpenBackup,
  snapshot: Snapshot,
  { files, pace }: Pick<BackupSource, 'files'> & Pick<BackupOptions, 'pace'>,
): Promise<Manifest['files']> {
  const named = listFiles(snapshot);
  const packing: Packing = { count: 0, faulty: [], done: false };
  const packs: Part[] = [];
  while (!packing.done) {
    const name = `files-${String(packs.length + 1).padStart(4, '0')}.pack.zst`;
    packs.push(await writePart(backup, name, pace.through(packFiles(named, files, packing))));
  }
  return { count: packing.count, packs, faulty: packing.faulty };
}

async function* listFiles(snapshot: Snapshot): AsyncGenerator<NamedFile> {
  for (let last: NamedFile | null = null; ; ) {
    const page: NamedFile[] = await snapshot.filesAfter(last, PAGE);
    yield* page;
    last = page.at(-1) ?? null;
    if (last === null) return;
  }
}

async function* yieldOnce(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
