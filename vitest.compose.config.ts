import { defineConfig } from 'vitest/config';

/**
 * The image and docker-compose.yml, run by Docker. Where no registry of images is in reach, `BASE_IMAGES=made` makes stand-ins for
 * what they are built on first; CONTRIBUTING.md has the other variables.
 */
export default defineConfig({
  test: {
    include: ['test/compose/**/*.test.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    maxWorkers: 1,
    // One story, whose later parts need the earlier ones.
    bail: 1,
    testTimeout: 300_000,
    hookTimeout: 900_000,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
  },
});
