import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder } from '../support/scratch.ts';
import { databaseProcesses, eventually, killServers, postmasters, type ServerProcess, startServer } from '../support/server-process.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-worker-'));
});
afterEach(async () => {
  await killServers();
  await eventually('no database process is left', async () => (await databaseProcesses(dataDir)).length === 0);
  await removeFolder(dataDir);
});

async function startWorker(): Promise<ServerProcess> {
  const worker = startServer(dataDir, { LOG_LEVEL: 'info' }, { command: [process.execPath, 'scripts/worker.mjs'] });
  await eventually('the worker works', async () => worker.screen().includes('worker started'));
  return worker;
}

describe('a worker on the database of DATA_DIR', () => {
  it('works beside the server, also when both begin at once, and is not missed when it stops', async () => {
    const server = startServer(dataDir, { RUN_JOBS: 'false' });
    await eventually('the server makes the database', async () => server.screen().includes('creating a database'));
    const worker = await startWorker();
    const address = await server.ready;
    expect(await postmasters(dataDir)).toHaveLength(1);
    worker.kill('SIGTERM');
    expect(await worker.exited).toMatchObject({ code: 0, stderr: '' });
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  it('ends with one sentence when the server goes, so that whoever watches over it starts it again', async () => {
    const server = startServer(dataDir);
    await server.ready;
    const worker = await startWorker();
    server.kill('SIGTERM');
    await server.exited;
    const { code, stderr } = await worker.exited;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The embedded database ended, or the server that runs it. Start the worker again.\n',
    });
  });

  it('tells more for a while at a signal, as the server does, and less at the next', async () => {
    const server = startServer(dataDir, { RUN_JOBS: 'false', LOG_LEVEL: 'warn' });
    const address = await server.ready;
    const worker = await startWorker();
    for (const { process, level } of [
      { process: server, level: 'warn' },
      { process: worker, level: 'info' },
    ]) {
      const lines = () => process.screen().split('\n');
      process.kill('SIGUSR2');
      await eventually('it says so, and names each statement', async () => {
        await fetch(`${address}/readyz`);
        await fetch(`${address}/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"email":"a@b.example","password":"x"}',
        });
        return (
          lines().some((line) => line.includes('the log is at the level debug')) &&
          lines().some((line) => line.includes('"msg":"statement"'))
        );
      });
      process.kill('SIGUSR2');
      await eventually('it is quiet again', async () => lines().some((line) => line.includes(`the log is at the level ${level} again`)));
    }
    server.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
  });

  it('has health and metrics of its own, where it has a port for them', async () => {
    const worker = startServer(
      dataDir,
      { LOG_LEVEL: 'info', WORKER_PORT: '0', METRICS_TOKEN: 'a-token-for-prometheus' },
      { command: [process.execPath, 'scripts/worker.mjs'] },
    );
    const readPort = () => /worker are served on port (\d+)/.exec(worker.screen())?.[1];
    await eventually('it listens', async () => readPort() !== undefined);
    const at = (path: string, headers = {}) => fetch(`http://127.0.0.1:${readPort()}${path}`, { headers });
    expect((await at('/healthz')).status).toBe(200);
    const early = await at('/readyz');
    expect([early.status, await early.json()]).toEqual([503, { status: 'starting' }]);
    await eventually('it is ready', async () => (await at('/readyz')).status === 200);
    expect((await at('/metrics')).status).toBe(401);
    const text = await (await at('/metrics', { authorization: 'Bearer a-token-for-prometheus' })).text();
    for (const name of ['process_cpu_seconds_total', 'database_connections', 'webhook_attempts_total'])
      expect(text).toContain(`# TYPE ${name} `);
    expect((await at('/api/patients/1')).status).toBe(404);
    worker.kill('SIGTERM');
    expect(await worker.exited).toMatchObject({ code: 0, stderr: '' });
  });

  it('runs the database itself where there is no server', async () => {
    const worker = await startWorker();
    expect(await postmasters(dataDir)).toHaveLength(1);
    worker.kill('SIGTERM');
    const { code, stdout, stderr } = await worker.exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/"worker stopping; jobs in progress are finished first"\}\n(.*\n)*.*"worker stopped"\}\n$/);
    expect(await databaseProcesses(dataDir)).toEqual([]);
  });
});
