import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../src/database/database.ts';
import { listFiles, readLines } from '../support/archive-files.ts';
import { type Caller, runCommand, startAsking, startCommand } from '../support/backups.ts';
import { foundClinic } from '../support/clinic.ts';
import { runSql } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseOwnerUrl, databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

const KILLS = Number(process.env.KILLS ?? 100);
/** Of archives, and of discards, at any moment of theirs. Each is asked for one month more. */
const ROUNDS = KILLS < 100 ? 4 : 30;
/** Entries of a practice in a month. */
const ENTRIES = 1_000;
const MONTHS = ROUNDS + 2;

let folder: string;
let dataDir: string;
let place: string;
let caller: Caller;
let client: pg.Client;
/** A practice that the server writes for, and one that nobody works in any more. */
let practices: [busy: number, old: number];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-archives-'));
  [dataDir, place] = [join(folder, 'data'), join(folder, 'place')];
  await mkdir(dataDir);
  const address = await startServer(dataDir, { RATE_LIMIT: '1000000' }).ready;
  const [url, ownerUrl] = [await databaseUrl(dataDir), await databaseOwnerUrl(dataDir)];
  client = new pg.Client({ connectionString: url });
  await client.connect();
  // Everything that is written is counted beside the audit, where no command of it comes.
  await runSql(
    ownerUrl,
    `CREATE TABLE written (organization_id int, id bigint PRIMARY KEY);
     GRANT SELECT ON written TO PUBLIC;
     CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS
       $$ BEGIN INSERT INTO written VALUES (NEW.organization_id, NEW.id); RETURN NULL; END $$;
     CREATE TRIGGER note_written AFTER INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION note_written()`,
  );
  const { prisma, close } = openDatabase({ url, poolSize: 1 });
  const { id: old } = await createOrganization(prisma);
  await close();
  const clinic = await foundClinic(address, url);
  practices = [clinic.organizationId, old];
  for (let month = 0; month < MONTHS; month += 1)
    for (const id of practices)
      await runSql(
        ownerUrl,
        `INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
         SELECT ${id}, '${writeDay(month)}'::timestamptz + n * interval '1 minute', 'user:1', 'read', 'patient', ARRAY[n], 'GET /chart'
           FROM generate_series(1, ${ENTRIES}) n`,
      );
  await runSql(ownerUrl, 'SELECT make_log_partitions()');
  const { body } = await clinic.post('/patients', { lname: 'Stays' });
  caller = startAsking(() => clinic.get(`/patients/${body.data.uuid}`));
});
afterAll(async () => {
  await caller.stop();
  await client.end();
  await killServers();
  await removeFolder(folder);
});

/** The first day of a month, counted from January 2016. */
const writeDay = (month: number): string => new Date(Date.UTC(2016, month, 1)).toISOString().slice(0, 10);

const readNumber = async (sql: string): Promise<number> => Number((await client.query(`SELECT (${sql})::int AS number`)).rows[0].number);
const verify = (...rest: string[]) => runCommand(dataDir, ['audit', 'verify', ...rest]);

interface Killing {
  argv: string[];
  /** The step from which on it is killed; the empty text from its start on. */
  from: string;
  /** Milliseconds that it takes from there on: those of the last one that came to its end. Before that infinite, and it is not killed. */
  tookMs: number;
}

/** Kills a command at a random moment. @returns whether it was cut off; one that came to its end did so as it should */
async function isCutOff(killing: Killing): Promise<boolean> {
  const { argv, from, tookMs } = killing;
  const command = startCommand(dataDir, argv);
  let ended = false;
  void command.exited.then(() => {
    ended = true;
  });
  await eventually('it has begun', async () => ended || command.errors().includes(from));
  const begun = performance.now();
  if (Number.isFinite(tookMs)) {
    await Promise.race([sleep(randomInt(Math.ceil(tookMs * 1.2))), command.exited]);
    command.kill('SIGKILL');
  }
  const { code, stderr } = await command.exited;
  if (code === 1) expect(stderr).toContain('Run the command again.');
  else if (code !== null) expect({ code, stderr }).toMatchObject({ code: 0 });
  if (code === 0) killing.tookMs = performance.now() - begun;
  return code === null;
}

/** Runs it to its end: PostgreSQL may not have seen yet that one that was killed is gone. */
const toItsEnd = (argv: string[]): Promise<void> =>
  eventually('it comes to its end', async () => {
    const { code, stderr } = await runCommand(dataDir, argv);
    if (code !== 0) expect(stderr).toContain('Run the command again.');
    return code === 0;
  });

/** Ids of the entries in the files of a practice that its checkpoints name and that are not discarded, in their order. */
async function archivedIds(organizationId: number): Promise<number[]> {
  const { rows } = await client.query(
    'SELECT file FROM audit_checkpoint WHERE organization_id = $1 AND discarded_at IS NULL ORDER BY position',
    [organizationId],
  );
  const ids: number[] = [];
  for (const { file } of z.array(z.object({ file: z.string() })).parse(rows))
    for (const line of await readLines(join(place, file))) {
      const { type, id } = z.object({ type: z.string(), id: z.string().optional() }).parse(JSON.parse(line));
      if (type === 'entry') ids.push(Number(id));
    }
  return ids;
}

/** Every entry that was written is in the archive or in the table: in the archive and not in the table where it is archived. */
async function nothingLostOrDoubled(end: string): Promise<void> {
  for (const id of practices) {
    const archived = await archivedIds(id);
    expect(new Set(archived).size).toBe(archived.length);
    const countWritten = async (condition: string) => {
      const sql = `SELECT count(*)::int AS number FROM written w LEFT JOIN audit_entry e ON e.organization_id = $1 AND e.id = w.id
                    WHERE w.organization_id = $1 AND ${condition}`;
      return Number((await client.query(sql, [id, archived])).rows[0].number);
    };
    expect(await countWritten('w.id = ANY ($2)')).toBe(archived.length);
    expect(await countWritten('w.id = ANY ($2) AND e.id IS NOT NULL')).toBe(0);
    expect(await countWritten(`NOT w.id = ANY ($2) AND (e.id IS NULL OR e.at < '${end}')`)).toBe(0);
    expect(await readNumber(`SELECT count(*) FROM audit_entry e LEFT JOIN written USING (id) WHERE written.id IS NULL`)).toBe(0);
    expect(archived.length).toBeGreaterThanOrEqual(ENTRIES * (ROUNDS + 1));
  }
}

it(`an archive of the audit that is killed ${ROUNDS} times, at any moment, loses and doubles nothing`, {
  timeout: 120_000 + ROUNDS * 60_000,
}, async () => {
  const archive = (month: number) => ['audit', 'archive', '--before', writeDay(month), '--to', place];
  const killing: Killing = { argv: archive(1), from: 'sealing', tookMs: Number.POSITIVE_INFINITY };
  expect(await isCutOff(killing)).toBe(false);
  let cut = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    killing.argv = archive(round + 2);
    if (await isCutOff(killing)) cut += 1;
    expect(await verify('--archive', place)).toMatchObject({ code: 0, stderr: '' });
    if (round % 2 === 1) await toItsEnd(killing.argv);
  }
  await toItsEnd(archive(ROUNDS + 1));
  await caller.stop();
  expect([...caller.statuses]).toEqual([200]);
  for (const rest of [[], ['--archive', place]]) expect(await verify(...rest)).toMatchObject({ code: 0, stderr: '' });
  const end = writeDay(ROUNDS + 1);
  expect(await readNumber(`SELECT count(*) FROM audit_entry WHERE at < '${end}'`)).toBe(0);
  expect(await readNumber(`SELECT count(*) FROM log_partitions() WHERE log = 'audit_entry' AND upper <= '${end}'`)).toBe(0);
  await nothingLostOrDoubled(end);
  const known = await readNumber('SELECT count(*) FROM audit_checkpoint');
  const left = (await listFiles(place)).length - known;
  console.log(`  ${ROUNDS} kills of archives, ${cut} of them cut off; ${known} files, and ${left} that no checkpoint names`);
});

it(`a discard that is killed ${ROUNDS} times, at any moment, leaves a chain that holds and nothing that was discarded`, {
  timeout: 120_000 + ROUNDS * 60_000,
}, async () => {
  const discard = (month: number) => ['audit', 'discard', '--before', writeDay(month), '--from', place];
  const planned = async (month: number) => {
    const { stdout } = await runCommand(dataDir, [...discard(month), '--json']);
    return z.object({ confirm: z.string().optional() }).parse(JSON.parse(stdout)).confirm;
  };
  const begun = performance.now();
  await planned(0);
  const killing: Killing = { argv: [], from: '', tookMs: performance.now() - begun };
  let cut = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const word = await planned(round + 2);
    killing.argv = [...discard(round + 2), '--confirm', word ?? ''];
    if (word && (await isCutOff(killing))) cut += 1;
    expect(await verify('--archive', place)).toMatchObject({ code: 0, stderr: '' });
  }
  for (let word = await planned(ROUNDS); word; word = await planned(ROUNDS)) await toItsEnd([...discard(ROUNDS), '--confirm', word]);
  expect(await verify('--archive', place)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('were discarded by tester'),
  });
  const there = await listFiles(place);
  const { rows } = await client.query('SELECT file FROM audit_checkpoint WHERE discarded_at IS NOT NULL');
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ file }) => there.includes(join(place, file)))).toEqual([]);
  const gone = await readNumber(
    `SELECT sum(position - previous_position) FROM audit_checkpoint WHERE discarded_at IS NOT NULL AND organization_id = ${practices[1]}`,
  );
  expect((await archivedIds(practices[1])).length + gone).toBeGreaterThanOrEqual(ENTRIES * (ROUNDS + 1));
  console.log(`  ${ROUNDS} kills of discards, ${cut} of them cut off; ${rows.length} files discarded`);
});
