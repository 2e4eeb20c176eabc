import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clinic, foundClinic } from '../support/clinic.ts';
import { type DatabaseMachine, startMachine, startStandby } from '../support/database-machines.ts';
import { type Create, createUntil, insist, newCreate, proveExactlyOnce, send } from '../support/keyed-creates.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers, startServer } from '../support/server-process.ts';

const WRITERS = 6;

let folder: string;
let dataDir: string;
let primary: DatabaseMachine;
let standby: DatabaseMachine;
let env: Record<string, string>;
let poolers: PgBouncer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triptych-failover-'));
  dataDir = join(folder, 'server');
  await mkdir(dataDir);
  const folders = [join(folder, 'a'), join(folder, 'b')] as const;
  primary = await startMachine(folders[0]);
  standby = await startStandby(primary, folders);
  const { url, ownerUrl } = primary.cluster;
  env = { DATABASE_URL: both(url), DATABASE_OWNER_URL: both(ownerUrl), RATE_LIMIT: '1000000' };
});
afterEach(async () => {
  await killServers();
  await Promise.all([...poolers.splice(0), primary, standby].map((machine) => machine.stop()));
  await removeFolder(folder);
});

/** The same address with both machines, or what stands before each. */
const both = (url: string, [one, two] = [primary.address, standby.address]) =>
  url.replace(/@[^/]+(.*)$/, `@${one},${two}$1?target_session_attrs=read-write`);

/** A PgBouncer beside each machine. */
async function behindPoolers(): Promise<void> {
  const { url } = primary.cluster;
  poolers = await Promise.all([primary, standby].map(({ network }) => startPgBouncer([network.url], {})));
  const [one, two] = poolers.map((pooler) => new URL(pooler.through(url)).host);
  env = { ...env, DATABASE_URL: both(url, [one ?? '', two ?? '']), DATABASE_DIRECT_URL: both(url) };
}

/** The line of `doctor`, for a role that may see how far a standby is. */
async function standbysByDoctor() {
  await primary.tell('GRANT pg_monitor TO triptych');
  const command = [process.execPath, 'scripts/admin.mjs', '--json', 'doctor', '--only', 'standbys', '--only', 'pooler'] as const;
  const { code, stdout } = await startServer(dataDir, env, { command: [...command] }).exited;
  const [pooler, standbys] = JSON.parse(stdout).checks;
  expect({ code, pooler: pooler.state }).toEqual({ code: 0, pooler: 'ok' });
  return standbys;
}

/** Reads what was created. */
const readAgain = (clinic: Clinic) => async (create: Create) => {
  const read = await clinic.get(`/patients/mrn/${create.recordNumber}`);
  if (create.acknowledged) expect([200, 503]).toContain(read.status);
};

describe('an address of two databases, of which the second one is a synchronous standby', () => {
  it.each([
    ['is killed', async () => {}, () => primary.kill()],
    ['is cut off without a word', async () => {}, async () => primary.network.swallow()],
    ['is killed, behind a PgBouncer beside each,', behindPoolers, () => primary.kill()],
  ])('loses nothing that was acknowledged when the first one %s and the second one is promoted', async (_what, prepare, lose) => {
    await prepare();
    const server = startServer(dataDir, env);
    const clinic = await foundClinic(await server.ready, primary.cluster.url);
    expect(await standbysByDoctor()).toMatchObject({ state: 'ok', figures: { standbys: 1, synchronous: 1 } });
    const creates: Create[] = [];
    const stopping = new AbortController();
    const load = Array.from({ length: WRITERS }, () => createUntil(stopping.signal, clinic, creates, readAgain(clinic)));
    const acknowledged = () => creates.filter((create) => create.acknowledged).length;
    await eventually('there is load', async () => acknowledged() > 50);

    await lose();
    const before = acknowledged();
    await standby.tell('SELECT pg_promote()');
    const promoted = performance.now();
    const first = newCreate();
    creates.push(first);
    await eventually('a write is acknowledged', async () => {
      first.acknowledged ??= await send(clinic, first).then((answer) => (answer?.status === 200 ? answer : null));
      return first.acknowledged !== null;
    });
    const seconds = (performance.now() - promoted) / 1000;
    await eventually('all write again', async () => acknowledged() > before + 50);
    stopping.abort();
    await Promise.all(load);
    for (const create of creates) await insist(clinic, create);
    await proveExactlyOnce(standby.cluster.url, dataDir, clinic.organizationId, creates);
    console.log(`  ${creates.length} creates, none lost, none twice; writes again ${seconds.toFixed(1)} s after the promotion`);
    expect(seconds).toBeLessThan(10);
  });

  it('are not written to where they were primary and come back as they were', async () => {
    const server = startServer(dataDir, env);
    const clinic = await foundClinic(await server.ready, primary.cluster.url);
    await primary.kill();
    await standby.tell('SELECT pg_promote()');
    const created = [newCreate(), newCreate()] as const;
    await insist(clinic, created[0]);
    // It knows nothing of the promotion, and would take writes of whoever asks it.
    await primary.start();
    await primary.tell("ALTER SYSTEM SET synchronous_standby_names = ''");
    await primary.tell('SELECT pg_reload_conf()');

    server.kill('SIGTERM');
    await server.exited;
    const next = clinic.at(await startServer(dataDir, env).ready);
    await insist(next, created[1]);
    await proveExactlyOnce(standby.cluster.url, dataDir, clinic.organizationId, [...created]);
  });
});
