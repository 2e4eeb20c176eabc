import type { WebSocket } from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { readEntryToken } from '../../domain/telehealth/sessions/room-tokens.ts';
import { toFailure } from '../../http/errors/error-mapping.ts';
import { type BrowserMessage, CLOSE_CODE, readMessage } from '../protocol.ts';
import type { ConnectionDeps } from '../realtime-deps.ts';
import { type BrowserSocket, type ConnectionHandler, closeForFailure, openBrowserSocket } from './browser-socket.ts';
import { openSessionConnection } from './session-connection.ts';
import { openWaitingConnection } from './waiting-connection.ts';

/** Milliseconds within which a browser must send `enter`. */
const ENTER_TIMEOUT_MS = 5_000;
/** Messages of one connection in ten seconds: ten times those of four browsers that all connect anew. */
const messageLimiter = new RateLimiterMemory({ points: 600, duration: 10 });

/** Serves one socket from its first message to its end. Its messages are handled one after the other. */
export function serveConnection(webSocket: WebSocket, request: FastifyRequest, deps: ConnectionDeps): void {
  const socket = openBrowserSocket(webSocket, request, deps.socketLimits);
  let handler: Promise<ConnectionHandler | null> = Promise.resolve(null);
  let entered = false;
  let isFirst = true;
  let queue: Promise<void> = Promise.resolve();
  const enterTimer = setTimeout(() => entered || socket.close(CLOSE_CODE.badToken, 'No enter message arrived in time.'), ENTER_TIMEOUT_MS);

  async function handle(message: BrowserMessage): Promise<void> {
    if (message.type === 'enter' && !entered) {
      entered = true;
      handler = enter(socket, message.token, deps);
      await handler;
      return;
    }
    if (message.type === 'ping') socket.send({ type: 'pong' });
    else if (message.type === 'enter') socket.close(CLOSE_CODE.invalidMessage, 'The connection has already entered.');
    else await (await handler)?.handle(message);
  }

  webSocket.on('message', (data, isBinary) => {
    // Nothing is read after a refusal.
    if (webSocket.readyState !== webSocket.OPEN) return;
    const message = isBinary ? null : readMessage(data.toString(), isFirst);
    if (message === null) return socket.close(CLOSE_CODE.invalidMessage, 'Malformed message.');
    isFirst = false;
    messageLimiter.consume(socket.id).then(
      () => {
        queue = queue.then(() => handle(message)).catch((error: unknown) => sendFailure(socket, error, toGuest(message)));
      },
      () => socket.close(CLOSE_CODE.invalidMessage, 'Too many messages.'),
    );
  });
  webSocket.once('close', () => {
    clearTimeout(enterTimer);
    void queue
      .then(() => handler)
      .then((connected) => connected?.disconnect())
      // A failure to enter was sent by sendFailure.
      .catch(() => {});
  });
}

/** @returns null for an invalid token and for a person who cannot enter any more: the socket is closed then */
async function enter(socket: BrowserSocket, token: string, deps: ConnectionDeps): Promise<ConnectionHandler | null> {
  const read = readEntryToken(deps.keyring, token);
  if (!read) {
    socket.close(CLOSE_CODE.badToken, 'The token is invalid or has expired.');
    return null;
  }
  try {
    await deps.signalBus.ready();
    const { member, entries } = read;
    return member.kind === 'participant'
      ? await openSessionConnection(socket, { member, entries }, deps)
      : await openWaitingConnection(socket, { member, entries }, deps);
  } catch (error) {
    if (toFailure(error).kind !== 'conflict') throw error;
    closeForFailure(socket, error);
    return null;
  }
}

/** The guest whom a message of a host is about, so that the page can ask again. */
const toGuest = (message: BrowserMessage): { guest?: string } =>
  message.type === 'admit' || message.type === 'refuse' ? { guest: message.guest } : {};

/** Sends a `problem` message for a request that was refused. A failure of the server closes the socket, and the page joins again. */
function sendFailure(socket: BrowserSocket, error: unknown, about: { guest?: string } = {}): void {
  const failure = toFailure(error);
  if (failure.kind === 'internal') socket.request.log.error({ err: failure.cause ?? failure }, 'a room failed');
  if (failure.kind === 'internal' || failure.kind === 'unavailable') socket.close(CLOSE_CODE.failed, 'Try again in a moment.');
  else socket.send({ type: 'problem', code: failure.code, message: failure.message, ...about });
}
