import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectionProxy, startProxy } from '../../bench/processes/proxy.ts';
import { openDatabase } from '../../src/database/database.ts';
import { type Clinic, type ClinicAnswer, foundClinic } from '../support/clinic.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, killServers, type ServerProcess, startServer } from '../support/server-process.ts';

const CREATES = 300;
const PARALLEL = 8;
/** After so many acknowledged creates, one of the two is killed. */
const KILL_AFTER = 100;
const LIMIT = 100;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-processes-'));
});
afterAll(async () => {
  await killServers();
  await removeFolder(folder);
});

interface Pair {
  /** It started the database, which ends with it. */
  keeper: ServerProcess;
  victim: ServerProcess;
  proxy: ConnectionProxy;
  clinic: Clinic;
  url: string;
}

/** Two servers on one database, and a proxy that passes connections on to them by turns. */
async function startPair(name: string, env: Record<string, string>): Promise<Pair> {
  const dataDir = join(folder, name);
  const keeper = startServer(dataDir, env);
  const first = await keeper.ready;
  const url = await databaseUrl(dataDir);
  const victim = startServer(dataDir, { ...env, DATABASE_URL: url });
  const proxy = await startProxy([first, await victim.ready]);
  return { keeper, victim, proxy, clinic: (await foundClinic(first, url)).at(proxy.address), url };
}

async function endPair({ keeper, proxy }: Pair): Promise<void> {
  await proxy.close();
  keeper.kill('SIGTERM');
  expect(await keeper.exited).toMatchObject({ code: 0 });
}

/** The answer, or null where the server was gone before it. */
function catchGone(asking: Promise<ClinicAnswer>): Promise<ClinicAnswer | null> {
  return asking.catch((error: Error) => {
    // A server that is gone is what this is about; one that keeps a caller waiting is not.
    if (error.name === 'TimeoutError') throw error;
    return null;
  });
}

/** All pieces of work, so many at once. */
async function inParallel(pieces: number, work: (index: number) => Promise<void>): Promise<void> {
  let begun = 0;
  const worker = async () => {
    while (begun < pieces) {
      begun += 1;
      await work(begun - 1);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

it(`${CREATES} keyed creates through a proxy are each done once though one of two servers is killed in the middle`, async () => {
  const pair = await startPair('creates', { RATE_LIMIT: '1000000' });
  const { clinic, victim } = pair;
  const acknowledged = new Map<string, number>();
  let again = 0;

  async function insist(): Promise<void> {
    const [key, recordNumber] = [randomUUID(), randomUUID()];
    const body = { fname: 'Keyed', lname: 'Proxied', med_rec_no: recordNumber, dob: '1980-02-29' };
    for (let attempt = 1; attempt <= 40; attempt += 1) {
      const answer = await catchGone(clinic.post('/patients', body, { 'idempotency-key': key }));
      if (answer?.status === 200) {
        acknowledged.set(recordNumber, answer.body.data.uuid);
        if (acknowledged.size === KILL_AFTER) victim.kill('SIGKILL');
        return;
      }
      again += 1;
      await sleep(50);
    }
    throw new Error(`${recordNumber} was never acknowledged`);
  }

  await inParallel(CREATES, insist);
  expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
  const { prisma, close } = openDatabase({ url: pair.url, poolSize: 2 });
  const { organizationId } = clinic;
  const stored = await prisma.patient.findMany({ where: { organizationId }, select: { id: true, medicalRecordNo: true } });
  const events = await prisma.event.count({ where: { organizationId, subjectType: 'patient' } });
  await close();
  expect(new Map(stored.map(({ id, medicalRecordNo }) => [medicalRecordNo, id]))).toEqual(acknowledged);
  expect([stored.length, events]).toEqual([CREATES, CREATES]);
  console.log(`  ${CREATES} creates, ${again} sent again: lost 0, twice 0`);
  await endPair(pair);
});

it(`a limit of ${LIMIT} is not exceeded by two servers though one of them is killed before it is reached`, async () => {
  const pair = await startPair('limits', { RATE_LIMIT: String(LIMIT) });
  const { clinic, victim } = pair;
  const statuses: number[] = [];
  let lost = 0;
  await inParallel(LIMIT * 2, async () => {
    const answer = await catchGone(clinic.get('/appointments/types'));
    if (answer === null) {
      lost += 1;
      return;
    }
    statuses.push(answer.status);
    if (statuses.length === LIMIT / 4) victim.kill('SIGKILL');
  });
  expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
  const served = statuses.filter((status) => status === 200).length;
  console.log(`  of a limit of ${LIMIT}, ${served} served, ${lost} lost with the server that was killed`);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(served).toBeLessThanOrEqual(LIMIT);
  // Its unserved requests are lost with it: no more than it had served, and those in progress.
  expect(served).toBeGreaterThan(LIMIT / 2);
  await endPair(pair);
});
