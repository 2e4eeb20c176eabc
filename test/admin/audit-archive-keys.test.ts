import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { listFiles, readLines } from '../support/archive-files.ts';
import { createOrganization } from '../support/factories.ts';
import { archivingApp } from './archived-audit.ts';
import { admin } from './command-line.ts';

const app = await archivingApp();
const { env } = app;
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const run = (keys: Record<string, string>, line: string, ...rest: string[]) => admin(keys, [...line.split(' '), ...rest], '', app.database);

it('links of a lost key are archived as they are, and named where they are walked over', async () => {
  const { id } = await createOrganization(app.database.prisma);
  const folder = await app.folder();
  const lost = { ...env, MASTER_KEYS: `${newKey('lost')},${env.MASTER_KEYS}` };
  const without = { ...env, LOST_MASTER_KEY_IDS: 'lost' };
  const write = async (keys: Record<string, string>, at: string, position: number) => {
    await app.write(id, at);
    while ((await app.count('audit_link', `organization_id = ${id} AND position = ${position}`)) === 0)
      expect(await run(keys, 'audit seal')).toMatchObject({ code: 0 });
  };
  await write(env, '2019-03-03T08:00:00Z', 1);
  await write(lost, '2019-03-31T08:00:00Z', 2);
  await write(lost, '2019-04-02T08:00:00Z', 3);
  expect(await run(env, `audit archive --before 2019-04-10 --to ${folder}`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^MASTER_KEYS are not those .*"lost" is needed \(the audit\)/),
  });
  await write(without, '2019-04-20T08:00:00Z', 4);
  await app.tamper('SELECT make_log_partitions()');
  const verify = (...rest: string[]) => run(without, `audit verify --practice ${id}`, ...rest);
  const named = new RegExp(`Links up to 3 of practice ${id}, until 2019-04-02T08:00:00Z, include some that were sealed under a lost`);
  expect(await verify()).toMatchObject({ code: 0, err: '', out: expect.stringMatching(named) });
  for (const before of ['2019-04-10', '2019-05-10']) {
    expect(await run(without, `audit archive --before ${before} --to ${folder}`)).toMatchObject({ code: 0 });
    expect(await verify()).toMatchObject({ code: 0, err: '' });
    expect(await verify('--archive', folder)).toMatchObject({ code: 0, err: '', out: expect.stringMatching(named) });
  }
});

it('checkpoints go to the new master key, and files need no other to be verified', async () => {
  const folder = await app.folder();
  const id = await app.practice(5);
  expect(await run(env, `audit archive --before 2019-04-10 --to ${folder}`)).toMatchObject({ code: 0 });
  const next = newKey('next');
  const both = { ...env, MASTER_KEYS: `${next},${env.MASTER_KEYS}` };
  const alone = { ...env, MASTER_KEYS: next };
  expect(await run(both, 'keys renew')).toMatchObject({ code: 0 });
  expect(await app.count('audit_checkpoint', `key_id <> 'next'`)).toBe(0);
  const verify = (keys: Record<string, string>, ...rest: string[]) => run(keys, `audit verify --practice ${id}`, ...rest);
  expect(await verify(both, '--archive', folder)).toMatchObject({ code: 0, err: '' });
  expect(await run(both, `audit archive --before 2019-06-10 --to ${folder}`)).toMatchObject({ code: 0 });
  for (const rest of [[], ['--archive', folder]]) expect(await verify(both, ...rest)).toMatchObject({ code: 0, err: '' });

  // Nothing in the table is of the old key: the checkpoints prove the files.
  for (const rest of [[], ['--archive', folder]]) expect(await verify(alone, ...rest)).toMatchObject({ code: 0, err: '' });
  const [file = ''] = (await listFiles(folder)).filter((name) => name.includes(`practice-${id}/2019-03`));
  await writeFile(file, gzipSync((await readLines(file)).map((line) => `${line.replace('user:1', 'user:2')}\n`).join('')));
  expect(await verify(alone, '--archive', folder)).toMatchObject({ code: 1, err: expect.stringContaining('was altered or cut off') });
});
