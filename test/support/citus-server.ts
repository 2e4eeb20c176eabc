import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { distribute } from '../../src/database/migrations/distribute.ts';
import { migrate } from '../../src/database/migrations/migrations.ts';
import { preparePooler } from '../../src/database/migrations/pooler.ts';
import { scratchFolder } from './scratch.ts';

/** Few, so that a run does not wait for thousands of parts of tables. */
const SHARDS = 8;

const REFUSAL =
  'CITUS_URL is missing: the address of a superuser at the coordinator of a cluster of Citus, in a database with the extension and its nodes (docs/scaling.md).';

interface Node {
  host: string;
  port: number;
  takesRows: boolean;
}

/**
 * A database of its own in the cluster of `CITUS_URL`, migrated and distributed, which all files of the run share; it is dropped in the
 * end. Behind `CITUS_POOLED_URL` the servers of the run reach it, where that is given.
 */
export default async function startCitusDatabase(project: TestProject): Promise<() => Promise<void>> {
  const address = process.env.CITUS_URL;
  if (!address) throw new Error(REFUSAL);
  const nodes = await listNodes(address);
  const name = `triptych_${randomUUID().replaceAll('-', '')}`;
  await createRoles(address);
  for (const node of nodes) await createOn(on(address, node), name);
  await join(withDatabase(address, name), nodes);
  const [ownerUrl, directUrl] = [withRole(address, name, 'triptych_owner'), withRole(address, name, 'triptych')];
  await migrate({ url: directUrl, ownerUrl });
  await distribute({ url: directUrl, ownerUrl }, { dryRun: false, shards: SHARDS, report: () => {} });
  const pooled = process.env.CITUS_POOLED_URL;
  const pooledUrl = pooled ? withRole(pooled, name, 'triptych') : null;
  if (pooledUrl) await preparePooler({ url: pooledUrl, directUrl }, console.warn);
  project.provide('templateUrl', directUrl);
  project.provide('pooledUrl', pooledUrl);
  project.provide('ownerUrl', ownerUrl);
  project.provide('superuserUrl', withDatabase(address, name));
  // Those of the suite are checked where it runs on one machine.
  const sentStatementsFolder = await scratchFolder();
  project.provide('sentStatementsFolder', sentStatementsFolder);
  return async () => {
    await rm(sentStatementsFolder, { recursive: true, force: true });
    for (const node of nodes.toReversed()) await runOn(on(address, node), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
}

async function listNodes(address: string): Promise<Node[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const { rows } = await client
    .query<Node>(
      'SELECT nodename AS host, nodeport AS port, shouldhaveshards AS "takesRows" FROM pg_dist_node WHERE isactive ORDER BY groupid',
    )
    .finally(() => client.end());
  if (rows.length === 0 || !rows.some(({ takesRows }) => takesRows)) throw new Error(REFUSAL);
  return rows;
}

/** Every node lets both roles in by the rules of the cluster; a password is that of CITUS_URL. */
async function createRoles(address: string): Promise<void> {
  const password = new URL(address).password;
  for (const role of ['triptych', 'triptych_owner']) {
    const secret = password === '' ? '' : ` PASSWORD '${decodeURIComponent(password).replaceAll("'", "''")}'`;
    await runOn(
      address,
      `DO $$ BEGIN CREATE ROLE ${role} LOGIN${secret.replaceAll('$', '')}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
  }
}

async function createOn(node: string, name: string): Promise<void> {
  await runOn(node, `CREATE DATABASE ${name} OWNER triptych_owner`);
  await runOn(withDatabase(node, name), 'CREATE EXTENSION citus');
}

async function join(database: string, [coordinator, ...others]: readonly Node[]): Promise<void> {
  if (!coordinator) return;
  await runOn(database, `SELECT citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`);
  for (const { host, port } of others) await runOn(database, `SELECT citus_add_node('${host}', ${port})`);
}

async function runOn(address: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

const on = (address: string, { host, port }: Node): string => Object.assign(new URL(address), { hostname: host, port: String(port) }).href;
const withDatabase = (address: string, name: string): string => Object.assign(new URL(address), { pathname: `/${name}` }).href;
const withRole = (address: string, name: string, username: string): string =>
  Object.assign(new URL(withDatabase(address, name)), { username }).href;
