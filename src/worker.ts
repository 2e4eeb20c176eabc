import { ConfigError, readConfig } from './config.ts';
import { joinSite } from './data-folder.ts';
import { openDatabase } from './database.ts';
import { createLogger } from './http/logger.ts';
import { startJobs } from './jobs/recurring.ts';
import { createKeyring } from './keyring.ts';

/** A process that only runs jobs, beside any number of servers and other workers on the same database. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config);
  const site = await joinSite(config);
  const database = openDatabase({ url: site.url, poolSize: 4, onError: (err) => logger.warn({ err }, 'database connection lost') });
  const stopJobs = startJobs({ database, keyring: createKeyring(config.MASTER_KEYS), logger });
  logger.info('worker started');
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  setTimeout(() => process.exit(1), 9_000).unref();
  await stopJobs();
  await database.close();
  await site.leave();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const message = error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`The worker did not start.\n${message}\n`);
    process.exit(1);
  },
);
