import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A sample of the text form of Prometheus. */
interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** The samples of a metric; of a histogram those whose name has this ending, such as `_count`. */
export function readSamples(text: string, name: string): Sample[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.map((line) => {
    const labels = [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [label, value]);
    return { labels: Object.fromEntries(labels), value: Number(line.slice(line.lastIndexOf(' ') + 1).replace('+Inf', 'Infinity')) };
  });
}

/** A metric by its name, without the endings of a histogram's samples. */
interface Family {
  type: string;
  /** The names of labels, `le` left out; none where there is no sample yet. */
  labels: string[];
  samples: number;
}

/** All metrics of a page in the text form of Prometheus. */
export function readFamilies(text: string): Map<string, Family> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map(
    types.map(([, name = '', type = '']) => {
      const samples = readSamples(text, type === 'histogram' ? `${name}_count` : name);
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
      return [name, { type, labels: [...labels].sort(), samples: samples.length }];
    }),
  );
}

/** The table of all metrics in docs/metrics.md. */
export function readMetricTable(): Map<string, Pick<Family, 'type' | 'labels'>> {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'metrics.md'), 'utf8');
  const section = text.slice(text.indexOf('\n## Metrics\n'));
  const names = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const rows = section
    .slice(0, section.indexOf('\n## ', 1))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|'));
  return new Map(
    rows.flatMap(([, metrics, type = '', labels]) =>
      names(metrics).map((name) => [name, { type: type.trim(), labels: names(labels).sort() }] as const),
    ),
  );
}
