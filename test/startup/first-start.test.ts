import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'triptych-start-'));
afterAll(async () => {
  await killServers();
  await rm(dataDir, { recursive: true, force: true });
});

/** The lines of progress that were on the screen before it was ready. */
async function readProgress(server: ServerProcess): Promise<string[]> {
  await server.ready;
  const [before = ''] = server.screen().split('Triptych is ready');
  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
  // Not what is logged, such as a statement that was slow.
  return before.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'));
}

/** Processes of a server that fill a demo. From /proc; the test needs Linux. */
async function countFillers({ pid }: ServerProcess): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  const commands = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => /demo\.[jt]s/.test(command)).length;
}

describe('the screen of a start', () => {
  it('has a line for the database, the migrations and the demo data the first time, and none the second', async () => {
    const start = () => startServer(dataDir, { SEED_DEMO: '' });
    expect(await readProgress(start())).toEqual([
      expect.stringMatching(/^ {2}Triptych is creating a database in /),
      expect.stringMatching(/^ {2}Triptych is applying \d+ migrations?$/),
      '  Triptych is creating two demo practices with patients and appointments',
    ]);
    expect(await readProgress(start())).toEqual([]);
  });

  it('has none where demo.json is gone from beside the practices, and no process waits to add them', async () => {
    await rm(join(dataDir, 'demo.json'));
    const server = startServer(dataDir, { SEED_DEMO: '' });
    await server.ready;
    await eventually('the process that fills the demo has ended', async () => (await countFillers(server)) === 0);
    expect(await readProgress(server)).toEqual([]);
  });
});
