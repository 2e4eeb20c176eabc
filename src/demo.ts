import { createInterface } from 'node:readline';
import { seedDemo } from '../prisma/seed/demo.ts';
import { keepDemoMedia } from '../prisma/seed/session-media.ts';
import { type Config, readConfig } from './config/config.ts';
import { chooseDirectUrl } from './database/connections/runtime-role.ts';
import { attachDatabaseServer, usableFolder } from './database/data-folder.ts';
import { type Database, openDatabase } from './database/database.ts';
import { ownerVariable, withConnection } from './database/migrations/migrate-on-start.ts';
import { preparedIn } from './database/statements/statement.ts';
import { hashSecret, newSecret } from './domain/identity/secrets.ts';
import { createFiles } from './gateways/files/create-files.ts';
import { lacksDemo, writeDemo } from './startup/demo.ts';
import { runToEnd } from './startup/last-words.ts';
import { openKeys } from './startup/open-keys.ts';

/** Of several processes that start on one empty database, one fills it while the others wait. */
const ADVISORY_LOCK = 7_410_258;

/** Started by a server that may lack demo practices (startup/demo.ts): adds two where it does, and ends. */
async function main(): Promise<void> {
  // The server's: its database runs; then, it is migrated. None where the server wants no demo, or has ended.
  const words = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  if ((await words.next()).done) return;
  const config = readConfig(process.env);
  const databaseServer = await attachDatabaseServer(config);
  const keyring = await openKeys(databaseServer, config);
  // Its passwords are to be written there: refused now, and not after the filling.
  await usableFolder(config.DATA_DIR);
  // Nobody waits for an answer: more patience than for requests.
  const database = openDatabase({ url: chooseDirectUrl(databaseServer), poolSize: 2, statementTimeout: 60_000, connectTimeout: 30_000 });
  const practices = await seedDemo(database.prisma, {
    now: new Date(),
    keyring,
    besideOthers: config.SANDBOX === 'on',
    hash: hashSecret,
    randomSecret: newSecret,
    begin: async () => !(await words.next()).done && isLacking(database, config),
    // The credentials are on the disk before the rows are committed: a process killed in between leaves a file without a matching
    // database, and the next one overwrites it.
    beforeCommit: (made) => writeDemo(config.DATA_DIR, { baseUrl: '', practices: made }),
  });
  if (practices.length === 0) return;
  process.stdout.write('filled');
  // PostgreSQL would gather statistics a minute later; plans without them take seconds for a list of patients.
  await withConnection(databaseServer.ownerUrl, ownerVariable(databaseServer), (client) => client.query('ANALYZE'));
  const store = { db: database.prisma, files: await createFiles(config) };
  for (const { practiceid } of practices) await keepDemoMedia(database, store, practiceid);
}

/** Whether the migrated database lacks the demo now that no other process fills it. */
async function isLacking({ pool, prisma }: Database, config: Config): Promise<boolean> {
  // Closing the connection releases the lock, as the end of this process does.
  const locked = await pool.connect();
  await locked.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
  return lacksDemo(preparedIn(prisma), config);
}

// The server that started this waits for its end, also after a signal that both of them received.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
runToEnd(main);
