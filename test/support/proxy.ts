import net from 'node:net';

/** A network between the server and its database, which can fail. */
export interface DatabaseProxy {
  /** The database's address through this network. */
  url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps every connection and takes new ones, and carries nothing: as a network that lost its way. */
  swallow(): void;
  /** Ends each connection that is open now as soon as something is sent on it: as a firewall that has forgotten them. */
  forget(): void;
  /** Carries again. What was swallowed is lost, and so is every connection that it belonged to, silently. */
  restore(): Promise<void>;
  /** Leads new connections to another database, as an address does that another machine takes over. */
  lead(databaseUrl: string): void;
  close(): Promise<void>;
}

export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const forgotten = new WeakSet<net.Socket>();
  let carries = true;
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
        else if (!isLost) to.write(chunk);
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
  const url = new URL(databaseUrl);
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
    restore: async () => {
      carries = true;
      if (!server.listening) await listen();
    },
    lead: (other) => {
      target = new URL(other);
    },
    close: cut,
  };
}
