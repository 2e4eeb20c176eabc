import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSupervised } from '../../../src/database/embedded/supervised.ts';
import { eventually } from '../../support/server-process.ts';

it('ends a program that an interrupt does not end, by SIGQUIT and at last by SIGKILL', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-stuck-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  /** Hears SIGINT and goes on, as a PostgreSQL that is stuck in its recovery does. */
  const stuck = (name: string, onQuit: string) => {
    const ready = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, name))}, '')`;
    const script = `process.on('SIGINT', () => {}); process.on('SIGQUIT', () => ${onQuit}); setInterval(() => {}, 1_000); ${ready}`;
    return startSupervised(null, [], [process.execPath, '-e', script]);
  };
  const programs = await Promise.all([stuck('one', 'process.exit(7)'), stuck('two', '{}')]);
  await eventually('both hear signals', async () => (await readdir(folder)).length === 2);
  await Promise.all(programs.map((program) => program.stop()));
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([7, 128 + 9]);
});
