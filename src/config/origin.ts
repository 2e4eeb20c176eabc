import type { Config } from './config.ts';

/** The origin of this server: of all links that it writes, and of the pages whose forms and sockets it takes. */
export interface OwnOrigin {
  /** PUBLIC_URL, without a slash at its end; else the address that this server, or the server beside this worker, listens on. */
  origin(): string;
  /** The address that this server, or the server beside this worker, listens on. */
  writeListening(): string;
  /** Tells the port that the system chose where PORT is 0. */
  listensOn(port: number): void;
}

/** Hosts that stand for all addresses of a machine. */
const ANY_HOST = ['0.0.0.0', '::'];

/** Never what a request says: with a foreign Host header, links would lead a patient to somebody else's server. */
export function createOwnOrigin({ PUBLIC_URL, TRIPTYCH_HOST, PORT }: Pick<Config, 'PUBLIC_URL' | 'TRIPTYCH_HOST' | 'PORT'>): OwnOrigin {
  const host = ANY_HOST.includes(TRIPTYCH_HOST) ? '127.0.0.1' : TRIPTYCH_HOST;
  let ownPort = PORT;
  const writeListening = () => `http://${host.includes(':') ? `[${host}]` : host}:${ownPort}`;
  return {
    origin: () => PUBLIC_URL ?? writeListening(),
    writeListening,
    listensOn(port) {
      ownPort = port;
    },
  };
}
