import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startCluster } from '../../src/embedded/cluster.ts';
import { migrate } from '../../src/migrations.ts';
import { scratchFolder } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database with all migrations applied, to be copied and never used. */
    templateUrl: string;
  }
}

/** One PostgreSQL for the whole run, on a free loopback port, with a migrated template that each test file copies. */
export default async function startDatabaseServer(project: TestProject): Promise<() => Promise<void>> {
  const folder = await scratchFolder();
  // What these tests store is thrown away, so it need not reach the disk.
  const cluster = await startCluster({
    folder,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
  });
  const template = new URL(cluster.url);
  template.pathname = '/template_triptych';
  const admin = new pg.Client({ connectionString: cluster.url });
  await admin.connect();
  await admin.query('CREATE DATABASE template_triptych');
  await admin.end();
  await migrate(template.href);
  project.provide('templateUrl', template.href);
  return async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
