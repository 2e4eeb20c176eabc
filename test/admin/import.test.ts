import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { runAsSuperuser } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';
import { admin, createOperator } from './command-line.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const operator = createOperator(test);
const folder = await mkdtemp(join(tmpdir(), 'triptych-import-'));
afterAll(() => removeFolder(folder));

const Result = z.object({ state: z.string(), rows: z.int(), created: z.int(), skipped: z.int(), updated: z.int(), refused: z.int() });

/** Entries of the indexes of charts that were read so far. */
async function entriesRead(): Promise<number> {
  const [row] = await prisma.$queryRaw<{ read: number }[]>`
    SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE relname = 'patient'`;
  return row?.read ?? 0;
}

async function createFile(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('admin import', () => {
  it('imports a file with a mapping, reports odd rows, and takes the mended report', async () => {
    const { id } = await createOrganization(prisma);
    const rows = Array.from({ length: 1_200 }, (_, n) => `k${n},Person ${n},1980-01-01,${n % 10 === 3 ? 'odd' : '27601'}\n`);
    const file = await createFile('charts.csv', `Key,Given name,dob,zip\n${rows.join('')}`);
    const map = await createFile('map.yaml', 'Key: external_id\nGiven name: firstname\n');
    const report = join(folder, 'report.csv');
    const dry = await operator.say(`import patients ${file} --practice ${id} --mapping ${map} --dry-run`);
    expect(dry).toMatchObject({
      code: 1,
      out: expect.stringMatching(/created +1080/),
      err: expect.stringContaining('120 rows were refused'),
    });
    expect(await prisma.patient.count({ where: { organizationId: id } })).toBe(0);
    const said = await operator.say(`import patients ${file} --practice ${id} --mapping ${map} --report ${report}`);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(`Correct ${report} and import it.`) });
    expect((await stat(report)).mode & 0o777).toBe(0o600);
    const mended = await createFile('mended.csv', (await readFile(report, 'utf8')).replaceAll('odd', '27602'));
    const again = await operator.ask(Result, `import patients ${mended} --practice ${id} --mapping ${map}`);
    expect(again).toMatchObject({ state: 'done', rows: 120, created: 120, refused: 0 });
    const twice = await operator.say(`import patients ${file} --practice ${id} --mapping ${map}`);
    expect(twice.out).toMatch(/created +0\n/);
    const found = await prisma.patient.groupBy({ by: ['zip'], where: { organizationId: id }, _count: true, orderBy: { zip: 'asc' } });
    expect(found).toMatchObject([
      { zip: '27601', _count: 1_080 },
      { zip: '27602', _count: 120 },
    ]);
  });

  it('begins anew with a file that was changed after a kill, and says of the former import that it has failed', async () => {
    const { id } = await createOrganization(prisma);
    const runs = { where: { organizationId: id }, orderBy: { id: 'asc' } } as const;
    const file = await createFile('cut-off.csv', 'external_id,firstname,dob\n1,Ana,1980-01-01\n');
    await operator.ask(Result, `import patients ${file} --practice ${id}`);
    // As a killed command leaves it.
    await prisma.importRun.updateMany({ where: runs.where, data: { state: 'running', finishedAt: null } });
    await createFile('cut-off.csv', 'external_id,firstname,dob\n1,Ana,1980-01-01\n2,Bea,1980-01-02\n');
    expect(await operator.ask(Result, `import patients ${file} --practice ${id}`)).toMatchObject({ rows: 2, created: 1, skipped: 1 });
    expect(await prisma.importRun.findMany(runs)).toMatchObject([
      { state: 'failed', failure: 'The file, or how it is imported, was changed after its first 1 rows.' },
      { state: 'done' },
    ]);
  });

  it('reads no chart beside those that its rows name, in a practice that the statistics of the database do not know', async () => {
    const [before, { id }] = [await createOrganization(prisma), await createOrganization(prisma)];
    const charts = await createFile(
      'many.csv',
      `external_id,firstname,dob\n${Array.from({ length: 3_000 }, (_, n) => `m${n},A,1980-01-01\n`).join('')}`,
    );
    await operator.say(`import patients ${charts} --practice ${before.id}`);
    await runAsSuperuser(test.databaseUrl, 'ANALYZE patient');
    await operator.say(`import patients ${charts} --practice ${id}`);
    const rows = Array.from({ length: 200 }, (_, n) => `m${n},2024-03-04T09:30,30\n`);
    const visits = await createFile('visits.csv', `patient_external_id,appointment_date,duration_minutes\n${rows.join('')}`);
    const readBefore = await entriesRead();
    // By connections of its own: the database counts what they read when they end.
    const said = await admin(operator.env, ['import', 'appointments', visits, '--practice', String(id)]);
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/created +200\n/) });
    const read = await vi.waitFor(async () => {
      const count = (await entriesRead()) - readBefore;
      expect(count).toBeGreaterThanOrEqual(200);
      return count;
    }, 20_000);
    expect(read).toBeLessThan(10_000);
  });

  it('refuses files, mappings and practices that are not there', async () => {
    const { id } = await createOrganization(prisma);
    const file = await createFile('one.csv', 'firstname\nA\n');
    const bad = await createFile('bad.yaml', 'firstname: nothing\n');
    expect(await operator.say(`import patients ${file}.none --practice ${id}`)).toMatchObject({ code: 2 });
    expect(await operator.say(`import patients ${file} --practice 999999999`)).toMatchObject({ code: 1 });
    expect(await operator.say(`import patients ${file} --practice ${id} --mapping ${bad}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('"nothing", which is none of'),
    });
    const several = await createFile('several.yaml', 'A: firstname\n---\nB: lastname\n');
    expect(await operator.say(`import patients ${file} --practice ${id} --mapping ${several}`)).toMatchObject({
      code: 1,
      err: `${several}:2: contains several YAML documents. Use a file for each.\n`,
    });
    expect(await operator.say(`import patients ${file} --practice ${id} --report ${file}`)).toMatchObject({ code: 2 });
  });
});
