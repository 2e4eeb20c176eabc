import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { admin, Made, operatorOf } from './command-line.ts';

const Rows = z.array(z.record(z.string(), z.unknown()));

const test = await sharedTestApp();
const operator = operatorOf(test);
const practice = (await operator.ask(Made, 'organizations create --name Riverside --time-zone America/Denver')).id;
const file = join(tmpdir(), `questions-${randomUUID()}.json`);
afterAll(() => rm(file, { force: true }));

const rows = () => test.database.prisma;
const add = async (content: unknown) => {
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return operator.say(`surveys add --organization ${practice} --json --file`, file);
};
const question = { key: 'feeling', text: 'How do you feel?', kind: 'text' };

describe('surveys', () => {
  it('are added from a file, listed with what their questions measure, and ended', async () => {
    const item = await rows().item.create({ data: { organizationId: practice, name: 'Weight', unit: 'lb' } });
    const said = await add({ name: 'Morning', questions: [question, { key: 'weight', text: 'Weight?', kind: 'number', itemId: item.id }] });
    expect(said, said.err).toMatchObject({ code: 0 });
    const { id } = Made.parse(JSON.parse(said.out));
    const shown = { id, name: 'Morning', active: true, questions: ['feeling (text)', 'weight (number, Weight)'] };
    expect(await operator.ask(Rows, `surveys list --organization ${practice}`)).toEqual([shown]);
    const where = { organizationId_id: { organizationId: practice, id } };
    expect((await rows().surveyType.findUniqueOrThrow({ where })).questions).toEqual([
      { ...question, required: true },
      { key: 'weight', text: 'Weight?', kind: 'number', required: true, itemId: item.id },
    ]);
    expect((await add({ name: 'Morning', questions: [question] })).err).toContain('has this name already');
    for (const _ of [1, 2]) expect((await operator.say(`surveys end ${id} --organization ${practice}`)).code).toBe(0);
    expect(await operator.ask(Rows, `surveys list --organization ${practice}`)).toEqual([{ ...shown, active: false }]);
    expect((await add({ name: 'Morning', questions: [question] })).code).toBe(0);
    const events = await rows().event.findMany({
      where: { organizationId: practice, subjectType: 'survey_type', subjectId: id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name }) => name).toSorted()).toEqual(['survey_type.created', 'survey_type.ended']);
  });

  it('are read from standard input too', async () => {
    const words = ['surveys', 'add', '--organization', String(practice), '--file', '-', '--json'];
    const said = await admin(operator.env, words, JSON.stringify({ name: 'Typed', questions: [question] }));
    expect(said, said.err).toMatchObject({ code: 0 });
  });

  it.each([
    ['is no JSON', '{', 'The file is no JSON.'],
    ['has no name', { questions: [question] }, 'name: is missing.'],
    ['has no questions', { name: 'X', questions: [] }, 'questions: must not be empty.'],
    ['has a question of an unknown kind', { name: 'X', questions: [{ ...question, kind: 'drawing' }] }, 'questions.0.kind'],
    ['has a mark of urgency with a slip', { name: 'X', questions: [{ ...question, urgentwords: ['pain'] }] }, 'is not understood'],
    [
      'marks a choice that it does not offer',
      { name: 'X', questions: [{ key: 'a', text: 'A', kind: 'choice', choices: ['1', '2'], urgentChoices: ['3'] }] },
      'questions.0.urgentChoices: must be choices that the question offers',
    ],
    ['has a key twice', { name: 'X', questions: [question, question] }, 'questions: must have keys that differ'],
    ['measures what the practice does not have', { name: 'X', questions: [{ ...question, kind: 'number', itemId: 99 }] }, 'feeling'],
  ])('are refused where the file %s, in words', async (_, content, said) => {
    expect(await add(content)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(said) });
  });

  it('are refused where the file cannot be read, and of another practice are nobody’s', async () => {
    expect((await operator.say(`surveys add --organization ${practice} --file /nowhere/questions.json`)).err).toBe(
      'The file cannot be read.\n',
    );
    const other = (await operator.ask(Made, 'organizations create --name Other --time-zone UTC')).id;
    const theirs = await rows().surveyType.create({ data: { organizationId: practice, name: 'Theirs', questions: [question] } });
    expect(await operator.say(`surveys end ${theirs.id} --organization ${other}`)).toMatchObject({ code: 1 });
    expect(await operator.ask(Rows, `surveys list --organization ${other}`)).toEqual([]);
  });
});
