import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { createBackup } from '../../backup/create-backup.ts';
import { createBackupKeys, type Manifest } from '../../backup/manifest.ts';
import { boundedPace, FULL_SPEED } from '../../backup/pace.ts';
import { createPlace } from '../../backup/places/place.ts';
import { findBackup, keepNewest } from '../../backup/places/stored-backups.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { beginFolder, SECRETS } from '../../backup/restore-folder.ts';
import { type FoundBackup, openBackup, verifyBackup } from '../../backup/verify-backup.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { chooseDirectUrl, type DatabaseUrls } from '../../database/connections/runtime-role.ts';
import { writeQuantity } from '../../database/measures/quantities.ts';
import { Failure } from '../../domain/errors.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { createFiles } from '../../gateways/files/create-files.ts';
import { examineRestored } from '../doctor/doctor.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { count, folder, folderOrBucket } from '../terminal/options.ts';
import { type CommandResult, list, type Row, record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

/** The word that stands for the database at DATABASE_URL: an address has a password, which other users of the machine could read. */
const DATABASE = 'DATABASE_URL';
const NO_ADDRESS = `must be an empty folder, or the word ${DATABASE}: set that variable to the address of the empty database`;

const from = () => folderOrBucket().describe('a backup, or a place with several, of which the newest is used');

export function backupCommands(program: Command, { command, offline, withoutConfig }: CommandDeclarer, io: Io): void {
  const backup = program.command('backup').description('Backups of the database and the files, encrypted.');
  const report = (step: string) => io.stderr(`${step}\n`);

  command(backup, 'create', {
    summary: 'Make a backup while the server runs',
    details:
      'Contains all tables as of one moment, and the files that they reference. Does not include the master keys: keep them elsewhere.',
    options: z.object({
      to: folderOrBucket().describe('the place for backups of this installation, outside of DATA_DIR'),
      keep: count(1, 10_000).exactOptional().describe('number of complete backups to keep, including this one; older ones are removed'),
      fullSpeed: z.boolean().exactOptional().describe('do not pause: several times as fast, but slows down requests'),
    }),
    run: (session, options) => create(session, options, report),
  });
  offline(backup, 'verify', {
    summary: 'Read a backup completely, and check that it is unaltered',
    options: z.object({ from: from() }),
    async run(config, options) {
      const found = await find(config, options.from);
      await verifyBackup(found, report);
      return toResult(found.manifest);
    },
  });
  withoutConfig(backup, 'restore', {
    summary: 'Restore a backup into an empty folder or database',
    details:
      'A folder becomes a DATA_DIR with an embedded database. Unless MASTER_KEYS is set, copy the secrets.json of the lost DATA_DIR into it first.',
    options: z.object({
      from: from(),
      into: folder(NO_ADDRESS)
        .refine((into) => into === DATABASE || into.toUpperCase() !== DATABASE, NO_ADDRESS)
        .meta({ placeholder: `folder|${DATABASE}` })
        .describe(`an empty folder, or the word ${DATABASE}: the empty database at that address, under the role of DATABASE_OWNER_URL`),
      migrate: z.boolean().exactOptional().describe('also apply migrations newer than the backup'),
    }),
    run: async (options) =>
      restore(options.into === DATABASE ? readConfig(io.env) : await configOfFolder(io, options.into), options, report).then((answer) =>
        answer.remark === undefined ? lookedAt(answer, withTarget(io, options.into), report) : answer,
      ),
  });
}

/** The environment of a server on what is restored. */
const withTarget = (io: Io, into: string): Io =>
  into === DATABASE ? io : { ...io, env: { ...io.env, DATA_DIR: into, DATABASE_URL: '', DATABASE_OWNER_URL: '', DATABASE_DIRECT_URL: '' } };

/** The result of a restore, with a sentence for each check of doctor that fails there. */
async function lookedAt(answer: CommandResult, { database: _, ...io }: Io, report: (step: string) => void): Promise<CommandResult> {
  const failed = await examineRestored(io, report);
  return failed.length === 0 ? answer : { ...answer, problem: ['Restored, with problems:', ...failed].join('\n') };
}

async function create(
  session: Session,
  { to, keep, fullSpeed = false }: { to: string; keep?: number; fullSpeed?: boolean },
  report: (step: string) => void,
): Promise<CommandResult> {
  const { config, db, databaseServer } = session;
  const source = { url: chooseDirectUrl(databaseServer), files: await createFiles(config), embedded: databaseServer.embedded };
  const destination = await createPlace(to, config);
  const pace = fullSpeed ? FULL_SPEED : boundedPace();
  pace.yieldTo(0);
  const manifest = await createBackup(source, { place: destination, keys: createBackupKeys(config), pace, report });
  const organizations = (await listOrganizations(db)).map(({ id }) => id);
  await session.writeEach(organizations, async (_tx, callers) => {
    for (const { journal } of callers)
      journal.audits.push({ action: 'administer', resource: 'backup', ids: [], detail: `backup.created ${manifest.id}` });
  });
  if (keep !== undefined) for (const old of await keepNewest(destination, manifest.id, keep)) report(`removed ${old}`);
  return toResult(manifest);
}

async function find(config: Config, target: string): Promise<FoundBackup> {
  const { place, backup } = await findBackup(target, config);
  return openBackup(place, backup, createBackupKeys(config));
}

interface RestoreOptions {
  from: string;
  into: string;
  migrate?: boolean;
}

async function restore(config: Config, options: RestoreOptions, report: (step: string) => void): Promise<CommandResult> {
  const found = await find(config, options.from);
  const keys = { masterKeys: config.MASTER_KEYS.map(({ id }) => id), lostMasterKeys: config.LOST_MASTER_KEY_IDS };
  const settings = { migrate: options.migrate === true, report };
  const into = async (urls: DatabaseUrls) => {
    const lacking = await restoreBackup(found, { urls, files: await createFiles(config), ...keys }, settings);
    const remark =
      lacking.length === 0 ? {} : { remark: `It lacks ${writeQuantity(lacking.length, 'migration')} of this version: npm run db:migrate` };
    return { ...toRestored(found.manifest), ...remark };
  };
  if (options.into === DATABASE) {
    const { DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl, DATABASE_DIRECT_URL: directUrl } = config;
    if (url === undefined) throw new UsageError(`--into ${DATABASE}: that variable is not set.`);
    return into({ url, directUrl, ownerUrl: ownerUrl ?? directUrl ?? url });
  }
  const folder = await beginFolder(options.into, report);
  try {
    const answer = await into(folder);
    await folder.finish();
    return answer;
  } finally {
    await folder.release();
  }
}

/** The configuration of a server on the folder. @throws Failure where that would have master keys of its own making */
async function configOfFolder(io: Io, folder: string): Promise<Config> {
  const keys = join(folder, SECRETS);
  const areGiven = (io.env.MASTER_KEYS ?? io.env.MASTER_KEYS_FILE ?? '').trim() !== '';
  if (!areGiven && !(await stat(keys).catch(() => null)))
    throw new Failure(
      'unprocessable',
      'master_keys_missing',
      `The master keys of the backup are needed: set MASTER_KEYS, or put them into ${keys}.`,
    );
  return readConfig(withTarget(io, folder).env);
}

/** Of a backup that is restored, beside the same: the rows of the tables that a reader knows to compare, and each practice's head of the audit. */
function toRestored(manifest: Manifest): CommandResult {
  const countRows = (table: string) => manifest.tables.find(({ name }) => name === table)?.rows ?? 0;
  const row = {
    ...summarizeManifest(manifest),
    patients: countRows('patient'),
    appointments: countRows('appointment'),
    events: countRows('event'),
    audit_entries: countRows('audit_entry'),
  };
  const audit = manifest.audit_heads.map(({ organization_id, head }) => ({ practice_id: organization_id, head }));
  const heads = list(audit, 'No practice has a sealed audit.');
  const answer = toResult(manifest, row);
  return { ...answer, json: { ...row, audit_heads: audit }, text: `${answer.text}\n\n${heads.text}` };
}

function summarizeManifest({ id, at, version, tables, files, master_keys, key }: Manifest): Row {
  const bytes = [...tables, ...files.packs].reduce((sum, part) => sum + part.bytes, 0);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    id,
    at,
    version,
    tables: tables.length,
    rows,
    files: files.count,
    bytes,
    needs_master_keys: master_keys,
    encrypted_under: `${key.id} of ${key.from}`,
  };
}

function toResult(manifest: Manifest, row: Row = summarizeManifest(manifest)): CommandResult {
  const { files } = manifest;
  const answer = record(row);
  if (files.faulty.length === 0) return answer;
  const sentences = files.faulty.map(({ key: name, fault }) => `The file ${name} is ${fault}.`);
  return { ...answer, problem: ['The backup is complete, but some files were not:', ...sentences].join('\n') };
}
