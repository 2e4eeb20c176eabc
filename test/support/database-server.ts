import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startCluster } from '../../src/database/embedded/cluster.ts';
import { migrate } from '../../src/database/migrations.ts';
import { scratchFolder } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database with all migrations applied, to be copied and never used. */
    templateUrl: string;
  }
}

const SETTINGS = {
  // What these tests store is thrown away, so it need not reach the disk.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  // It would go round hundreds of small databases for ever. Where a plan is tested, the test says when to vacuum.
  autovacuum: 'off',
};

/** One PostgreSQL for the whole run, on a free loopback port, with a migrated template that each test file copies. */
export default async function startDatabaseServer(project: TestProject): Promise<() => Promise<void>> {
  const folder = await scratchFolder();
  const cluster = await startCluster({ folder, settings: SETTINGS });
  const template = new URL(cluster.url);
  template.pathname = '/template_triptych';
  const admin = new pg.Client({ connectionString: cluster.url });
  await admin.connect();
  await cheapenSignIn(admin, template);
  await admin.query('CREATE DATABASE template_triptych');
  await admin.end();
  await migrate(template.href);
  project.provide('templateUrl', template.href);
  return async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** The same password, stretched once: thousands of connections are made in a run, and each would stretch it 4,096 times. */
async function cheapenSignIn(admin: pg.Client, { username, password }: URL): Promise<void> {
  await admin.query('SET scram_iterations = 1');
  await admin.query(`ALTER ROLE ${admin.escapeIdentifier(username)} PASSWORD ${admin.escapeLiteral(decodeURIComponent(password))}`);
}
