import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { makeCredentials, masterKeys, ourTokens } from '../../bench/credentials.ts';
import { samplePatients } from '../../bench/data/database.ts';
import { fill } from '../../bench/data/fill.ts';
import { startProxy } from '../../bench/processes/proxy.ts';
import { workloads } from '../../bench/workloads/index.ts';
import { type Cluster, startCluster } from '../../src/database/embedded/cluster.ts';
import { migrate, migrationNames } from '../../src/database/migrations/migrations.ts';
import { removeFolder, scratchFolder } from '../support/scratch.ts';
import { killServers, type ServerProcess, startServer } from '../support/server-process.ts';
import { earlierMigrations, unpackEarlier } from './earlier-release.ts';
import { startMix } from './mix-of-requests.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const PATIENTS = Number(process.env.PATIENTS ?? 100_000);
/** Of the practice that is filled, with two appointments, an event and an audit entry for each. */
const PRACTICE = { organizationId: 1, before: 0, patients: PATIENTS, appointments: 2 * PATIENTS, drawn: PATIENTS, chartsOnly: false };
const LOGS = `
  INSERT INTO event (organization_id, name, subject_type, subject_id, actor, occurred_at)
  SELECT 1, 'patient.updated', 'patient', n, 'test', now() - n * interval '1 second' FROM generate_series(1, ${PATIENTS}) n;
  INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
  SELECT 1, now() - n * interval '1 second', 'test', 'read', 'patient', ARRAY[n], 'test' FROM generate_series(1, ${PATIENTS}) n;
  VACUUM (ANALYZE)`;

const tell = (line: string) => console.log(`  ${line}`);

/** A database of the earlier version, filled. */
async function earlierDatabase(folder: string): Promise<Cluster> {
  const cluster = await startCluster({ folder, settings: { fsync: 'off', shared_buffers: '1GB', max_wal_size: '4GB' } });
  onTestFinished(() => cluster.stop());
  await migrate(cluster, () => {}, { only: earlierOnes });
  await fill(cluster.superuserUrl, [PRACTICE], () => {});
  await statements(cluster.superuserUrl, LOGS);
  return cluster;
}

async function statements(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const one of text.split(';')) await client.query(one);
  await client.end();
}

/** The longest wait of a request for a table, in milliseconds, as PostgreSQL saw it a hundred times a second. */
async function watchLocks(cluster: Cluster): Promise<() => Promise<number>> {
  const client = new pg.Client(cluster.superuserUrl);
  await client.connect();
  let [longest, watching] = [0, true];
  const watched = (async () => {
    while (watching) {
      const { rows } = await client.query<{ ms: number | null }>(WAITING, [new URL(cluster.url).username]);
      longest = Math.max(longest, Number(rows[0]?.ms ?? 0));
      await sleep(10);
    }
    await client.end();
  })();
  return async () => {
    watching = false;
    await watched;
    return Math.round(longest);
  };
}
const WAITING = `SELECT max(extract(epoch FROM clock_timestamp() - l.waitstart) * 1000)::float AS ms
  FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND l.locktype = 'relation' AND a.usename = $1`;

/** `npm run db:migrate` of this version. @returns the lines that it wrote */
async function migrateNow(env: Record<string, string>): Promise<string[]> {
  const child = spawn(process.execPath, [join(PROJECT, 'scripts', 'migrate.mjs')], { env: { PATH: process.env.PATH ?? '', ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, text }).toMatchObject({ code: 0 });
  return text.trim().split('\n');
}

const earlierOnes = await earlierMigrations();

it(`a database of ${PATIENTS} patients is upgraded, and its servers replaced, without a failed request`, async () => {
  if (earlierOnes.length === 0) {
    expect(await migrationNames()).toHaveLength(1);
    return tell('There is nothing to upgrade from: the baseline is the only migration. This proof runs from the next one on.');
  }
  const folder = await scratchFolder();
  onTestFinished(() => removeFolder(folder));
  onTestFinished(killServers);
  const cluster = await earlierDatabase(join(folder, 'database'));
  const earlier = join(folder, 'earlier');
  tell(`the earlier version is ${await unpackEarlier(earlier)}`);
  const env = { DATABASE_URL: cluster.url, MASTER_KEYS: masterKeys(folder), RATE_LIMIT: '1000000', RATE_LIMIT_ANONYMOUS: '1000000' };
  const credentials = await makeCredentials(cluster.url);
  const start = (program: string, name: string): ServerProcess =>
    startServer(
      join(folder, name),
      { ...env, RUN_JOBS: 'false', DRAIN_SECONDS: '3' },
      { command: [process.execPath, join(program, 'scripts', 'start.mjs')], cwd: program },
    );

  const first = start(earlier, 'first');
  const active = [await first.ready];
  const second = start(earlier, 'second');
  active.push(await second.ready);
  const proxy = await startProxy(active);
  onTestFinished(() => proxy.close());
  const [workload] = workloads(PRACTICE, await samplePatients(cluster.url, PRACTICE, 1_000), 'mix');
  if (!workload) throw new Error('there is no mix');
  const mix = startMix(proxy.address, workload, await ourTokens(proxy.address, credentials));
  const locks = await watchLocks(cluster);
  await sleep(2_000);

  const begun = performance.now();
  const lines = await migrateNow({ ...env, DATABASE_OWNER_URL: cluster.ownerUrl });
  for (const line of lines) tell(line);
  tell(`migrated in ${Math.round(performance.now() - begun)} ms`);
  const pending = (await migrationNames()).filter((name) => !earlierOnes.includes(name));
  expect(lines.filter((line) => line.startsWith('applied '))).toEqual(pending.map((name) => `applied ${name}`));

  // A new one is led requests once it is ready; an old one gets no more, and answers those on their way before it stops.
  for (const [place, old] of [first, second].entries()) {
    const replacement = await start(PROJECT, `new-${place}`).ready;
    active.splice(0, active.length, ...active.filter((_, index) => index !== 0), replacement);
    old.kill('SIGTERM');
    expect(await old.exited).toMatchObject({ code: 0 });
  }
  await sleep(2_000);
  const [{ requests, failed, charts, slowestMs }, waitedMs] = [await mix.stop(), await locks()];
  tell(
    `${requests} requests, ${failed.length} failed, the slowest took ${Math.round(slowestMs)} ms; the longest wait for a table was ${waitedMs} ms`,
  );
  expect(failed).toEqual([]);
  expect(charts.length).toBeGreaterThan(20);
  const client = new pg.Client(cluster.url);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query<{ chart: string }>(
    `SELECT medical_record_no AS chart FROM patient WHERE organization_id = 1 AND first_name = 'Rolling'`,
  );
  expect(rows.map(({ chart }) => chart).toSorted()).toEqual(charts.toSorted());
});
