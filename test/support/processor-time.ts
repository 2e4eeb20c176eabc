import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds of a processor that this process spent on the file. */
    processorTime?: number;
  }
}

const before = process.cpuUsage();

// biome-ignore lint/correctness/noEmptyPattern: vitest passes the file second, and reads the names of fixtures from the first.
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(before);
  file.meta.processorTime = (user + system) / 1000;
});
