import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { chooseDirectUrl } from '../../database/connections/runtime-role.ts';
import { singleConnection } from '../../database/connections/single-connection.ts';
import { attachDatabaseServer, type DatabaseServer } from '../../database/data-folder.ts';
import { connectionOptions, type Database, type Db, openDatabase } from '../../database/database.ts';
import { lockHolder } from '../../database/embedded/lock.ts';
import { createKeyring, type Keyring } from '../../database/encryption/keyring.ts';
import { isDatabaseUnreachable } from '../../database/errors.ts';
import { pendingMigrations, unknownMigrations } from '../../database/migrations/migrations.ts';
import { createPrepared } from '../../database/statements/statement.ts';
import { writeJournal } from '../../domain/audit/journal-entries.ts';
import { type Caller, operator } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { emptyJournal } from '../../domain/journal.ts';
import { type Tx, txOf } from '../../domain/tx.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { createCommandServices } from '../../services.ts';
import { keysFor, type RefusedKeys } from '../../startup/open-keys.ts';
import { findPractice, type NamedPractice } from './practice.ts';

/** Milliseconds for a statement of an operator, which may take longer than a request's: verifying the whole audit, the size of every table. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Milliseconds that a command waits for other processes that use the database. */
const WAIT_MS = 15_000;

/** The database that a command works on, and functions that read and write it with events and audit rows. */
export interface Session {
  config: Config;
  operatorName: string;
  keyring: Keyring;
  databaseServer: DatabaseServer;
  database: Database;
  db: Db;
  /** For work of many transactions, each with its own journal. */
  unitOfWork: UnitOfWork;
  /** Reads in the name of a practice. @throws Failure not_found */
  read<T>(practice: NamedPractice, callback: (tx: Tx) => Promise<T>): Promise<T>;
  /** Writes to a practice; its event and audit row are written in the same transaction. @throws Failure not_found */
  write<T>(practice: NamedPractice, callback: (tx: Tx) => Promise<T>): Promise<T>;
  /** Creates a practice: as write, for an id that no practice has yet. */
  create<T>(organizationId: number, callback: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Writes records that belong to no single practice, such as a client or a key. One transaction, with a caller for each
   * practice concerned: the events and audit rows that the callback records in that caller are written to that practice.
   */
  writeEach<T>(organizationIds: readonly number[], callback: (db: Db, callers: Caller[]) => Promise<T>): Promise<T>;
}

type CommandServices = ReturnType<typeof createCommandServices>;

/** The database of the server, and the connections of the command to it. */
interface Joined {
  databaseServer: DatabaseServer;
  database: Database;
}

/** A command, and the operator who runs it. */
interface Who {
  command: string;
  operatorName: string;
}

/**
 * Joins the database of the server, beside it or alone, does the work and leaves.
 * @param who the name of the command in events and audit rows, and that of the operator
 * @param open a database that is open already, at DATABASE_URL, and stays open
 */
export async function withSession<T>(config: Config, who: Who, work: (session: Session) => Promise<T>, open?: Database): Promise<T> {
  await refuseNothing(config);
  if (open) return workOn(config, who, { databaseServer: await attachDatabaseServer(config), database: open }, work);
  const joined = await joinPatiently(config);
  try {
    return await workOn(config, who, joined, work);
  } finally {
    await leave(config, joined.databaseServer, joined.database);
  }
}

async function workOn<T>(config: Config, who: Who, joined: Joined, work: (session: Session) => Promise<T>): Promise<T> {
  const services = createCommandServices(joined);
  try {
    return await work(sessionOn(config, who, joined, services));
  } finally {
    await services.close();
  }
}

/** @throws Failure naming what is to be done before this database can be administered, also for one of a newer release */
export async function requireMigrated({ database }: Session): Promise<void> {
  const [newer] = await unknownMigrations(database.pool);
  if (newer !== undefined)
    throw new Failure(
      'unavailable',
      'newer_database',
      `A newer release migrated the database and applied ${newer}. Run the commands of that release.`,
    );
  const pending = await pendingMigrations(database.pool);
  if (pending.length === 0) return;
  throw new Failure(
    'unavailable',
    'not_migrated',
    `The database lacks ${pending.length} of its migrations. Start the server, or run: npm run db:migrate`,
  );
}

/**
 * Checks that the command has the master keys of the database before it does anything: under others, each new value would be lost,
 * and each new seal of the audit a false alarm.
 * @throws StartError naming the keys that the database needs
 */
export async function requireMasterKeys(session: Session, refused: RefusedKeys): Promise<void> {
  session.keyring = await keysFor(createPrepared(session.database.pool), session.config, refused);
}

function sessionOn(
  config: Config,
  { command, operatorName }: Who,
  { databaseServer, database }: Joined,
  { unitOfWork }: Pick<CommandServices, 'unitOfWork'>,
): Session {
  const db = database.prisma;
  let keyring: Keyring | undefined;
  const identity = (organizationId: number) => operator(organizationId, command, operatorName);
  return {
    config,
    operatorName,
    get keyring() {
      keyring ??= createKeyring(config.MASTER_KEYS, config.LOST_MASTER_KEY_IDS);
      return keyring;
    },
    set keyring(checked) {
      keyring = checked;
    },
    databaseServer,
    database,
    db,
    unitOfWork,
    async read(practice, callback) {
      const { id } = await findPractice(db, practice);
      return unitOfWork.read(identity(id), callback);
    },
    async write(practice, callback) {
      const { id } = await findPractice(db, practice);
      return unitOfWork.write(identity(id), callback);
    },
    create: (organizationId, callback) => unitOfWork.write(identity(organizationId), callback),
    async writeEach(organizationIds, callback) {
      const [first, ...others] = organizationIds;
      let beside: Caller[] = [];
      const hasEvents = ({ journal }: Caller) => journal.events.length > 0;
      // Without a practice there is no audit to write to, and the journal stays empty.
      const result = await unitOfWork.write(identity(first ?? 0), async (tx) => {
        beside = others.map((id) => ({ ...identity(id), journal: emptyJournal() }));
        const done = await callback(tx.prisma, first === undefined ? [] : [tx, ...beside]);
        // An audit row is written before the change is committed, so that none is without it.
        for (const other of beside) if (!hasEvents(other)) await writeAlone(db, other);
        for (const other of beside) tx.journal.notices.push(...other.journal.notices);
        return done;
      });
      // An event is told after the change is there for who hears of it.
      for (const other of beside) if (hasEvents(other)) await writeAlone(db, other);
      return result;
    },
  };
}

/** A transaction writes the logs of one practice. */
const writeAlone = (db: Session['db'], caller: Caller): Promise<unknown> => db.$transaction((own) => writeJournal(txOf(own, caller)));

/** A slip in DATA_DIR must not make a new, empty database and then find nothing in it. */
async function refuseNothing({ DATABASE_URL, DATA_DIR }: Config): Promise<void> {
  if (DATABASE_URL || (await stat(join(DATA_DIR, 'database')).catch(() => null))) return;
  throw new Failure(
    'unavailable',
    'no_database',
    `There is no database in ${DATA_DIR} yet. If DATA_DIR is right, start the server once, or run: npm run db:migrate`,
  );
}

/** Tries again where another command was running the database and is just leaving it. */
async function joinPatiently(config: Config): Promise<Joined> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await joinOnce(config);
    } catch (error) {
      if (config.DATABASE_URL || !isDatabaseUnreachable(error) || performance.now() > end) throw error;
      await sleep(200);
    }
  }
}

async function joinOnce(config: Config): Promise<Joined> {
  const databaseServer = await attachDatabaseServer(config);
  const database = openDatabase({ url: chooseDirectUrl(databaseServer), poolSize: 2, statementTimeout: STATEMENT_TIMEOUT_MS });
  try {
    await database.pool.query('SELECT 1');
    return { databaseServer, database };
  } catch (error) {
    await leave(config, databaseServer, database);
    throw error;
  }
}

/** An embedded database that this command runs, because no server does, ends with it: other processes that use it may finish first. */
async function leave({ DATA_DIR }: Config, databaseServer: DatabaseServer, database: Database): Promise<void> {
  await database.close();
  if (databaseServer.embedded && (await lockHolder(DATA_DIR)) === process.pid) await waitForOthers(databaseServer.url).catch(() => {});
  await databaseServer.release();
}

async function waitForOthers(url: string): Promise<void> {
  const client = singleConnection(connectionOptions(url, STATEMENT_TIMEOUT_MS));
  await client.connect();
  const end = performance.now() + WAIT_MS;
  // Of other roles' sessions only the user and the database are visible.
  const findOtherSessions = () =>
    client.query('SELECT FROM pg_stat_activity WHERE usesysid IS NOT NULL AND datid IS NOT NULL AND pid <> pg_backend_pid()');
  while (performance.now() < end && ((await findOtherSessions()).rowCount ?? 0) > 0) await sleep(100);
  await client.end();
}
