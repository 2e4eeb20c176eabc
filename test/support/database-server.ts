import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { createDatabase, roleUrls } from '../../src/database/embedded/roles.ts';
import { complaintsOfSent } from '../contract/statements/complaints.ts';
import { complaintsOfEvents, LANDING } from './emitted-events.ts';
import { scratchFolder } from './scratch.ts';
import { sentStatements } from './sent-statements.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database with all migrations applied, under the runtime role; to be copied and never used. */
    templateUrl: string;
    /** That database through a pooler, by which servers of the tests reach it; null or undefined for none. */
    pooledUrl: string | null | undefined;
    /** The template for the role that owns its tables. */
    ownerUrl: string;
    /** The same for the superuser of the database server. */
    superuserUrl: string;
    /** Where each process keeps the statements that its servers sent. */
    sentStatementsFolder: string;
  }
}

const SETTINGS = {
  // Data of tests is thrown away, so it need not reach the disk.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  // It would go round hundreds of small databases for ever. Where a plan is tested, the test says when to vacuum.
  autovacuum: 'off',
};

/**
 * One PostgreSQL for the whole run, on a free loopback port, with a migrated template that each test file copies. TEST_DATABASE_URL is
 * the address of the superuser of another empty one that does nothing else, with these settings.
 */
export default async function startDatabaseServer(project: TestProject): Promise<() => Promise<void>> {
  const folder = await scratchFolder();
  const sentStatementsFolder = await scratchFolder();
  const { TEST_DATABASE_URL: given } = process.env;
  const cluster = given ? await givenServer(given) : await startCluster({ folder, settings: SETTINGS });
  const [url, ownerUrl, superuserUrl] = [cluster.url, cluster.ownerUrl, cluster.superuserUrl].map((each) => {
    return Object.assign(new URL(each), { pathname: '/template_triptych' }).href;
  });
  if (!url || !ownerUrl || !superuserUrl) throw new Error('a cluster has three roles');
  const admin = new pg.Client({ connectionString: cluster.superuserUrl });
  await admin.connect();
  // PostgreSQL 15 stretches each 4,096 times.
  if (!given) await cheapenSignIn(admin, [cluster.url, cluster.ownerUrl, cluster.superuserUrl]);
  await admin.query(`CREATE DATABASE template_triptych OWNER ${admin.escapeIdentifier(new URL(ownerUrl).username)}`);
  await admin.end();
  // In a process of its own: Prisma's engine keeps one alive for ten seconds after its work.
  await promisify(execFile)(process.execPath, ['scripts/migrate.mjs'], {
    env: { ...process.env, DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl },
  });
  await startLongIds(ownerUrl);
  project.provide('templateUrl', url);
  project.provide('ownerUrl', ownerUrl);
  project.provide('superuserUrl', superuserUrl);
  project.provide('sentStatementsFolder', sentStatementsFolder);
  return async () => {
    const { testFiles } = await project.globTestFiles();
    // The other projects open databases of their own, and what they ask of them is not the server's.
    const isChecked = [...LANDING, 'upkeep'].includes(project.name);
    const ran = project.vitest.state.getFiles().filter(({ projectName }) => projectName === project.name);
    const wholeProject = ran.length >= testFiles.length ? project.name : undefined;
    const complaints = await Promise.all([
      complaintsOfEvents(superuserUrl, wholeProject).then(under('The catalogue of events does not hold:')),
      sentStatements(sentStatementsFolder)
        .then((sent) => (isChecked ? sent : []))
        .then((sent) => complaintsOfSent(sent, superuserUrl))
        .then(under('Statements break the rules (CONTRIBUTING.md, "Write a statement"):')),
    ]).finally(async () => {
      await cluster.stop();
      for (const made of [folder, sentStatementsFolder]) await rm(made, { recursive: true, force: true });
    });
    if (complaints.flat().length === 0) return;
    // An error here is printed, and fails nothing.
    process.exitCode = 1;
    throw new Error(complaints.flat().join('\n'));
  };
}

async function givenServer(address: string) {
  const { port, password } = new URL(address);
  const passwords = { superuser: password, owner: 'owner', runtime: 'runtime' };
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await createDatabase(client, passwords).finally(() => client.end());
  return { ...roleUrls(passwords, Number(port)), stop: async () => {} };
}

/** Complaints under a heading; nothing where there are none. */
const under = (heading: string) => (complaints: string[]) => (complaints.length === 0 ? [] : [heading, ...complaints]);

/** Ids of 64 bits begin past 32 bits, so that no test passes with code that would cut them off. */
async function startLongIds(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 5000000000)
                        FROM pg_sequences WHERE schemaname = 'public' AND data_type = 'bigint'::regtype`);
  await client.end();
}

/** The same password, stretched once: thousands of connections are made in a run, and each would stretch it 4,096 times. */
async function cheapenSignIn(admin: pg.Client, addresses: readonly string[]): Promise<void> {
  await admin.query('SET scram_iterations = 1');
  for (const { username, password } of addresses.map((address) => new URL(address)))
    await admin.query(`ALTER ROLE ${admin.escapeIdentifier(username)} PASSWORD ${admin.escapeLiteral(decodeURIComponent(password))}`);
}
