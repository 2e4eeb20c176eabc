import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { clockAt } from '../support/moved-clock.ts';
import { removeFolder } from '../support/scratch.ts';

const folder = mkdtempSync(join(tmpdir(), 'triptych-clock-'));
// The account of the embedded database loads the library too.
chmodSync(folder, 0o755);
afterAll(() => removeFolder(folder));
const ROOT = join(import.meta.dirname, '../..');

/** When a run begins, and the zone and the locale of the machine. What a name says happens within the first minutes. */
const MOMENTS = [
  { name: 'clocks go forward in New York', at: '2027-03-14T06:57:00Z', zone: 'America/New_York', locale: 'C' },
  { name: 'clocks go back in New York, on a Sunday', at: '2027-11-07T05:57:00Z', zone: 'America/Los_Angeles', locale: 'en_US.UTF-8' },
  { name: '29 February', at: '2028-02-29T17:00:00Z', zone: 'Pacific/Apia', locale: 'tr_TR.UTF-8' },
  { name: 'a month ends in UTC', at: '2027-04-30T23:57:00Z', zone: 'UTC', locale: 'C' },
  { name: 'a month ends in New York', at: '2027-07-01T03:57:00Z', zone: 'Europe/Berlin', locale: 'ar_EG.UTF-8' },
  { name: 'a year ends in UTC', at: '2026-12-31T23:57:00Z', zone: 'Asia/Kolkata', locale: 'de_DE.UTF-8' },
  { name: 'a year ends in New York', at: '2028-01-01T04:57:00Z', zone: 'America/St_Johns', locale: 'C' },
  { name: 'a Saturday', at: '2027-01-16T20:00:00Z', zone: 'Australia/Lord_Howe', locale: 'C' },
  { name: 'two years ahead', at: '2028-11-28T12:00:00Z', zone: 'UTC', locale: 'fr_FR.UTF-8' },
];

// MOMENTS=1: only the files of the suite that read the clock, at one moment, which is another one each day.
const isShort = process.env.MOMENTS === '1';
const moments = isShort ? MOMENTS.filter((_, index) => index === Math.floor(Date.now() / 86_400_000) % MOMENTS.length) : MOMENTS;
const projects = (isShort ? ['suite'] : ['suite', 'walks', 'operation', 'docs']).flatMap((name) => ['--project', name]);
const READS_THE_CLOCK = /\bDate\.now\(|\bnew Date\(\)|\bTemporal\.Now\b/;
const files = isShort
  ? globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => READS_THE_CLOCK.test(readFileSync(join(ROOT, file), 'utf8')))
  : [];

it.each(moments)('the tests pass when $name', async ({ at, zone, locale }) => {
  const ofThisRun = Object.keys(process.env).filter((name) => name.startsWith('VITEST'));
  const env = { ...process.env, ...Object.fromEntries(ofThisRun.map((name) => [name, undefined])) };
  const run = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...files], {
    cwd: ROOT,
    env: { ...env, TZ: zone, LANG: locale, LC_ALL: locale, ...clockAt(at, folder) },
    stdio: 'inherit',
  });
  expect(await once(run, 'close')).toEqual([0, null]);
});
