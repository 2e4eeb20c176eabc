import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/faults/**', 'test/browser/**'],
    globalSetup: ['test/support/database-server.ts'],
    // Every file has a database and an app of its own; only the loaded code is shared.
    isolate: false,
    // Tests wait more than they compute: for clocks, for a cut connection, for a process to end.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
