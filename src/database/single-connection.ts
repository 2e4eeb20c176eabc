import pg from 'pg';

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
