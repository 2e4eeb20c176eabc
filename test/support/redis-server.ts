import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from './pgbouncer.ts';
import { eventually } from './server-process.ts';

const run = promisify(execFile);

/** Debian's `redis-server`; `SIGNAL_SERVER` names another program, such as `valkey-server`. */
const PROGRAM = process.env.SIGNAL_SERVER || 'redis-server';
const PASSWORD = 'p:ss/w@rd';

/** A real Redis or Valkey server on a free port of loopback, without a file: it forgets everything when it ends. */
export interface RedisServer {
  /** Its address, with a password. */
  url: string;
  /** Another connection, to look at what it holds. */
  client: Redis;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stands still, and goes on: it takes connections, and answers none. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

interface Settings {
  /** With a certificate of its own, at `certificate`. */
  tls?: boolean;
  [name: string]: string | boolean | undefined;
}

/** @throws Error where there is no such program: nothing is left out without a word */
export async function startRedisServer({ tls = false, ...settings }: Settings = {}): Promise<RedisServer & { certificate: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-redis-'));
  const port = await freePort();
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  if (tls) await makeCertificate(certificate, key);
  const listen = tls
    ? ['--port', '0', '--tls-port', `${port}`, '--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no']
    : ['--port', `${port}`];
  const args = [...listen, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, '--requirepass', PASSWORD];
  const further = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const url = `redis${tls ? 's' : ''}://:${encodeURIComponent(PASSWORD)}@${tls ? 'localhost' : '127.0.0.1'}:${port}/2`;
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password: PASSWORD,
    db: 2,
    protocol: 2,
    ...(tls ? { tls: { rejectUnauthorized: false } } : {}),
  });
  client.on('error', () => {});
  let child: ChildProcess | null = null;
  async function start(): Promise<void> {
    child = spawn(PROGRAM, [...args, ...further], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    await once(child, 'spawn');
    await eventually('the signal server answers', async () => (await client.ping()) === 'PONG', 15_000);
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  await start();
  return {
    url,
    client,
    certificate,
    start,
    kill: () => end('SIGKILL'),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      client.disconnect();
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeCertificate(certificate: string, key: string): Promise<void> {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '2', '-nodes'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    ...names,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
}
