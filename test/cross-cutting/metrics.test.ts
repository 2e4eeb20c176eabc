import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { ownTestApp } from '../support/app.ts';
import { readFamilies, readMetricTable, readSamples } from '../support/metrics.ts';
import { listExpressions, readExpression, readRules } from '../support/promql.ts';
import { eventually } from '../support/server-process.ts';

const backups = await mkdtemp(join(tmpdir(), 'triptych-metrics-'));
afterAll(() => rm(backups, { recursive: true, force: true }));
const test = await ownTestApp({ BACKUP_TO: backups });
const stopJobs = startJobs({ ...test.services, origin: test.address });
afterAll(stopJobs);
const page = async () => (await test.http.get('/metrics')).text;

/** Metrics without a sample until something fails, or while nothing is under way. */
const OFTEN_EMPTY: Record<string, string[]> = { encrypted_values_unreadable_total: ['column'], nodejs_active_requests: ['type'] };

describe('the table of docs/metrics.md', () => {
  it('has each metric of a server that runs jobs, with its type and labels, and no other', async () => {
    const emptyOnes = async () => [...readFamilies(await page())].filter(([name, { samples }]) => samples === 0 && !(name in OFTEN_EMPTY));
    await eventually('each metric has a sample', async () => (await emptyOnes()).length === 0);
    const served = [...readFamilies(await page())].map(([name, { type, labels }]) => [name, { type, labels: OFTEN_EMPTY[name] ?? labels }]);
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(readMetricTable()));
    // Where they have samples after all, these have the labels that are said here.
    for (const [name, labels] of Object.entries(OFTEN_EMPTY)) {
      const declared = Reflect.get(register.getSingleMetric(name) ?? {}, 'labelNames');
      expect([name, declared]).toEqual([name, labels]);
    }
  });

  it('begins with the release', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
    expect(readSamples(await page(), 'triptych_build_info')).toEqual([{ labels: { version }, value: 1 }]);
  });
});

/** Labels that Prometheus adds to each sample, and those whose values depend on the requests that were made. */
const OF_PROMETHEUS = ['job', 'instance'];
/** Metrics that Prometheus itself and blackbox_exporter make. */
const OF_OTHERS = ['up', 'probe_ssl_earliest_cert_expiry'];
const OF_REQUESTS = ['operation', 'status', 'class', 'column'];

describe('the alerts and dashboards of ops', () => {
  it.each(listExpressions())('$where: $text', async ({ text: expression }) => {
    const served = await page();
    const families = readFamilies(served);
    const { selectors, grouping } = readExpression(expression);
    const known = new Set(OF_PROMETHEUS);
    expect(selectors).not.toEqual([]);
    for (const { metric, matchers } of selectors) {
      if (OF_OTHERS.includes(metric)) continue;
      const histogram = metric.replace(/_(?:bucket|sum|count)$/, '');
      const name = families.get(histogram)?.type === 'histogram' ? histogram : metric;
      expect([...families.keys()]).toContain(name);
      const labels = [...(OFTEN_EMPTY[name] ?? families.get(name)?.labels ?? []), ...(metric.endsWith('_bucket') ? ['le'] : [])];
      for (const label of labels) known.add(label);
      for (const { label, operator, value } of matchers) {
        expect([...OF_PROMETHEUS, ...labels]).toContain(label);
        if ([...OF_PROMETHEUS, ...OF_REQUESTS].includes(label)) continue;
        const values = new Set(readSamples(served, name).map((sample) => sample.labels[label]));
        for (const one of operator.endsWith('~') ? value.split('|') : [value]) expect([...values]).toContain(one);
      }
    }
    expect([...known]).toEqual(expect.arrayContaining(grouping));
  });

  it('each alert is proved by series on which it fires, and stays silent on a server that is well', () => {
    const alerts = [...readRules('alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const proofs = readRules('alerts.test.yaml');
    expect(alerts.length).toBeGreaterThan(15);
    for (const name of alerts) {
      expect(proofs).toMatch(new RegExp(`alertname: ${name}\\n`));
      expect(proofs).toContain(`{ alertname: ${name}, eval_time: 3h }`);
    }
  });
});
