import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { movedClock } from '../support/moved-clock.ts';
import { removeFolder } from '../support/scratch.ts';
import { createOperator, toEnvironment } from './command-line.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ROWS = 5_000;

const test = await sharedTestApp();
const { prisma } = test.database;
const folder = await mkdtemp(join(tmpdir(), 'triptych-import-'));
afterAll(() => removeFolder(folder));

const Undone = z.object({ removed: z.int(), kept: z.array(z.unknown()) });
const Result = z.object({ id: z.int(), state: z.string(), rows: z.int(), created: z.int() });

/** Starts the command, and kills it once the practice has so many charts. */
async function killOnTheWay(argv: string[], organizationId: number, isReached: (charts: number) => boolean): Promise<void> {
  const env = { PATH: process.env.PATH, ...movedClock(), ...toEnvironment(test) };
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, 'scripts/admin.mjs'), ...argv], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (child.exitCode === null && !isReached(await prisma.patient.count({ where: { organizationId } })));
  child.kill('SIGKILL');
  await ended;
}

it('goes on after a kill, and stores each row once, though no row has a number', async () => {
  const { id } = await createOrganization(prisma, { matchOnRegistration: false });
  const file = join(folder, 'people.csv');
  await writeFile(file, `firstname,dob\n${Array.from({ length: ROWS }, (_, n) => `Person ${n},1980-01-01\n`).join('')}`);
  const argv = ['import', 'patients', file, '--practice', String(id)];
  await killOnTheWay(argv, id, (charts) => charts >= 1_000);
  const before = await prisma.importRun.findFirstOrThrow({ where: { organizationId: id } });
  expect(before.state).toBe('running');
  expect(before.rows).toBeLessThan(ROWS);
  const result = await createOperator(test).ask(Result, argv.join(' '));
  expect(result).toMatchObject({ state: 'done', rows: ROWS, created: ROWS });
  const names = await prisma.patient.findMany({ where: { organizationId: id }, select: { firstName: true } });
  expect([names.length, new Set(names.map(({ firstName }) => firstName)).size]).toEqual([ROWS, ROWS]);
  expect(await prisma.event.count({ where: { organizationId: id, name: 'patient.imported' } })).toBe(ROWS);
}, 120_000);

it('is undone completely, though the undoing was killed', async () => {
  const { id } = await createOrganization(prisma, { matchOnRegistration: false });
  const file = join(folder, 'undone.csv');
  await writeFile(file, `firstname,dob\n${Array.from({ length: 600 }, (_, n) => `Person ${n},1980-01-01\n`).join('')}`);
  const operator = createOperator(test);
  const { id: number } = await operator.ask(Result, `import patients ${file} --practice ${id}`);
  const undo = ['imports', 'undo', String(number), '--practice', String(id)];
  await killOnTheWay(undo, id, (charts) => charts < 580);
  const left = await prisma.patient.count({ where: { organizationId: id } });
  expect(left).toBeGreaterThan(0);
  expect(await operator.ask(Undone, undo.join(' '))).toEqual({ removed: left, kept: [] });
  expect(await prisma.event.count({ where: { organizationId: id, name: 'patient.erased' } })).toBe(600);
}, 120_000);
