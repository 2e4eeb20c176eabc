import { VERSION } from '../config/version.ts';
import { droppedSpans, type NewSpan } from './spans.ts';

export interface FinishedSpan extends Omit<NewSpan, 'kind'> {
  kind: NewSpan['kind'] | 'statement';
  /** 32 and 16 hexadecimal digits. */
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** performance.now() of both ends. */
  begunAt: number;
  endedAt: number;
  failed: boolean;
}

export interface Exporter {
  add(span: FinishedSpan): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

interface ExporterOptions {
  /** OTEL_EXPORTER_OTLP_ENDPOINT; spans go to `/v1/traces` below it. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  /** Called where spans are lost, at most once a minute, with their number since the last call. */
  onLoss(error: unknown, spans: number): void;
}

/** Milliseconds between two batches, and those that a collector has to take one. */
const SEND_EVERY_MS = 2_000;
const TIMEOUT_MS = 5_000;
/** Spans of a batch, and those that wait beside it at most: a collector that is slow loses spans, and holds nothing up. */
const MAX_BATCH = 512;
const MAX_WAITING = 4_096;
const WARN_EVERY_MS = 60_000;

/** Sends spans in batches as OTLP over HTTP, in its JSON encoding. What a collector does not take is dropped and counted. */
export function createExporter({ endpoint, headers, serviceName, onLoss }: ExporterOptions): Exporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const lose = lossCounter(onLoss);
  const waiting: FinishedSpan[] = [];
  let sending: Promise<void> | undefined;
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      const body = JSON.stringify(writeBatch(batch, serviceName));
      await send(url, headers, body).catch((error: unknown) => lose(batch.length, error));
    }
  }
  const flush = () => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const timer = setInterval(flush, SEND_EVERY_MS).unref();
  return {
    add(span) {
      if (waiting.length < MAX_WAITING) waiting.push(span);
      else lose(1, new Error('too many spans wait'));
    },
    async close() {
      clearInterval(timer);
      await sending;
      await flush();
    },
  };
}

/** @throws Error where the collector does not take the batch */
async function send(url: string, headers: Record<string, string>, body: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw Object.assign(new Error('refused'), { code: answer.status });
}

/** Counts lost spans, and tells of them now and then. */
function lossCounter(onLoss: ExporterOptions['onLoss']): (spans: number, error: unknown) => void {
  let untold = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (spans, error) => {
    droppedSpans.inc(spans);
    untold += spans;
    if (performance.now() - toldAt < WARN_EVERY_MS) return;
    toldAt = performance.now();
    onLoss(error, untold);
    untold = 0;
  };
}

/** Numbers of the protocol: server, internal, client. */
const KINDS = { request: 2, job: 1, gateway: 3, statement: 3 } as const;
const ERROR = 2;

function writeBatch(spans: readonly FinishedSpan[], serviceName: string): object {
  const resource = { attributes: writeAttributes({ 'service.name': serviceName, 'service.version': VERSION, 'process.pid': process.pid }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'triptych', version: VERSION }, spans: spans.map(writeSpan) }] }] };
}

const writeSpan = ({ traceId, spanId, parentSpanId, name, kind, begunAt, endedAt, attributes = {}, failed }: FinishedSpan) => ({
  traceId,
  spanId,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: unixNanoseconds(begunAt),
  endTimeUnixNano: unixNanoseconds(endedAt),
  attributes: writeAttributes(attributes),
  status: failed ? { code: ERROR } : {},
});

/** Integers of 64 bits are texts in the JSON of the protocol. */
const writeAttributes = (attributes: Record<string, string | number>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));

const unixNanoseconds = (at: number): string => `${Math.round((performance.timeOrigin + at) * 1000)}000`;
