import { expect, it } from 'vitest';
import { openSnapshot } from '../../src/backup/snapshot.ts';
import { ownTestApp } from '../support/app.ts';

const test = await ownTestApp();

it('a backup by the command is refused, since nodes have no snapshot in common, and the words say what is done instead', async () => {
  const { DATABASE_URL = '', DATABASE_DIRECT_URL = DATABASE_URL } = test.config;
  await expect(openSnapshot(DATABASE_DIRECT_URL)).rejects.toMatchObject({
    code: 'backup_of_cluster',
    message: expect.stringContaining('docs/scaling.md, "Backup"'),
  });
});
