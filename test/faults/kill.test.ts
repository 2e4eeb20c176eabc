import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clinic, foundClinic } from '../support/clinic.ts';
import { type Create, insist, newCreate, proveExactlyOnce, send } from '../support/keyed-creates.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseProcesses, databaseUrl, killServers, postmasters, type ServerProcess, startServer } from '../support/server-process.ts';

const KILLS = Number(process.env.KILLS ?? 200);
/** Who create at the same time. */
const WRITERS = 20;
/** Milliseconds after the start of a round in which the kill falls. */
const KILL_WITHIN_MS = 800;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-kill-'));
});
afterAll(async () => {
  await killServers();
  await removeFolder(dataDir);
});

const start = (): ServerProcess => startServer(dataDir, { RATE_LIMIT: '1000000' });

/** Creates one patient after the other until the server is gone. What a server without its database, or on a stalled disk, puts off with 503 is sent again. */
async function createUntilGone(clinic: Clinic, round: Create[], putOff: string[]): Promise<void> {
  for (;;) {
    const create = newCreate();
    round.push(create);
    let answer = await send(clinic, create);
    for (; answer?.status === 503; answer = await send(clinic, create)) {
      putOff.push(answer.text);
      await sleep(50);
    }
    if (answer === null) return;
    expect(answer.status, answer.text).toBe(200);
    create.acknowledged = answer;
  }
}

/** Answers how many were stored although nobody heard of it. */
async function insistOnAll(clinic: Clinic, creates: Create[]): Promise<number> {
  const unheard = creates.filter(({ acknowledged }) => acknowledged === null);
  const outcomes = await Promise.all(unheard.map((create) => insist(clinic, create)));
  const heard = creates.filter((create) => !unheard.includes(create));
  for (let first = 0; first < heard.length; first += WRITERS) {
    await Promise.all(heard.slice(first, first + WRITERS).map((create) => insist(clinic, create)));
  }
  return outcomes.filter((outcome) => outcome === 'replayed').length;
}

/** Kills the server, and every third time its database with it, at the same moment. */
async function kill(server: ServerProcess, withDatabase: boolean): Promise<void> {
  const others = withDatabase ? await databaseProcesses(dataDir) : [];
  server.kill('SIGKILL');
  for (const { pid } of others) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself.
    }
  }
  await server.exited;
}

it(`loses nothing that was acknowledged and stores nothing twice when it is killed ${KILLS} times`, {
  timeout: 120_000 + KILLS * 40_000,
}, async () => {
  const figures = { acknowledged: 0, unanswered: 0, storedUnanswered: 0, putOff: [] as string[], restarts: [] as number[] };
  const creates: Create[] = [];
  let server = start();
  let clinic = await foundClinic(await server.ready, await databaseUrl(dataDir));

  for (let round = 1; round <= KILLS; round += 1) {
    const begun: Create[] = [];
    const load = Array.from({ length: WRITERS }, () => createUntilGone(clinic, begun, figures.putOff));
    await sleep(randomInt(KILL_WITHIN_MS));
    await kill(server, round % 3 === 0);
    await Promise.all(load);
    const unanswered = begun.filter(({ acknowledged }) => acknowledged === null);
    figures.acknowledged += begun.length - unanswered.length;
    figures.unanswered += unanswered.length;

    const began = performance.now();
    server = start();
    clinic = clinic.at(await server.ready);
    figures.restarts.push(performance.now() - began);
    expect(await postmasters(dataDir)).toHaveLength(1);
    figures.storedUnanswered += await insistOnAll(clinic, begun);
    creates.push(...begun);
    if (round % 10 === 0 || round === KILLS) console.log(`  ${round} of ${KILLS} kills, ${creates.length} creates`);
  }

  await proveExactlyOnce(await databaseUrl(dataDir), dataDir, clinic.organizationId, creates);
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
  expect(await databaseProcesses(dataDir)).toEqual([]);
  summarize(creates.length, figures);
});

function summarize(
  creates: number,
  {
    acknowledged,
    unanswered,
    storedUnanswered,
    putOff,
    restarts,
  }: { acknowledged: number; unanswered: number; storedUnanswered: number; putOff: string[]; restarts: number[] },
): void {
  const sorted = [...restarts].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  console.log(
    [
      `  ${KILLS} kills (every third with the database), ${creates} creates`,
      `  acknowledged before the kill: ${acknowledged}; unanswered: ${unanswered}, of which stored all the same: ${storedUnanswered}`,
      `  put off with 503: ${putOff.length} ${[...new Set(putOff)].join(' ').slice(0, 300)}`,
      `  lost: 0, stored twice: 0, audit chain: holds`,
      `  restart to first request, ms: median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`,
    ].join('\n'),
  );
}
