import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const MINUTE = 60_000;
const DATABASE_SERVER = ['test/support/database-server.ts'];

/** What an operator does now and then, files of many megabytes, and stories drawn at random; `operation` keeps the main story of each. */
const UPKEEP = [
  'test/apis/mobile/messaging/attachments/{attachments-s3,attachments-slow}.test.ts',
  'test/apis/platform/events-in-any-order.test.ts',
  'test/backup/{backup,beside,bucket,keys,many-files,schedule}.test.ts',
  'test/admin/{audit-archive-bucket,audit-archive-keys,audit-archive-restore,audit-archive-tampering,audit-discard}.test.ts',
  'test/cross-cutting/{log-epoch,lost-keys-of-the-audit,sealed-rotation,ssn-rotation}.test.ts',
  'test/database/embedded/supervised.test.ts',
  'test/jobs/waitlist-any-order.test.ts',
  'test/realtime/visits-invariant.test.ts',
  'test/startup/first-start.test.ts',
];

/** Every operation for every token, practice and chart, beside rows in every table. */
const WALKS =
  'test/contract/{app-scopes,clients,error-codes,foreign-forms,named-errors,other-methods,required-fields,restricted-charts,tenant-wall,walls}.test.ts';

/** What operators run, see and plan for: commands, starts, keys, the queue, adapters of other services, metrics, outages, large files. */
const OPERATION = [
  'test/{admin,backup,database,gateways,startup}/**/*.test.ts',
  'test/apis/mobile/messaging/attachments/attachments-transfers.test.ts',
  'test/apis/mobile/messaging/numbers/numbers-twilio.test.ts',
  'test/apis/platform/imports/*.test.ts',
  'test/apis/platform/{exports,exported-records}.test.ts',
  'test/cross-cutting/{audit-chain,audit-cut,audit-growth,deadline,demo-practices,lost-connection,metrics,operations,outage,placed-values,traces,two-servers,unreadable-values}.test.ts',
  'test/http/{compression,unknown-proxies}.test.ts',
  'test/identity/{hashing,keys,outage,stored-secrets}.test.ts',
  'test/jobs/{fetch-files,local-reports,queue,scheduler,work-metrics}.test.ts',
  'test/pages/video-livekit.test.ts',
];

/** How PostgreSQL reads tables of ten thousands of rows: filling them takes a tenth of all tests' time. */
const PLANS = 'test/**/*plans.test.ts';

/** Files of which `upkeep` runs all stories, and their own project the main ones: test/support/upkeep.ts. */
const OF_BOTH = [
  'test/admin/{audit-archive,keys}.test.ts',
  'test/apis/mobile/messaging/attachments/attachments-transfers.test.ts',
  'test/apis/platform/exports.test.ts',
  'test/apis/platform/imports/imports.test.ts',
  'test/contract/clients.test.ts',
  'test/cross-cutting/{audit-cut,event-retention,outage,sealing}.test.ts',
  'test/database/migrate-on-start.test.ts',
  'test/gateways/files.test.ts',
  'test/identity/keys.test.ts',
  'test/startup/open-keys.test.ts',
];

/** What `npm test` runs. */
const suite = {
  include: ['test/**/*.test.ts'],
  exclude: ['test/{faults,browser,clients,compose,dates,distributed,docs,helm,security,upgrade}/**', ...UPKEEP, PLANS, WALKS, ...OPERATION],
  ...inSharedProcesses(),
};

/** The slow proofs: `npm run test:slow -- <name>`. CONTRIBUTING.md says what each needs, and its counts. */
const slow = {
  /** The walls that every new operation has to have. */
  walks: { include: [WALKS], ...inSharedProcesses() },
  operation: { include: OPERATION, exclude: [...UPKEEP, PLANS], ...inSharedProcesses() },
  /** The commands and requests of README and docs, in a shell beside a demo server. */
  docs: { include: ['test/docs/*.test.ts'], ...inSharedProcesses(), ...within(5 * MINUTE) },
  /** The tests of these three and of the suite on other days, at other hours, in other zones and locales of the machine. */
  dates: { include: ['test/dates/*.test.ts'], maxWorkers: 1, ...within(40 * MINUTE), disableConsoleIntercept: true },
  /** Real servers that are started, stopped and killed again and again. */
  faults: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: DATABASE_SERVER,
    // Each loads the machine as a whole.
    maxWorkers: 1,
    ...within(2 * MINUTE),
    // They tell how far they are.
    disableConsoleIntercept: true,
  },
  /** Backups, archives of the audit, rotated and lost keys, large files, and the like. */
  upkeep: {
    include: [...UPKEEP, ...OF_BOTH],
    env: { UPKEEP: 'true' },
    ...inSharedProcesses(),
    maxWorkers: 2,
  },
  /** Which indexes the statements use, on tables of the size of a large practice. */
  plans: {
    include: [PLANS],
    globalSetup: DATABASE_SERVER,
    isolate: false,
    maxWorkers: 2,
    ...within(2 * MINUTE),
  },
  /** The pages that people see, in a real browser. */
  browser: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: DATABASE_SERVER,
    isolate: false,
    maxWorkers: 2,
    ...within(2 * MINUTE),
  },
  /** An attack on a server of its own, with its list of operations from that server. */
  security: {
    include: ['test/security/*.test.ts'],
    ...inSharedProcesses(),
    maxWorkers: 2,
    ...within(10 * MINUTE, 5 * MINUTE),
  },
  /** An upgrade beside requests, from the version before the newest migration, which is taken out of the history. */
  upgrade: {
    include: ['test/upgrade/*.test.ts'],
    ...within(30 * MINUTE),
    // It tells how far it is.
    disableConsoleIntercept: true,
  },
  /** The stories of all groups of operations, and the walls between practices, on a database that a cluster of Citus distributes. */
  distributed: {
    include: [
      'test/apis/**/*.test.ts',
      'test/contract/tenant-wall.test.ts',
      'test/contract/walls.test.ts',
      'test/distributed/**/*.test.ts',
    ],
    // The plans of one machine.
    exclude: [PLANS],
    globalSetup: ['test/support/citus-server.ts'],
    // One server and one database for all.
    isolate: false,
    maxWorkers: 1,
    env: { DISTRIBUTED: 'true' },
    ...within(4 * MINUTE),
    disableConsoleIntercept: true,
  },
  /** Clients that other people's generators make of the documents; they are installed when they are first needed. */
  clients: {
    include: ['test/clients/*.test.ts'],
    globalSetup: DATABASE_SERVER,
    isolate: false,
    maxWorkers: 1,
    ...within(5 * MINUTE),
  },
  /** The image and docker-compose.yml, run by Docker. */
  compose: {
    include: ['test/compose/**/*.test.ts'],
    maxWorkers: 1,
    // One story, whose later parts need the earlier ones.
    bail: 1,
    ...within(5 * MINUTE, 15 * MINUTE),
    disableConsoleIntercept: true,
  },
  /** The Helm chart, rendered by Helm and checked against the types of Kubernetes; both are installed when they are first needed. */
  helm: {
    include: ['test/helm/*.test.ts'],
    maxWorkers: 1,
    ...within(2 * MINUTE, 5 * MINUTE),
  },
};

/** Files of one process share the loaded code, and most of them one server and its database: test/support/app.ts. */
function inSharedProcesses() {
  return {
    globalSetup: DATABASE_SERVER,
    isolate: false,
    // They leave much behind that is soon garbage: with room for it, it is collected seldom.
    execArgv: ['--max-semi-space-size=64'],
    ...within(2 * MINUTE),
  };
}

function within(testTimeout: number, hookTimeout = testTimeout) {
  return { testTimeout, hookTimeout };
}

function project([name, test]: [string, TestProjectInlineConfiguration['test']]): TestProjectInlineConfiguration {
  // Node reads this TypeScript by itself, in a third of the time; nothing here needs what Vite would do to it.
  return {
    test: { ...test, name, setupFiles: 'test/support/processor-time.ts', experimental: { viteModuleRunner: false, nodeLoader: false } },
  };
}

export default defineConfig({
  test: {
    projects: Object.entries({ suite, ...slow }).map(project),
    // One more than two cores have work for, since some tests wait: for clocks, for a process to end. Each loads the whole server anew.
    maxWorkers: 3,
    reporters: ['default', './test/support/slowest-files.ts'],
  },
});
