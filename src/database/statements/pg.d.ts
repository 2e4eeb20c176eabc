import type pg from 'pg';

/** Parts of the driver that its types leave out. */
declare module 'pg' {
  interface Query {
    name?: string;
    text: string;
    values: readonly unknown[];
    callback?: (error: Error | null, result: pg.QueryResult) => void;
    /** Its rows, and the columns that are known. */
    _result: pg.QueryResult & { _parsers?: unknown; _prebuiltEmptyResultObject: unknown };
    /** Sends its messages. */
    prepare(connection: pg.Connection): void;
    _accumulateRows: boolean;
  }
}
