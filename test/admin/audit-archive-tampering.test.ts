import { copyFile, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listFiles, readLines } from '../support/archive-files.ts';
import { asOwner } from '../support/database-roles.ts';
import { archivingApp } from './archived-audit.ts';

const app = await archivingApp();
const { say } = app;

let id: number;
let folder: string;
beforeAll(async () => {
  folder = await app.keptFolder();
  id = await app.practice(150);
  const other = await app.practice(3);
  expect(await say(`audit archive --before 2019-04-10 --to ${folder}`)).toMatchObject({ code: 0 });
  expect(await say(`audit archive --before 2019-05-10 --to ${folder}`)).toMatchObject({ code: 0 });
  expect(other).not.toBe(id);
});

const verify = () => say(`audit verify --practice ${id} --archive ${folder}`);

/** The two files of the practice, the older first. */
async function files(): Promise<[string, string]> {
  const [march = '', april = ''] = (await listFiles(folder)).filter((file) => file.includes(`practice-${id}/`));
  return [march, april];
}

/** Changes a file for the length of a test. */
async function whileChanged(path: string, change: (path: string) => Promise<unknown>): Promise<void> {
  const kept = await readFile(path);
  onTestFinished(() => writeFile(path, kept));
  await change(path);
}

const rewrite = (path: string, change: (lines: string[]) => string[]) =>
  whileChanged(path, async () => writeFile(path, gzipSync(`${change(await readLines(path)).join('\n')}\n`)));

const ALTERED = /file \S+ was altered or cut off \(entries 1 to 152\)/;

describe('a file of the archive', () => {
  it('is verified before anything is said of it', async () => {
    expect(await verify()).toMatchObject({ code: 0, err: '' });
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    [
      'an entry was edited',
      (lines) => lines.map((line, at) => (at === 5 ? line.replace('user:1', 'user:2') : line)),
      /audit entry \d+ or its link was edited/,
    ],
    ['an entry was left out', (lines) => lines.filter((_, at) => at !== 5), /audit entry \d+ is missing: it was deleted or moved/],
    [
      'an entry was doubled',
      (lines) => lines.flatMap((line, at) => (at === 5 ? [line, line] : [line])),
      /audit entry \d+ has no link|audit entry \d+ is missing/,
    ],
    [
      'two entries were exchanged',
      (lines) => lines.with(5, lines[6] ?? '').with(6, lines[5] ?? ''),
      /audit entry \d+ (has no link|is missing)/,
    ],
    ['the last lines were cut off', (lines) => lines.slice(0, 100), /was altered or cut off|audit entry \d+ is missing/],
    [
      'a link was left out with its entries',
      (lines) => lines.filter((_, at) => at < 1 || at > 129),
      /link 1 is missing|audit entry \d+ is missing/,
    ],
    ['its last line was left out', (lines) => lines.slice(0, -1), ALTERED],
    ['a line was added', (lines) => [...lines, lines[5] ?? ''], ALTERED],
    [
      'its first line was edited',
      (lines) => lines.map((line, at) => (at === 0 ? line.replace(/"position":0/, '"position":1') : line)),
      ALTERED,
    ],
  ])('names the place where %s', async (_, change, sentence) => {
    const [file] = await files();
    await rewrite(file, change);
    const said = await verify();
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
    expect(said.err).toContain(`file practice-${id}/2019-03-`);
  });

  it('is noticed where its bytes alone are others, or are cut off', async () => {
    const [file] = await files();
    const lines = await readLines(file);
    await rewrite(file, () => lines);
    await writeFile(file, gzipSync(`${lines.join('\n')}\n`, { level: 1 }));
    expect((await verify()).err).toMatch(ALTERED);
    await truncate(file, 2_000);
    expect((await verify()).err).toMatch(ALTERED);
  });

  it('is named where it is missing, and where another was put in its place', async () => {
    const [march, april] = await files();
    await rename(march, `${march}.away`);
    expect((await verify()).err).toMatch(/file practice-\d+\/2019-03-\S+ is missing \(entries 1 to 152\)/);
    await rename(`${march}.away`, march);
    await whileChanged(march, (path) => copyFile(april, path));
    expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining(`file practice-${id}/2019-03-`) });
  });
});

describe('the database beside the archive', () => {
  it('has checkpoints that nobody edits, deletes or brings back unnoticed', async () => {
    await app.tamper(`CREATE TABLE kept AS SELECT * FROM audit_checkpoint`);
    const restore = `DELETE FROM audit_checkpoint; INSERT INTO audit_checkpoint SELECT * FROM kept`;
    onTestFinished(() => app.tamper(`${restore}; DROP TABLE kept`));
    const broken = async (sql: string, sentence: RegExp) => {
      await app.tamper(sql);
      expect(await say(`audit verify --practice ${id}`)).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
      await app.tamper(restore);
    };
    await broken(`UPDATE audit_checkpoint SET last_at = now() WHERE organization_id = ${id}`, /the checkpoint at link 152 was edited/);
    await broken(
      `DELETE FROM audit_checkpoint WHERE organization_id = ${id} AND position = 152`,
      /the checkpoint before link \d+, at link 152, is missing/,
    );
    await broken(`DELETE FROM audit_checkpoint WHERE organization_id = ${id} AND position > 152`, /is missing/);
    await broken(`DELETE FROM audit_checkpoint WHERE organization_id = ${id}`, /is missing/);
    expect(await say(`audit verify --practice ${id}`)).toMatchObject({ code: 0 });
  });

  it('lets the role of the server delete no link that is not archived, and drop no month', async () => {
    const owner = new pg.Client({ connectionString: asOwner(app.databaseUrl) });
    await owner.connect();
    onTestFinished(() => owner.end());
    const server = app.database.pool;
    await expect(server.query('DELETE FROM audit_link')).rejects.toThrow(/permission denied/);
    await expect(server.query('DROP TABLE audit_entry_2019_05')).rejects.toThrow(/must be owner/);
    await expect(server.query(`SELECT drop_log_partition('audit_entry', 'audit_entry_2019_05', now())`)).rejects.toThrow(
      /permission denied/,
    );
    await expect(server.query(`SELECT drop_archived_audit(now())`)).rejects.toThrow(/is not in the archive/);
    await expect(server.query(`UPDATE audit_checkpoint SET position = position + 1`)).rejects.toThrow(/append-only/);
    await expect(server.query(`DELETE FROM audit_checkpoint`)).rejects.toThrow(/append-only/);
    const before = await app.count('audit_link');
    const entries = await app.count('audit_entry');
    await server.query(`SELECT delete_archived_audit(${id}, 1000)`);
    expect(await app.count('audit_link')).toBe(before);
    expect(await app.count('audit_entry')).toBe(entries);
    await expect(owner.query('DELETE FROM audit_entry')).rejects.toThrow(/is not in the archive/);
    await expect(owner.query('DELETE FROM audit_entry_2019_05')).rejects.toThrow(/is not in the archive/);
    await expect(owner.query('DELETE FROM audit_link')).rejects.toThrow(/is not in the archive/);
    await expect(owner.query('TRUNCATE audit_link')).rejects.toThrow(/append-only|refuse/);
  });
});
