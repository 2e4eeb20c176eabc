import { defineConfig } from 'vitest/config';

/** Proofs that `npm test` runs as well; the small count, which follows it in `.ci/run`, leaves them out. */
const OF_ALL_TESTS = [
  'test/contract/{walls,tenant-wall,restricted-charts,references-without-keys,foreign-forms}.test.ts',
  'test/identity/{client-assertions,lockout,refresh,token-endpoint}.test.ts',
  'test/cross-cutting/{hosts,rate-limits,request-edge,wrong-fields}.test.ts',
  'test/apis/mobile/people/second-factors.test.ts',
  'test/gateways/guarded-requests.test.ts',
  'test/pages/{app-sign-in,external-message-codes}.test.ts',
];

/** An attack on a server of its own, with its list of operations from that server. `SECURITY=small` tries each kind of attack on a part of them. */
export default defineConfig({
  test: {
    include: ['test/security/*.test.ts', ...(process.env.SECURITY === 'small' ? [] : OF_ALL_TESTS)],
    globalSetup: ['test/support/database-server.ts'],
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--max-semi-space-size=64'],
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    reporters: ['verbose'],
  },
});
