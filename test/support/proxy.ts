import net from 'node:net';

/** A network between the server and its database, or another service that it calls, which can fail. */
export interface FailingNetwork {
  /** The service's address through this network. */
  url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps every connection and takes new ones, and carries nothing: as a network that lost its way. */
  swallow(): void;
  /** Ends each connection that is open now as soon as something is sent on it: as a firewall that has forgotten them. */
  forget(): void;
  /** Carries everything so many milliseconds late. */
  delay(ms: number): void;
  /** Carries again. What was swallowed is lost, and so is every connection that it belonged to, silently. */
  restore(): Promise<void>;
  /** Leads new connections to another service, as an address does that another machine takes over. */
  lead(url: string): void;
  close(): Promise<void>;
}

export async function startProxy(serviceUrl: string): Promise<FailingNetwork> {
  let target = new URL(serviceUrl);
  const sockets = new Set<net.Socket>();
  const forgotten = new WeakSet<net.Socket>();
  let carries = true;
  let lateMs = 0;
  let server = net.createServer();
  let port = 0;

  function join(inner: net.Socket): void {
    const outer = net.connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      let isLost = false;
      sockets.add(from);
      from.on('data', (chunk) => {
        isLost ||= !carries;
        if (forgotten.has(from)) from.resetAndDestroy();
        else if (!isLost && lateMs === 0) to.write(chunk);
        else if (!isLost) setTimeout(() => to.write(chunk), lateMs);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        if (carries) to.destroy();
      });
    }
  }

  async function listen(): Promise<void> {
    server = net.createServer(join);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const address = server.address();
    if (address !== null && typeof address === 'object') port = address.port;
  }

  async function cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await listen();
  const url = new URL(serviceUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cut,
    swallow: () => {
      carries = false;
    },
    forget: () => {
      for (const socket of sockets) forgotten.add(socket);
    },
    delay: (ms) => {
      lateMs = ms;
    },
    restore: async () => {
      carries = true;
      lateMs = 0;
      if (!server.listening) await listen();
    },
    lead: (other) => {
      target = new URL(other);
    },
    close: cut,
  };
}
