import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asOwner, createEmptyDatabase } from '../support/database-roles.ts';
import { archivingApp } from './archived-audit.ts';
import { admin } from './command-line.ts';

const app = await archivingApp();

it('a database that was restored from a backup verifies with the archive, and goes on archiving', async () => {
  const [folder, backups] = [await app.folder(), await app.folder()];
  await app.practice(150);
  await app.practice(3);
  const archive = (before: string) => `audit archive --before ${before} --to ${folder}`;
  expect(await app.say(archive('2019-04-10'))).toMatchObject({ code: 0 });
  const source = { ...app.env, DATA_DIR: app.config.DATA_DIR };
  expect(await admin(source, ['backup', 'create', '--full-speed', '--to', backups])).toMatchObject({ code: 0 });
  // The backup is older than the next run, whose months are in the restored table again.
  expect(await app.say(archive('2019-05-10'))).toMatchObject({ code: 0 });

  const url = await createEmptyDatabase();
  const target = { ...app.env, DATABASE_URL: url, DATABASE_OWNER_URL: asOwner(url), DATA_DIR: join(backups, 'data') };
  const say = (line: string) => admin(target, line.split(' '));
  expect(await say(`backup restore --from ${backups} --into DATABASE_URL`)).toMatchObject({ code: 0 });
  const verified = await say(`audit verify --archive ${folder}`);
  expect(verified).toMatchObject({ code: 0, err: '', out: expect.stringContaining('the chain goes on from there into the table') });
  for (const before of ['2019-05-10', '2019-06-10']) {
    const archived = await say(archive(before));
    expect(archived).toMatchObject({ code: 0, out: expect.stringContaining('Dropped: audit_entry_2019') });
    for (const rest of ['', ` --archive ${folder}`]) expect(await say(`audit verify${rest}`)).toMatchObject({ code: 0, err: '' });
  }
});
