import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';
import { startJobs } from '../../src/jobs/scheduler.ts';
import { ownTestApp } from '../support/app.ts';
import { familiesOf, readMetricTable, samplesOf } from '../support/metrics.ts';
import { eventually } from '../support/server-process.ts';

const backups = await mkdtemp(join(tmpdir(), 'triptych-metrics-'));
afterAll(() => rm(backups, { recursive: true, force: true }));
const test = await ownTestApp({ BACKUP_TO: backups });
const stopJobs = startJobs({ ...test.services, origin: test.address });
afterAll(stopJobs);
const page = async () => (await test.http.get('/metrics')).text;

/** Metrics without a sample until something fails, or while nothing is under way. */
const OFTEN_EMPTY: Record<string, string[]> = { encrypted_values_unreadable_total: ['column'], nodejs_active_requests: ['type'] };

describe('the table of docs/operations.md', () => {
  it('has each metric of a server that runs jobs, with its type and labels, and no other', async () => {
    const emptyOnes = async () => [...familiesOf(await page())].filter(([name, { samples }]) => samples === 0 && !(name in OFTEN_EMPTY));
    await eventually('each metric has a sample', async () => (await emptyOnes()).length === 0);
    const served = [...familiesOf(await page())].map(([name, { type, labels }]) => [name, { type, labels: OFTEN_EMPTY[name] ?? labels }]);
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(readMetricTable()));
    // Where they have samples after all, these have the labels that are said here.
    for (const [name, labels] of Object.entries(OFTEN_EMPTY)) {
      const declared = Reflect.get(register.getSingleMetric(name) ?? {}, 'labelNames');
      expect([name, declared]).toEqual([name, labels]);
    }
  });

  it('begins with the release', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
    expect(samplesOf(await page(), 'triptych_build_info')).toEqual([{ labels: { version }, value: 1 }]);
  });
});
