import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type Account, commandAs } from './account.ts';

/** A program that does not outlive this process. */
export interface Supervised {
  /** Resolves with its exit code when the program ends, wanted or not. */
  ended: Promise<number | null>;
  /** What it wrote to its standard error, where that goes to no log. */
  complaint(): Promise<string>;
  /** Asks it to end, as the end of this process would, and waits for it. */
  stop(): Promise<void>;
}

/**
 * A shell stands between this process and the program and reads a pipe that this process never writes to: when this
 * process ends, however it ends, the pipe closes and the shell interrupts the program. So a kill -9 leaves no orphan.
 * The shell asks again and again, because a program that is just starting may not listen yet; and ends its reader, the
 * rest of its process group, when the program is gone.
 */
const SUPERVISOR =
  '"$@" </dev/null 3<&- & pid=$!; { read -r _ <&3; while kill -INT $pid; do sleep 1; done; } 2>/dev/null & wait $pid; code=$?; trap "" TERM; kill 0; exit $code';

/**
 * Starts a program as an account, under supervision.
 * @param paths what the account must be able to reach
 * @param log where its output goes; without one, its standard error is kept for complaint()
 */
export async function startSupervised(account: Account | null, paths: string[], command: string[], log?: number): Promise<Supervised> {
  const as = await commandAs(account, paths, ['/bin/sh', '-c', SUPERVISOR, 'sh', ...command]);
  const [program = '', ...args] = as.command;
  const child = spawn(program, args, {
    ...as.spawn,
    cwd: '/',
    // Nothing of the caller's environment: a stray PGDATA or PGPORT would change what PostgreSQL does.
    env: { PATH: process.env.PATH, LANG: 'C', LC_ALL: 'C', TZ: 'UTC' },
    // A process group of its own: a terminal's Ctrl-C must reach the server alone, which still needs its database.
    detached: true,
    stdio: ['ignore', log ?? 'ignore', log ?? 'pipe', 'pipe'],
  });
  // Not "close": the shell's reader may keep the pipe open beyond the end of a shell that was killed.
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve).once('error', () => resolve(null));
  });
  const complaint = child.stderr ? text(child.stderr) : Promise.resolve('');
  return { ended, complaint: () => complaint, stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const pipe = child.stdio[3];
  if (pipe && 'destroy' in pipe) pipe.destroy();
  await ended;
}
