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

const Result = z.object({ state: z.string(), rows: z.int(), created: z.int() });

/** Starts the command, and kills it once it has stored some rows. */
async function killOnTheWay(argv: string[], organizationId: number): Promise<void> {
  const env = { PATH: process.env.PATH, ...movedClock(), ...toEnvironment(test) };
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, 'scripts/admin.mjs'), ...argv], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  for (let stored = 0; stored < 1_000 && child.exitCode === null; ) stored = await prisma.patient.count({ where: { organizationId } });
  child.kill('SIGKILL');
  await ended;
}

it('goes on after a kill, and stores each row once, though no row has a number', async () => {
  const { id } = await createOrganization(prisma, { matchOnRegistration: false });
  const file = join(folder, 'people.csv');
  await writeFile(file, `firstname\n${Array.from({ length: ROWS }, (_, n) => `Person ${n}\n`).join('')}`);
  const argv = ['import', 'patients', file, '--practice', String(id)];
  await killOnTheWay(argv, id);
  const before = await prisma.importRun.findFirstOrThrow({ where: { organizationId: id } });
  expect(before.state).toBe('running');
  expect(before.rows).toBeLessThan(ROWS);
  const result = await createOperator(test).ask(Result, argv.join(' '));
  expect(result).toMatchObject({ state: 'done', rows: ROWS, created: ROWS });
  const names = await prisma.patient.findMany({ where: { organizationId: id }, select: { firstName: true } });
  expect([names.length, new Set(names.map(({ firstName }) => firstName)).size]).toEqual([ROWS, ROWS]);
  expect(await prisma.event.count({ where: { organizationId: id, name: 'patient.imported' } })).toBe(ROWS);
}, 120_000);
