import { defineConfig } from 'vitest/config';

/** The slow proofs: real servers that are started, stopped and killed again and again. `KILLS` is how often (100), `ROOMS` how many (100). */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    // One after the other: each loads the machine as a whole.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['verbose'],
    // They tell how far they are.
    disableConsoleIntercept: true,
  },
});
