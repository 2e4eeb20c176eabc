import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { toEnvironment } from '../admin/command-line.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ROWS = Number(process.env.PATIENTS ?? 50_000);
const KILLS = Number(process.env.KILLS ?? 5);

const test = await sharedTestApp();
const { prisma } = test.database;
const folder = await mkdtemp(join(tmpdir(), 'triptych-import-'));
afterAll(() => removeFolder(folder));

/** A tenth of the rows is odd. */
const writeRow = (n: number) => `k-${n},Person ${n},Family ${n % 997},${n % 10 === 7 ? '31.12.1980' : '1980-12-31'},27601\n`;

/** The command as a process. */
function start(argv: readonly string[]) {
  const env = { PATH: process.env.PATH, ...toEnvironment(test) };
  const child = spawn(process.execPath, [join(ROOT, 'scripts/admin.mjs'), ...argv], { env, stdio: 'ignore' });
  return { child, ended: once(child, 'exit') };
}

it(`stores ${ROWS} charts with a tenth of odd rows once each, though the command is killed ${KILLS} times`, async () => {
  const { id } = await createOrganization(prisma);
  const file = join(folder, 'charts.csv');
  const report = join(folder, 'report.csv');
  await writeFile(file, `external_id,firstname,lastname,dob,zip\n${Array.from({ length: ROWS }, (_, n) => writeRow(n)).join('')}`);
  const argv = ['import', 'patients', file, '--practice', String(id), '--report', report];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { child, ended } = start(argv);
    const until = Math.floor((ROWS * 0.9 * kill) / (KILLS + 1));
    while ((await prisma.patient.count({ where: { organizationId: id } })) < until && child.exitCode === null);
    child.kill('SIGKILL');
    await ended;
  }
  // Rows are refused.
  expect(await start(argv).ended).toEqual([1, null]);
  const mended = join(folder, 'mended.csv');
  await writeFile(mended, (await readFile(report, 'utf8')).replaceAll('31.12.1980', '1980-12-31'));
  expect(await start(['import', 'patients', mended, '--practice', String(id)]).ended).toEqual([0, null]);
  const charts = await prisma.patient.findMany({ where: { organizationId: id }, select: { externalId: true } });
  expect([charts.length, new Set(charts.map(({ externalId }) => externalId)).size]).toEqual([ROWS, ROWS]);
  expect(await prisma.event.count({ where: { organizationId: id, name: 'patient.imported' } })).toBe(ROWS);
}, 900_000);
