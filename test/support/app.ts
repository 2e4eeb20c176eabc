import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import supertest from 'supertest';
import { afterAll, inject } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring, type Keyring } from '../../src/database/encryption/keyring.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import type { SocketLimits } from '../../src/realtime/connections/browser-socket.ts';
import { createServices, type Services } from '../../src/services.ts';
import './declared-routes.ts';
import { isDistributed } from './distributed.ts';
import { keepConnection } from './keep-connection.ts';
import { forTests, keepSentStatements } from './sent-statements.ts';

/** A whole server on a database of its own. */
export interface TestApp {
  app: FastifyInstance;
  config: Config;
  /** `http://127.0.0.1:port` */
  address: string;
  database: Database;
  databaseUrl: string;
  keyring: Keyring;
  services: Services;
  /** Everything that was logged, a line each. */
  logs: string[];
  /** supertest on this server. */
  http: ReturnType<typeof supertest.agent>;
  close(): Promise<void>;
}

/** A server that answers requests, in this process or another, and what is behind it. */
export type Served = Pick<TestApp, 'address' | 'database' | 'keyring' | 'http'>;

const MASTER_KEY = `test:${randomBytes(32).toString('base64')}`;

/** The address of a new database under the runtime role, copied from the migrated template. Dropped by the end of the run with the whole cluster. */
export async function createTestDatabase(): Promise<string> {
  const template = new URL(inject('templateUrl'));
  // A cluster has no copies: all files of a run share its database.
  if (isDistributed) return template.href;
  const { username: owner } = new URL(inject('ownerUrl'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: Object.assign(new URL(inject('superuserUrl')), { pathname: '/postgres' }).href });
  await admin.connect();
  // File by file: the other strategy writes all of it into the log as well.
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template.pathname.slice(1)} STRATEGY file_copy OWNER ${owner}`);
  await admin.end();
  return new URL(`/${name}`, template).href;
}

keepSentStatements(inject('sentStatementsFolder'));

/** The server that test files of one process share. */
let shared: Promise<TestApp> | undefined;
let second: Promise<TestApp> | undefined;

/**
 * The server with default settings, on a database that other test files use as well: each keeps to organizations that it
 * makes itself. A file whose subject is the whole database, a setting or a second server takes `ownTestApp`.
 * @returns it with an empty log
 */
export async function sharedTestApp(): Promise<TestApp> {
  shared ??= startTestApp();
  const test = await shared;
  test.logs.length = 0;
  return test;
}

/** A second server on the database of the shared one, for what has to hold on every process. */
export async function secondTestApp(): Promise<TestApp> {
  second ??= sharedTestApp().then(({ databaseUrl }) => startTestApp({}, { databaseUrl }));
  return second;
}

/** A server for one test file alone, closed after its last test. The parameters are those of `startTestApp`. */
export async function ownTestApp(...settings: Parameters<typeof startTestApp>): Promise<TestApp> {
  return closedAfterAll(startTestApp(...settings));
}

/** Closes what a test file opened, after its last test, and empties it. What was opened last is closed first. */
export async function closedAfterAll<T extends { close(): Promise<void> }>(opened: T | Promise<T>): Promise<T> {
  afterAll(async () => {
    const it = await opened;
    await it.close();
    empty(it);
  });
  return opened;
}

/** The process keeps the module of a test file, and with it what it opened: some 40 MB for each server, which every collection would walk. */
function empty(opened: object): void {
  for (const [name, value] of Object.entries(opened))
    if (typeof value === 'object' || typeof value === 'function') Reflect.deleteProperty(opened, name);
}

/**
 * Starts a server; the caller closes it.
 * @param env what differs from the defaults of the environment
 * @param options.databaseUrl a second server on the database of a first one
 * @param options.testPracticeIds whose phones /sandbox shows
 * @param options.connectTimeout milliseconds to wait for a connection: many, since other tests may hold the machine up
 * @param options.socketLimits when a browser in a room is given up
 */
export async function startTestApp(
  env: Record<string, string> = {},
  {
    databaseUrl,
    testPracticeIds,
    socketLimits,
    connectTimeout = 30_000,
  }: { databaseUrl?: string; testPracticeIds?: readonly number[]; socketLimits?: SocketLimits; connectTimeout?: number } = {},
): Promise<TestApp> {
  const url = databaseUrl ?? (await createTestDatabase());
  const pooledUrl = inject('pooledUrl');
  const config = readConfig({
    NODE_ENV: 'test',
    // Made only by what is stored in it.
    DATA_DIR: join(tmpdir(), `triptych-test-${randomUUID()}`),
    MASTER_KEYS: MASTER_KEY,
    DATABASE_URL: pooledUrl ?? url,
    ...(pooledUrl ? { DATABASE_DIRECT_URL: url } : {}),
    PORT: '0',
    LOG_LEVEL: 'trace',
    RATE_LIMIT: '1000000',
    RATE_LIMIT_ANONYMOUS: '1000000',
    ...env,
  });
  const logs: string[] = [];
  const logger = createLogger(config, { write: (line) => void logs.push(line) });
  const keyring = createKeyring(config.MASTER_KEYS);
  const database = openDatabase({
    url: pooledUrl ?? url,
    directUrl: pooledUrl ? url : undefined,
    poolSize: config.DATABASE_POOL,
    connectTimeout,
  });
  const services = await createServices({ config, database, keyring, logger });
  const app = await buildApp(services, { testPracticeIds, socketLimits });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const shown = { ...database, prisma: forTests(database.prisma) };
  return {
    app,
    config,
    address,
    database: shown,
    databaseUrl: url,
    keyring,
    services,
    logs,
    http: supertest.agent(address).use(keepConnection),
    close: async () => {
      await app.close();
      await services.close();
      await database.close();
      empty(shown);
      await rm(config.DATA_DIR, { recursive: true, force: true });
    },
  };
}
