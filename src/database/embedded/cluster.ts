import { open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../config/make-folder.ts';
import { StartError } from '../../config/start-errors.ts';
import { singleConnection } from '../connections/single-connection.ts';
import { isDiskFull } from '../errors.ts';
import { type Account, databaseAccount } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { diskFull, endedWithoutRoom, lackOfRoom, logFile } from './disk-full.ts';
import { initialize, isInitialized, readPasswords } from './initialize.ts';
import { giveToFolderOwner, writePrivately } from './private-file.ts';
import { exists, isServingFolder, processIdentity, waitForExit } from './processes.ts';
import { createDatabase, type Passwords, type RoleUrls, roleUrls } from './roles.ts';
import { type Supervised, startSupervised } from './supervised.ts';

/** An embedded PostgreSQL in one folder, reached on loopback with passwords that only the folder's owner can read. */
export interface Cluster extends RoleUrls {
  /** Resolves when PostgreSQL ends, by stop() or by itself. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  folder: string;
  /** Further `-c` settings of PostgreSQL. */
  settings?: Record<string, string>;
  /** Receives each step that takes a moment, as a participle. */
  report?: (step: string) => void;
}

/** Pauses before further attempts: a port may be taken meanwhile, or a killed database may still be exiting. */
const PAUSES_MS = [0, 200, 1_000, 4_000];
/** Recovery after a kill takes seconds; after a crash of a large database, minutes. */
const READY_WITHIN_MS = 10 * 60_000;

/**
 * Starts the database of a folder, and creates it first where there is none. A database process that a killed server left behind
 * is stopped, and a stale pid file is deleted; PostgreSQL then recovers by itself.
 * @throws StartError with the last lines of PostgreSQL's log when it does not start
 */
export async function startCluster({ folder, settings = {}, report = () => {} }: ClusterOptions): Promise<Cluster> {
  const data = join(folder, 'database');
  makeFolder(folder);
  const binaries = await findBinaries();
  const account = await databaseAccount(data);
  if (!(await isInitialized(data))) {
    report(`creating a database in ${folder}`);
    await initialize(binaries, folder, data, account);
  }
  await rm(addressFile(folder), { force: true });
  const passwords = await readPasswords(folder);
  for (let attempt = 0; ; attempt += 1) {
    await stopOrphan(data, report);
    const port = await freePort();
    const postgres = await launch({ binaries, folder, data, account, port, settings });
    const urls = roleUrls(passwords, port);
    try {
      await untilReady(postgres, urls, passwords, folder);
      await writePrivately(addressFile(folder), `${JSON.stringify({ url: urls.url, ownerUrl: urls.ownerUrl, server: process.pid })}\n`);
      return { ...urls, ended: postgres.ended.then(() => {}), stop: () => stop(postgres, data) };
    } catch (error) {
      await stop(postgres, data);
      if (error instanceof StartError) throw error;
      const pause = PAUSES_MS[attempt];
      if (!(error instanceof ExitedEarly) || pause === undefined) {
        const full = await lackOfRoom(folder);
        if (full) throw full;
        throw new StartError(
          `The embedded database did not start: ${error instanceof Error ? error.message : error}\n${await lastLines(logFile(folder))}`,
        );
      }
      await sleep(pause);
    }
  }
}

const addressFile = (folder: string): string => join(folder, 'database.json');

export type ClusterUrls = Pick<Cluster, 'url' | 'ownerUrl'>;

/** Addresses of the cluster that another process runs in this folder; null while it is still being started. */
export async function runningClusterUrls(folder: string, server: number): Promise<ClusterUrls | null> {
  const text = await readFile(addressFile(folder), 'utf8').catch(() => null);
  if (text === null) return null;
  const address: ClusterUrls & { server: number } = JSON.parse(text);
  return address.server === server ? { url: address.url, ownerUrl: address.ownerUrl } : null;
}

/**
 * Stops the database process that a killed server left behind, with stronger signals if it does not exit. A pid file whose number
 * now belongs to another process (or to a zombie) is deleted, since PostgreSQL would refuse to start because of it; PostgreSQL
 * itself recognizes any other stale pid file.
 */
async function stopOrphan(data: string, report: (step: string) => void = () => {}): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n', 1)[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !exists(pid)) return;
  if ((await processIdentity(pid)) === null || !(await isServingFolder(pid, data))) {
    await rm(pidFile, { force: true });
    return;
  }
  report('stopping the database of a server that was killed');
  for (const [signal, patience] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    if (await waitForExit(pid, patience)) return;
  }
}

interface Launch {
  binaries: Binaries;
  folder: string;
  data: string;
  account: Account | null;
  port: number;
  settings: Record<string, string>;
}

async function launch({ binaries, folder, data, account, port, settings }: Launch): Promise<Supervised> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    shared_buffers: '256MB',
    max_connections: '100',
    // The log never quotes statements or keys, which may hold patient data.
    log_min_messages: 'fatal',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await open(logFile(folder), 'w', 0o600);
  await giveToFolderOwner(logFile(folder), folder);
  try {
    return await startSupervised(account, [binaries.postgres, data], [binaries.postgres, '-D', data, ...flags], log.fd);
  } finally {
    await log.close();
  }
}

async function stop(postgres: Supervised, data: string): Promise<void> {
  await postgres.stop();
  // If the supervising shell was killed, the database may still be running.
  await stopOrphan(data);
}

class ExitedEarly extends Error {}

async function untilReady(postgres: Supervised, { superuserUrl }: RoleUrls, passwords: Passwords, folder: string): Promise<void> {
  let over = false;
  void postgres.ended.then(() => {
    over = true;
  });
  const end = performance.now() + READY_WITHIN_MS;
  const server = new URL(superuserUrl);
  server.pathname = '/postgres';
  for (;;) {
    const client = singleConnection({ connectionString: server.href, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      return await createDatabase(client, passwords);
    } catch (error) {
      if (isDiskFull(error) || (await endedWithoutRoom(folder))) throw diskFull(folder);
      if (over) throw new ExitedEarly('it exited immediately');
      if (performance.now() > end || (await isRefused(postgres, error))) throw error;
      await sleep(40);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** A rejected password stays rejected, unless the port belongs to another PostgreSQL and our own is just exiting. */
async function isRefused(postgres: Supervised, error: unknown): Promise<boolean> {
  if (!(error instanceof Error && 'code' in error && error.code === '28P01')) return false;
  return Promise.race([postgres.ended.then(() => false), sleep(1_000, true, { ref: false })]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function lastLines(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n');
}
