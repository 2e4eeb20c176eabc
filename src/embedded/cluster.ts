import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { commandAs, databaseAccount, type Account } from './account.ts';
import { findBinaries, type Binaries } from './binaries.ts';
import { processCommand, processIdentity, waitForExit } from './processes.ts';

const USER = 'triptych';
const DATABASE = 'triptych';

/** A PostgreSQL of our own in one folder, reached on loopback with a password that only the folder's owner can read. */
export interface Cluster {
  url: string;
  /** True when this start made the database. */
  created: boolean;
  /** Resolves when PostgreSQL ends, wanted or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  folder: string;
  /** `-c` settings of PostgreSQL beside our own. */
  settings?: Record<string, string>;
}

/**
 * Starts the database of a folder, making it first where there is none. A database process that a killed server left
 * behind is stopped, and a stale pid file is taken away; PostgreSQL then recovers by itself.
 * @throws with the last lines of PostgreSQL's log when it does not start
 */
export async function startCluster({ folder, settings = {} }: ClusterOptions): Promise<Cluster> {
  const data = join(folder, 'database');
  await mkdir(folder, { recursive: true });
  const binaries = await findBinaries();
  const account = await databaseAccount(data);
  const created = await initialize(binaries, folder, data, account);
  await stopOrphan(data);
  const password = await readPassword(folder);
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const started = await launch({ binaries, folder, data, account, port, settings });
    const url = `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
    try {
      await untilReady(started, url);
      await writeFile(join(folder, 'database.json'), `${JSON.stringify({ url })}\n`, { mode: 0o600 });
      return { url, created, ended: started.ended, stop: started.stop };
    } catch (error) {
      await started.stop();
      const log = await lastLines(join(folder, 'database.log'));
      if (attempt < 3 && log.includes('Address already in use')) continue;
      throw new Error(`The embedded database did not start: ${error instanceof Error ? error.message : error}\n${log}`);
    }
  }
}

/** The address of a cluster that another process of this folder runs. */
export async function runningClusterUrl(folder: string): Promise<string> {
  const { url }: { url: string } = JSON.parse(await readFile(join(folder, 'database.json'), 'utf8'));
  return url;
}

async function initialize(binaries: Binaries, folder: string, data: string, account: Account | null): Promise<boolean> {
  if (await stat(join(data, 'PG_VERSION')).catch(() => null)) return false;
  // Made beside and renamed when whole, so that a start killed in the middle leaves nothing half made behind.
  const making = join(folder, 'database.making');
  const passwordFile = join(folder, 'database.password');
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (account) {
    await chown(making, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const command = [binaries.initdb, `--pgdata=${making}`, `--username=${USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256',
    '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'];
  const as = await commandAs(account, [binaries.initdb, making], command);
  const [program = '', ...args] = as.command;
  const child = spawn(program, args, { ...as.spawn, cwd: '/', env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk) => { complaint += chunk; });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`initdb failed: ${complaint.trim()}`);
  await rename(making, data);
  return true;
}

async function readPassword(folder: string): Promise<string> {
  const file = join(folder, 'database.password');
  await chmod(file, 0o600);
  return (await readFile(file, 'utf8')).trim();
}

/** A killed server's database, if any: asked to stop, then made to. */
async function stopOrphan(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n', 1)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const ours = (await processIdentity(pid)) !== null && (await processCommand(pid)).includes(data);
  if (ours) {
    for (const [signal, patience] of [['SIGINT', 10_000], ['SIGQUIT', 5_000], ['SIGKILL', 5_000]] as const) {
      try {
        process.kill(pid, signal);
      } catch {
        break;
      }
      if (await waitForExit(pid, patience)) break;
    }
  }
  // Left by a killed machine or postmaster; PostgreSQL would refuse to start if another process now has that number.
  await rm(pidFile, { force: true });
}

interface Launch {
  binaries: Binaries;
  folder: string;
  data: string;
  account: Account | null;
  port: number;
  settings: Record<string, string>;
}

/**
 * A shell stands between the server and PostgreSQL and reads a pipe that the server never writes to: when the server
 * ends, however it ends, the pipe closes and the shell stops the database. So a kill -9 leaves no orphan.
 */
const SUPERVISOR = '"$@" </dev/null 3<&- & pid=$!; { read -r _ <&3; kill -INT $pid 2>/dev/null; } & wait $pid; code=$?; kill $! 2>/dev/null; exit $code';

async function launch({ binaries, folder, data, account, port, settings }: Launch): Promise<{ ended: Promise<void>; stop(): Promise<void> }> {
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
  const as = await commandAs(account, [binaries.postgres, data], ['/bin/sh', '-c', SUPERVISOR, 'sh', binaries.postgres, '-D', data, ...flags]);
  const [program = '', ...args] = as.command;
  const log = await open(join(folder, 'database.log'), 'w', 0o600);
  // Detached: a terminal's Ctrl-C must reach the server alone, which still needs its database to finish.
  const child = spawn(program, args, {
    ...as.spawn, cwd: '/', env: environment(), detached: true, stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  const ended = new Promise<void>((resolve) => { child.once('close', () => resolve()).once('error', () => resolve()); });
  await log.close();
  return { ended, stop: () => stop(child, ended, data) };
}

async function stop(child: ChildProcess, ended: Promise<void>, data: string): Promise<void> {
  const pipe = child.stdio[3];
  if (pipe && 'destroy' in pipe) pipe.destroy();
  const timer = setTimeout(() => void stopOrphan(data), 8_000);
  await ended;
  clearTimeout(timer);
}

async function untilReady(cluster: { ended: Promise<void> }, url: string): Promise<void> {
  let over = false;
  void cluster.ended.then(() => { over = true; });
  const end = Date.now() + 60_000;
  const server = new URL(url);
  server.pathname = '/postgres';
  for (;;) {
    const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      return;
    } catch (error) {
      if (over) throw new Error('it ended at once');
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 40));
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Nothing of the caller's environment reaches PostgreSQL: a stray PGDATA or PGPORT would change what it does. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };
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
