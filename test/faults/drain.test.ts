import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Clinic, foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';

/** Milliseconds between two looks of a balancer at each server. */
const PROBE_MS = 500;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-drain-'));
});
afterEach(killServers);
afterAll(() => removeFolder(folder));

const readiness = async (address: string) => {
  const answer = await fetch(`${address}/readyz`);
  return [answer.status, await answer.json()];
};

async function expectCleanStop(server: ServerProcess, since: number): Promise<void> {
  expect(await server.exited).toMatchObject({ code: 0, stderr: '' });
  expect(performance.now() - since).toBeLessThan(10_000);
}

it('a server that has its stop signal is not ready and answers for DRAIN_SECONDS, then ends within 10 s', async () => {
  const dataDir = join(folder, 'one');
  const server = startServer(dataDir, { DRAIN_SECONDS: '3' });
  const address = await server.ready;
  const clinic = await foundClinic(address, await databaseUrl(dataDir));
  expect(await readiness(address)).toEqual([200, { status: 'ready', jobs: 'running' }]);
  const since = performance.now();
  server.kill('SIGTERM');
  await eventually('it is not ready', async () => (await readiness(address))[0] === 503, 2_000);
  expect(await readiness(address)).toEqual([503, { status: 'stopping' }]);
  while (performance.now() - since < 2_000) {
    expect((await clinic.post('/patients', { lname: 'Late' })).status).toBe(200);
    await sleep(50);
  }
  await expectCleanStop(server, since);
  expect(performance.now() - since).toBeGreaterThan(3_000);
});

it('no request fails while one of two servers stops behind a balancer that asks each of them every half second', async () => {
  const dataDir = join(folder, 'two');
  const keeper = startServer(dataDir, { DRAIN_SECONDS: '5' });
  const first = await keeper.ready;
  const url = await databaseUrl(dataDir);
  const other = startServer(dataDir, { DRAIN_SECONDS: '5', DATABASE_URL: url });
  const clinic = await foundClinic(first, url);
  const balancer = startBalancer([first, await other.ready], clinic);
  await balancer.answered(50);
  const since = performance.now();
  other.kill('SIGTERM');
  await expectCleanStop(other, since);
  await balancer.answered(50);
  const { failed, count } = await balancer.stop();
  console.log(`  ${count} requests while a server stopped: failed ${failed.length}`);
  expect(failed).toEqual([]);
  keeper.kill('SIGTERM');
  expect(await keeper.exited).toMatchObject({ code: 0 });
});

/** Sends requests, by turns, to the servers that were ready when they were last asked, and sends none again. */
function startBalancer(servers: readonly string[], clinic: Clinic) {
  const ready = new Set(servers);
  const failed: unknown[] = [];
  let [count, goesOn] = [0, true];
  const probe = async (server: string) => {
    for (; goesOn; await sleep(PROBE_MS)) {
      if (
        await readiness(server).then(
          ([status]) => status === 200,
          () => false,
        )
      )
        ready.add(server);
      else ready.delete(server);
    }
  };
  const send = async (worker: number) => {
    for (; goesOn; await sleep(10)) {
      const open = [...ready];
      const at = clinic.at(open[(count + worker) % open.length] ?? 'http://127.0.0.1:1');
      const sent = count % 2 ? at.post('/patients', { lname: 'Balanced' }) : at.get('/appointments/types');
      count += 1;
      await sent.then(
        ({ status }) => status === 200 || failed.push(status),
        (error: unknown) => failed.push(error),
      );
    }
  };
  const running = Promise.all([...servers.map(probe), ...[0, 1, 2, 3].map(send)]);
  return {
    /** Waits until so many more have been answered. */
    answered: (more: number) => {
      const until = count + more;
      return eventually(`${more} more answers`, async () => count >= until);
    },
    async stop() {
      goesOn = false;
      await running;
      return { failed, count };
    },
  };
}
