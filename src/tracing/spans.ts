import { Counter } from 'prom-client';

/** A piece of work, as a trace shows it. Names and attributes are of this program: never a value of a record, an address, or a parameter. */
export interface NewSpan {
  kind: 'request' | 'job' | 'gateway';
  name: string;
  attributes?: Record<string, string | number>;
}

export interface OpenSpan {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** Runs a continuation of it: what that does belongs to the request. */
  enter(work: () => void): void;
  end(name: string, attributes: Record<string, string | number>, failed: boolean): void;
}

/** Makes spans and gives them to whoever sends them. */
export interface Tracer {
  /** Runs work as a span, within the span of its caller where there is one. Takes over what it returns or throws. */
  run<T>(span: NewSpan, work: () => T): T;
  /** @param traceparent the header of W3C Trace Context, by which the request belongs to a trace of its caller */
  open(traceparent: string | undefined): OpenSpan;
  /** The header of W3C Trace Context for what is sent now; undefined outside of a span. */
  traceparent(): string | undefined;
  /** The span that runs now; undefined outside of one. */
  current(): { traceId: string; spanId: string } | undefined;
  /** The same function, which runs within the span of this moment whenever it is called. */
  bind(work: () => void): () => void;
}

/** Spans of this process that no collector took. */
export const droppedSpans = new Counter({
  name: 'trace_spans_dropped_total',
  help: 'Spans of this process that the trace collector did not accept',
});

let active: Tracer | undefined;

/** The tracer of this process; undefined where traces are not asked for. */
export const activeTracer = (): Tracer | undefined => active;

/** Sets it, before the server and its gateways are made. */
export function useTracer(tracer: Tracer | undefined): void {
  active = tracer;
}

/** Runs work as a span. Without a tracer it just runs it. */
export const inSpan = <T>(span: NewSpan, work: () => T): T => (active === undefined ? work() : active.run(span, work));

/** A listener that belongs to the span of this moment, though something else calls it. Without a tracer the listener itself. */
export const boundToSpan = (listener: () => void): (() => void) => (active === undefined ? listener : active.bind(listener));

/** The fields by which a log line is found from its trace, and the trace from the line. None outside of a span. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = active?.current();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** The header by which a receiver can relate a request to this trace: random numbers, nothing else. None outside of a span. */
export function traceHeaders(): Record<string, string> {
  const traceparent = active?.traceparent();
  return traceparent === undefined ? {} : { traceparent };
}

/** A gateway whose calls are spans, by their names; without a tracer the gateway itself. */
export function traceGateway<T extends object>(gateway: string, target: T): T {
  if (active === undefined) return target;
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function' || typeof property === 'symbol') return value;
      return (...values: unknown[]) =>
        inSpan({ kind: 'gateway', name: `${gateway}.${property}` }, () => Reflect.apply(value, target, values));
    },
  });
}
