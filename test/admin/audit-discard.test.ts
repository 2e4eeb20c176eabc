import { expect, it } from 'vitest';
import { z } from 'zod';
import { listFiles } from '../support/archive-files.ts';
import { createPatient } from '../support/factories.ts';
import { archivingApp } from './archived-audit.ts';
import { Made } from './command-line.ts';

const app = await archivingApp();
const { say, ask, reports } = app;
const Discarded = z.object({
  discarded: z.boolean(),
  files: z.array(z.object({ practice_id: z.int(), first: z.int(), last: z.int() })),
  kept: z.array(z.string()),
  confirm: z.string().optional(),
});

it('discards what a practice keeps no longer, with a word, and no hold; the chain verifies on from there', async () => {
  const folder = await app.folder();
  const discard = (...rest: string[]) => ask(Discarded, `audit discard --before 2019-04-05 --from ${folder}`, ...rest);
  const id = await app.practice(6);
  for (const before of ['2019-04-10', '2019-05-10'])
    expect(await say(`audit archive --before ${before} --to ${folder}`)).toMatchObject({ code: 0 });
  const files = await listFiles(folder);

  const keep = (years: number) => app.apply(id, { policies: { audit_years: years } });
  expect(await keep(5)).toMatchObject({ code: 1, err: expect.stringContaining('from 6 to 100') });
  await keep(90);
  expect(await discard()).toMatchObject({
    discarded: false,
    files: [],
    kept: [expect.stringMatching(/is kept until 2109-04-01, 90 years after/)],
  });
  expect(await keep(6)).toMatchObject({ code: 0 });

  const hold = await ask(Made, `legal-holds place --practice ${id} --reason`, 'a lawsuit');
  expect((await discard()).kept).toEqual([expect.stringContaining('a legal hold keeps everything of the practice')]);
  await say(`legal-holds lift ${hold.id} --practice ${id}`);

  const planned = await discard();
  expect(planned).toMatchObject({ discarded: false, files: [{ practice_id: id, first: 1, last: 8 }] });
  expect(await say(`audit discard --before 2019-04-05 --from ${folder} --confirm other`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('other files'),
  });
  expect(await listFiles(folder)).toEqual(files);

  expect(await discard('--as', 'ada', '--confirm', planned.confirm ?? '')).toMatchObject({ discarded: true });
  expect(await listFiles(folder)).toHaveLength(files.length - 1);
  await app.seal();
  for (const rest of [[], ['--archive', folder]]) {
    const said = await say('audit verify', '--practice', String(id), ...rest);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toMatch(/entries 1 to 8, from 2019-03-10T08:00:00Z to \S+, were discarded by ada on /);
  }
  const [report] = await reports('--practice', String(id), '--archive', folder);
  expect(report).toMatchObject({ holds: true, unsealed: 0 });
  expect((await say(`audit list --practice ${id} --actor operator:ada`)).out).toContain('entries 1 to 8 discarded from the archive');
  expect(await discard()).toMatchObject({ files: [] });
  await app.tamper(`UPDATE audit_checkpoint SET discarded_by = 'bob' WHERE discarded_by IS NOT NULL`);
  expect(await say(`audit verify --practice ${id}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('the checkpoint at link 8 was edited'),
  });
  await app.tamper(`UPDATE audit_checkpoint SET discarded_by = 'ada' WHERE discarded_by IS NOT NULL`);
});

it('keeps a file that names a patient under a legal hold', async () => {
  const folder = await app.folder();
  const id = await app.practice(6);
  await createPatient(app.database.prisma, { organizationId: id, id: 3 });
  expect(await say(`audit archive --before 2019-05-10 --to ${folder}`)).toMatchObject({ code: 0 });
  const discard = () => ask(Discarded, `audit discard --before 2019-06-01 --from ${folder}`);
  const hold = await ask(Made, `legal-holds place --practice ${id} --patient 3 --reason`, 'a lawsuit');
  const { files, kept } = await discard();
  expect(files.filter(({ practice_id }) => practice_id === id)).toEqual([]);
  expect(kept).toContainEqual(expect.stringContaining(`Practice ${id}: a legal hold keeps everything about a patient named in file`));
  await say(`legal-holds lift ${hold.id} --practice ${id}`);
  expect((await discard()).files.filter(({ practice_id }) => practice_id === id)).toHaveLength(2);
});
