import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The start time of a process, which distinguishes it from a later process with the same number; null when there is none.
 * Read from /proc on Linux (zombies count as gone), from ps elsewhere.
 */
export async function processIdentity(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null) return null;
    // Fields after the command name, which is in parentheses and may hold spaces: state first, start time twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot.trim()}/${fields[19]}`;
  }
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() || null;
}

/** Whether there is a process with this number; true for a zombie, too. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether a process is the PostgreSQL of this data folder, and not an unrelated one that was given the same number. */
export async function isServingFolder(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    return basename(argv[0] ?? '') === 'postgres' && argv[argv.indexOf('-D') + 1] === data;
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.includes(`/postgres -D ${data} -c `);
}

/** Waits until a process has exited. @returns false when it still runs after `ms` milliseconds */
export async function waitForExit(pid: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while ((await processIdentity(pid)) !== null) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}
