import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { flattenedVerify, importJWK } from 'jose';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { readLines } from '../support/archive-files.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { archivingApp } from './archived-audit.ts';
import { admin, withForeignKey } from './command-line.ts';

const app = await archivingApp();
const { say, ask, reports, count, practice } = app;
const Archived = z.object({
  files: z.array(z.object({ practice_id: z.int(), file: z.string(), first: z.int(), last: z.int() })),
  dropped: z.array(z.string()),
});
const Signed = z.object({ payload: z.string(), protected: z.string(), signature: z.string() });
const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
const archive = (before: string, folder: string) => ask(Archived, `audit archive --before ${before} --to ${folder}`);

describe('audit archive', () => {
  it('moves whole months of all practices into a folder, and the chain goes on without a seam', async () => {
    const folder = await app.folder();
    const [one, other] = [await practice(), await practice(3)];
    const head = (await reports()).find(({ practice_id }) => practice_id === one)?.head ?? '';
    const made = await archive('2019-04-15', folder);
    expect(made.dropped).toEqual(['audit_entry_2019_03']);
    expect(made.files.map(({ practice_id }) => practice_id)).toEqual(expect.arrayContaining([one, other]));
    expect(await count('audit_entry', `organization_id = ${one} AND at < '2019-04-01'`)).toBe(0);
    // The entry that came between those of March is in their file, and nowhere else.
    expect(await count('audit_entry', `organization_id = ${one} AND at = '2019-04-01'`)).toBe(0);

    const verified = await say('audit verify');
    expect(verified).toMatchObject({ code: 0, err: '' });
    expect(verified.out).toMatch(
      /The first 2\d\d entries of practice \d+, from 2019-03-10T08:00:00Z to .*, are in the archive and were not checked/,
    );
    for (const report of await reports('--archive', folder)) expect(report).toMatchObject({ holds: true });
    const walked = await say(`audit verify --archive ${folder} --practice ${one} --head ${head}`);
    expect(walked).toMatchObject({ code: 0, out: expect.stringContaining('the chain goes on from there into the table') });

    await archive('2019-05-31', folder);
    await app.apply(one, { go_live_date: '2026-12-01' });
    await app.seal();
    const after = (await reports('--archive', folder)).find(({ practice_id }) => practice_id === one);
    expect(after).toMatchObject({ holds: true, unsealed: 0 });
    expect(after?.links).toBeGreaterThan(400);
    expect(await say(`audit verify --archive ${folder} --practice ${one} --head ${head}`)).toMatchObject({ code: 0 });
    expect((await say(`audit list --practice ${one}`)).out).toMatch(/entries 1 to 2\d\d archived to .*file practice-\d+\/2019-03-/);
  });

  it('writes files for their owner alone, lines that any tool reads, and no link that a checkpoint lacks', async () => {
    const folder = await app.folder();
    const id = await practice(140);
    const made = await archive('2019-04-01', folder);
    const [{ file } = { file: '-' }] = made.files.filter(({ practice_id }) => practice_id === id);
    expect(file).toMatch(new RegExp(`^practice-${id}/2019-03-[0-9a-f]{8}\\.ndjson\\.gz$`));
    const path = join(folder, file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const lines = (await readLines(path)).map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)));
    expect(lines.at(0)).toMatchObject({ type: 'archive', organization: id, after: { position: 0 } });
    expect(lines.filter(({ type }) => type === 'entry')).toHaveLength(142);
    // Anybody checks the last line with the public key in it.
    const end = Signed.parse(lines.at(-1));
    const { jwk } = z.object({ jwk: z.record(z.string(), z.string()) }).parse(decoded(end.protected));
    await flattenedVerify(end, await importJWK(jwk, 'EdDSA'));
    expect(decoded(end.payload)).toMatchObject({ organization: id, entries: 142, head: { position: 142 } });
    expect(await count('audit_link', `organization_id = ${id} AND position < 142`)).toBe(0);
  });

  it.runIf(isUpkeep)('says so where there is no month to archive, and refuses the future', async () => {
    const folder = await app.folder();
    await practice(1);
    expect(await say(`audit archive --before 2001-01-01 --to ${folder}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('There is no complete month'),
    });
    expect(await say(`audit archive --before 2099-01-01 --to ${folder}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('future'),
    });
  });

  it.runIf(isUpkeep)('is run again where it died after any of its steps, and loses and doubles nothing', async () => {
    const folder = await app.folder();
    const id = await practice(10);
    const argv = ['audit', 'archive', '--before', '2019-05-01', '--to', folder];
    const total = (await reports('--archive', folder).catch(() => reports())).length;
    let step = 1;
    for (; await app.diesAt(step, argv); step += 1) {
      const [report] = await reports('--practice', String(id), '--archive', folder);
      expect(report).toMatchObject({ holds: true });
      expect(report?.links).toBeGreaterThanOrEqual(32);
      expect(await say(`audit verify --practice ${id}`)).toMatchObject({ code: 0 });
    }
    expect(step).toBeGreaterThan(4);
    expect(total).toBeGreaterThan(0);
    expect(await count('audit_checkpoint', `organization_id = ${id}`)).toBe(2);
    expect(await count('audit_entry', `at < '2019-05-01'`)).toBe(0);
    expect((await reports('--practice', String(id), '--archive', folder))[0]).toMatchObject({ holds: true });
  });

  it.runIf(isUpkeep)('leaves the months while a backup reads them, and drops them when it is run again', async () => {
    const folder = await app.folder();
    const id = await practice(2);
    const backup = new pg.Client({ connectionString: app.databaseUrl });
    await backup.connect();
    onTestFinished(() => backup.end());
    await backup.query('SELECT pg_advisory_lock(7410262)');
    expect(await say(`audit archive --before 2019-05-01 --to ${folder}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('while a backup is running'),
    });
    expect(await say(`audit verify --archive ${folder} --practice ${id}`)).toMatchObject({ code: 0 });
    await backup.end();
    // The lock goes with its session, which ends a moment later.
    await expect.poll(async () => (await archive('2019-05-01', folder)).dropped, { timeout: 30_000 }).toContain('audit_entry_2019_04');
    expect(await count('audit_entry', `organization_id = ${id} AND at < '2019-05-01'`)).toBe(0);
  });

  it.runIf(isUpkeep)('refuses a chain that was altered, and a key that nobody has, and drops nothing then', async () => {
    const folder = await app.folder();
    const id = await practice(5);
    await app.tamper(`UPDATE audit_entry SET actor = 'user:2' WHERE organization_id = ${id} AND at = '2019-04-01'`);
    const refused = await say(`audit archive --before 2019-05-01 --to ${folder}`);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      new RegExp(
        `audit of practice ${id} cannot be archived: audit entry \\d+ or its link was edited.*audit_entry_2019_03 and later months stay`,
      ),
    );
    expect(await count('audit_entry', `organization_id = ${id} AND at < '2019-05-01'`)).toBe(12);
    expect(await count('audit_checkpoint', `organization_id = ${id}`)).toBe(0);
    await app.tamper(`UPDATE audit_entry SET actor = 'user:1' WHERE organization_id = ${id} AND at = '2019-04-01'`);
    expect(await admin(withForeignKey(app.env, 'other'), ['audit', 'archive', '--before', '2019-05-01', '--to', folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining('MASTER_KEYS are not those'),
    });
    await archive('2019-05-01', folder);
  });

  it.runIf(isUpkeep)(
    'names each practice whose end the sealer refuses, and then each with a broken chain, and takes nothing out of the database',
    async () => {
      const folder = await app.folder();
      const [edited, sound, cut] = [await practice(5), await practice(5), await practice(5)];
      const ofAll = `organization_id IN (${edited}, ${sound}, ${cut})`;
      const before = [await count('audit_entry', ofAll), await count('audit_link', ofAll)];
      await app.tamper(`UPDATE audit_entry SET actor = 'user:2' WHERE organization_id = ${edited} AND at = '2019-04-01'`);
      await app.tamper(`CREATE TABLE head_was AS SELECT * FROM audit_head WHERE organization_id = ${cut};
      UPDATE audit_head SET position = position - 1 WHERE organization_id = ${cut}`);
      onTestFinished(() => app.tamper('DROP TABLE IF EXISTS head_was'));
      await app.write(cut, '2019-05-03T08:00:00Z');
      // The sealer takes it up once no transaction is open that began before.
      const inSight = `organization_id = ${cut} AND at = '2019-05-03T08:00:00Z' AND transaction_id < log_horizon()`;
      await expect.poll(() => count('audit_entry', inSight), { timeout: 30_000 }).toBe(1);
      const refused = await say(`audit archive --before 2019-05-01 --to ${folder}`);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toMatch(new RegExp(`audit of practice ${cut} cannot be archived: the head of the chain was edited`));
      expect(refused.err).not.toContain(`audit of practice ${sound} cannot`);
      expect(refused.err).toContain('Nothing was removed from the database.');
      expect([await count('audit_entry', ofAll), await count('audit_link', ofAll)]).toEqual([(before[0] ?? 0) + 1, before[1]]);
      expect(await count('audit_checkpoint', ofAll)).toBe(0);

      // The rows are put back as they were.
      await app.tamper(`DELETE FROM audit_head WHERE organization_id = ${cut}; INSERT INTO audit_head SELECT * FROM head_was`);
      expect((await say(`audit archive --before 2019-05-01 --to ${folder}`)).err).toMatch(
        new RegExp(
          `The audit of practice ${edited} cannot be archived: audit entry \\d+ or its link was edited or moved. audit_entry_2019_03`,
        ),
      );
      await app.tamper(`UPDATE audit_entry SET actor = 'user:1' WHERE organization_id = ${edited} AND at = '2019-04-01'`);
      const made = await archive('2019-05-01', folder);
      expect(made.files.map(({ practice_id }) => practice_id)).toEqual(expect.arrayContaining([edited, sound, cut]));
      for (const id of [edited, sound, cut])
        expect(await reports('--practice', String(id), '--archive', folder)).toMatchObject([{ holds: true }]);
    },
  );

  it.runIf(isUpkeep)('does not drop a month whose last entry came after the checkpoint, and archives it with the next run', async () => {
    const folder = await app.folder();
    const id = await practice(4);
    const late = `INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
      VALUES (${id}, '2019-03-31T23:59:59Z', 'user:1', 'read', 'patient', '{1}', 'GET /chart')`;
    await runAsOwner(
      app.databaseUrl,
      `CREATE FUNCTION come_late() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN ${late}; RETURN NULL; END $$;
       CREATE TRIGGER late AFTER INSERT ON audit_checkpoint FOR EACH ROW WHEN (NEW.organization_id = ${id}) EXECUTE FUNCTION come_late()`,
    );
    onTestFinished(() => runAsOwner(app.databaseUrl, 'DROP FUNCTION IF EXISTS come_late CASCADE'));
    expect(await say(`audit archive --before 2019-05-01 --to ${folder}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not in the archive'),
    });
    await runAsOwner(app.databaseUrl, 'DROP FUNCTION come_late CASCADE');
    await app.seal();
    await archive('2019-05-01', folder);
    expect(await count('audit_entry', `organization_id = ${id} AND at < '2019-05-01'`)).toBe(0);
    expect((await reports('--archive', folder, '--practice', String(id)))[0]).toMatchObject({ holds: true });
  });

  it.runIf(isUpkeep)('lists the entries of a patient in the archive, and says where they are', async () => {
    const folder = await app.folder();
    const id = await practice(6);
    await archive('2019-05-01', folder);
    const table = await say(`audit list --practice ${id} --patient 3`);
    expect(table.out).toContain('are in the archive; to list them: audit list --archive');
    const Page = z.object({ entries: z.array(z.object({ id: z.int(), resource_ids: z.array(z.int()) })), next: z.int().nullable() });
    const first = await ask(Page, `audit list --practice ${id} --patient 3 --limit 1 --archive ${folder}`);
    expect(first.entries).toMatchObject([{ resource_ids: [3] }]);
    const second = await ask(Page, `audit list --practice ${id} --patient 3 --limit 1 --archive ${folder} --before ${first.next}`);
    expect(second).toMatchObject({ entries: [{ resource_ids: [3] }], next: null });
    expect(second.entries[0]?.id).toBeLessThan(first.entries[0]?.id ?? 0);
  });
});
