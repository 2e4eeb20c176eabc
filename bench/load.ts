import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL_SIGNATURE } from '../src/gateways/carrier/local-carrier.ts';
import type { ClientKind } from './credentials.ts';
import type { BenchRequest } from './workloads/workload.ts';

/** The result of a load. Times are milliseconds from the first byte sent to the last byte received. */
export interface Load {
  requests: number;
  elapsedMs: number;
  /** Of all bodies of answers. */
  bytes: number;
  times: number[];
  /** Milliseconds to each 503 with Retry-After, where the load has think time. */
  refused: number[];
  /** The number of the first request that was not sent: the start of the next run. */
  next: number;
}

export interface LoadOptions {
  address: string;
  tokens: Record<ClientKind, string>;
  /** The n-th request. */
  send: (n: number) => BenchRequest;
  /** The first n, not used by an earlier run. */
  first: number;
  /** Requests that are under way at any moment, each on a connection of its own that is kept open. */
  connections: number;
  /** The end: no request starts after this many milliseconds or requests. */
  until: { ms: number } | { requests: number };
  /** Milliseconds between an answer and the next request of its connection, on average. Then a 503 with Retry-After is an answer. */
  thinkMs?: number;
}

/**
 * Asks again and again, and reads each answer to its end without looking into it: a client costs as little as it can,
 * since it shares the machine with the servers. It understands answers with a Content-Length, which both servers send.
 * @throws on any answer that is neither 2xx nor 303, and on a connection that ends
 */
export async function load({ address, tokens, send, first, connections, until, thinkMs }: LoadOptions): Promise<Load> {
  const { hostname, port, host } = new URL(address);
  const written = writer(host, tokens);
  const expected = 'ms' in until ? until.ms * AHEAD_PER_MS : until.requests;
  const ahead = Array.from({ length: Math.min(expected, MOST_AHEAD) }, (_, n) => written(send(first + n)));
  const start = performance.now();
  const result: Load = { requests: 0, elapsedMs: 0, bytes: 0, times: [], refused: [], next: first };
  let begun = 0;
  const left = () => ('ms' in until ? until.ms - (performance.now() - start) : Number.POSITIVE_INFINITY);
  const more = () => ('ms' in until ? left() > 0 : begun < until.requests);

  async function client(): Promise<void> {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const answers = readAnswers(socket);
    try {
      while (more()) {
        if (thinkMs !== undefined) {
          await sleep(Math.min(-Math.log(1 - Math.random()) * thinkMs, left()));
          if (!more()) break;
        }
        const request = ahead[begun] ?? written(send(first + begun));
        begun += 1;
        const sent = performance.now();
        socket.write(request);
        const { status, length, head } = await answers.next();
        const isRefusal = thinkMs !== undefined && status === 503 && /\r\nretry-after:/i.test(head);
        if (!isAnswer(status) && !isRefusal) throw new Error(`an answer was ${status}\n${head}`);
        result.requests += 1;
        result.bytes += length;
        (isRefusal ? result.refused : result.times).push(performance.now() - sent);
      }
    } finally {
      socket.destroy();
    }
  }

  await Promise.all(Array.from({ length: connections }, client));
  result.elapsedMs = performance.now() - start;
  result.next = first + begun;
  return result;
}

/** More writes than any of the servers answers; further ones are serialized when sent. */
const AHEAD_PER_MS = 4;
const MOST_AHEAD = 20_000;

/** Serialized requests; those of repeated requests are cached. */
function writer(host: string, tokens: Record<ClientKind, string>): (request: BenchRequest) => Buffer {
  const known = new Map<BenchRequest, Buffer>();
  return (request) => {
    const bytes = known.get(request) ?? Buffer.from(requestText(request, host, tokens));
    if (request.method === 'GET') known.set(request, bytes);
    return bytes;
  };
}

function requestText(request: BenchRequest, host: string, tokens: Record<ClientKind, string>): string {
  const { method, path, client, body } = request;
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${tokens[client]}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const further = Object.entries({ ...toHeaders(request), 'content-length': Buffer.byteLength(body) });
  return `${head}${further.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

export function toHeaders({ type, key, signature }: BenchRequest): Record<string, string> {
  return {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(signature === undefined ? {} : { [LOCAL_SIGNATURE]: signature }),
  };
}

/** A page answers a form with a redirect. */
export const isAnswer = (status: number): boolean => (status >= 200 && status <= 299) || status === 303;

interface Turn {
  status: number;
  /** Bytes of the body. */
  length: number;
  head: string;
}

/** The answers on a connection, one after another; the next request goes out when the last answer is in. */
function readAnswers(socket: Socket) {
  let head: Buffer = Buffer.alloc(0);
  let current: Turn | null = null;
  let missing = 0;
  let waiting: PromiseWithResolvers<Turn> | null = null;

  function take(chunk: Buffer): void {
    let body = chunk;
    if (current === null) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      current = readHead(head.toString('latin1', 0, end));
      // For the message about a refusal: it is short.
      if (current.status > 299) current.head += `\n${head.toString('utf8', end + 4)}`;
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
    next(): Promise<Turn> {
      waiting = Promise.withResolvers<Turn>();
      return waiting.promise;
    },
  };
}

function readHead(head: string): Turn {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (!Number.isInteger(status) || !Number.isInteger(length)) throw new Error(`an answer without a length\n${head}`);
  return { status, length, head };
}
