import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A TURN server on this machine, for people on this machine. */
export interface TurnServer {
  /** As ICE_SERVERS names it. */
  url: string;
  /** What TURN_SECRET has to be. */
  secret: string;
}

const LOOPBACK = '127.0.0.1';

/**
 * Starts coturn, Debian's `turnserver` or what TURNSERVER names, until the last test of the file.
 * @throws Error with what it wrote, where it does not start
 */
export async function startTurnServer(): Promise<TurnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'triptych-turn-'));
  const [secret, port] = ['a-secret-of-the-relay-alone', await freePort()];
  const flags = ['-n', '--no-tls', '--no-dtls', '--no-cli', '--no-multicast-peers', '--allow-loopback-peers', '--use-auth-secret'];
  const settings = {
    'static-auth-secret': secret,
    realm: 'triptych.test',
    'listening-ip': LOOPBACK,
    'relay-ip': LOOPBACK,
    'listening-port': port,
    userdb: join(folder, 'users'),
    pidfile: join(folder, 'pid'),
    'log-file': 'stdout',
  };
  const server = spawn(process.env.TURNSERVER ?? '/usr/bin/turnserver', [
    ...flags,
    ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  ]);
  let output = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(`coturn (Debian's package, or what TURNSERVER names) does not start: ${error.message}`));
    server.once('exit', () => resolve(`coturn ended: ${output}`));
  });
  afterAll(async () => {
    server.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const failure = await Promise.race([awaitAnswer(port), ended]);
  if (failure !== null) throw new Error(failure);
  return { url: `turn:${LOOPBACK}:${port}`, secret };
}

/** Asks, until there is an answer (RFC 8489: a binding request). */
async function awaitAnswer(port: number): Promise<null> {
  const socket = createSocket('udp4');
  const request = Buffer.concat([Buffer.from('000100002112a442', 'hex'), randomBytes(12)]);
  const asking = setInterval(() => socket.send(request, port, LOOPBACK), 100);
  await new Promise((resolve) => socket.once('message', resolve));
  clearInterval(asking);
  socket.close();
  return null;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof bound === 'object' && bound ? bound.port : 0;
}
