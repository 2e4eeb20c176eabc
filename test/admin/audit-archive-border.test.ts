import { describe, expect, it, onTestFinished } from 'vitest';
import { archivingApp } from './archived-audit.ts';

const app = await archivingApp();
const { say } = app;

describe('entries that are in the archive and in the table', () => {
  it.each([
    [
      'edited',
      (at: string) => `UPDATE audit_entry SET actor = 'user:9' WHERE ${at}`,
      'in the archive and in the table',
      'was edited in the table',
    ],
    ['deleted', (at: string) => `DELETE FROM audit_entry WHERE ${at}`, 'in the archive and in the table', 'was deleted in the table'],
  ])('are the same: one that was %s in the table is noticed, and named with the archive', async (_, change, alone, named) => {
    const border = await app.practice(3);
    const made = await app.folder();
    expect(await say(`audit archive --before 2019-04-10 --to ${made}`)).toMatchObject({ code: 0 });
    const at = `organization_id = ${border} AND at = '2019-04-01'`;
    await app.tamper(`CREATE TABLE was AS SELECT * FROM audit_entry WHERE ${at}`);
    onTestFinished(() => app.tamper(`DELETE FROM audit_entry WHERE ${at}; INSERT INTO audit_entry SELECT * FROM was; DROP TABLE was`));
    await app.tamper(change(at));
    expect(await say(`audit verify --organization ${border}`)).toMatchObject({ code: 1, err: expect.stringContaining(alone) });
    expect(await say(`audit verify --organization ${border} --archive ${made}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(named),
    });
  });
});
