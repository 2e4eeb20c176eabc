import { defineConfig } from 'vitest/config';

/** Clients that other people's generators make of the documents; they are installed when they are first needed. */
export default defineConfig({
  test: {
    include: ['test/clients/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    isolate: false,
    maxWorkers: 1,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['verbose'],
  },
});
