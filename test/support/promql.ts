import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const OPS = join(import.meta.dirname, '..', '..', 'ops');

/** Reads a file of ops/prometheus. */
export const readRules = (name: string) => readFileSync(join(OPS, 'prometheus', name), 'utf8');

/** An expression of PromQL and where it stands. */
interface Expression {
  where: string;
  text: string;
}

/** All expressions of the alerts and the dashboards. */
export function listExpressions(): Expression[] {
  const rules = [...readRules('alerts.yaml').matchAll(/- alert: (\w+)\n +expr: (.+)/g)];
  const dashboards = readdirSync(join(OPS, 'grafana')).map((file) => ({ file, json: readFileSync(join(OPS, 'grafana', file), 'utf8') }));
  return [
    ...rules.map(([, where = '', text = '']) => ({ where, text })),
    ...dashboards.flatMap(({ file, json }) => [...expressionsIn(JSON.parse(json))].map((text) => ({ where: file, text }))),
  ];
}

/** Texts of the fields `expr`, however deep. */
function* expressionsIn(json: unknown): Generator<string> {
  if (typeof json !== 'object' || json === null) return;
  for (const [field, value] of Object.entries(json)) {
    if (field === 'expr' && typeof value === 'string') yield value;
    else yield* expressionsIn(value);
  }
}

interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** The metrics that an expression reads, and the labels that it groups by. */
export function readExpression(text: string): { selectors: Selector[]; grouping: string[] } {
  const grouping = [...text.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/[\s,]+/));
  const rest = text.replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ').replaceAll(/\[[^\]]*\]/g, ' ');
  // A name before a bracket is a function.
  const selectors = [...rest.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()(?:\{((?:[^"}]|"[^"]*")*)\})?/g)];
  return {
    grouping: grouping.filter((name) => name !== ''),
    selectors: selectors
      .filter(([, metric = '']) => !/^(?:and|or|unless|bool|offset)$/.test(metric))
      .map(([, metric = '', matchers = '']) => ({ metric, matchers: readMatchers(matchers) })),
  };
}

const readMatchers = (text: string): Selector['matchers'] =>
  [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({ label, operator, value }));
