import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { Made, operatorOf } from './command-line.ts';

const Rows = z.array(z.object({ id: z.int(), user_id: z.int(), url: z.string(), title: z.string().nullable() }));

const test = await sharedTestApp();
const operator = operatorOf(test);
const practice = (await createOrganization(test.database.prisma)).id;
const made = await createUser(test.database.prisma, { organizationId: practice });
const user: { id: number; email: string } = { id: made.user.id, email: made.email };

describe('review-urls', () => {
  it('adds, lists and removes where a user can be reviewed, and leaves traces', async () => {
    const { ask } = operator;
    const first = await ask(Made, `review-urls add --user ${user.email} --url https://reviews.example.com/una --title`, 'Una User');
    const second = await ask(Made, `review-urls add --user ${user.id} --url https://reviews.example.com/other`);
    expect(await ask(Rows, `review-urls list --organization ${practice}`)).toEqual([
      { id: first.id, user_id: user.id, url: 'https://reviews.example.com/una', title: 'Una User' },
      { id: second.id, user_id: user.id, url: 'https://reviews.example.com/other', title: null },
    ]);
    await ask(Made, `review-urls remove ${first.id} --organization ${practice}`);
    expect((await ask(Rows, `review-urls list --organization ${practice}`)).map(({ id }) => id)).toEqual([second.id]);
    const events = await test.database.prisma.event.findMany({ where: { organizationId: practice }, orderBy: { id: 'asc' } });
    expect(events.map(({ name, subjectId, actor }) => [name, subjectId, actor])).toEqual([
      ['review_url.added', first.id, 'operator:tester'],
      ['review_url.added', second.id, 'operator:tester'],
      ['review_url.removed', first.id, 'operator:tester'],
    ]);
  });

  it.each([
    ['http://reviews.example.com/x', 'begins with https://'],
    ['javascript:alert(1)', 'begins with https://'],
    ['reviews.example.com', 'begins with https://'],
    ['https://me:secret@reviews.example.com/', 'no name or password'],
    [`https://reviews.example.com/${'x'.repeat(500)}`, 'at most 500 characters'],
  ])('refuses %s', async (url, reason) => {
    const said = await operator.say(`review-urls add --user ${user.id} --url`, url);
    expect(said.code).toBe(1);
    expect(said.err).toContain(reason);
  });

  it('refuses an address that the user has, an unknown user, and an id of another practice', async () => {
    const { say, ask } = operator;
    const { id } = await ask(Made, `review-urls add --user ${user.id} --url https://reviews.example.com/twice`);
    expect(await say(`review-urls add --user ${user.id} --url https://reviews.example.com/twice`)).toMatchObject({
      code: 1,
      err: 'The user has this address already.\n',
    });
    expect((await say('review-urls add --user nobody@example.com --url https://reviews.example.com/x')).code).toBe(1);
    const other = (await createOrganization(test.database.prisma)).id;
    expect((await say(`review-urls remove ${id} --organization ${other}`)).code).toBe(1);
  });
});
