import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { backUp } from '../../src/jobs/back-up.ts';
import { ownTestApp } from '../support/app.ts';

const root = await mkdtemp(join(tmpdir(), 'triptych-schedule-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const test = await ownTestApp({ BACKUP_TO: join(root, 'backups'), BACKUP_EVERY: '1h', BACKUP_KEEP: '2' });
const place = join(root, 'backups');
const running = new AbortController().signal;
const backups = async () => (await readdir(place)).sort();

/** The sample of the metric, as a collector reads it. */
const age = async () => /^backup_age_seconds (.*)$/m.exec(await register.metrics())?.[1];

/** Makes a backup older by so many hours: its name has its instant. */
async function becomesOlder(id: string, hours: number): Promise<void> {
  const instant = new Date(Date.now() - hours * 3_600_000).toISOString().replaceAll(/[-:.]/g, '');
  await rename(join(place, id), join(place, `${instant}-${id.split('-')[1]}`));
}

it('makes a backup when the newest is too old, and keeps as many as it shall', async () => {
  await backUp(test.services, running);
  const [first = ''] = await backups();
  expect(Number(await age())).toBeLessThan(600);
  await backUp(test.services, running);
  expect(await backups()).toEqual([first]);
  await becomesOlder(first, 3);
  await backUp(test.services, running);
  const [, second = ''] = await backups();
  await becomesOlder(second, 2);
  await backUp(test.services, running);
  expect(await backups()).toHaveLength(2);
  expect((await backups()).at(-1)).not.toBe(second);
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
