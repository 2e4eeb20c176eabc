import pg from 'pg';

/**
 * A connection beside the pool. One that is lost makes its next statement fail; its 'error' event without a listener would end the
 * process.
 */
export function singleConnection(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config);
  client.on('error', () => {});
  return client;
}
