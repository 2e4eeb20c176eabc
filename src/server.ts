import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { type Config, readConfig } from './config/config.ts';
import { StartError } from './config/start-errors.ts';
import { acquireDatabaseServer, type DatabaseServer } from './database/data-folder.ts';
import { openDatabase } from './database/database.ts';
import { lackOfRoom, reasonOnDisk } from './database/embedded/disk-full.ts';
import type { Keyring } from './database/encryption/keyring.ts';
import { migrateOnStart } from './database/migrations/migrate-on-start.ts';
import { preparedIn } from './database/statements/statement.ts';
import { followTestPractices } from './domain/practices/test-practices.ts';
import { createLogger } from './http/telemetry/logger.ts';
import { startJobs } from './jobs/queue/scheduler.ts';
import { createServices } from './services.ts';
import { announceProcess } from './startup/announce-process.ts';
import { announceDemo, startFiller } from './startup/demo.ts';
import { firstScreen } from './startup/first-screen.ts';
import { cannotListen, type HeldPort, holdPort } from './startup/hold-port.ts';
import { runToEnd } from './startup/last-words.ts';
import { changeLevelBySignal } from './startup/log-level.ts';
import { logStatements } from './startup/log-statements.ts';
import { openKeys } from './startup/open-keys.ts';
import { startTracing } from './startup/start-tracing.ts';
import { stopSignal } from './startup/stop-signal.ts';

/** A stop takes at most 10 s with its drain; the embedded database stops by itself when its server is gone. */
const STOP_WITHIN_MS = 9_500;
/** Milliseconds that a stop waits for requests, each of which has its response within 5 s; and those with the drain before. */
const FINISH_WITHIN_MS = 6_000;
const DRAIN_AND_FINISH_MS = 7_500;

/** Milliseconds from listening to the first jobs: they load Prisma's compiler, for which the first requests would wait. */
const JOBS_AFTER_MS = 1_000;

/** config → port → database → migrations → demo beside app → listen; and back again on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config);
  changeLevelBySignal(logger);
  logStatements(logger, config.SLOW_STATEMENT_MS);
  const stopTracing = await startTracing(config, logger);
  // Lines for a person; in production, where a collector reads them, every line is a log line.
  const report = (what: string) => (config.NODE_ENV === 'production' ? logger.info(what) : process.stdout.write(`  Triptych is ${what}\n`));
  const stopped = stopSignal(STOP_WITHIN_MS, () => logger.error('not stopped in time; forced to end'));
  let stopping = false;
  void stopped.then(() => {
    stopping = true;
    report('stopping; requests in progress are finished first');
  });
  const held = await holdPort(config);
  const filler = startFiller(config);
  const databaseServer = await acquireDatabaseServer(config, report);
  const lost = databaseServer.ended.then(async (): Promise<never> => {
    throw (
      (await lackOfRoom(databaseServer.disk)) ??
      new StartError('The embedded database ended unexpectedly. Start again; it recovers automatically.')
    );
  });
  lost.catch(() => {});
  // A signal during the start waits for the step under way, and not for those after it.
  try {
    if (stopping) return;
    const keyring = await Promise.race([openKeys(databaseServer, config), lost]);
    filler?.connect();
    await Promise.race([migrateOnStart(databaseServer, config, { report, warn: (sentence) => logger.warn(sentence) }), lost]);
    if (stopping) return;
    const lacksDemo = await Promise.race([filler?.isNeeded(databaseServer), lost]);
    if (!lacksDemo) void filler?.end();
    const filled = Promise.race([lacksDemo ? filler?.fill(report) : undefined, lost]);
    filled.catch(() => {});
    const shutDown = await serve(
      { ...config, PORT: held.port },
      { databaseServer, logger, keyring, held, filled, isStopping: () => stopping },
    );
    await Promise.race([stopped, lost]).finally(shutDown);
  } catch (error) {
    throw (await reasonOnDisk(error, databaseServer.disk)) ?? error;
  } finally {
    await filler?.end();
    await databaseServer.release();
    await stopTracing();
    if (stopping) report('stopped');
  }
}

interface ServeParts {
  databaseServer: DatabaseServer;
  logger: Logger;
  keyring: Keyring;
  held: HeldPort;
  /** Resolves when the demo is there: the app is built meanwhile, and listens afterwards. */
  filled: Promise<void>;
  isStopping: () => boolean;
}

/** Serves requests and runs jobs. @returns stops both */
async function serve(
  config: Config,
  { databaseServer, logger, keyring, held, filled, isStopping }: ServeParts,
): Promise<() => Promise<void>> {
  const onError = (err: Error) => logger.warn({ err }, 'database connection lost');
  const database = openDatabase({ ...databaseServer, poolSize: config.DATABASE_POOL, onError });
  const services = await createServices({ config, database, keyring, logger });
  const testPracticeIds: number[] = [];
  const app = await buildApp(services, { isStopping, testPracticeIds });
  const listen = async () => {
    await app.ready();
    await filled;
    testPracticeIds.push(...(await followTestPractices(preparedIn(database.prisma))));
    await held.release();
    await app.listen({ host: config.TRIPTYCH_HOST, port: config.PORT }).catch((cause: unknown) => {
      throw new StartError(cannotListen(cause, config), { cause });
    });
  };
  await listen().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const stopHeartbeat = await announceProcess('server', { pool: database.pool, keyring, logger });
  const [address, listening] = [services.ownOrigin.origin(), services.ownOrigin.writeListening()];
  const stopJobs = config.RUN_JOBS ? startJobs({ ...services, origin: address }, JOBS_AFTER_MS) : async () => {};
  const stop = async () => {
    const jobsStopped = stopJobs();
    const drainMs = isStopping() ? config.DRAIN_SECONDS * 1_000 : 0;
    await sleep(drainMs);
    const closed = app.close();
    // Connections that turn idle while close() waits would hold it up.
    const idle = setInterval(() => app.server.closeIdleConnections(), 50);
    const finished = Promise.all([closed, jobsStopped, stopHeartbeat()]).then(() => services.close());
    await Promise.race([finished, sleep(Math.min(FINISH_WITHIN_MS, DRAIN_AND_FINISH_MS - drainMs), undefined, { ref: false })]);
    clearInterval(idle);
    await Promise.race([database.close(), sleep(1_000, undefined, { ref: false })]);
  };
  const demo = await announceDemo(database, config.DATA_DIR, address);
  if (isStopping()) return stop;
  if (config.NODE_ENV !== 'production') process.stdout.write(firstScreen({ address, listening, config, demo }));
  else {
    const whose = demo ? `with demo practices; their accounts are in ${demo.file}` : 'for requests';
    logger.info(`Triptych is ready at ${address} ${whose}; it listens on ${listening}`);
  }
  return stop;
}

runToEnd(main);
