import { defineConfig } from 'vitest/config';

/** The Helm chart, rendered by Helm and checked against the types of Kubernetes; both are installed when they are first needed. */
export default defineConfig({
  test: {
    include: ['test/helm/*.test.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: ['verbose'],
  },
});
