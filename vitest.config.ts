import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/faults/**',
      'test/browser/**',
      'test/clients/**',
      'test/compose/**',
      'test/distributed/**',
      'test/helm/**',
      'test/security/**',
      'test/upgrade/**',
    ],
    globalSetup: ['test/support/database-server.ts'],
    // Files of one process share the loaded code, and most of them one server and its database: test/support/app.ts.
    isolate: false,
    experimental: {
      // Node reads this TypeScript by itself, in a third of the time; nothing here needs what Vite would do to it.
      viteModuleRunner: false,
      nodeLoader: false,
    },
    // Files share a process and leave much behind that is soon garbage: with room for it, it is collected seldom.
    execArgv: ['--max-semi-space-size=64'],
    // Tests wait more than they compute: for clocks, for a cut connection, for a process to end.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
