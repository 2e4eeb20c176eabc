import { defineConfig } from 'vitest/config';

/** Whether the counts are too small to be the proof itself, as in `.ci/run`. */
const SMALL = Number(process.env.KILLS ?? 200) < 100;

/** The slow proofs: real servers that are started, stopped and killed again and again. `KILLS` is how often (200; below 100 all counts are small), `ROOMS` and `CONVERSATIONS` how many (100 and 500). */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The full counts load the machine as a whole, one file after the other. Of small counts two files share it: mostly they wait.
    maxWorkers: SMALL ? 2 : 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['verbose'],
    // They tell how far they are.
    disableConsoleIntercept: true,
  },
});
