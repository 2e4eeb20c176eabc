import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { backUp } from '../../src/jobs/upkeep/back-up.ts';
import { ownTestApp } from '../support/app.ts';
import { makeOlder } from '../support/backups.ts';

const root = await mkdtemp(join(tmpdir(), 'triptych-schedule-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const test = await ownTestApp({ BACKUP_TO: join(root, 'backups'), BACKUP_EVERY: '1h', BACKUP_KEEP: '2' });
const place = join(root, 'backups');
const running = new AbortController().signal;
const backups = async () => (await readdir(place)).sort();

/** The sample of the metric, as a collector reads it. */
const age = async () => /^backup_age_seconds (.*)$/m.exec(await register.metrics())?.[1];

it('makes a backup when the newest is too old, and keeps as many as it shall', async () => {
  await backUp(test.services, running);
  const [first = ''] = await backups();
  expect(Number(await age())).toBeLessThan(600);
  await backUp(test.services, running);
  expect(await backups()).toEqual([first]);
  await makeOlder(place, first, 3, test.config);
  await backUp(test.services, running);
  const [, second = ''] = await backups();
  await makeOlder(place, second, 2, test.config);
  await backUp(test.services, running);
  expect(await backups()).toHaveLength(2);
  expect((await backups()).at(-1)).not.toBe(second);
});

it('takes a backup that somebody renamed for the newest', async () => {
  const [older, newest = ''] = await backups();
  await rename(join(place, newest), join(place, 'before the upgrade'));
  await backUp(test.services, running);
  expect(Number(await age())).toBeLessThan(600);
  expect(await backups()).toEqual([older, 'before the upgrade']);
});

it('leaves nothing that counts when it is stopped, and the next one clears it away', async () => {
  await rm(place, { recursive: true });
  await backUp(test.services, AbortSignal.abort());
  const [cut = ''] = await backups();
  expect(await readdir(join(place, cut))).not.toContain('manifest.json');
  expect(await age()).toBe('+Inf');
  await backUp(test.services, running);
  expect(await backups()).toEqual([expect.not.stringContaining(cut)]);
});

it('fails where the folder cannot be used, so that the log says so', async () => {
  await writeFile(join(root, 'file'), '');
  const config = { ...test.config, BACKUP_TO: join(root, 'file') };
  await expect(backUp({ ...test.services, config }, running)).rejects.toThrow('ENOTDIR');
});
