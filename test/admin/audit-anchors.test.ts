import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flattenedVerify, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { anchorAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { ownTestApp } from '../support/app.ts';
import { runWithoutTriggers } from '../support/database-roles.ts';
import { admin, createOperator, foundPractice } from './command-line.ts';

const test = await ownTestApp();
const operator = createOperator(test);
const Reports = z.array(z.object({ unsealed: z.int(), links: z.int() }));
const Line = z.object({ protected: z.string(), payload: z.string(), signature: z.string() });
const Header = z.object({ alg: z.string(), kid: z.string(), jwk: z.object({ kty: z.string(), crv: z.string(), x: z.string() }) });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anchors-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A practice whose entries are all sealed. */
async function sealed(): Promise<number> {
  const { id } = await foundPractice(operator);
  await seal(id);
  return id;
}

async function seal(id: number): Promise<number> {
  for (;;) {
    await operator.say('audit seal');
    const [report] = await operator.ask(Reports, `audit verify --practice ${id}`);
    if (report?.unsealed === 0) return report.links;
  }
}

/** Keeps the head of a practice under a name, to which `bringBack` takes it back with the links, entries and events after it. */
const keepState = (id: number, name: string) => tamper(`CREATE TABLE ${name} AS SELECT * FROM audit_head WHERE organization_id = ${id}`);

const bringBack = (id: number, name: string) =>
  tamper(`
    DELETE FROM event e USING ${name} k WHERE e.organization_id = ${id} AND e.transaction_id > k.transaction_id;
    DELETE FROM audit_entry e USING ${name} k WHERE e.organization_id = ${id} AND e.transaction_id > k.transaction_id;
    DELETE FROM audit_link l USING ${name} k WHERE l.organization_id = ${id} AND l.position > k.position;
    DELETE FROM audit_head WHERE organization_id = ${id}; INSERT INTO audit_head SELECT * FROM ${name}`);

const tamper = (sql: string): Promise<void> => runWithoutTriggers(test.databaseUrl, sql);
const verify = (id: number, file: string) => operator.say(`audit verify --practice ${id} --anchors ${file}`);

describe('anchors of the audit', () => {
  it('tell that all of a chain was brought back to an older state, which looks whole by itself', async () => {
    const id = await sealed();
    const file = join(folder, 'restored');
    await keepState(id, 'older');
    expect(await operator.say(`audit anchor --file ${file}`)).toMatchObject({ code: 0 });
    await operator.apply(id, { go_live_date: '2026-12-01' });
    await seal(id);
    await anchorAudit({ ...test.services, config: { ...test.config, AUDIT_ANCHOR: `file:${file}` } });
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2);
    expect((await verify(id, file)).code).toBe(0);
    await bringBack(id, 'older');
    expect(await operator.say(`audit verify --practice ${id}`)).toMatchObject({ code: 0 });
    expect(await verify(id, file)).toMatchObject({ code: 1, err: expect.stringContaining('its newest links were cut off') });
  });

  it('accept an older state whose restore an operator recorded, and no other one', async () => {
    const id = await sealed();
    const file = join(folder, 'recorded');
    await operator.say(`audit anchor --file ${file}`);
    expect((await operator.say(`audit restored --anchors ${file}`)).out).toContain('there is nothing to record');
    await keepState(id, 'before_loss');
    await operator.apply(id, { go_live_date: '2026-12-01' });
    await seal(id);
    await operator.say(`audit anchor --file ${file}`);
    await bringBack(id, 'before_loss');
    const hint = `record it: npm run admin -- audit restored --anchors ${file}`;
    expect(await verify(id, file)).toMatchObject({ code: 1, err: expect.stringContaining(hint) });

    const recorded = await operator.say(`audit restored --anchors ${file}`);
    expect(recorded).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^${id} +3 +4 `, 'm')) });
    await seal(id);
    const accepted = await verify(id, file);
    const lost = new RegExp(`practice ${id} was restored to an older state, as .+ recorded on .+: links after 3 up to 4, .* are lost`);
    expect(accepted).toMatchObject({ code: 0, out: expect.stringMatching(lost) });
    expect((await operator.say(`audit list --practice ${id}`)).out).toContain('links after 3 up to 4 of the anchors are lost');

    // Who has the database and the file, but not the master keys, can repeat or edit the record.
    const record = (await readFile(file, 'utf8')).trim().split('\n').at(-1) ?? '';
    await keepState(id, 'after_record');
    await operator.apply(id, { go_live_date: '2026-12-02' });
    await seal(id);
    await operator.say(`audit anchor --file ${file}`);
    await bringBack(id, 'after_record');
    await appendFile(file, `${record}\n`);
    expect(await verify(id, file)).toMatchObject({ code: 1, err: expect.stringContaining('its newest links were cut off') });
    const { protected: head, signature } = Line.parse(JSON.parse(record));
    const later = {
      ...JSON.parse(Buffer.from(Line.parse(JSON.parse(record)).payload, 'base64url').toString()),
      until: '2999-01-01T00:00:00Z',
    };
    const payload = Buffer.from(JSON.stringify(later)).toString('base64url');
    await appendFile(file, `${JSON.stringify({ protected: head, payload, signature })}\n`);
    expect(await verify(id, file)).toMatchObject({ code: 1, err: expect.stringMatching(/^Anchor 6 of .* was altered/m) });
  });

  it('tell also after a record that a chain was edited, of which none is made', async () => {
    const id = await sealed();
    const file = join(folder, 'broken');
    await keepState(id, 'before_edit');
    await operator.apply(id, { go_live_date: '2026-12-01' });
    await seal(id);
    await operator.say(`audit anchor --file ${file}`);
    await bringBack(id, 'before_edit');
    await tamper(`UPDATE audit_entry SET actor = 'user:1' WHERE organization_id = ${id}`);
    expect(await operator.say(`audit restored --anchors ${file}`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/which no restore explains: .* Nothing was recorded\./),
    });
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('tell that everything is gone, heads and events too', async () => {
    const id = await sealed();
    const file = join(folder, 'gone');
    await operator.say(`audit anchor --file ${file}`);
    const kept = ['audit_link', 'audit_entry', 'event', 'audit_head'];
    await tamper(kept.map((table) => `DELETE FROM ${table} WHERE organization_id = ${id};`).join(' '));
    expect((await operator.say(`audit verify --practice ${id}`)).err).toContain('the head of the chain is missing');
    await tamper('DELETE FROM audit_head; DELETE FROM audit_roll; DELETE FROM audit_link; DELETE FROM audit_entry; DELETE FROM event');
    expect((await operator.say(`audit verify --practice ${id}`)).code).toBe(0);
    expect(await verify(id, file)).toMatchObject({ code: 1, err: expect.stringContaining('its newest links were cut off') });
  });

  it('are checked by anybody with the public key in them, and refused where a line was altered', async () => {
    const id = await sealed();
    const file = join(folder, 'altered');
    await operator.say(`audit anchor --file ${file}`);
    const jws = Line.parse(JSON.parse(await readFile(file, 'utf8')));
    const { jwk } = Header.parse(JSON.parse(Buffer.from(jws.protected, 'base64url').toString()));
    const { payload } = await flattenedVerify(jws, await importJWK(jwk, 'EdDSA'));
    expect(JSON.parse(Buffer.from(payload).toString()).heads).toEqual(
      expect.arrayContaining([expect.objectContaining({ organization: id, position: 3 })]),
    );
    const other = Buffer.from(JSON.stringify({ at: new Date().toISOString(), heads: [] })).toString('base64url');
    for (const line of [JSON.stringify({ ...jws, payload: other }), '{}', 'nothing']) {
      await writeFile(file, `${line}\n`);
      expect(await verify(id, file)).toMatchObject({ code: 1, err: expect.stringMatching(/^Anchor 1 of .* was altered/m) });
    }
  });

  it('are made of the chains that hold, and used where they were not altered, beside one that does not', async () => {
    const [good, edited] = [await sealed(), await sealed()];
    const file = join(folder, 'partly');
    await operator.say(`audit anchor --file ${file}`);
    await tamper(`UPDATE audit_head SET events = events + 1 WHERE organization_id = ${edited}`);
    const said = await operator.say(`audit anchor --file ${file}`);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(`The chain of practice ${edited} is not in the anchor`) });
    const [first, second, ...others] = (await readFile(file, 'utf8')).trim().split('\n');
    expect(others).toEqual([]);
    const heads = (line = '') => JSON.parse(Buffer.from(Line.parse(JSON.parse(line)).payload, 'base64url').toString()).heads;
    const organizations = (line?: string) => heads(line).map(({ organization }: { organization: number }) => organization);
    expect(organizations(first)).toEqual(expect.arrayContaining([good, edited]));
    expect(organizations(second)).toContain(good);
    expect(organizations(second)).not.toContain(edited);
    await writeFile(file, `{}\n${second}\n`);
    const all = await operator.say(`audit verify --anchors ${file}`);
    expect(all.err).toMatch(/^Anchor 1 of .* was altered/m);
    expect(all.err).toContain(`The audit of practice ${edited} is broken`);
    expect((await operator.ask(Reports, `audit verify --practice ${good}`))[0]?.unsealed).toBe(0);
    await tamper(`UPDATE audit_head SET events = events - 1 WHERE organization_id = ${edited}`);
  });

  it('go to a bucket under a lock until their day', async () => {
    const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
    const bucket = createServer((request, response) => {
      requests.push({ path: String(request.url), headers: request.headers });
      request.resume().on('end', () => response.end());
    });
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void bucket.close());
    const address = bucket.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const s3 = { FILES_S3_ENDPOINT: `http://127.0.0.1:${port}`, FILES_S3_ACCESS_KEY_ID: 'id', FILES_S3_SECRET_ACCESS_KEY: 'secret' };
    const line = ['audit', 'anchor', '--s3', 's3://evidence/clinic', '--retention-days', '30'];
    expect(await admin({ ...operator.env, ...s3 }, line, '', test.database)).toMatchObject({ code: 0, err: '' });
    const [{ path, headers } = { path: '', headers: {} }] = requests;
    expect(path).toMatch(/^\/evidence\/clinic\/\d{4}-\d\d-\d\dT[\d.-]+Z\.json/);
    expect(headers).toMatchObject({ 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-checksum-sha256': expect.any(String) });
    const until = Date.parse(String(headers['x-amz-object-lock-retain-until-date']));
    expect(Math.round((until - Date.now()) / 86_400_000)).toBe(30);
  });

  it('need one place', async () => {
    for (const line of ['audit anchor', 'audit anchor --file a --s3 s3://b'])
      expect(await operator.say(line)).toMatchObject({ code: 2, err: expect.stringContaining('Name one place') });
  });
});
