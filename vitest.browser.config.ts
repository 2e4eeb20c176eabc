import { defineConfig } from 'vitest/config';

/**
 * What people see, in a real browser: Debian's `chromium`, or what CHROMIUM names. A relay for video is
 * Debian's `coturn`, or what TURNSERVER names. SCREENSHOTS names a folder that pictures of the pages are kept in.
 */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['verbose'],
  },
});
