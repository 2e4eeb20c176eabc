import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createOrganization } from '../support/factories.ts';
import { archivingApp } from './archived-audit.ts';
import { admin } from './command-line.ts';

const app = await archivingApp();
const { env } = app;
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const run = (keys: Record<string, string>, line: string, ...rest: string[]) => admin(keys, [...line.split(' '), ...rest], '', app.database);

/** Seals under some keys until a chain has a length. */
async function sealTo(keys: Record<string, string>, organizationId: number, position: number): Promise<void> {
  while ((await app.count('audit_link', `organization_id = ${organizationId} AND position = ${position}`)) === 0)
    expect(await run(keys, 'audit seal')).toMatchObject({ code: 0 });
}

it('an explained stretch in the archive, and one across its end, are named where they are walked over', async () => {
  const lost = { ...env, MASTER_KEYS: `${newKey('lost')},${env.MASTER_KEYS}` };
  const folder = await app.folder();
  const { id } = await createOrganization(app.database.prisma);
  const write = async (keys: Record<string, string>, at: string, position: number) => {
    await app.write(id, at);
    await sealTo(keys, id, position);
  };
  const explain = async () => {
    const reason = ['--organization', String(id), '--reason', 'The host burnt'];
    const code = /--confirm ([0-9a-f]{12})/.exec((await run(env, 'audit explain', ...reason)).out)?.[1] ?? '';
    expect(await run(env, 'audit explain', ...reason, '--confirm', code)).toMatchObject({ code: 0, err: '' });
  };
  await write(env, '2019-03-03T08:00:00Z', 1);
  await write(lost, '2019-03-04T08:00:00Z', 2);
  await write(lost, '2019-03-05T08:00:00Z', 3);
  await explain();
  await sealTo(env, id, 4);
  await write(lost, '2019-03-31T08:00:00Z', 5);
  await write(lost, '2019-04-02T08:00:00Z', 6);
  await explain();
  await sealTo(env, id, 7);
  await write(env, '2019-04-20T08:00:00Z', 8);
  await app.tamper('SELECT make_log_partitions()');

  const named = [/Links 2 to 3 of organization \d+ were sealed under the key "lost"/, /Links 5 to 6 of organization \d+ were sealed under/];
  const verify = async (...rest: string[]) => run(env, `audit verify --organization ${id}`, ...rest);
  for (const before of ['2019-04-10', '2019-05-10']) {
    expect(await run(env, `audit archive --before ${before} --to ${folder}`)).toMatchObject({ code: 0 });
    const alone = await verify();
    expect(alone).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`2 heads or explanations of organization ${id}`) });
    const walked = await verify('--archive', folder);
    expect(walked).toMatchObject({ code: 0, err: '' });
    for (const sentence of named) expect(walked.out).toMatch(sentence);
  }
  // The archive ends with the whole stretch, not in it.
  const { rows } = await app.database.pool.query('SELECT position::int FROM audit_checkpoint WHERE organization_id = $1 ORDER BY 1', [id]);
  expect(rows[0]).toEqual({ position: 6 });
  expect(await run(env, 'audit explain --reason none')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing was sealed under'),
  });
});

it('checkpoints go to the new master key: the old one verifies segments, and the rest holds without it', async () => {
  const folder = await app.folder();
  const id = await app.practice(5);
  expect(await run(env, `audit archive --before 2019-04-10 --to ${folder}`)).toMatchObject({ code: 0 });
  const next = newKey('next');
  const both = { ...env, MASTER_KEYS: `${next},${env.MASTER_KEYS}` };
  const alone = { ...env, MASTER_KEYS: next };
  expect(await run(both, 'keys renew')).toMatchObject({ code: 0 });
  expect(await app.count('audit_checkpoint', `key_id <> 'next'`)).toBe(0);
  const verify = (keys: Record<string, string>, ...rest: string[]) => run(keys, `audit verify --organization ${id}`, ...rest);
  expect(await verify(both, '--archive', folder)).toMatchObject({ code: 0, err: '' });
  expect(await run(both, `audit archive --before 2019-06-10 --to ${folder}`)).toMatchObject({ code: 0 });
  for (const rest of [[], ['--archive', folder]]) expect(await verify(both, ...rest)).toMatchObject({ code: 0, err: '' });
  expect((await run(both, 'keys master')).out).toContain('The old key "test" is needed only to verify the audit entries that it sealed');

  // Nothing in the table is of the old key: the rest of the chain holds without it, and the segments cannot be judged.
  expect(await verify(alone)).toMatchObject({ code: 0, err: '' });
  expect(await verify(alone, '--archive', folder)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the manifest of segment \S+ was altered, or was signed with other master keys \(entries 1 to \d+\)/),
  });
  expect(await verify(both, '--archive', folder)).toMatchObject({ code: 0, err: '' });
});
