import http from 'node:http';
import https from 'node:https';
import { isPublicAddress } from './guarded-requests.ts';
import { PrivateAddress, publicLookup } from './private-addresses.ts';

/** Milliseconds for a whole exchange: the look-up of the name, the request, and the answer to its end. */
const TIMEOUT_MS = 15_000;
/** Bytes of an answer that are kept. */
const KEPT_BYTES = 1_024;
/** Bytes of an answer after which it is read no further. */
const MOST_BYTES = 1024 * 1024;
/** Milliseconds for which an idle connection is kept for the next delivery. */
const IDLE_MS = 4_000;

export interface WebhookMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The reason that there was no answer. */
export type NoAnswer = 'timeout' | 'unreachable' | 'bad_certificate' | 'no_http' | 'refused_address';

/** The answer of a receiver, or that there was none. */
export type WebhookAnswer =
  | { failure: null; status: number; retryAfter: string | undefined; body: string }
  | { failure: NoAnswer; status: null; retryAfter: undefined; body: null };

export interface WebhookSender {
  /** Never throws: a failure is an answer too. Redirects are not followed but returned. */
  post(message: WebhookMessage, signal: AbortSignal): Promise<WebhookAnswer>;
  close(): void;
}

/**
 * Connections are kept for the next message to the same address. Each leads to an address that was checked when it was opened.
 * @param allowPrivate allows private addresses, and http: for tests and for services in a network of one's own
 */
export function createWebhookSender({ allowPrivate }: { allowPrivate: boolean }): WebhookSender {
  const options = { keepAlive: true, timeout: IDLE_MS, ...(allowPrivate ? {} : { lookup: publicLookup }) };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  async function attempt(message: WebhookMessage, signal: AbortSignal): Promise<WebhookAnswer> {
    const exchanged = await exchange(message, agents, signal);
    // The receiver closed a kept connection just as it was used again: nothing was read there.
    return exchanged === 'closed' ? attempt(message, signal) : exchanged;
  }
  return {
    async post(message, signal) {
      if (!isPublicAddress(message.url, { allowPrivate })) return noAnswer('refused_address');
      return attempt(message, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface Agents {
  'http:': http.Agent;
  'https:': https.Agent;
}

function exchange({ url, headers, body }: WebhookMessage, agents: Agents, signal: AbortSignal): Promise<WebhookAnswer | 'closed'> {
  const isPlain = url.startsWith('http:');
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const options = { method: 'POST', headers: { ...headers, ...length }, signal, agent: agents[isPlain ? 'http:' : 'https:'] };
  return new Promise((resolve) => {
    const outgoing = (isPlain ? http : https).request(url, options);
    // The status counts once it is there, whatever becomes of the rest.
    let isAnswered = false;
    outgoing.on('response', (incoming) => {
      isAnswered = true;
      void readAnswer(incoming).then(resolve);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      if (!isAnswered) resolve(isStale && !signal.aborted ? 'closed' : noAnswer(toNoAnswer(error, signal)));
    });
    outgoing.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve({ failure: null, status: statusCode, retryAfter: undefined, body: '' });
    });
    outgoing.on('close', () => {
      if (!isAnswered) resolve(noAnswer('unreachable'));
    });
    outgoing.end(body);
  });
}

/** Codes of OpenSSL and of Node for a certificate that is refused, and of Node’s parser for bytes that are no HTTP. */
const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|CRL|^HOSTNAME_MISMATCH$/;
const NO_HTTP = /^HPE_|^EPROTO$|^ERR_SSL_/;

function toNoAnswer(error: NodeJS.ErrnoException, signal: AbortSignal): NoAnswer {
  if (signal.aborted) return 'timeout';
  if (error instanceof PrivateAddress) return 'refused_address';
  if (BAD_CERTIFICATE.test(error.code ?? '')) return 'bad_certificate';
  return NO_HTTP.test(error.code ?? '') ? 'no_http' : 'unreachable';
}

const noAnswer = (failure: NoAnswer): WebhookAnswer => ({ failure, status: null, retryAfter: undefined, body: null });

/** Reads an answer to its end, so that its connection can be used again. The status counts, also where the rest does not come. */
async function readAnswer(incoming: http.IncomingMessage): Promise<WebhookAnswer> {
  const kept: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: true })) {
      const bytes = Buffer.from(chunk);
      if (length < KEPT_BYTES) kept.push(bytes.subarray(0, KEPT_BYTES - length));
      length += bytes.length;
      if (length > MOST_BYTES) break;
    }
  } catch {
    // Cut off: what came is kept.
  }
  return { failure: null, status: incoming.statusCode ?? 0, retryAfter: incoming.headers['retry-after'], body: asText(kept) };
}

/** Bytes that are no UTF-8, and U+0000, which PostgreSQL takes in no text, become U+FFFD. */
const asText = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8').replaceAll('\u0000', '\uFFFD');
