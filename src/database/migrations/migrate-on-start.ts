import pg from 'pg';
import type { Config } from '../../config/config.ts';
import { StartError } from '../../config/start-errors.ts';
import { chooseDirectUrl, type DatabaseUrls, isOwner } from '../connections/runtime-role.ts';
import { requireServerVersion } from '../connections/server-version.ts';
import { describeError, onConnection } from '../connections/single-connection.ts';
import type { ReportProgress } from '../data-folder.ts';
import { connectionOptions } from '../database.ts';
import { unplacedTables } from '../distribution/cluster.ts';
import { areLogsBehind } from '../logs/log-order.ts';
import { writeQuantity } from '../measures/quantities.ts';
import { migrate, pendingMigrations, unknownMigrations } from './migrations.ts';
import { isPoolersRefusal, leadsToPooler, preparePooler, requireSession } from './pooler.ts';

interface Output {
  report?: ReportProgress;
  /** Receives a sentence for the operator. */
  warn: (sentence: string) => void;
}

const MIGRATE_FIRST = 'Run "npm run db:migrate" first.';
/** SQLSTATE of a table that the role may not read. */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Applies the pending migrations as the owner; several processes may do so at the same time. With MIGRATE_ON_START=false, or
 * without the owner's address, only verifies that none is pending: a server never runs on a schema that it does not know.
 * @throws StartError when the database cannot be reached, is too old, or lacks migrations that this process may not apply
 */
export async function migrateOnStart(
  urls: DatabaseUrls,
  { MIGRATE_ON_START }: Pick<Config, 'MIGRATE_ON_START'>,
  { report = () => {}, warn }: Output,
): Promise<void> {
  const pending = MIGRATE_ON_START ? await pendingMigrationsFor('owner', urls) : null;
  if (pending !== null) {
    if (pending.length > 0) report(`applying ${writeQuantity(pending.length, 'migration')}`);
    // Also when none is pending: a restored database has them all, and its logs are put in order here.
    await migrate(urls, warn);
  } else if (urls.ownerUrl !== chooseDirectUrl(urls) && MIGRATE_ON_START) {
    throw notOwner(urls);
  }
  const { lacks, logsBehind, owner } = await withConnection(chooseDirectUrl(urls), directVariable(urls), inspect);
  if (lacks > 0) {
    const reason = MIGRATE_ON_START ? 'The role of DATABASE_URL may not migrate' : 'MIGRATE_ON_START is false';
    throw new StartError(`${reason}, and the database lacks ${lacks} of its migrations. ${MIGRATE_FIRST}`);
  }
  if (logsBehind) throw new StartError(`The database was restored into another cluster, and its logs must be repaired. ${MIGRATE_FIRST}`);
  if (urls.directUrl !== undefined) await preparePooler({ url: urls.url, directUrl: urls.directUrl }, warn);
  if (owner)
    warn(
      'DATABASE_URL uses the owner of the tables, who can also change the audit. docs/operations.md shows how to create a role for the server.',
    );
}

interface Wishes {
  /** Receives the names of the pending migrations, and what they tell the operator. */
  notice?: (sentence: string) => void;
  /** Whether to name the pending migrations, and change nothing. */
  planOnly?: boolean;
  /** `MigrateOptions` has these two. */
  isCopy?: boolean;
  folder?: string;
}

/**
 * Names the pending migrations, and applies them as the owner, in a command. For the plan alone any role that may read them is enough.
 * @returns names of the migrations that were applied, or wait where only the plan was asked for
 * @throws StartError when the database cannot be reached or is too old, or the address is not that of its owner
 */
export async function migrateAsOwner(
  urls: DatabaseUrls,
  { notice = () => {}, planOnly = false, isCopy = false, folder }: Wishes = {},
): Promise<string[]> {
  const pending = await pendingMigrationsFor(planOnly ? 'reader' : 'owner', urls, folder);
  if (pending === null) throw notOwner(urls);
  if (pending.length > 0) notice(`The database lacks ${writeQuantity(pending.length, 'migration')}: ${pending.join(', ')}.`);
  return planOnly ? pending : migrate(urls, notice, { isCopy, ...(folder === undefined ? {} : { folder }) });
}

/** Names of the pending migrations; null where an owner is needed, and the role that was given for it is none. */
async function pendingMigrationsFor(role: 'owner' | 'reader', urls: DatabaseUrls, folder?: string): Promise<string[] | null> {
  return withConnection(urls.ownerUrl, ownerVariable(urls), async (client) => {
    if (role === 'owner' && !(await isOwner(client))) return null;
    return requireGrant(async () => {
      await refuseNewer(client, folder);
      return pendingMigrations(client, folder);
    });
  });
}

/** @throws StartError for a database that a newer release has migrated: this one does not know what its tables mean now */
async function refuseNewer(client: pg.Client, folder?: string): Promise<void> {
  const [first, ...more] = await unknownMigrations(client, folder);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  throw new StartError(
    `A newer release migrated the database and applied ${first}${others}. Run that release, or restore an earlier backup.`,
  );
}

/** @throws StartError where `db:distribute` was interrupted: some tables are on the nodes, and others are not yet */
async function refuseHalfDistributed(client: pg.Client): Promise<void> {
  const [first, ...more] = await unplacedTables(client);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  throw new StartError(`The database is only partly distributed: ${first}${others} have no place yet. Run: npm run db:distribute`);
}

/** The variable that leads to the database under the owner: DATA_DIR where it is the embedded one. */
export const ownerVariable = (urls: DatabaseUrls) =>
  urls.disk !== undefined || urls.ownerUrl === chooseDirectUrl(urls) ? directVariable(urls) : 'DATABASE_OWNER_URL';

function directVariable({ directUrl, disk }: DatabaseUrls): string {
  if (disk !== undefined) return 'DATA_DIR';
  return directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
}

export function notOwner(urls: DatabaseUrls): StartError {
  return new StartError(`${ownerVariable(urls)}: its role does not own the tables. Set DATABASE_OWNER_URL to the address with the owner.`);
}

async function inspect(client: pg.Client): Promise<{ lacks: number; logsBehind: boolean; owner: boolean }> {
  const owner = await isOwner(client);
  return requireGrant(async () => {
    await refuseNewer(client);
    await refuseHalfDistributed(client);
    const lacks = (await pendingMigrations(client)).length;
    return { owner, lacks, logsBehind: lacks === 0 && (await areLogsBehind(client)) };
  });
}

/** Reads tables. @throws StartError where the role may not */
export async function requireGrant<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
    throw new StartError(`DATABASE_URL: its role was not granted its privileges. ${MIGRATE_FIRST}`);
  }
}

/** Works on a connection of its own. @param variable named where the database cannot be reached @throws StartError */
export async function withConnection<T>(url: string, variable: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const refusal = (error: unknown) =>
    isPoolersRefusal(error) ? leadsToPooler(variable) : `${variable}: the database cannot be reached (${describeError(error)}).`;
  return onConnection(connectionOptions(url, 10_000), refusal, async (client) => {
    await requireServerVersion(client, variable);
    await requireSession(client, variable);
    return work(client);
  });
}
