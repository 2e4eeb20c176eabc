import { defineConfig } from 'vitest/config';

/**
 * An upgrade beside requests, from the release before, which is taken out of the history. `PATIENTS` is how many the database has (100,000),
 * `UPGRADE_FROM` the newest migration of an earlier version to begin with instead.
 */
export default defineConfig({
  test: {
    include: ['test/upgrade/*.test.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 30 * 60_000,
    hookTimeout: 30 * 60_000,
    reporters: ['verbose'],
    // It tells how far it is.
    disableConsoleIntercept: true,
  },
});
