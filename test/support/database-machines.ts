import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Cluster, startCluster } from '../../src/database/embedded/cluster.ts';
import { type FailingNetwork, startProxy } from './proxy.ts';
import { postmasters } from './server-process.ts';

const run = promisify(execFile);

/** A PostgreSQL of its own behind a network of its own: one machine of several. */
export interface DatabaseMachine {
  /** PostgreSQL itself; another one after each start. */
  cluster: Cluster;
  network: FailingNetwork;
  /** Its address through the network, which stays. */
  address: string;
  /** Ends PostgreSQL without a word to anybody. */
  kill(): Promise<void>;
  /** Starts PostgreSQL again, as it was. */
  start(): Promise<void>;
  /** Runs a statement as the superuser, past the network. */
  tell(sql: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the database of a folder, and makes one where there is none. */
export async function startMachine(folder: string, settings: Record<string, string> = {}): Promise<DatabaseMachine> {
  const start = () => startCluster({ folder, settings: { wal_level: 'replica', shared_buffers: '64MB', ...settings } });
  const cluster = await start();
  const network = await startProxy(cluster.url);
  const machine: DatabaseMachine = {
    cluster,
    network,
    address: new URL(network.url).host,
    async kill() {
      for (const pid of await postmasters(folder)) process.kill(pid, 'SIGKILL');
      await machine.cluster.ended;
    },
    async start() {
      machine.cluster = await start();
      network.lead(machine.cluster.url);
    },
    tell: (sql) => withClient(machine.cluster.superuserUrl, async (client) => void (await client.query(sql))),
    async stop() {
      await network.close();
      await machine.cluster.stop();
    },
  };
  return machine;
}

/** Copies a database that runs, and starts the copy as a standby for which each commit waits from then on. */
export async function startStandby(primary: DatabaseMachine, [from, to]: readonly [string, string]): Promise<DatabaseMachine> {
  const { hostname, port, username, password } = new URL(primary.cluster.superuserUrl);
  const standby = await withClient(primary.cluster.superuserUrl, async (client) => {
    const data = join(to, 'database');
    await mkdir(to, { recursive: true });
    await client.query("SELECT pg_backup_start('standby', fast => true)");
    await run('cp', ['-a', join(from, 'database'), join(from, 'database.passwords.json'), to]);
    const { rows } = await client.query<{ label: string }>('SELECT labelfile AS label FROM pg_backup_stop(wait_for_archive => false)');
    await rm(join(data, 'postmaster.pid'));
    await writeFile(join(data, 'backup_label'), rows[0]?.label ?? '');
    await writeFile(join(data, 'standby.signal'), '');
    return startMachine(to, { primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}` });
  });
  await primary.tell("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.tell('SELECT pg_reload_conf()');
  return standby;
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
