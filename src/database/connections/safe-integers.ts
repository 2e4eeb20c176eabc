import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlQuery, type SqlResultSet, type Transaction } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { withPlainEnums } from '../statements/returned-enums.ts';
import { timed } from '../statements/statement-times.ts';
import { handedOver, sendOn } from './connection-client.ts';

/**
 * 64-bit integers of the database as numbers of JavaScript, which are exact to 2^53 - 1. Ids never come near that: a sequence
 * that gives a million a second takes 285 years.
 */

/** @throws RangeError beyond 2^53 - 1 */
function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('An integer of the database is beyond 2^53 - 1.');
  return number;
}

const { INT8 } = pg.types.builtins;

/** Makes a pool's own statements return bigint as a number. Prisma brings parsers of its own with each statement. */
export function createTypeOverrides(): pg.CustomTypesConfig {
  const overrides = new pg.TypeOverrides();
  overrides.setTypeParser(INT8, safeInteger);
  return overrides;
}

interface Queryable {
  queryRaw(query: SqlQuery): Promise<SqlResultSet>;
  executeRaw(query: SqlQuery): Promise<number>;
}

/**
 * Prisma's adapter, with numbers in place of bigints in the results of raw statements; statements over models have the types
 * of the schema either way. A column with a value beyond 2^53 - 1 stays one of bigints. A transaction that begins on a connection
 * that was handed over sends neither BEGIN nor COMMIT.
 */
export class NumericPrismaPg extends PrismaPg {
  readonly #options: PrismaPgOptions;

  constructor(pool: pg.Pool, options: PrismaPgOptions) {
    super(pool, options);
    this.#options = options;
  }

  override async connect() {
    const adapter = withNumbers(await super.connect());
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => {
      const client = handedOver.getStore();
      return client ? this.#joinTransactions(client) : withNumbers(await start(isolationLevel));
    };
    return adapter;
  }

  /** Sends all statements on one connection, in the transactions that run there (transaction.ts). */
  async #joinTransactions(client: pg.PoolClient): Promise<Transaction> {
    const query = (...args: unknown[]) => sendOn(client, () => Reflect.apply(client.query, client, args));
    const adapter = withNumbers(await new PrismaPg(Object.assign(new pg.Pool(), { query }), this.#options).connect());
    return {
      provider: adapter.provider,
      adapterName: adapter.adapterName,
      options: { usePhantomQuery: true },
      queryRaw: (statement) => adapter.queryRaw(statement),
      executeRaw: (statement) => adapter.executeRaw(statement),
      commit: async () => {},
      rollback: async () => {},
    };
  }
}

type PrismaPgOptions = ConstructorParameters<typeof PrismaPg>[1];

function withNumbers<Q extends Queryable>(queryable: Q): Q {
  const query = queryable.queryRaw.bind(queryable);
  queryable.queryRaw = async (sql) => {
    const plain = { ...sql, sql: withPlainEnums(sql.sql) };
    const result = await timed({ text: plain.sql }, () => query(plain));
    result.columnTypes.forEach((type, column) => {
      if (type === ColumnTypeEnum.Int64 && toNumbers(result.rows, column)) result.columnTypes[column] = ColumnTypeEnum.Int32;
    });
    return result;
  };
  const execute = queryable.executeRaw.bind(queryable);
  queryable.executeRaw = (sql) => timed({ text: sql.sql }, () => execute(sql));
  return queryable;
}

/** @returns false, with the rows as they were, where a value is too large */
function toNumbers(rows: unknown[][], column: number): boolean {
  if (!rows.every((row) => row[column] === null || Number.isSafeInteger(Number(row[column])))) return false;
  for (const row of rows) if (row[column] !== null) row[column] = Number(row[column]);
  return true;
}
