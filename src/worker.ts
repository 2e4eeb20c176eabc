import { readConfig } from './config/config.ts';
import { StartError } from './config/start-errors.ts';
import { attachDatabaseServer } from './database/data-folder.ts';
import { openDatabase } from './database/database.ts';
import { migrateOnStart } from './database/migrations/migrate-on-start.ts';
import { createLogger } from './http/telemetry/logger.ts';
import { serveWorkerStatus } from './http/telemetry/worker-status.ts';
import { startJobs } from './jobs/queue/scheduler.ts';
import { createServices } from './services.ts';
import { announceProcess } from './startup/announce-process.ts';
import { runToEnd } from './startup/last-words.ts';
import { changeLevelBySignal } from './startup/log-level.ts';
import { logStatements } from './startup/log-statements.ts';
import { openKeys } from './startup/open-keys.ts';
import { startTracing } from './startup/start-tracing.ts';
import { stopSignal } from './startup/stop-signal.ts';

/** A process that only runs jobs, beside any number of servers and other workers on the same database. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config);
  changeLevelBySignal(logger);
  logStatements(logger, config.SLOW_STATEMENT_MS);
  const stopTracing = await startTracing(config, logger);
  const stopped = stopSignal(9_500, () => logger.error('worker not stopped in time; forced to end'));
  void stopped.then(() => logger.info('worker stopping; jobs in progress are finished first'));
  const status = await serveWorkerStatus(config, logger);
  const databaseServer = await attachDatabaseServer(config);
  const lost = databaseServer.ended.then((): never => {
    throw new StartError('The embedded database ended, or the server that runs it. Start the worker again.');
  });
  lost.catch(() => {});
  try {
    const keyring = await Promise.race([openKeys(databaseServer, config), lost]);
    await Promise.race([
      migrateOnStart(databaseServer, config, { report: (step) => logger.info(step), warn: (sentence) => logger.warn(sentence) }),
      lost,
    ]);
    const database = openDatabase({
      ...databaseServer,
      poolSize: 4,
      onError: (err) => logger.warn({ err }, 'database connection lost'),
    });
    const services = await createServices({ config, database, keyring, logger });
    // Without PUBLIC_URL, links lead to the server on this machine.
    const stopJobs = startJobs({ ...services, origin: services.ownOrigin.origin() });
    const stopHeartbeat = await announceProcess('worker', { pool: database.pool, keyring, logger });
    status.watch(database.pool, keyring);
    logger.info('worker started');
    await Promise.race([stopped, lost]).finally(async () => {
      await Promise.all([stopJobs(), stopHeartbeat()]);
      await services.close();
      await database.close();
    });
  } finally {
    await databaseServer.release();
    status.close();
    await stopTracing();
  }
  logger.info('worker stopped');
}

runToEnd(main);
