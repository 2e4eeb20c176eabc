import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { movedClock } from './moved-clock.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const BIN = join(PROJECT, 'node_modules', '.bin');

/** A real server, as a process of its own. */
export interface ServerProcess {
  pid: number;
  /** Its address, once it is ready. Rejects with what it wrote when it ends before. */
  ready: Promise<string>;
  /** Its standard output so far. */
  screen(): string;
  /** Its standard error so far. */
  errors(): string;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
  kill(signal: NodeJS.Signals): void;
}

interface StartOptions {
  /** Instead of `node scripts/start.mjs`. */
  command?: [string, ...string[]];
  /** A process group of its own, as a shell gives to what is typed into it. */
  detached?: boolean;
  cwd?: string;
}

const running = new Set<ChildProcess>();

/**
 * Starts a server on a data folder: any free port, no demo data, and nothing of this process's environment but its clock.
 * @param env what differs
 */
export function startServer(dataDir: string, env: Record<string, string> = {}, options: StartOptions = {}): ServerProcess {
  const [program, ...args] = options.command ?? [process.execPath, join(PROJECT, 'scripts', 'start.mjs')];
  const child = spawn(program, args, {
    cwd: options.cwd ?? PROJECT,
    detached: options.detached ?? false,
    env: {
      ...movedClock(),
      ...{ PATH: `${BIN}${delimiter}${process.env.PATH}`, DATA_DIR: dataDir, PORT: '0', SEED_DEMO: 'false', LOG_LEVEL: 'warn' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // The last output may arrive after the exit; but a process that it left behind may hold the pipe open for ever.
  const closed = new Promise((resolve) => child.once('close', resolve));
  const exited = ended.then(async (end) => {
    running.delete(child);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    return { ...end, ...output };
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk;
    });
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
      const address = /ready at (http\S+)\s/.exec(output.stdout)?.[1];
      if (address) resolve(address);
    });
    void exited.then(({ code, signal, stdout, stderr }) => reject(new Error(`the server ended: ${code ?? signal}\n${stdout}${stderr}`)));
  });
  ready.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    screen: () => output.stdout,
    errors: () => output.stderr,
    kill: (signal) => void child.kill(signal),
  };
}

/** Ends what a test left running. The databases end with their servers. */
export async function killServers(): Promise<void> {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ends);
}

export interface DatabaseProcess {
  pid: number;
  parent: number;
  words: string[];
}

/**
 * The processes that work on the database of a data folder: PostgreSQL's first process, those that it made, and the
 * shells that watch over it. From /proc; these tests need Linux.
 */
export async function databaseProcesses(dataDir: string): Promise<DatabaseProcess[]> {
  const database = join(dataDir, 'database');
  const found: DatabaseProcess[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '');
    const words = (await read('cmdline')).split('\0');
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (!cwd.startsWith(database) && !words.some((word) => word.includes(database))) continue;
    found.push({ pid: Number(name), parent: Number(/^PPid:\s+(\d+)/m.exec(await read('status'))?.[1]), words });
  }
  return found;
}

/** PostgreSQL's first processes on a data folder: there may never be two. A child has its parent's words at first. */
export async function postmasters(dataDir: string): Promise<number[]> {
  const found = (await databaseProcesses(dataDir)).filter(({ words }) => words[0]?.endsWith('/postgres') && words.includes('-D'));
  return found.filter(({ parent }) => !found.some(({ pid }) => pid === parent)).map(({ pid }) => pid);
}

/** The shells between a server and its database. */
export async function supervisors(dataDir: string): Promise<number[]> {
  return (await databaseProcesses(dataDir)).filter(({ words }) => words[0]?.endsWith('/sh')).map(({ pid }) => pid);
}

/** Looks again and again until something is so. */
export async function eventually(what: string, holds: () => Promise<boolean>, withinMs = 90_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

interface DatabaseFile {
  url: string;
  ownerUrl: string;
}

/** The database in the data folder of a running server, under the server's role. */
export const databaseUrl = async (dataDir: string): Promise<string> => (await databaseFile(dataDir)).url;

/** The same for the role that owns its tables. */
export const databaseOwnerUrl = async (dataDir: string): Promise<string> => (await databaseFile(dataDir)).ownerUrl;

async function databaseFile(dataDir: string): Promise<DatabaseFile> {
  return JSON.parse(await readFile(join(dataDir, 'database.json'), 'utf8'));
}
