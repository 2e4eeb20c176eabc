import { createServer, type Server } from 'node:http';
import type { Config } from '../config/config.ts';
import { StartError } from '../config/start-errors.ts';

/** A port that this process has before it can serve. */
export interface HeldPort {
  /** The number that the system chose where 0 was asked for. */
  port: number;
  /** Gives it up, for the server of this process to take it at once. */
  release(): Promise<void>;
}

/**
 * Takes the port before a start does anything that takes long, and answers until the server does: `/healthz` that the process
 * lives, everything else 503, so that whoever watches over a process that migrates for minutes does not end it.
 * @throws StartError when the port is taken, or cannot be had
 */
export async function holdPort({ TRIPTYCH_HOST, PORT }: Pick<Config, 'TRIPTYCH_HOST' | 'PORT'>): Promise<HeldPort> {
  const server = createServer((request, response) => {
    const isAlive = request.url === '/healthz';
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(isAlive ? 200 : 503, isAlive ? headers : { ...headers, 'retry-after': '2' });
    response.end(JSON.stringify({ status: isAlive ? 'alive' : 'starting' }));
  });
  await waitForListening(server, { TRIPTYCH_HOST, PORT });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : PORT;
  return {
    port,
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function waitForListening(server: Server, { TRIPTYCH_HOST, PORT }: Pick<Config, 'TRIPTYCH_HOST' | 'PORT'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new StartError(cannotListen(cause, { TRIPTYCH_HOST, PORT }), { cause })));
    server.listen(PORT, TRIPTYCH_HOST, resolve);
  });
}

/** The reason why a server cannot listen, in a sentence that names the variable. */
export function cannotListen(error: unknown, { TRIPTYCH_HOST, PORT }: Pick<Config, 'TRIPTYCH_HOST' | 'PORT'>): string {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  if (code === 'EADDRINUSE')
    return `PORT: ${PORT} is used by another program. Stop it, or set PORT to another number (0 for any free port).`;
  if (code === 'EACCES') return `PORT: this user cannot listen on ${PORT}. Set PORT to a number above 1023.`;
  return `TRIPTYCH_HOST: cannot listen on ${TRIPTYCH_HOST} (${code}).`;
}
