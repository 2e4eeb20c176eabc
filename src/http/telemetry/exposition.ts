import type { Registry } from 'prom-client';
import { z } from 'zod';

type AnyRegistry = Pick<Registry, 'getMetricsAsJSON'>;

/** An infinity, or no number at all where nothing was measured, too. */
const number = z.custom<number>((value) => typeof value === 'number');
const labels = z.record(z.string(), z.union([z.string(), z.number()]).optional());
const family = z.object({
  name: z.string(),
  help: z.string(),
  type: z.string(),
  values: z.array(
    z.object({
      value: number,
      metricName: z.string().optional(),
      labels: labels.default({}),
      exemplar: z.object({ labelSet: labels, value: number, timestamp: z.number() }).nullish(),
    }),
  ),
});

/** The two text forms of metrics. OpenMetrics has exemplars. */
export const CONTENT_TYPES = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const;
type Form = keyof typeof CONTENT_TYPES;

/**
 * All metrics as text. prom-client writes OpenMetrics too, but renames the counters of a registry for good when it does, so that its other
 * form is wrong from then on.
 */
export async function writeMetrics(registries: readonly AnyRegistry[], form: Form): Promise<string> {
  const families = (await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))).flat();
  return `${families.map((one) => writeFamily(family.parse(one), form)).join('')}${form === 'openmetrics' ? '# EOF\n' : ''}`;
}

function writeFamily({ name, help, type, values }: z.infer<typeof family>, form: Form): string {
  // There the name of a counter is without the ending that its samples have.
  const title = form === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
  const samples = values.map(({ value, metricName = name, labels: own, exemplar }) => {
    const sample = `${metricName}${writeLabels(own)} ${writeNumber(value)}`;
    return exemplar && form === 'openmetrics'
      ? `${sample} # ${writeLabels(exemplar.labelSet)} ${writeNumber(exemplar.value)} ${exemplar.timestamp}\n`
      : `${sample}\n`;
  });
  return `# HELP ${title} ${escapeLabel(help)}\n# TYPE ${title} ${type}\n${samples.join('')}`;
}

function writeLabels(given: z.infer<typeof labels>): string {
  const pairs = Object.entries(given).map(([label, value]) => `${label}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeLabel = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

const writeNumber = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
