import { randomUUID } from 'node:crypto';
import type { WebSocket } from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { readRoomToken } from '../domain/telehealth/room-tokens.ts';
import { toFailure } from '../http/error-mapping.ts';
import type { Beating } from './heartbeat.ts';
import type { RoomDeps } from './index.ts';
import { CLOSE, type FromBrowser, readMessage, type ToBrowser } from './protocol.ts';
import type { Halls } from './room-registry.ts';
import { dismissFor, sitDown } from './session-connection.ts';
import type { Exchange } from './signal-bus.ts';
import { waitOutside } from './waiting-connection.ts';

export interface ConnectionDeps extends RoomDeps {
  exchange: Exchange;
  halls: Halls;
  beating: Beating;
  patience: LinePatience;
}

/** When a browser is given up. */
export interface LinePatience {
  /** Nothing was heard for so long. */
  silentAfterMs: number;
  /** It is behind with so much: its line is too slow for the room. */
  mostUnsentBytes: number;
}

export const PATIENCE: LinePatience = { silentAfterMs: 30_000, mostUnsentBytes: 1024 * 1024 };

/** The wire of one browser. */
export interface Line {
  /** Names the connection, on all processes. */
  id: string;
  request: FastifyRequest;
  send(message: ToBrowser): void;
  close(code: number, reason: string): void;
  /** Says why, then closes for good. */
  dismiss(code: 'refused' | 'ended' | 'left' | 'replaced', message: string): void;
  /** Seconds since something was heard. */
  age(): number;
}

/** What a connection is for, once it is known who it is. */
export interface Place {
  hear(message: FromBrowser): Promise<void>;
  /** The connection is gone; its person may come back. */
  leave(): void;
}

const ENTER_WITHIN_MS = 5_000;
/** Messages in ten seconds. Four browsers that all connect anew send a tenth of it. */
const limiter = new RateLimiterMemory({ points: 600, duration: 10 });

/** Serves one socket from its first message to its end. Messages are heard one after the other. */
export function serveConnection(socket: WebSocket, request: FastifyRequest, deps: ConnectionDeps): void {
  const line = openLine(socket, request, deps.patience);
  let place: Promise<Place | null> = Promise.resolve(null);
  let entered = false;
  let hearing: Promise<void> = Promise.resolve();
  const late = setTimeout(() => entered || line.close(CLOSE.badToken, 'Nobody entered.'), ENTER_WITHIN_MS);

  async function hear(message: FromBrowser): Promise<void> {
    if (message.type === 'enter' && !entered) {
      entered = true;
      place = enter(line, message.token, deps);
      await place;
      return;
    }
    if (message.type === 'ping') line.send({ type: 'pong' });
    else if (message.type === 'enter') line.close(CLOSE.broken, 'Nobody enters twice.');
    else await (await place)?.hear(message);
  }

  socket.on('message', (data, isBinary) => {
    const message = isBinary ? null : readMessage(data.toString());
    if (message === null) return line.close(CLOSE.broken, 'This is no message.');
    limiter.consume(line.id).then(
      () => {
        hearing = hearing.then(() => hear(message)).catch((error: unknown) => tellFailure(line, error));
      },
      () => line.close(CLOSE.broken, 'Too many messages.'),
    );
  });
  socket.once('close', () => {
    clearTimeout(late);
    void hearing
      .then(() => place)
      .then((taken) => taken?.leave())
      // Who could not enter has nothing to leave; why, was told above.
      .catch(() => {});
  });
}

/** @returns null where the token is good for nothing: the socket is closed then */
async function enter(line: Line, token: string, deps: ConnectionDeps): Promise<Place | null> {
  const member = readRoomToken(deps.keyring, 'enter', token);
  if (!member) {
    line.close(CLOSE.badToken, 'The token is not good, or no longer.');
    return null;
  }
  try {
    await deps.exchange.ready();
    return member.kind === 'participant' ? await sitDown(line, member, deps) : await waitOutside(line, member, deps);
  } catch (error) {
    if (toFailure(error).kind !== 'conflict') throw error;
    dismissFor(line, error);
    return null;
  }
}

/** What a browser asked for and is not done, it is told; what keeps the server from serving it ends the connection. */
function tellFailure(line: Line, error: unknown): void {
  const failure = toFailure(error);
  if (failure.kind === 'internal') line.request.log.error({ err: failure.cause ?? failure }, 'a room failed');
  if (failure.kind === 'internal' || failure.kind === 'unavailable') line.close(CLOSE.failed, 'Try again in a moment.');
  else line.send({ type: 'problem', code: failure.code, message: failure.message });
}

function openLine(socket: WebSocket, request: FastifyRequest, { silentAfterMs, mostUnsentBytes }: LinePatience): Line {
  let heardAt = performance.now();
  let silence = setTimeout(fallSilent, silentAfterMs);
  function close(code: number, reason: string): void {
    socket.close(code, reason);
    // A browser that does not answer is not waited for.
    setTimeout(() => socket.terminate(), 2_000).unref();
  }
  function fallSilent(): void {
    close(CLOSE.silent, 'Nothing was heard.');
  }
  function send(message: ToBrowser): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > mostUnsentBytes) close(CLOSE.tooSlow, 'The line is too slow.');
    else socket.send(JSON.stringify(message));
  }
  socket.on('message', () => {
    heardAt = performance.now();
    clearTimeout(silence);
    silence = setTimeout(fallSilent, silentAfterMs);
  });
  socket.once('close', () => clearTimeout(silence));
  return {
    id: randomUUID(),
    request,
    send,
    close,
    dismiss(code, message) {
      send({ type: 'closing', code, message });
      close(code === 'replaced' ? CLOSE.replaced : CLOSE.over, code);
    },
    age: () => (performance.now() - heardAt) / 1000,
  };
}
