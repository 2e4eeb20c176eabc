import { connect, type Socket } from 'node:net';

/** What a load has shown. Times are milliseconds; each is from the first byte sent to the last byte received. */
export interface Load {
  requests: number;
  elapsedMs: number;
  bytes: number;
  times: number[];
}

export interface LoadOptions {
  address: string;
  token: string;
  /** Asked for in turns. */
  paths: readonly string[];
  /** Requests that are under way at any moment, each on a connection of its own that is kept open. */
  connections: number;
  /** When to end: no request begins after so many milliseconds, or after so many requests. */
  until: { ms: number } | { requests: number };
}

/**
 * Asks again and again, and reads each answer to its end without looking into it: a client costs as little as it can,
 * since it shares the machine with the servers. It understands answers with a Content-Length, which both servers send.
 * @throws on any answer that is not 2xx, and on a connection that ends
 */
export async function load({ address, token, paths, connections, until }: LoadOptions): Promise<Load> {
  const { hostname, port, host } = new URL(address);
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`));
  const start = performance.now();
  const result: Load = { requests: 0, elapsedMs: 0, bytes: 0, times: [] };
  let begun = 0;
  const more = () => ('ms' in until ? performance.now() - start < until.ms : begun < until.requests);

  async function client(): Promise<void> {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const answers = readAnswers(socket);
    try {
      while (more()) {
        const request = requests[begun % requests.length];
        if (request === undefined) throw new Error('there is nothing to ask');
        begun += 1;
        const sent = performance.now();
        socket.write(request);
        const { status, length, head } = await answers.next();
        if (status < 200 || status > 299) throw new Error(`an answer was ${status}\n${head}`);
        result.requests += 1;
        result.bytes += length;
        result.times.push(performance.now() - sent);
      }
    } finally {
      socket.destroy();
    }
  }

  await Promise.all(Array.from({ length: connections }, client));
  result.elapsedMs = performance.now() - start;
  return result;
}

interface Seen {
  status: number;
  /** Bytes of the body. */
  length: number;
  head: string;
}

/** The answers on a connection, one after another; the next request goes out when the last answer is in. */
function readAnswers(socket: Socket) {
  let head: Buffer = Buffer.alloc(0);
  let current: Seen | null = null;
  let missing = 0;
  let waiting: PromiseWithResolvers<Seen> | null = null;

  function take(chunk: Buffer): void {
    let body = chunk;
    if (current === null) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      current = readHead(head.toString('latin1', 0, end));
      missing = current.length;
      body = head.subarray(end + 4);
      head = Buffer.alloc(0);
    }
    missing -= body.length;
    if (missing < 0) throw new Error('an answer is longer than it says');
    if (missing > 0) return;
    const answer = current;
    current = null;
    waiting?.resolve(answer);
  }

  socket.on('data', (chunk) => {
    try {
      take(chunk);
    } catch (error) {
      waiting?.reject(error);
    }
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the server ended a connection')));
  return {
    next(): Promise<Seen> {
      waiting = Promise.withResolvers<Seen>();
      return waiting.promise;
    },
  };
}

function readHead(head: string): Seen {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (!Number.isInteger(status) || !Number.isInteger(length)) throw new Error(`an answer without a length\n${head}`);
  return { status, length, head };
}
