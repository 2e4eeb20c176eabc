import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from './server-process.ts';

const run = promisify(execFile);

/** `PGBOUNCER` names another program than that of the path, as `.ci/pgbouncer` gives it. */
const PROGRAM = process.env.PGBOUNCER || 'pgbouncer';
const OLDEST = [1, 21];

/** The settings of deploy/pgbouncer/pgbouncer.ini, but where it listens and who may sign in. */
async function sampleSettings(): Promise<Record<string, string>> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'deploy', 'pgbouncer', 'pgbouncer.ini'), 'utf8');
  const section = text.slice(text.indexOf('[pgbouncer]'));
  return Object.fromEntries([...section.matchAll(/^(\w+) = (.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** A real PgBouncer on a free port of loopback. */
export interface PgBouncer {
  /** Ends it with all its connections, and starts another one. */
  restart(): Promise<void>;
  /** The same address through it. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in front of a database server.
 * @param urls of its roles, who may sign in
 * @param settings that differ from those of deploy/pgbouncer/pgbouncer.ini
 * @throws Error where there is no PgBouncer, or one that is too old: nothing is left out without a word
 */
export async function startPgBouncer(urls: readonly string[], settings: Record<string, string | number>): Promise<PgBouncer> {
  await requireVersion();
  const folder = await mkdtemp(join(tmpdir(), 'triptych-pgbouncer-'));
  const users = join(folder, 'users.txt');
  const ini = join(folder, 'pgbouncer.ini');
  const [{ hostname, port }, listenPort] = [new URL(urls[0] ?? ''), await freePort()];
  const sample = await sampleSettings();
  const all = { ...sample, listen_port: listenPort, unix_socket_dir: '', auth_file: users, ...settings };
  await writeFile(ini, `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${lines(all)}`);
  const signedIn = urls.map((url) => new URL(url));
  await writeFile(users, signedIn.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"\n`).join(''));
  // It does not run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (account.uid !== undefined) for (const path of [folder, ini, users]) await chown(path, account.uid, account.gid);

  const through = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${listenPort}` }).href;
  async function start() {
    const child = spawn(PROGRAM, ['-q', ini], { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(child, 'exit');
    await eventually(
      'PgBouncer answers',
      () => answers(Object.assign(new URL(through(urls[0] ?? '')), { pathname: '/postgres' }).href),
      20_000,
    );
    return { child, exited };
  }
  let running = await start();
  const end = async () => {
    running.child.kill('SIGKILL');
    await running.exited;
  };
  return {
    through,
    async restart() {
      await end();
      running = await start();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const lines = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');

async function requireVersion(): Promise<void> {
  const { stdout } = await run(PROGRAM, ['--version']).catch(() => ({ stdout: '' }));
  const [major = 0, minor = 0] = /^PgBouncer (\d+)\.(\d+)/m.exec(stdout)?.slice(1).map(Number) ?? [];
  if (major > (OLDEST[0] ?? 0) || (major === OLDEST[0] && minor >= (OLDEST[1] ?? 0))) return;
  throw new Error(`These tests need PgBouncer ${OLDEST.join('.')} or later: install it, or set PGBOUNCER to what .ci/pgbouncer prints.`);
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    // Whoever asks for a database that is not there has been answered, too.
    return error instanceof pg.DatabaseError;
  } finally {
    await client.end().catch(() => {});
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
