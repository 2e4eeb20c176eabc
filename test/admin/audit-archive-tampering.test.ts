import { copyFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { filesOf, linesOf } from '../support/archive-files.ts';
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

const verify = () => say(`audit verify --organization ${id} --archive ${folder}`);

/** The files of the two segments of the practice, the older first: manifest and part of each. */
async function files(): Promise<[string, string, string, string]> {
  const { rows } = await app.database.pool.query('SELECT segment FROM audit_checkpoint WHERE organization_id = $1 ORDER BY position', [id]);
  const all = await filesOf(folder);
  const [a = '', b = '', c = '', d = ''] = rows.flatMap(({ segment }) => all.filter((file) => file.includes(segment)));
  return [a, b, c, d];
}

/** Changes a file for the length of a test. */
async function whileChanged(path: string, change: (path: string) => Promise<unknown>): Promise<void> {
  const kept = await readFile(path);
  onTestFinished(() => writeFile(path, kept));
  await change(path);
}

const rewrite = (path: string, change: (lines: string[]) => string[]) =>
  whileChanged(path, async () => writeFile(path, gzipSync(`${change(await linesOf(path)).join('\n')}\n`)));

describe('a segment of the archive', () => {
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
    [
      'the last lines were cut off',
      (lines) => lines.slice(0, 100),
      /part-00001.ndjson.gz of segment \S+ was cut off|audit entry \d+ is missing/,
    ],
    [
      'a link was left out with its entries',
      (lines) => lines.filter((_, at) => at < 1 || at > 129),
      /link 1 is missing|audit entry \d+ is missing/,
    ],
    [
      'its last line was edited',
      (lines) => lines.map((line) => (line.startsWith('{"type":"end"') ? line.replace(/"entries":\d+/, '"entries":9') : line)),
      /the last line of part-00001.ndjson.gz of segment \S+ was altered/,
    ],
    [
      'a line of another kind was added',
      (lines) => [...lines, '{"type":"entry"}'],
      /line \d+ of part-00001.ndjson.gz .* is none that was written there/,
    ],
    [
      'its head was edited',
      (lines) => lines.map((line, at) => (at === 0 ? line.replace(/"part":1/, '"part":2') : line)),
      /is another part, or of another segment/,
    ],
  ])('names the place where %s', async (_, change, sentence) => {
    const [, part] = await files();
    await rewrite(part, change);
    expect(await verify()).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
  });

  it('is noticed where its bytes alone are others, or are cut off', async () => {
    const [, part] = await files();
    const lines = await linesOf(part);
    await rewrite(part, () => lines);
    await writeFile(part, gzipSync(`${lines.join('\n')}\n`, { level: 1 }));
    expect((await verify()).err).toContain('part-00001.ndjson.gz of segment');
    await truncate(part, 2_000);
    expect((await verify()).err).toMatch(/was altered or cut off \(entries 1 to 152\)|audit entry/);
  });

  it('is named where it is missing, a part or the whole', async () => {
    const [manifest, part] = await files();
    for (const path of [part, manifest]) {
      await rename(path, `${path}.away`);
      expect(await verify()).toMatchObject({ code: 1, err: expect.stringMatching(/is missing.*\(entries 1 to 152\)/) });
      await rename(`${path}.away`, path);
    }
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('is named where another was put in its place, and where its manifest was edited', async () => {
    const [manifest, part, laterManifest, laterPart] = await files();
    await whileChanged(part, (path) => copyFile(laterPart, path));
    expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining('is another part, or of another segment') });
    await whileChanged(manifest, (path) => copyFile(laterManifest, path));
    expect((await verify()).err).toContain('another was put in its place');
    await whileChanged(manifest, async (path) => writeFile(path, (await readFile(path, 'utf8')).replace(/"links": \d+/, '"links": 1')));
    expect((await verify()).err).toContain('was altered, or was signed with other master keys');
  });

  it('is named by no checkpoint where a run was cut off, which is no alarm', async () => {
    const [, part] = await files();
    const name = '20190401T000000000Z-00000000';
    const path = part.replace(/\d{8}T\d{9}Z-[0-9a-f]{8}/, name);
    await mkdir(path.slice(0, path.lastIndexOf('/')));
    await copyFile(part, path);
    expect((await say(`audit verify --archive ${folder}`)).out).toContain(`Segment ${name} belongs to no checkpoint`);
    await rm(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  });
});

describe('the database beside the archive', () => {
  it('has checkpoints that nobody edits, deletes or brings back unnoticed', async () => {
    await app.tamper(`CREATE TABLE kept AS SELECT * FROM audit_checkpoint`);
    const restore = `ALTER TABLE audit_discard DISABLE TRIGGER ALL; DELETE FROM audit_checkpoint; INSERT INTO audit_checkpoint SELECT * FROM kept`;
    onTestFinished(() => app.tamper(`${restore}; DROP TABLE kept`));
    const broken = async (sql: string, sentence: RegExp) => {
      await app.tamper(sql);
      expect(await say(`audit verify --organization ${id}`)).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
      await app.tamper(restore);
    };
    await broken(`UPDATE audit_checkpoint SET cut_at = now() WHERE organization_id = ${id}`, /the checkpoint at link 152 was edited/);
    await broken(
      `DELETE FROM audit_checkpoint WHERE organization_id = ${id} AND position = 152`,
      /the checkpoint before link \d+, at link 152, is missing/,
    );
    await broken(`DELETE FROM audit_checkpoint WHERE organization_id = ${id} AND position > 152`, /is missing/);
    await broken(`DELETE FROM audit_checkpoint WHERE organization_id = ${id}`, /is missing/);
    expect(await say(`audit verify --organization ${id}`)).toMatchObject({ code: 0 });
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
    await server.query(`SELECT delete_archived_links(${id}, 1000)`);
    expect(await app.count('audit_link')).toBe(before);
    await expect(owner.query('DELETE FROM audit_link')).rejects.toThrow(/is not in the archive/);
    await expect(owner.query('TRUNCATE audit_link')).rejects.toThrow(/append-only|refuse/);
  });
});
