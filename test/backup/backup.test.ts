import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { attachDatabaseServer } from '../../src/database/data-folder.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import { createLocalFiles } from '../../src/gateways/files/local-files.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { ownTestApp, type TestApp } from '../support/app.ts';
import { asOwner, createEmptyDatabase, databaseUrls, runAsOwner } from '../support/database-roles.ts';
import { readContents, readFiles, readNumber, readSchema } from './database-contents.ts';
import { fillSeveralMonths } from './several-months.ts';

const Shown = z.object({ id: z.string(), tables: z.int(), rows: z.int(), files: z.int(), needs_master_keys: z.array(z.string()) });
const Counts = z.object({ patients: z.int(), appointments: z.int(), events: z.int(), audit_entries: z.int() });
const Restored = Counts.extend({ audit_heads: z.array(z.object({ practice_id: z.int(), head: z.string() })) });
const Chains = z.array(z.object({ practice_id: z.int(), holds: z.boolean(), head: z.string().nullable() }));

let test: TestApp;
let env: Record<string, string>;
let root: string;
/** Without pauses, which are not what is tested here. */
const CREATE = ['backup', 'create', '--full-speed', '--to'];

let place: string;
let backup: z.output<typeof Shown>;

beforeAll(async () => {
  test = await ownTestApp();
  root = await mkdtemp(join(tmpdir(), 'triptych-backup-'));
  place = join(root, 'backups');
  env = { ...toEnvironment(test), DATA_DIR: test.config.DATA_DIR };
  await fillSeveralMonths(test);
  await sealAudit(test.database, test.keyring);
  const said = await admin(env, [...CREATE, place, '--json']);
  expect(said).toMatchObject({ code: 0 });
  backup = Shown.parse(JSON.parse(said.out));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function chainsAt(environment: Record<string, string>): Promise<z.output<typeof Chains>> {
  const said = await admin(environment, ['audit', 'verify', '--json']);
  expect(said).toMatchObject({ code: 0, err: '' });
  return Chains.parse(JSON.parse(said.out));
}

/** The only backup, in a copy of its place that a test may damage. */
async function copyOfBackup(): Promise<string> {
  const copy = await mkdtemp(join(root, 'copy-'));
  await cp(place, copy, { recursive: true });
  return join(copy, backup.id);
}

describe('a backup that is made while the server runs', () => {
  it('has all tables, the files that they name, and the ids of the master keys, not the keys', async () => {
    expect(backup.needs_master_keys).toEqual(['test']);
    expect(backup.rows).toBeGreaterThan(1_000);
    expect(backup.files).toBeGreaterThan(3);
    const manifest = await readFile(join(place, backup.id, 'manifest.json'), 'utf8');
    for (const { key } of test.config.MASTER_KEYS) expect(manifest).not.toContain(key.toString('base64').slice(0, 20));
    expect(await admin(env, ['backup', 'verify', '--from', place])).toMatchObject({ code: 0 });
  });

  it('is encrypted: nobody finds a name in it', async () => {
    const { lastName } = await test.database.prisma.patient.findFirstOrThrow({ where: { lastName: { not: null } } });
    for (const name of await readdir(join(place, backup.id)))
      expect((await readFile(join(place, backup.id, name))).includes(lastName ?? '?')).toBe(false);
  });

  it('is in the audit', async () => {
    const entry = await test.database.prisma.auditEntry.findFirst({ where: { resource: 'backup' } });
    expect(entry).toMatchObject({ action: 'administer', actor: 'operator:tester', detail: `backup.created ${backup.id}` });
  });

  it('is refused while another one is under way', async () => {
    const holder = new pg.Client({ connectionString: test.databaseUrl });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('SELECT pg_advisory_lock(7410262)');
    const said = await admin(env, [...CREATE, join(root, 'second')]);
    expect(said).toMatchObject({ code: 1, out: '', err: 'Another backup of this database is running. Wait until it ends.\n' });
  });

  it('does not count without its manifest, and the next one removes what it left', async () => {
    const folder = join(root, 'cut-off');
    expect(await admin(env, [...CREATE, folder])).toMatchObject({ code: 0 });
    const [cut = ''] = await readdir(folder);
    await rm(join(folder, cut, 'manifest.json'));
    expect(await admin(env, ['backup', 'verify', '--from', folder])).toMatchObject({
      code: 1,
      err: `The backup cannot be used. There is no complete backup in ${folder}.\n`,
    });
    expect(await admin(env, [...CREATE, folder])).toMatchObject({ code: 0 });
    expect(await readdir(folder)).toEqual([expect.not.stringContaining(cut)]);
  });

  it('may be one of so many: older ones of this database go when it is whole', async () => {
    const folder = join(root, 'kept');
    const foreign = '20200101T000000000Z-00000000';
    await cp(join(place, backup.id), join(folder, foreign), { recursive: true });
    for (const _ of [1, 2, 3]) expect(await admin(env, [...CREATE, folder, '--keep', '2'])).toMatchObject({ code: 0 });
    const own = (await readdir(folder)).filter((id) => id !== foreign);
    expect(own).toHaveLength(2);
    // One that somebody renamed is a backup, too, and stays.
    await rename(join(folder, own[0] ?? ''), join(folder, 'before the upgrade'));
    expect(await admin(env, [...CREATE, folder, '--keep', '1'])).toMatchObject({ code: 0 });
    expect(await readdir(folder)).toEqual([foreign, expect.stringMatching(/^2\d{7}T/), 'before the upgrade']);
  });

  it('names files that are gone, and is made nevertheless', async () => {
    const { storageKey } = await test.database.prisma.attachment.findFirstOrThrow();
    const files = createLocalFiles(join(test.config.DATA_DIR, 'files'));
    const path = join(test.config.DATA_DIR, 'files', storageKey);
    const content = await readFile(path);
    await files.remove(storageKey);
    const folder = join(root, 'faulty');
    const said = await admin(env, [...CREATE, folder]);
    await writeFile(path, content);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(`The file ${storageKey} is missing.`) });
    expect(await admin(env, ['backup', 'verify', '--from', folder])).toMatchObject({ code: 1 });
  });
});

describe('a backup that is not as it was made', () => {
  it.each([
    [
      'a changed byte',
      async (path: string) => {
        const bytes = await readFile(path);
        bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
        await writeFile(path, bytes);
      },
    ],
    ['a cut end', async (path: string) => writeFile(path, (await readFile(path)).subarray(0, -1))],
    ['more bytes', async (path: string) => appendFile(path, 'x')],
    ['a lost file', async (path: string) => rm(path)],
  ] as const)('is refused with %s', async (_what, damage) => {
    const copy = await copyOfBackup();
    const part = (await readdir(copy)).find((name) => name.startsWith('003-')) ?? '';
    await damage(join(copy, part));
    const said = await admin(env, ['backup', 'verify', '--from', copy]);
    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`The backup cannot be used. ${part}`) });
  });

  it('is refused with a changed manifest', async () => {
    const copy = await copyOfBackup();
    const path = join(copy, 'manifest.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"files": {\n    "count": ', '"files": {\n    "count": 1'));
    const said = await admin(env, ['backup', 'verify', '--from', copy]);
    expect(said.err).toBe('The backup cannot be used. Its manifest was altered, or the key "test" of MASTER_KEYS differs.\n');
  });

  it('restores nothing where its last table is damaged', async () => {
    const copy = await copyOfBackup();
    const parts = (await readdir(copy)).filter((name) => /^\d{3}-/.test(name)).sort();
    await appendFile(join(copy, parts.at(-1) ?? ''), 'x');
    const url = await createEmptyDatabase();
    const target = { ...env, ...toVariables(url), DATA_DIR: join(root, 'damaged') };
    const restore = (from: string) => admin(target, ['backup', 'restore', '--from', from, '--into', 'DATABASE_URL']);
    const said = await restore(copy);
    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining('The backup cannot be used.') });
    expect(await readNumber(asOwner(url), 'SELECT count(*) FROM organization')).toBe(0n);
    // The tables are there and empty, so it can be run again.
    const again = await restore(place);
    expect(again).toMatchObject({ code: 0 });
  });
});

const toVariables = (url: string) => ({ DATABASE_URL: url, DATABASE_OWNER_URL: asOwner(url) });
describe('a restore', () => {
  it('gives an empty database every row, file and head of the audit back, and the runtime role its privileges', async () => {
    const url = await createEmptyDatabase();
    const target = { ...env, ...toVariables(url), DATA_DIR: join(root, 'external') };
    const [before, schema] = [await readContents(asOwner(test.databaseUrl)), await readSchema(asOwner(test.databaseUrl))];
    const folder = join(root, 'now');
    expect(await admin(env, [...CREATE, folder])).toMatchObject({ code: 0 });
    expect(await admin(target, ['backup', 'restore', '--from', folder, '--into', 'DATABASE_URL'])).toMatchObject({ code: 0 });
    expect(await readContents(url)).toEqual(before);
    expect(await readFiles(target.DATA_DIR)).toEqual(await readFiles(test.config.DATA_DIR));
    expect(await chainsAt(target)).toEqual(await chainsAt(env));
    expect(await readSchema(asOwner(url))).toEqual(schema);
    expect(await migrate(databaseUrls(url))).toEqual([]);
  });

  it('writes its logs beyond every position that a reader may hold', async () => {
    const url = await createEmptyDatabase();
    const target = { ...env, ...toVariables(url), DATA_DIR: join(root, 'positions') };
    expect(await admin(target, ['backup', 'restore', '--from', place, '--into', 'DATABASE_URL'])).toMatchObject({ code: 0 });
    const held = await readNumber(test.databaseUrl, 'SELECT log_horizon()');
    expect(await readNumber(url, 'SELECT log_horizon()')).toBeGreaterThan(held + 1_000_000n);
    expect(await admin(target, ['keys', 'rotate'])).toMatchObject({ code: 0 });
    expect(await readNumber(url, 'SELECT max(transaction_id) FROM audit_entry')).toBeGreaterThan(held);
  });

  it('makes a folder with an embedded database, on which the server starts', async () => {
    const folder = join(root, 'embedded');
    const machine = { ...env, DATABASE_URL: '', DATA_DIR: folder };
    const said = await admin(machine, ['backup', 'restore', '--from', place, '--into', folder, '--json']);
    const chains = await chainsAt(machine);
    const told = Restored.parse(JSON.parse(said.out));
    expect(told.audit_heads).toEqual(chains.flatMap(({ practice_id, head }) => (head === null ? [] : [{ practice_id, head }])));
    expect(told.patients).toBe(await test.database.prisma.patient.count());
    expect(told.appointments).toBe(await test.database.prisma.appointment.count());
    expect(told.audit_entries).toBeGreaterThan(0);
    expect(chains.map(({ holds }) => holds)).toEqual(chains.map(() => true));
    expect(await readFiles(folder)).toEqual(await readFiles(test.config.DATA_DIR));
    // And from there back into another: an embedded database is backed up as any.
    expect(await admin(machine, [...CREATE, join(root, 'of-embedded')])).toMatchObject({ code: 0 });
    expect(await admin(machine, ['backup', 'restore', '--from', place, '--into', folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The folder is not empty'),
    });
  });

  it('refuses a folder without the master keys of the backup, and makes none', async () => {
    const folder = join(root, 'keyless');
    const said = await admin({ NODE_ENV: 'test' }, ['backup', 'restore', '--from', place, '--into', folder]);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('set MASTER_KEYS, or put them into') });
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it('that was cut off keeps servers away, and can be run again', async () => {
    const folder = await mkdtemp(join(root, 'cut-'));
    await writeFile(join(folder, 'restore.unfinished'), '');
    await writeFile(join(folder, 'database.log'), 'left');
    await expect(attachDatabaseServer({ DATA_DIR: folder, DATABASE_URL: undefined, DATABASE_OWNER_URL: undefined })).rejects.toThrow(
      'is incomplete',
    );
    const machine = { ...env, DATABASE_URL: '', DATA_DIR: folder };
    expect(await admin(machine, ['backup', 'restore', '--from', place, '--into', folder])).toMatchObject({ code: 0 });
    expect(await readdir(folder)).not.toContain('restore.unfinished');
  });

  it('refuses a database with practices, and one with other tables', async () => {
    const restore = (environment: Record<string, string>) =>
      admin({ ...environment, DATA_DIR: join(root, 'refused') }, ['backup', 'restore', '--from', place, '--into', 'DATABASE_URL']);
    expect(await restore({ ...env, ...toVariables(test.databaseUrl) })).toMatchObject({
      code: 1,
      err: expect.stringContaining('It contains practices.'),
    });
    const url = await createEmptyDatabase();
    await runAsOwner(url, 'CREATE TABLE something (id integer)');
    expect(await restore({ ...env, ...toVariables(url) })).toMatchObject({ code: 1, err: expect.stringContaining('other software.') });
  });
});
