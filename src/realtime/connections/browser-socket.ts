import { randomUUID } from 'node:crypto';
import type { WebSocket } from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { Gauge } from 'prom-client';
import { toFailure } from '../../http/errors/error-mapping.ts';
import { type BrowserMessage, CLOSE_CODE } from '../protocol.ts';
import type { ClosingCode, ServerMessage } from '../room-protocol.ts';

/** Limits past which the socket of a browser is closed. */
export interface SocketLimits {
  /** Milliseconds without any message of the browser. */
  silentAfterMs: number;
  /** Bytes that wait to be sent: the network of the browser is too slow for the room. */
  maxUnsentBytes: number;
}

export const SOCKET_LIMITS: SocketLimits = { silentAfterMs: 30_000, maxUnsentBytes: 1024 * 1024 };

/** The socket of one browser, which sends and closes within SocketLimits. */
export interface BrowserSocket {
  /** Unique over all processes. */
  id: string;
  request: FastifyRequest;
  send(message: ServerMessage): void;
  close(code: number, reason: string): void;
  /** Sends the reason as a `closing` message, then closes with a code after which browsers do not join again. */
  dismiss(code: ClosingCode, message: string): void;
  /** Seconds since the last message of the browser. */
  silentSeconds(): number;
}

/** Handles the messages of a browser that has entered a session or a waiting room. */
export interface ConnectionHandler {
  handle(message: BrowserMessage): Promise<void>;
  /** Releases what the connection holds in this process. The person may connect again. */
  disconnect(): void;
}

const openSockets = new Gauge({
  name: 'video_sockets_open',
  help: 'WebSockets of browsers in video sessions and waiting rooms on this process',
});

/** Milliseconds that a browser has to answer a close. */
const CLOSE_TIMEOUT_MS = 2_000;

export function openBrowserSocket(
  socket: WebSocket,
  request: FastifyRequest,
  { silentAfterMs, maxUnsentBytes }: SocketLimits,
): BrowserSocket {
  let lastMessageAt = performance.now();
  let silenceTimer = setTimeout(closeSilent, silentAfterMs);
  function close(code: number, reason: string): void {
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }
  function closeSilent(): void {
    close(CLOSE_CODE.silent, 'No message arrived in time.');
  }
  function send(message: ServerMessage): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > maxUnsentBytes) close(CLOSE_CODE.tooSlow, 'The connection is too slow.');
    else socket.send(JSON.stringify(message));
  }
  socket.on('message', () => {
    lastMessageAt = performance.now();
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(closeSilent, silentAfterMs);
  });
  openSockets.inc();
  socket.once('close', () => {
    openSockets.dec();
    clearTimeout(silenceTimer);
  });
  return {
    id: randomUUID(),
    request,
    send,
    close,
    dismiss(code, message) {
      send({ type: 'closing', code, message });
      close(code === 'replaced' ? CLOSE_CODE.replaced : CLOSE_CODE.over, code);
    },
    silentSeconds: () => (performance.now() - lastMessageAt) / 1000,
  };
}

/** Reasons for which nobody waits for an appointment any more. */
const APPOINTMENT_WORDS = {
  appointment_cancelled: 'Your appointment was cancelled.',
  appointment_moved: 'Your appointment was moved to another time.',
} as const satisfies Partial<Record<ClosingCode, string>>;

/** Closes the socket of a person who waits for an appointment that was cancelled or moved. @returns whether the notice says so */
export function dismissForAppointment(socket: BrowserSocket, notice: string | undefined): boolean {
  if (notice !== 'appointment_cancelled' && notice !== 'appointment_moved') return false;
  socket.dismiss(notice, APPOINTMENT_WORDS[notice]);
  return true;
}

/** Closes the socket of a person who cannot be in a session or a waiting room any more, with the reason. */
export function closeForFailure(socket: BrowserSocket, error: unknown): void {
  const { kind, code, message } = toFailure(error);
  if (kind !== 'conflict') socket.close(CLOSE_CODE.failed, 'Try again in a moment.');
  else if (code === 'refused' || code === 'removed' || code === 'visit_over') socket.dismiss(code, message);
  else if (code === 'session_ended') socket.dismiss('ended', message);
  else socket.close(CLOSE_CODE.badToken, message);
}
