import { mkdtemp, readdir, readFile, rename, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { makeOlder } from '../support/backups.ts';
import { asOwner, createEmptyDatabase } from '../support/database-roles.ts';
import { createPatient } from '../support/factories.ts';
import { readContents, readFiles } from './database-contents.ts';

const root = await mkdtemp(join(tmpdir(), 'triptych-places-'));
afterAll(() => rm(root, { recursive: true, force: true }));
const test = await ownTestApp();
const place = join(root, 'backups');
const env = { ...toEnvironment(test), BACKUP_TO: place, BACKUP_EVERY: '1h', DATA_DIR: test.config.DATA_DIR };
/** As a clinic runs it, with its data on the disk of the backups. */
const production = { ...env, NODE_ENV: 'production', PUBLIC_URL: 'http://127.0.0.1:1', TRIPTYCH_MAIL: 'local', DATA_DIR: root };

async function doctor(environment: Record<string, string>) {
  const said = await admin(environment, ['doctor', '--json', '--only', 'backup'], '', test.database);
  return z.object({ checks: z.array(z.unknown()) }).parse(JSON.parse(said.out)).checks[0];
}

it('doctor knows whether there is a backup, how old it is, and whether it lies beside the data; a restore has everything, and is looked at', async () => {
  const person = await signedInUser(test);
  await createPatient(test.database.prisma, { organizationId: person.organizationId, lastName: 'Qwyzz' });
  expect((await upload(test, person, 'a file')).status).toBe(201);
  await admin(env, ['audit', 'seal']);
  expect(await doctor(env)).toMatchObject({ state: 'fail', found: expect.stringContaining('no backup') });
  const before = await readContents(asOwner(test.databaseUrl));
  expect(await admin(env, ['backup', 'create', '--full-speed', '--to', place])).toMatchObject({ code: 0 });
  const [made = ''] = await readdir(place);
  for (const part of await readdir(join(place, made))) expect((await readFile(join(place, made, part))).includes('Qwyzz')).toBe(false);
  expect(await doctor(env)).toMatchObject({
    state: 'ok',
    figures: { age_seconds: expect.any(Number), backups: 1, backups_not_opened: 0 },
  });
  expect(await doctor(production)).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('copy the backups to another one'),
  });
  const url = await createEmptyDatabase();
  const target = { ...env, DATABASE_URL: url, DATABASE_OWNER_URL: asOwner(url), DATA_DIR: join(root, 'restored') };
  const RESTORE = ['backup', 'restore', '--from', place, '--into', 'DATABASE_URL'];
  const refusal = expect.stringContaining('DATABASE_URL: its role does not own the tables. Set DATABASE_OWNER_URL to');
  expect(await admin({ ...target, DATABASE_OWNER_URL: '' }, RESTORE)).toMatchObject({ code: 1, out: '', err: refusal });
  const restored = await admin(target, RESTORE);
  expect(restored.err).toMatch(
    /\nok +database .*\nok +migrations .*\n.*\n.*\nok +keys .*\nok +audit chains .*\n\w+ +charts .*\n( +.*\n)?ok +files /,
  );
  expect(restored.code).toBe(0);
  expect(await readContents(asOwner(url))).toEqual({ ...before, audit_entry: expect.anything() });
  expect(await readFiles(target.DATA_DIR)).toEqual(await readFiles(test.config.DATA_DIR));
  await makeOlder(place, made, 24, test.config);
  expect(await doctor(env)).toMatchObject({ state: 'fail', advice: expect.stringContaining('runs jobs') });

  const renamed = join(place, 'copied in part');
  const [older = ''] = await readdir(place);
  await rename(join(place, older), renamed);
  await truncate(join(renamed, 'manifest.json'), 100);
  const verified = await admin(env, ['backup', 'verify', '--from', renamed]);
  expect(verified.err).toBe('The backup cannot be used. Its manifest was altered or belongs to something else.\n');
});

it('backup create refuses a folder that cannot be made', async () => {
  const said = await admin(env, ['backup', 'create', '--to', '/proc/nowhere/below'], '', test.database);
  expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining('The place of the backup refuses the file.') });
});

it.each([
  ['backup create', '--to', []],
  ['backup restore', '--into', ['--from', 'backups']],
  ['backup verify', '--from', []],
  ['patients export', '--to', ['--patient', '1', '--practice', '1']],
  ['audit archive', '--to', ['--before', '2026-01-01']],
])('%s %s takes no address of a database for a folder', async (command, option, more) => {
  const address = 'triptych:secret-word@127.0.0.1/triptych';
  const said = await admin(env, [...command.split(' '), ...more, option, address], '', test.database);
  expect(said).toMatchObject({ code: 2, out: '', err: expect.stringMatching(`^${option}: must be (an empty|a) folder`) });
  expect(said.err).not.toContain('secret-word');
  await expect(readdir('triptych:secret-word@127.0.0.1')).rejects.toThrow('ENOENT');
});
