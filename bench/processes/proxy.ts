import { connect, createServer, type Socket } from 'node:net';

export interface ConnectionProxy {
  /** `http://127.0.0.1:port` */
  address: string;
  close(): Promise<void>;
}

/**
 * Forwards connections to servers in rotation, as a simple load balancer does; a server that accepts none is
 * skipped. It does not inspect the data.
 * @param targets addresses of servers
 */
export async function startProxy(targets: readonly string[]): Promise<ConnectionProxy> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((inner) => {
    follow(inner, open);
    const from = turn;
    turn = (turn + 1) % targets.length;
    join(inner, [...targets.slice(from), ...targets.slice(0, from)], open);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a proxy listens on a port');
  return {
    address: `http://127.0.0.1:${bound.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Connects to the first target that accepts the connection. */
function join(inner: Socket, [target, ...others]: readonly string[], open: Set<Socket>): void {
  if (target === undefined || inner.destroyed) {
    inner.destroy();
    return;
  }
  const { hostname, port } = new URL(target);
  const outer = connect(Number(port), hostname);
  follow(outer, open);
  const next = () => join(inner, others, open);
  outer.once('error', next);
  outer.once('connect', () => {
    outer.off('error', next);
    inner.pipe(outer).pipe(inner);
    inner.once('close', () => outer.destroy());
    outer.once('close', () => inner.destroy());
  });
}

function follow(socket: Socket, open: Set<Socket>): void {
  socket.setNoDelay(true);
  // A connection that is lost closes as well.
  socket.on('error', () => {});
  open.add(socket);
  socket.once('close', () => open.delete(socket));
}
