import { createHash } from 'node:crypto';
import type pg from 'pg';
import { splitServers } from '../config/database-address.ts';
import { PrismaClient } from '../generated/prisma/client.ts';
import { createConnectionClients } from './connections/connection-client.ts';
import { primaryClient } from './connections/primary.ts';
import { createTypeOverrides, NumericPrismaPg } from './connections/safe-integers.ts';
import type { ConnectionOptions } from './connections/single-connection.ts';
import { WatchedPool } from './connections/watched-pool.ts';
import { createPrepared, type Db, setPrepared } from './statements/statement.ts';

export type { Db };

/** One pool, shared by Prisma and by the prepared statements of the most frequent reads. */
export interface Database {
  prisma: PrismaClient;
  pool: pg.Pool;
  /** Prisma's client on one connection of the pool, for transaction.ts. */
  clientOn(client: pg.PoolClient): Promise<Db>;
  /** Milliseconds after which a transaction sends no further statement. */
  transactionTimeout: number;
  /** Leads to PostgreSQL itself, past a pooler: for connections beside the pool. */
  directUrl: string;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** The same database past the pooler that `url` leads to; left out where there is none. */
  directUrl?: string | undefined;
  poolSize: number;
  /** Milliseconds that one statement may take, by default as those of requests; behind a pooler always so. */
  statementTimeout?: number;
  /** Milliseconds that a caller waits for a connection, by default so few that a request is refused in time. */
  connectTimeout?: number;
  onError?: (error: Error) => void;
}

/** Milliseconds for a statement of a request: it has its response within 5 s. */
const STATEMENT_TIMEOUT_MS = 4_000;

/** Milliseconds for a connection of a request. */
const CONNECT_TIMEOUT_MS = 3_000;

/** A connection is replaced after a day. */
const LIFETIME_SECONDS = 86_400;

/**
 * Settings of every session. UTC, because under any other zone Prisma stores instants with an offset of hours. A low page cost,
 * because the planner would otherwise read whole tables instead of a range of an index. No JIT, because compiling a query takes
 * longer than any query of this server.
 */
const SESSION = { TimeZone: 'UTC', random_page_cost: '1.1', jit: 'off' } as const;

/** Limits of a session, in milliseconds. */
const limits = (statementTimeout: number) => ({
  statement_timeout: statementTimeout,
  idle_in_transaction_session_timeout: statementTimeout * 3,
});

/**
 * Settings of every session behind a pooler, which the role has by default: a pooler shares its sessions among those who connect to it, and
 * takes no settings from them but the time zone.
 */
export const POOLED_SETTINGS: Readonly<Record<string, string | number>> = { ...SESSION, ...limits(STATEMENT_TIMEOUT_MS) };

/** Options of every connection. @param url of one server, or of several of which one takes writes */
export function connectionOptions(url: string, statementTimeout: number): ConnectionOptions {
  const settings = Object.entries(SESSION).map(([name, value]) => `-c ${name}=${value}`);
  return toPrimary(url, { ...limits(statementTimeout), options: settings.join(' '), query_timeout: statementTimeout + 500 });
}

/** Options of every connection to a pooler, which gives each transaction some session of PostgreSQL with POOLED_SETTINGS. */
export function pooledOptions(url: string): ConnectionOptions {
  return toPrimary(url, { options: `-c TimeZone=${SESSION.TimeZone}`, query_timeout: STATEMENT_TIMEOUT_MS + 500 });
}

function toPrimary(url: string, settings: pg.ClientConfig): ConnectionOptions {
  const [connectionString] = splitServers(url);
  const options = {
    ...settings,
    connectionString,
    application_name: 'triptych',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  return { ...options, Client: primaryClient(url, options) };
}

export function openDatabase(options: DatabaseOptions): Database {
  const {
    url,
    directUrl,
    poolSize,
    statementTimeout = STATEMENT_TIMEOUT_MS,
    connectTimeout = CONNECT_TIMEOUT_MS,
    onError = () => {},
  } = options;
  const connection = directUrl === undefined ? connectionOptions(url, statementTimeout) : pooledOptions(url);
  // Several statements may be sent before the first is answered; each fails by itself, and a transaction with its first.
  const pool = new WatchedPool({
    ...connection,
    connectionTimeoutMillis: connectTimeout,
    max: poolSize,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    pipeline: true,
    types: createTypeOverrides(),
  });
  // A connection that the database ends must not end the process: neither an idle one, nor one that is taken and between statements.
  // Those that end because the database is closed are no loss.
  let isClosing = false;
  const onLoss = (error: Error) => {
    if (!isClosing) onError(error);
  };
  dropLost(pool, onLoss);
  const transactionTimeout = statementTimeout * 2;
  const adapter = new NumericPrismaPg(pool, { onConnectionError: onLoss, statementNameGenerator });
  const prisma = new PrismaClient({
    adapter,
    transactionOptions: { maxWait: connectTimeout, timeout: transactionTimeout },
    errorFormat: 'minimal',
  });
  setPrepared(prisma, createPrepared(pool));
  return {
    prisma,
    pool,
    clientOn: createConnectionClients(prisma),
    transactionTimeout,
    directUrl: directUrl ?? url,
    close: async () => {
      isClosing = true;
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

function dropLost(pool: pg.Pool, onLoss: (error: Error) => void): void {
  pool.on('error', onLoss);
  pool.on('connect', (client) => client.on('error', () => {}));
  // Prisma releases a connection even when its COMMIT or ROLLBACK was never answered; the next user would wait for that.
  pool.on('release', (_error, client) => {
    if (client.getTransactionStatus() !== 'I') void client.end();
  });
}

/** Named statements are planned once per connection. Prisma produces few distinct texts; each is named by its hash. */
function statementNameGenerator({ sql }: { sql: string }): string {
  const known = statementNames.get(sql);
  if (known) return known;
  const name = createHash('sha1').update(sql).digest('hex').slice(0, 20);
  if (statementNames.size < 2_000) statementNames.set(sql, name);
  return name;
}
const statementNames = new Map<string, string>();
