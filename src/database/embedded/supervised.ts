import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type Account, commandAs } from './account.ts';

/** A child program that does not outlive this process. */
export interface Supervised {
  /** Resolves with the exit code when the program ends, by stop() or by itself. */
  ended: Promise<number | null>;
  /** Its standard error; empty where that goes to a log. */
  stderr(): Promise<string>;
  /** Ends it, as the end of this process would, and waits until it has exited: at most some 20 s. */
  stop(): Promise<void>;
}

/**
 * A shell between this process and the program reads a pipe that this process never writes to: when this process ends, even
 * by kill -9, the pipe closes and the shell interrupts the program, so no orphan is left. The shell repeats the signal every
 * second, because a program that is still starting may not handle it yet. PostgreSQL may be stuck in a recovery that has no room:
 * after 10 s the signal is SIGQUIT, at which it ends within 5 s without finishing anything, and recovers at its next start; after
 * 18 s it is SIGKILL. When the program has exited, the shell ends its own
 * reader, the rest of its process group.
 */
const SUPERVISOR =
  '"$@" </dev/null 3<&- & pid=$!; { read -r _ <&3; signal=INT; n=0; while kill -$signal $pid; do sleep 1; n=$((n + 1)); case $n in 10) signal=QUIT;; 18) signal=KILL;; esac; done; } 2>/dev/null & wait $pid; code=$?; trap "" TERM; kill 0; exit $code';

/**
 * Starts a program as an account, under supervision.
 * @param paths files and folders that the account must be able to reach
 * @param log file descriptor for its output; without one, its standard error is kept for stderr()
 */
export async function startSupervised(account: Account | null, paths: string[], command: string[], log?: number): Promise<Supervised> {
  const as = await commandAs(account, paths, ['/bin/sh', '-c', SUPERVISOR, 'sh', ...command]);
  const [program = '', ...args] = as.command;
  const child = spawn(program, args, {
    ...as.spawn,
    cwd: '/',
    // Nothing else of the caller's environment: a stray PGDATA or PGPORT would change the settings of PostgreSQL.
    env: { PATH: process.env.PATH, LANG: 'C', LC_ALL: 'C', TZ: 'UTC', ...movedClock() },
    // A process group of its own: Ctrl-C in a terminal must reach the server alone, which needs its database to shut down.
    detached: true,
    stdio: ['ignore', log ?? 'ignore', log ?? 'pipe', 'pipe'],
  });
  // Not "close": the reader of a killed shell may keep the pipe open after the shell has exited.
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve).once('error', () => resolve(null));
  });
  const stderr = child.stderr ? text(child.stderr) : Promise.resolve('');
  return { ended, stderr: () => stderr, stop: () => stop(child, ended) };
}

/** The variables that move the clock of the database along if a test has moved that of this process (test/dates); none otherwise. */
export function movedClock(): Record<string, string> {
  const { LD_PRELOAD, TEST_CLOCK_AHEAD } = process.env;
  return LD_PRELOAD && TEST_CLOCK_AHEAD ? { LD_PRELOAD, TEST_CLOCK_AHEAD } : {};
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const pipe = child.stdio[3];
  if (pipe && 'destroy' in pipe) pipe.destroy();
  await ended;
}
