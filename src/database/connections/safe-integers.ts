import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlQuery, type SqlResultSet, type Transaction } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { timeStatement } from '../statements/statement-times.ts';
import { handedOver, sendOn } from './connection-client.ts';

/** Columns of enums in what a statement of Prisma returns, which it has written as texts. */
const CAST = /("[^"]+"\."[^"]+"\."[^"]+")::text(?!\[)/g;
/** Parameters that it converts from texts to enums, beside which no text is needed: the driver sends each as a text of no type. */
const PARAMETER = /CAST\((\$\d+)::text AS ("[^"]+"\."[^"]+")\)/g;
const WRITES = /^(?:INSERT|UPDATE|DELETE) /;
/** Prisma makes few distinct texts; those of raw statements have no end. */
const MOST_KNOWN = 2_000;

const known = new Map<string, string>();

/**
 * A statement of Prisma that takes and returns enums as they are. The driver sends and reads them as texts either way, and where rows are on
 * several nodes none may be converted in RETURNING or DO UPDATE: the conversion counts as one whose result may change.
 */
function withPlainEnums(sql: string): string {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const plain = WRITES.test(sql) ? withoutCasts(sql) : sql;
  if (known.size < MOST_KNOWN) known.set(sql, plain);
  return plain;
}

function withoutCasts(sql: string): string {
  const place = sql.lastIndexOf(' RETURNING ');
  const end = place < 0 ? sql.length : place;
  return sql.slice(0, end).replaceAll(PARAMETER, '$1::$2') + sql.slice(end).replaceAll(CAST, '$1');
}

/**
 * 64-bit integers of the database as numbers of JavaScript, which are exact to 2^53 - 1. Ids never come near that: a sequence
 * that gives a million a second takes 285 years.
 */

/** @throws RangeError beyond 2^53 - 1 */
function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('An integer from the database is larger than 2^53 - 1.');
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
    const result = await timeStatement({ text: plain.sql }, () => query(plain));
    result.columnTypes.forEach((type, column) => {
      if (type === ColumnTypeEnum.Int64 && toNumbers(result.rows, column)) result.columnTypes[column] = ColumnTypeEnum.Int32;
    });
    return result;
  };
  const execute = queryable.executeRaw.bind(queryable);
  queryable.executeRaw = (sql) => timeStatement({ text: sql.sql }, () => execute(sql));
  return queryable;
}

/** @returns false, with the rows as they were, where a value is too large */
function toNumbers(rows: unknown[][], column: number): boolean {
  if (!rows.every((row) => row[column] === null || Number.isSafeInteger(Number(row[column])))) return false;
  for (const row of rows) if (row[column] !== null) row[column] = Number(row[column]);
  return true;
}
