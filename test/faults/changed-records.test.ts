import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { foundClient } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, eventually, killServers, startServer } from '../support/server-process.ts';

const KILLS = Number(process.env.KILLS ?? 10);
const POLLERS = 3;
/** Milliseconds after the first record of a round in which the kill falls. */
const KILL_WITHIN_MS = 800;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-changed-'));
});
afterAll(async () => {
  await killServers();
  await removeFolder(dataDir);
});

const start = () => startServer(dataDir, { RATE_LIMIT: '1000000' });

const registered = z.tuple([z.object({ patientid: z.int() })]);
const feed = z.object({ patients: z.array(z.object({ patientid: z.string() })) });

/** A client of the practice API at one start of the server. Each call is null where the server is gone. */
function clientAt(address: string, { organizationId, token }: { organizationId: number; token: string }) {
  const call = async (path: string, form?: Record<string, string>): Promise<unknown> => {
    const post = { method: 'POST', body: new URLSearchParams(form) };
    const answer = await fetch(`${address}/v1/${organizationId}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
      ...(form ? post : {}),
    }).catch(() => null);
    if (answer && answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer === null ? null : answer.json().catch(() => null);
  };
  return {
    subscribe: () => call('/patients/changed/subscription', {}),
    async register(): Promise<number | null> {
      const answer = await call('/patients', { lastname: 'Changed' });
      return answer === null ? null : registered.parse(answer)[0].patientid;
    },
    async changed(query: string): Promise<number[] | null> {
      const answer = await call(`/patients/changed?${query}`);
      return answer === null ? null : feed.parse(answer).patients.map(({ patientid }) => Number(patientid));
    },
  };
}

it(`hands each changed record out once, or shows it again, when the server is killed ${KILLS} times`, {
  timeout: 60_000 + KILLS * 20_000,
}, async () => {
  const [ids, answered]: [number[], number[]] = [[], []];
  let server = start();
  const who = await foundClient(await server.ready, await databaseUrl(dataDir), ['practice.read', 'practice.write']);
  let client = clientAt(await server.ready, who);
  await client.subscribe();

  /** Calls until the server is gone. */
  async function untilGone(one: () => Promise<number[] | null>, into: number[]): Promise<void> {
    for (let found = await one(); found !== null; found = await one()) into.push(...found);
  }
  const load = ({ register, changed }: typeof client) => [
    untilGone(async () => {
      const id = await register();
      return id === null ? null : [id];
    }, ids),
    ...Array.from({ length: POLLERS }, () => untilGone(() => changed('limit=2'), answered)),
  ];

  for (let round = 1; round <= KILLS; round += 1) {
    const before = ids.length;
    const loaded = load(client);
    await eventually('a record is there', async () => ids.length > before);
    await sleep(randomInt(KILL_WITHIN_MS));
    server.kill('SIGKILL');
    await server.exited;
    await Promise.all(loaded);
    server = start();
    client = clientAt(await server.ready, who);
  }

  const handedOut = async () => (await client.changed('showprocessedstartdatetime=1/1/2000&limit=10000')) ?? [];
  const missing = async () => {
    answered.push(...((await client.changed('limit=10000')) ?? []));
    const shown = new Set(await handedOut());
    return ids.filter((id) => !shown.has(id));
  };
  await expect.poll(missing, { timeout: 20_000, interval: 100 }).toEqual([]);
  expect(answered.length).toBe(new Set(answered).size);
  // Those whose answer was lost with the server are shown again.
  const shown = new Set(await handedOut());
  expect(answered.filter((id) => !shown.has(id))).toEqual([]);
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
});
