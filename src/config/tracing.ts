import { z } from 'zod';
import { list } from './checks.ts';

/** Variables of traces, with the names and forms that OpenTelemetry has given them. */
export const TRACING = {
  /** Collector of traces, which takes OTLP over HTTP at /v1/traces below this address. Without one none are made. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' }).optional(),
  /** Headers that it asks for, by name. */
  OTEL_EXPORTER_OTLP_HEADERS: list
    .pipe(z.array(z.string().regex(/^[\w-]+=[\x20-\x7e]*$/, 'must be written as name=value, separated by commas')))
    .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])))
    .default({}),
  OTEL_SERVICE_NAME: z.string().default('triptych'),
  /** Share of the traces that are kept. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
};
