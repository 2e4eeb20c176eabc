import { encodeBody, type UploadProgress } from './bodies.ts';
import { toError } from './errors.ts';
import { sleep, waitBefore } from './retries.ts';
import { type ServerEvent, serverEvents } from './server-events.ts';

/** The server, and how it is reached. */
export interface Connection {
  /** Origin of the server, without a slash at its end. */
  url: string;
  fetch: typeof fetch;
}

/** Where access tokens come from: `clientCredentials`, `privateKeyJwt`, `userSession`, `appSession`, or your own. */
export interface Auth {
  /**
   * A valid access token; undefined where nobody has signed in.
   * @param refused the token that the server has just refused: another one is needed
   */
  token(connection: Connection, refused?: string): Promise<string | undefined>;
}

export interface ClientOptions {
  /** Address of the server, such as https://triptych.example.com. */
  url: string;
  auth?: Auth;
  /** How often a request is sent again after a lost connection, 429, 502, 503 or 504; 4 by default. */
  retries?: number;
  /** The longest wait before a retry in milliseconds; 60,000 by default. A longer `Retry-After` ends the request with its error. */
  longestWait?: number;
  /** Milliseconds in which a response must begin; 60,000 by default. Uploads have no limit. */
  timeout?: number;
  /** Called with each response, for headers such as ETag, Warning-Fields and RateLimit. */
  onResponse?: (response: Response) => void;
  fetch?: typeof fetch;
}

/** What every operation takes beside its own body, path and query. */
export interface RequestOptions extends Pick<ClientOptions, 'retries' | 'longestWait' | 'timeout' | 'onResponse'> {
  url: string;
  body?: unknown;
  path?: unknown;
  query?: unknown;
  headers?: unknown;
  signal?: AbortSignal;
  /** Key of a POST, kept over its retries; random by default. Choose one to repeat the request after a restart of your program. */
  idempotencyKey?: string;
  /** `stream` gives the body as it arrives, for exports and files; by default it is read as its media type says. */
  parseAs?: 'auto' | 'stream';
  onProgress?: (progress: UploadProgress) => void;
  /** Set by generated operations whose body is not JSON. */
  bodySerializer?: unknown;
}

/** The body of a success, of which an operation has a type for each status; every other response is thrown. */
export type Result<TResponses> = Promise<TResponses[keyof TResponses]>;

// Generated operations also name the types of their errors.
type Send = <TResponses, _Errors = unknown>(options: RequestOptions) => Result<TResponses>;
type Open = <_Responses = unknown, _Errors = unknown>(options: RequestOptions) => Promise<AsyncIterable<ServerEvent>>;

/** A server, which every operation takes as `client`. */
export interface Client extends Record<'get' | 'post' | 'put' | 'patch' | 'delete', Send> {
  /** One connection of server-sent events; `follow` also reconnects. */
  sse: { get: Open };
}

/** A connection to a server. Nothing is sent before the first operation. */
export function connect(defaults: ClientOptions): Client {
  const connection = { url: new URL(defaults.url).href.replace(/\/+$/, ''), fetch: defaults.fetch ?? fetch };
  const method =
    (verb: string): Send =>
    (request) =>
      exchange(connection, verb, { ...defaults, ...request }, (response) => read(response, request));
  return {
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
    sse: { get: (request) => exchange(connection, 'GET', { ...defaults, ...request }, async (response) => serverEvents(response)) },
  };
}

/** Sends a request, and again where that may help. @throws TriptychError for each response that is no success; TypeError without one */
async function exchange<T>(
  connection: Connection,
  method: string,
  request: RequestOptions & Pick<ClientOptions, 'auth'>,
  reader: (response: Response) => Promise<T>,
): Promise<T> {
  const url = toAddress(connection.url, request);
  const body = await encodeBody(request);
  const headers = toHeaders(method, request, body.type);
  let refused: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    request.signal?.throwIfAborted();
    let failure: unknown;
    try {
      const token = await request.auth?.token(connection, refused);
      if (token) headers.set('authorization', `Bearer ${token}`);
      const response = await send(connection, url, { method, headers, ...body.init() }, request);
      request.onResponse?.(response);
      if (response.ok) {
        body.arrived?.();
        return await reader(response);
      }
      failure = await toError(response);
      if (token && refused === undefined && response.headers.get('www-authenticate')?.includes('invalid_token')) {
        refused = token;
        continue;
      }
    } catch (error) {
      failure = error;
    }
    const wait = attempt < (request.retries ?? 4) ? waitBefore(attempt, failure, method, request.longestWait) : null;
    if (wait === null) throw failure;
    await sleep(wait, request.signal);
  }
}

/** One attempt, which ends where no response begins in time. */
async function send(
  { fetch }: Connection,
  url: string,
  init: RequestInit,
  { timeout = 60_000, signal }: Pick<RequestOptions, 'timeout' | 'signal'>,
): Promise<Response> {
  const late = new AbortController();
  const isUpload = init.body !== undefined && typeof init.body !== 'string';
  const timer = isUpload ? undefined : setTimeout(() => late.abort(new TypeError(`no response within ${timeout} ms`)), timeout);
  try {
    return await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal });
  } finally {
    clearTimeout(timer);
  }
}

function toAddress(origin: string, { url, path, query }: RequestOptions): string {
  const values = Object(path);
  const filled = url.replace(/\{([^}]+)\}/g, (_, name) => {
    if (values[name] === undefined) throw new TypeError(`path.${name} is missing`);
    return encodeURIComponent(values[name]);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(query)))
    for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one));
  return `${origin}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

function toHeaders(method: string, { headers, idempotencyKey }: RequestOptions, type: string | undefined): Headers {
  const sent = new Headers();
  for (const [name, value] of Object.entries(Object(headers))) if (value !== undefined && value !== null) sent.set(name, String(value));
  sent.delete('content-type');
  if (type) sent.set('content-type', type);
  if (method === 'POST' && !sent.has('idempotency-key')) sent.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
  return sent;
}

/** The body as its media type says; the operation's type says which that is. */
async function read(response: Response, { parseAs }: RequestOptions): ReturnType<Response['json']> {
  if (parseAs === 'stream') return response.body;
  if (response.status === 204) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (/[/+]json\b/.test(type)) return response.json();
  return /^text\/|ndjson/.test(type) ? response.text() : response.blob();
}
