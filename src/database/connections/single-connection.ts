import pg from 'pg';
import { StartError } from '../../config/start-errors.ts';

/** Options of a connection, and of a pool of such. */
export interface ConnectionOptions extends pg.PoolConfig {
  /** Finds the server; by default there is but one. */
  Client?: typeof pg.Client | undefined;
}

/**
 * A connection beside the pool. One that is lost makes its next statement fail; its 'error' event without a listener would end the
 * process.
 */
export function singleConnection(config: ConnectionOptions): pg.Client {
  const client = new (config.Client ?? pg.Client)(config);
  client.on('error', () => {});
  return client;
}

/**
 * Works on a connection of its own, which is closed in the end.
 * @param refusal the reason, in words, for which it could not be opened
 * @throws StartError with that reason
 */
export async function onConnection<T>(
  options: ConnectionOptions,
  refusal: (error: unknown) => string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = singleConnection(options);
  try {
    await client.connect().catch((error: unknown) => {
      throw new StartError(refusal(error));
    });
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The message of a failed connection. An AggregateError over several addresses has codes and no message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
