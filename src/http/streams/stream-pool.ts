import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';

export interface OpenStream {
  output: PassThrough;
  /** Time of the last write, by performance.now(). */
  lastWrite: number;
  /** The end of the reader's token, at which the stream ends. */
  endsAt: Date;
}

export interface StreamPool<S> {
  readonly streams: ReadonlySet<S & OpenStream>;
  /** Opens a stream, which begins with this text; an ended one where the pool is closed. */
  open(stream: S & Pick<OpenStream, 'endsAt'>, firstText: string): Readable;
  /** Ends all streams. Readers reconnect to another process and miss nothing. */
  close(): void;
}

interface PoolOptions<S> {
  /** Writes to each of the streams what is new to it. */
  poll(streams: readonly (S & OpenStream)[]): Promise<void>;
  /** A poll has failed; the next one follows all the same. */
  onFailure(error: unknown): void;
  /** Milliseconds between heartbeat comments. */
  heartbeatMs?: number | undefined;
}

const openStreams = new Gauge({
  name: 'event_streams_open',
  help: 'Open streams of server-sent events in this process',
});

/** Milliseconds between polls: a sign-out or a revocation ends a stream within a second. */
const POLL_MS = 500;
/** Milliseconds between heartbeat comments, which keep proxies from closing the connection. */
const HEARTBEAT_MS = 15_000;
/** The largest number of bytes buffered for a slow reader; its stream is ended then, and it reconnects. */
const MAX_BUFFERED = 256 * 1024;

/** The streams of one kind in one process, which are polled while there are any. */
export function createStreamPool<S extends object>({ poll, onFailure, heartbeatMs = HEARTBEAT_MS }: PoolOptions<S>): StreamPool<S> {
  const streams = new Set<S & OpenStream>();
  let isPolling = false;
  let isClosed = false;

  async function pollForever(): Promise<void> {
    isPolling = true;
    for (; streams.size > 0; await sleep(POLL_MS, undefined, { ref: false })) {
      for (const stream of streams) beat(stream, heartbeatMs);
      await poll([...streams]).catch(onFailure);
    }
    isPolling = false;
  }

  return {
    streams,
    open(given, firstText) {
      const output = new PassThrough();
      if (isClosed) return output.end();
      const stream = { ...given, output, lastWrite: 0 };
      streams.add(stream);
      openStreams.inc();
      output.once('close', () => {
        openStreams.dec();
        streams.delete(stream);
      });
      writeTo(stream, firstText);
      if (!isPolling) void pollForever();
      return output;
    },
    close() {
      isClosed = true;
      for (const { output } of streams) output.end();
      streams.clear();
    },
  };
}

/** The first lines of a stream: a reader that loses the connection before its first event resumes at this place. */
export const firstLines = (cursor: string): string => `retry: 3000\nid: ${cursor}\n\n`;

export function writeTo(stream: OpenStream, text: string): void {
  if (stream.output.writableEnded || stream.output.destroyed) return;
  stream.output.write(text);
  stream.lastWrite = performance.now();
}

/** Bytes that the reader of a stream has not taken yet. */
export const measureUnsent = ({ output }: OpenStream): number => output.writableLength + output.readableLength;

function beat(stream: OpenStream, heartbeatMs: number): void {
  const { output, endsAt, lastWrite } = stream;
  // A stream that was ended one poll ago and is still here has a reader who does not read the rest.
  if (output.writableEnded) output.destroy();
  else if (endsAt.getTime() <= Date.now()) output.end();
  else if (measureUnsent(stream) > MAX_BUFFERED) output.destroy();
  else if (performance.now() - lastWrite >= heartbeatMs) writeTo(stream, ': still here\n\n');
}
