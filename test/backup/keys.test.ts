import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { readBackupInstant } from '../../src/backup/places/backup-place.ts';
import { admin, toEnvironment, withForeignKey } from '../admin/command-line.ts';
import { ownTestApp } from '../support/app.ts';
import { asOwner, createEmptyDatabase } from '../support/database-roles.ts';

const root = await mkdtemp(join(tmpdir(), 'triptych-keys-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const test = await ownTestApp();
const old: Record<string, string> = { ...toEnvironment(test), DATA_DIR: test.config.DATA_DIR };
// The database has a value under the key.
await admin(old, ['keys', 'rotate'], '', test.database);
const [NEXT, OWN] = ['next', 'own'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);

const Finding = z.object({
  checks: z.tuple([z.object({ state: z.string(), found: z.string(), figures: z.record(z.string(), z.number()) })]),
});

/** Commands in one environment. */
function operator(env: Record<string, string>) {
  const say = (...argv: string[]) => admin(env, argv, '', test.database);
  return {
    say,
    create: async (place: string) => expect(await say('backup', 'create', '--full-speed', '--to', place)).toMatchObject({ code: 0 }),
    async doctor() {
      const said = await say('doctor', '--json', '--only', 'backup');
      return Finding.parse(JSON.parse(said.out)).checks[0];
    },
  };
}

async function restoredFrom(backup: string, env: Record<string, string>) {
  const url = await createEmptyDatabase();
  const target = { ...env, DATABASE_URL: url, DATABASE_OWNER_URL: asOwner(url), DATA_DIR: join(root, 'restored') };
  return admin(target, ['backup', 'restore', '--from', backup, '--into', 'DATABASE_URL']);
}

it('a rotated master key is kept while a backup needs it: each tool says so, and until when', async () => {
  const place = join(root, 'rotated');
  const [before, both, next] = [old.MASTER_KEYS, `${NEXT},${old.MASTER_KEYS}`, `${NEXT}`].map((MASTER_KEYS) =>
    operator({ ...old, BACKUP_TO: place, BACKUP_EVERY: '12h', BACKUP_KEEP: '4', MASTER_KEYS: MASTER_KEYS ?? '' }),
  );
  if (!before || !both || !next) throw new Error('there are three');
  for (const _ of [1, 2]) await before.create(place);
  const [first = '', second = ''] = await readdir(place);
  const until = new Date(readBackupInstant(second).getTime() + 2 * 86_400_000).toISOString().slice(0, 10);
  const needed = `needed by 2 of 2 backups in ${place}: keep it until about ${until}, when newer ones have replaced them.`;

  for (const command of ['renew', 'master'])
    expect((await both.say('keys', command)).out).toContain(`The old key "test" of MASTER_KEYS is ${needed}`);
  expect(await both.doctor()).toMatchObject({ state: 'ok', found: expect.stringContaining('2 of 2 need "test" of MASTER_KEYS') });

  // Taken away too early.
  const missed = await next.say('keys', 'master');
  expect(missed).toMatchObject({ code: 1, err: expect.stringContaining(`The key "test" is needed by 2 of 2 backups in ${place}: add it`) });
  const refusal = 'It is encrypted under the key "test" of MASTER_KEYS, which is missing. Add it to MASTER_KEYS.';
  expect(await next.doctor()).toMatchObject({ state: 'fail', found: expect.stringContaining(refusal), figures: { backups_not_opened: 2 } });
  expect(await restoredFrom(place, { ...old, MASTER_KEYS: `${NEXT}` })).toMatchObject({ code: 1, err: expect.stringContaining(refusal) });

  // The next backup needs the new key alone, and the older ones are restored with theirs.
  await both.create(place);
  expect(await next.doctor()).toMatchObject({
    state: 'warn',
    found: expect.stringMatching(/2 of 3 need "test".*Of the older ones 2 cannot be restored/),
  });
  await rename(join(place, first), join(place, 'before the change'));
  expect((await both.say('keys', 'master')).out).toContain(`needed by 2 of 3 backups in ${place}: keep it until you have removed them.`);
  expect(await restoredFrom(join(place, 'before the change'), { ...old, MASTER_KEYS: `${NEXT},${old.MASTER_KEYS}` })).toMatchObject({
    code: 0,
  });
  for (const gone of ['before the change', second]) await rm(join(place, gone), { recursive: true });
  expect((await both.say('keys', 'master')).out).toContain(`a backup in ${place} needs the old key "test": remove it from MASTER_KEYS.`);
  expect(await next.doctor()).toMatchObject({ state: 'ok' });
});

it('a key of backups is missed as a master key is, and one with other bytes is known', async () => {
  const place = join(root, 'own-key');
  const own = { ...old, MASTER_KEYS: `${NEXT},${old.MASTER_KEYS}`, BACKUP_TO: place, BACKUP_KEY: `${OWN}` };
  await operator(own).create(place);
  expect(await operator(own).doctor()).toMatchObject({ state: 'ok', found: expect.stringContaining('1 of 1 need "own" of BACKUP_KEY') });
  const without = operator({ ...own, BACKUP_KEY: '' });
  expect(await without.doctor()).toMatchObject({ state: 'fail', found: expect.stringContaining('the key "own" of BACKUP_KEY') });
  expect((await without.say('keys', 'master')).err).toContain(
    `The key "own" is needed by 1 of 1 backups in ${place}: add it to BACKUP_KEY`,
  );
  const foreign = operator({ ...own, BACKUP_KEY: withForeignKey({}, 'own').MASTER_KEYS ?? '' });
  expect(await foreign.doctor()).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('the key "own" of BACKUP_KEY differs'),
  });
});

it('a backup under a key of its own is restored without a master key that is gone for good', async () => {
  const place = join(root, 'gone');
  const keys = { ...old, MASTER_KEYS: `${NEXT},${old.MASTER_KEYS}`, BACKUP_KEY: `${OWN}` };
  // Under a third key, which is lost after the backup.
  const lost = withForeignKey({}, 'lost').MASTER_KEYS ?? '';
  await operator({ ...keys, MASTER_KEYS: `${lost},${keys.MASTER_KEYS}` }).say('keys', 'renew');
  await operator({ ...keys, MASTER_KEYS: `${lost},${keys.MASTER_KEYS}` }).create(place);
  expect(await restoredFrom(place, keys)).toMatchObject({ code: 1, err: expect.stringContaining('MASTER_KEYS lacks lost') });
  expect((await restoredFrom(place, { ...keys, LOST_MASTER_KEY_IDS: 'lost' })).out).toContain('encrypted under    own of BACKUP_KEY');
});
