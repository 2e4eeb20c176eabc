import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { observeStatements } from '../database/statements/statement-times.ts';
import type { FinishedSpan } from './otlp.ts';
import type { NewSpan, Tracer } from './spans.ts';

/** The place in a trace that work belongs to. */
interface Place {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

interface Begun extends Place {
  parentSpanId: string | undefined;
  begunAt: number;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;
const newId = (bytes: number) => randomBytes(bytes).toString('hex');

/**
 * Makes spans, and those of the statements within them.
 * @param share of the traces that are kept, 0 to 1, chosen by their ids: so all processes keep the same ones
 * @param onEnd takes each span that has ended
 * @returns the tracer, and what ends its look at statements
 */
export function createTracer(share: number, onEnd: (span: FinishedSpan) => void): { tracer: Tracer; stop: () => void } {
  const places = new AsyncLocalStorage<Place>();
  const isSampled = (traceId: string) => share >= 1 || Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < share;
  const begin = (parent: Pick<Place, 'traceId' | 'spanId'> | undefined): Begun => {
    const traceId = parent?.traceId ?? newId(16);
    return { traceId, spanId: newId(8), parentSpanId: parent?.spanId, sampled: isSampled(traceId), begunAt: performance.now() };
  };
  const end = (begun: Begun, span: NewSpan, failed: boolean) => {
    if (begun.sampled) onEnd({ ...span, ...begun, endedAt: performance.now(), failed });
  };
  const stop = observeStatements({
    wants: () => places.getStore()?.sampled === true,
    take({ name, begunAt, ms, failed }) {
      const parent = places.getStore();
      const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
      if (parent) onEnd({ ...begin(parent), kind: 'statement', name, attributes, begunAt, endedAt: begunAt + ms, failed });
    },
  });
  const tracer: Tracer = {
    run<T>(span: NewSpan, work: () => T): T {
      const begun = begin(places.getStore());
      return places.run(begun, () => settle(work, (failed) => end(begun, span, failed)));
    },
    open(traceparent) {
      const [, traceId, spanId] = TRACEPARENT.exec(traceparent ?? '') ?? [];
      const begun = begin(traceId && spanId ? { traceId, spanId } : undefined);
      return {
        traceId: begun.traceId,
        enter: (work) => places.run(begun, work),
        end: (name, attributes, failed) => end(begun, { kind: 'request', name, attributes }, failed),
      };
    },
    traceparent() {
      const place = places.getStore();
      return place && `00-${place.traceId}-${place.spanId}-${place.sampled ? '01' : '00'}`;
    },
    current: () => places.getStore(),
    bind: (work) => AsyncLocalStorage.bind(work),
  };
  return { tracer, stop };
}

/** Runs work and tells when it is over, that of a promise when the promise is. */
function settle<T>(work: () => T, onEnd: (failed: boolean) => void): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    onEnd(true);
    throw error;
  }
  if (!(result instanceof Promise)) onEnd(false);
  else
    result.then(
      () => onEnd(false),
      () => onEnd(true),
    );
  return result;
}
