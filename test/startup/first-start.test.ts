import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { killServers, type ServerProcess, startServer } from '../support/server-process.ts';

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
});
