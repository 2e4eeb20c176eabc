import { createHash } from 'node:crypto';
import type pg from 'pg';
import { serversOf } from '../config/database-address.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { PrismaClient } from '../generated/prisma/client.ts';
import { primaryClient } from './primary.ts';
import { createTypeOverrides, NumericPrismaPg } from './safe-integers.ts';
import type { ConnectionOptions } from './single-connection.ts';
import { WatchedPool } from './watched-pool.ts';

/** The Prisma client or a transaction of it, the first parameter of domain functions. */
export type Db = Prisma.TransactionClient;

/** One pool, shared by Prisma and by the prepared statements of the most frequent reads. */
export interface Database {
  prisma: PrismaClient;
  pool: pg.Pool;
  /** For what needs a connection of its own. */
  url: string;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Milliseconds that one statement may take; requests answer within 5 s, so theirs is 4 s. Commands may take longer. */
  statementTimeout?: number;
  onError?: (error: Error) => void;
}

/**
 * Settings of every session. UTC, because under any other zone Prisma stores instants with an offset of hours. A low page cost,
 * because the planner would otherwise read whole tables instead of a range of an index. No JIT, because compiling a query takes
 * longer than any query of this server.
 */
const SESSION = '-c timezone=UTC -c random_page_cost=1.1 -c jit=off';

/** Options of every connection. @param url of one server, or of several of which one takes writes */
export function connectionOptions(url: string, statementTimeout: number): ConnectionOptions {
  const [connectionString] = serversOf(url);
  const options = {
    connectionString,
    options: SESSION,
    application_name: 'triptych',
    connectionTimeoutMillis: 3_000,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + 500,
    idle_in_transaction_session_timeout: statementTimeout * 3,
    keepAlive: true,
  };
  return { ...options, Client: primaryClient(url, options) };
}

export function openDatabase({ url, poolSize, statementTimeout = 4_000, onError = () => {} }: DatabaseOptions): Database {
  // Several statements may be sent before the first is answered; each fails by itself, and a transaction with its first.
  const pool = new WatchedPool({
    ...connectionOptions(url, statementTimeout),
    max: poolSize,
    pipeline: true,
    types: createTypeOverrides(),
  });
  // A connection that the database ends must not end the process: neither an idle one, nor one that is taken and between statements.
  // Those that end because the database is closed are no loss.
  let isClosing = false;
  const onLoss = (error: Error) => {
    if (!isClosing) onError(error);
  };
  pool.on('error', onLoss);
  pool.on('connect', (client) => client.on('error', () => {}));
  // Prisma releases a connection even when its COMMIT or ROLLBACK was never answered; the next user would wait for that.
  pool.on('release', (_error, client) => {
    if (client.getTransactionStatus() !== 'I') void client.end();
  });
  const adapter = new NumericPrismaPg(pool, { onConnectionError: onLoss, statementNameGenerator });
  const prisma = new PrismaClient({
    adapter,
    transactionOptions: { maxWait: 3_000, timeout: statementTimeout * 2 },
    errorFormat: 'minimal',
  });
  return {
    prisma,
    pool,
    url,
    close: async () => {
      isClosing = true;
      await prisma.$disconnect();
      await pool.end();
    },
  };
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
