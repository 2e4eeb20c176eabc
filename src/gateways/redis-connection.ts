import { Redis } from 'ioredis';

/** Milliseconds for a connection, and for a command on it; a blocking read is asked to answer sooner. */
const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 4_000;

/** The parts of an address of a Redis or Valkey server: `rediss` and `valkeys` mean TLS. */
export function redisOptions(address: string) {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isEncrypted = url.protocol.endsWith('s:') && url.protocol !== 'redis:';
  return {
    host,
    port: Number(url.port || 6379),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    db: Number(url.pathname.slice(1) || 0),
    ...(isEncrypted ? { tls: { servername: host } } : {}),
  };
}

/**
 * Opens a connection. It is not made anew where it is lost, and a command whose answer does not come in time fails: whoever uses it
 * decides what then.
 * @throws Error with the reason, which names no password
 */
export async function connectRedis(address: string): Promise<Redis> {
  const client = new Redis({
    ...redisOptions(address),
    connectionName: 'triptych-rooms',
    // Every release of both servers knows it.
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | null = null;
  client.on('error', (error) => {
    reason ??= error;
  });
  try {
    await client.connect();
    // Refused where the password is wrong, the user may not use the key, or the server still reads its file.
    await client.xlen(STREAM_KEY);
    return client;
  } catch (error) {
    client.disconnect();
    throw reason ?? error;
  }
}

/** The one key that is used. */
export const STREAM_KEY = 'triptych:signals';
