import { defineConfig } from 'vitest/config';

/**
 * The stories of all groups of operations, the walls between practices, and the order of the logs, on a database that a cluster of Citus
 * distributes: the files of the suite that share one server and database, and `test/distributed`.
 */
export default defineConfig({
  test: {
    include: [
      'test/apis/**/*.test.ts',
      'test/contract/tenant-wall.test.ts',
      'test/contract/walls.test.ts',
      'test/distributed/**/*.test.ts',
    ],
    // The plans of one machine.
    exclude: ['**/*plans.test.ts'],
    globalSetup: ['test/support/citus-server.ts'],
    // One server and one database for all.
    isolate: false,
    maxWorkers: 1,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { DISTRIBUTED: 'true' },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
  },
});
