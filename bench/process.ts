import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const usage = z.object({ cpuMs: z.number(), rss: z.number(), heapUsed: z.number(), handles: z.number().nullable() });
export type Usage = z.infer<typeof usage>;

/** A server under measurement: a process of its own on a free loopback port. */
export interface ServerUnderTest {
  address: string;
  /** Milliseconds from its start to its being ready. */
  startMs: number;
  usage(options?: { collect: boolean }): Promise<Usage>;
  stop(): Promise<void>;
}

interface Start {
  entry: string;
  env: Record<string, string>;
  /** Both servers write their lines to a file, as they would in earnest, and not to a pipe that the benchmark would have to read. */
  logFile: string;
  profile: string | null;
}

/** The origin of this server's links, for which a carrier signs. */
export const PUBLIC_URL = 'http://127.0.0.1';

const READY_WITHIN_MS = 180_000;

export async function startServer({ entry, env, logFile, profile }: Start): Promise<ServerUnderTest> {
  const log = await open(logFile, 'w', 0o600);
  const start = performance.now();
  // As `npm start` has it.
  const flags = ['--max-semi-space-size=16', '--expose-gc', '--import', join(import.meta.dirname, 'probe.ts')];
  if (profile !== null) flags.push('--cpu-prof', '--cpu-prof-dir', profile);
  const child = spawn(process.execPath, [...flags, entry], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PUBLIC_URL, TRIPTYCH_MAIL: 'local', ...env },
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  await log.close();
  try {
    const address = await readyAddress(child, logFile);
    return {
      address,
      startMs: performance.now() - start,
      usage: (options) => requestUsage(child, options?.collect ?? false),
      stop: () => stop(child),
    };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function readyAddress(child: ChildProcess, logFile: string): Promise<string> {
  const end = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const text = await readFile(logFile, 'utf8');
    const address = /(?:ready at|listens on) (http:\/\/[\d.]+:\d+)/.exec(text)?.[1];
    if (address) return address;
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > end) {
      throw new Error(`a server did not start; its last lines:\n${text.trim().split('\n').slice(-5).join('\n')}`);
    }
    await sleep(5);
  }
}

async function requestUsage(child: ChildProcess, collect: boolean): Promise<Usage> {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  child.send(collect ? 'usage after gc' : 'usage');
  const [message] = await answered;
  return usage.parse(message);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = AbortSignal.timeout(12_000);
  patience.addEventListener('abort', () => child.kill('SIGKILL'));
  await exited;
}
