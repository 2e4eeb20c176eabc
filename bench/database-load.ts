import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** Processor time of PostgreSQL's processes, on systems that report it (Linux). */
export interface DatabaseLoad {
  /** Milliseconds since some moment; null where it cannot be known. */
  cpuMs(): Promise<number | null>;
  close(): Promise<void>;
}

/** Clock ticks are hundredths of a second on every Linux that Node runs on. */
const TICK_MS = 10;

export async function watchDatabase(url: string): Promise<DatabaseLoad> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const seen = new Map<number, number>();
  return {
    async cpuMs() {
      const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
      for (const { pid } of rows) {
        const ticks = await ticksOf(pid);
        // One that has just ended is known by what it had used when it was last seen.
        if (ticks !== null) seen.set(pid, ticks);
      }
      if (seen.size === 0) return null;
      return [...seen.values()].reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
    },
    close: () => client.end(),
  };
}

/** Processor time of a process in hundredths of a second; null where it is not known. */
export async function ticksOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name, in brackets, may hold spaces; the numbers begin after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
