import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { DataDirInUse, type DatabaseSite, openSite } from './data-folder.ts';
import { type Database, openDatabase } from './database.ts';
import { announceDemo, prepareDemo } from './demo.ts';
import { createLogger } from './http/logger.ts';
import { startJobs } from './jobs/recurring.ts';
import { createKeyring } from './keyring.ts';
import { migrate } from './migrations.ts';
import { firstScreen } from './first-screen.ts';

const STOP_WITHIN_MS = 9_000;

/** config → database → migrations → demo → app → listen; and back again on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config);
  const keyring = createKeyring(config.MASTER_KEYS);
  const stop = onStopSignal();
  const site = await openSite(config);
  if (config.MIGRATE_ON_START) await migrate(site.url);
  if (config.SEED_DEMO ?? site.embedded) await seed(config, site);
  const database = openDatabase({ url: site.url, poolSize: config.DATABASE_POOL, onError: (err) => logger.warn({ err }, 'database connection lost') });
  const app = await buildApp({ config, database, keyring, logger });
  await app.listen({ host: config.HOST, port: config.PORT });
  const stopJobs = config.RUN_JOBS ? startJobs({ database, keyring, logger }) : async () => {};
  const address = addressOf(app, config);
  const demo = await announceDemo(config.DATA_DIR, address);
  process.stdout.write(firstScreen({ address, config, demo }));

  const reason = await Promise.race([stop.then(() => 'signal' as const), site.ended.then(() => 'database ended' as const)]);
  // Whatever hangs, the process is gone within 10 s; the embedded database stops by itself when its server is gone.
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  await shutDown(app, database, site, stopJobs);
  if (reason === 'database ended') throw new Error('The embedded database ended. Start again; it recovers by itself.');
}

/** Demo data goes in over its own connections, whose statements may take longer than a request's. */
async function seed(config: Config, site: DatabaseSite): Promise<void> {
  const database = openDatabase({ url: site.url, poolSize: 2, statementTimeout: 60_000 });
  await prepareDemo(database, config.DATA_DIR).finally(() => database.close());
}

async function shutDown(app: FastifyInstance, database: Database, site: DatabaseSite, stopJobs: () => Promise<void>): Promise<void> {
  // Connections that turn idle while close() waits would hold it up.
  const closed = app.close();
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  await Promise.race([Promise.all([closed, stopJobs()]), sleep(6_000, undefined, { ref: false })]);
  clearInterval(idle);
  await Promise.race([database.close(), sleep(1_000, undefined, { ref: false })]);
  await site.leave();
}

function onStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}

function addressOf(app: FastifyInstance, config: Config): string {
  if (config.PUBLIC_URL) return config.PUBLIC_URL;
  const bound = app.server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : config.PORT;
  const host = ['0.0.0.0', '::'].includes(config.HOST) ? '127.0.0.1' : config.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const plain = error instanceof ConfigError || error instanceof DataDirInUse;
    const message = error instanceof Error ? (plain ? error.message : error.stack) : String(error);
    process.stderr.write(error instanceof DataDirInUse ? `DATA_DIR is in use: ${message}\n` : `Triptych did not start.\n${message}\n`);
    process.exit(1);
  },
);
