import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { useTracer } from '../tracing/spans.ts';

type Settings = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Milliseconds that a stop waits for the collector to take what is left. */
const LAST_WITHIN_MS = 1_000;

/**
 * Sends traces to OTEL_EXPORTER_OTLP_ENDPOINT; without one it loads nothing. To be called before the server and its gateways are made.
 * @returns sends what is left, and traces no more
 */
export async function startTracing(settings: Settings, logger: Pick<Logger, 'warn' | 'info'>): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return async () => {};
  const [{ createTracer }, { createExporter }] = await Promise.all([import('../tracing/tracer.ts'), import('../tracing/otlp.ts')]);
  const onLoss = (err: unknown, spans: number) => logger.warn({ err, spans }, 'spans were refused by the collector and lost');
  const exporter = createExporter({ endpoint, headers, serviceName: settings.OTEL_SERVICE_NAME, onLoss });
  const { tracer, stop } = createTracer(settings.OTEL_TRACES_SAMPLER_ARG, exporter.add);
  useTracer(tracer);
  logger.info('traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT');
  return async () => {
    useTracer(undefined);
    stop();
    await Promise.race([exporter.close(), sleep(LAST_WITHIN_MS, undefined, { ref: false })]);
  };
}
