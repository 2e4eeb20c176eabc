import http from 'node:http';
import https from 'node:https';
import { isPrivateHost, publicLookup } from './private-addresses.ts';

/** Milliseconds for a whole exchange: the look-up of the name, the request, and the response to its end. */
const TIMEOUT_MS = 5_000;
/** Largest body of a response, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;
/** The statuses of responses that have no body (WHATWG Fetch). */
const WITHOUT_BODY = [204, 205, 304];

/** The address is not one that this server sends requests to. */
export class RefusedAddress extends Error {}

export type GuardedFetch = (
  url: string | URL,
  init?: Pick<RequestInit, 'method' | 'headers'> & {
    body?: RequestInit['body'] | undefined;
    signal?: AbortSignal | null | undefined;
  },
) => Promise<Response>;

interface GuardOptions {
  /** Allows private addresses, and http: for tests and for services in a network of one's own. */
  allowPrivate: boolean;
}

/** Requests to addresses that somebody gave us: push endpoints, key sets, identity providers. */
export interface GuardedRequests {
  /** Whether an address may be stored as one to send requests to. */
  accepts(address: string): boolean;
  fetch: GuardedFetch;
}

/**
 * Whether an address may be stored as one to send requests to: https, without user or password, and not of a private host in any
 * spelling. A name may still lead to a private address; that is found out when a request is sent.
 */
export function isPublicAddress(address: string | URL, { allowPrivate }: GuardOptions): boolean {
  const url = URL.parse(String(address));
  if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return false;
  if (allowPrivate) return url.protocol === 'https:' || url.protocol === 'http:';
  return url.protocol === 'https:' && !isPrivateHost(url);
}

/** The rule and the requests of one configuration. */
export const createGuardedRequests = (options: GuardOptions): GuardedRequests => ({
  accepts: (address) => isPublicAddress(address, options),
  fetch: createGuardedFetch(options),
});

/**
 * A `fetch` for addresses that somebody gave us. Names are looked up once a request, and the connection goes to the address that
 * was checked. Redirects are not followed but returned. A request ends after 5 s, and with a response of more than 1 MiB.
 * @throws RefusedAddress for an address that may not be sent to; another error where there is no response
 */
export function createGuardedFetch({ allowPrivate }: GuardOptions): GuardedFetch {
  return async (address, { method = 'GET', headers, body, signal } = {}) => {
    if (!isPublicAddress(address, { allowPrivate })) throw new RefusedAddress('Requests to this address are not allowed.');
    const request = new Request(address, { method, ...(headers && { headers }), body: body ?? null, ...halfDuplex(body) });
    const bytes = Buffer.from(await request.arrayBuffer());
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    return exchange(request, bytes, { allowPrivate, signal: signal ? AbortSignal.any([timeout, signal]) : timeout });
  };
}

/** The body of a request that is a stream needs this declaration. */
const halfDuplex = (body: unknown): { duplex?: 'half' } => (body instanceof ReadableStream ? { duplex: 'half' } : {});

function exchange(request: Request, body: Buffer, { allowPrivate, signal }: GuardOptions & { signal: AbortSignal }): Promise<Response> {
  const url = new URL(request.url);
  const length = ['GET', 'HEAD'].includes(request.method) ? {} : { 'content-length': String(body.length) };
  const headers = { ...Object.fromEntries(request.headers), ...length };
  // Of its own: a connection that another request left open was checked for another name.
  const options = { method: request.method, headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: publicLookup }) };
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'http:' ? http.request : https.request;
    let hasResponse = false;
    const outgoing = open(url, options, (incoming) => {
      hasResponse = true;
      readResponse(incoming).then(resolve, (error: unknown) => {
        outgoing.destroy();
        reject(error);
      });
    });
    outgoing.on('upgrade', (_incoming, socket) => {
      socket.destroy();
      reject(new Error('The response changes to another protocol.'));
    });
    outgoing.on('close', () => {
      if (!hasResponse) reject(new Error('There was no response.'));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function readResponse(incoming: http.IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: true })) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_BODY_BYTES) throw new Error('The response is larger than 1 MiB.');
    chunks.push(bytes);
  }
  const status = incoming.statusCode ?? 0;
  if (status < 200 || status > 599) throw new Error('The response has no usable status.');
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) for (const value of values ?? []) headers.append(name, value);
  return new Response(WITHOUT_BODY.includes(status) ? null : Buffer.concat(chunks), { status, headers });
}
