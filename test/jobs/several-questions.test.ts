import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { openConversation, THURSDAY, TUESDAY, WEDNESDAY } from './conversation.ts';

const test = await sharedTestApp();
const { its, patient, book, move, cancel, ask, say, write, leave, replies, textsToNumber, confirmation } = openConversation(test);
const rows = () => test.database.prisma;

describe('several questions to one number', () => {
  it('are asked back about, and chosen by number', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    expect(await say('Y')).toEqual([
      'Which visit do you confirm? Reply 1 for Tue, Mar 4, 10:00 AM with Dr. Chen, 2 for Thu, Mar 6, 2:00 PM with Dr. Ito.',
    ]);
    expect(await say('2')).toEqual(['Thank you. We expect you on Thu, Mar 6, 2:00 PM with Dr. Ito. Reply N if you cannot come.']);
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Pending', 'Yes']);
    await say('1');
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Yes', 'Yes']);
  });

  it('are asked back about where a number may choose, or be a yes to what was said after the list', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    await say('no');
    await say('1');
    await say('yes');
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Yes', 'Pending']);
    expect(await say('1')).toEqual(['Can you come on Tue, Mar 4, 10:00 AM with Dr. Chen? Reply Y or N.']);
    expect(await say('1')).toEqual([expect.stringMatching(/^Which visit do you confirm\? Reply 1 for Tue.*, 2 for Thu/)]);
    await say('2');
    await say('N');
    expect(await say('1')).toEqual([expect.stringMatching(/^Which visit do you confirm\? Reply 1 for Tue.*, 2 for Thu/)]);
    await say('1');
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Yes', 'No']);
  });

  it('are asked back about where all were acknowledged at once', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    await say('yes to both');
    expect([await say('Y'), await say('1')]).toEqual([[], []]);
    expect(await say('👎')).toEqual([expect.stringMatching(/^Which visit can you not come to\? Reply 1 for Tue.*, 2 for Thu/)]);
    expect(await say('Y')).toEqual([expect.stringMatching(/^Thank you\. We expect you on Tue.* and Thu/)]);
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Yes', 'Yes']);
    await say('N');
    await say('both');
    expect([await confirmation(first), await confirmation(second)]).toEqual(['No', 'No']);
    expect(await say('1')).toEqual([expect.stringMatching(/^To which|^Which/)]);
    await say('yes to both');
    await cancel(second);
    expect(await say('N')).toEqual([expect.stringMatching(/^The visit on Thu.* was cancelled\. Can you come on Tue/)]);
  });

  it('may be answered with the number, and all at once', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    await say('ok');
    await say('no to 1');
    expect([await confirmation(first), await confirmation(second)]).toEqual(['No', 'Pending']);
    await say('yes to both');
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Yes', 'Yes']);
  });

  it('of a family name whose visit each is', async () => {
    const child = await patient({ firstName: 'Ben' });
    const [own, childs] = [await book(TUESDAY), await book(THURSDAY, its.ito, child)];
    await ask(own);
    await ask(childs);
    expect(await say('👍🏽')).toEqual([
      'Which visit do you confirm? Reply 1 for Tue, Mar 4, 10:00 AM with Dr. Chen (Ann), 2 for Thu, Mar 6, 2:00 PM with Dr. Ito (Ben).',
    ]);
    expect(await say('1 and 2')).toEqual([expect.stringContaining('(Ann) and Thu')]);
    expect([await confirmation(own), await confirmation(childs)]).toEqual(['Yes', 'Yes']);
  });

  it('change with a question that is put after the list, and with a visit that moves', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    await say('Y');
    const third = await book('2031-03-07T09:00:00');
    await ask(third);
    expect(await say('1')).toEqual([expect.stringContaining('3 for Fri, Mar 7, 9:00 AM')]);
    await move(first, WEDNESDAY);
    expect(await say('1')).toEqual([
      'That visit was moved to Wed, Mar 5, 3:30 PM with Dr. Chen. Reply Y if you can come, N if you cannot.',
    ]);
    expect(await confirmation(first)).toBe('Pending');
  });

  it('are forgotten by a number after a day', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    await say('Y');
    const dayAgo = new Date(Date.now() - 25 * 3_600_000);
    await rows().smsMessage.updateMany({
      where: { organizationId: its.organizationId, toNumber: its.number },
      data: { queuedAt: dayAgo, attemptedAt: dayAgo },
    });
    expect(await say('2')).toEqual([expect.stringContaining('Which visit can you not come to?')]);
    expect([await confirmation(first), await confirmation(second)]).toEqual(['Pending', 'Pending']);
  });
});

describe('a reply', () => {
  it('is not sent to who wants no texts, also where that came in between', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await write('Y');
    await write('STOP');
    await leave();
    expect((await textsToNumber()).filter(({ isReply }) => isReply)).toMatchObject([
      { state: 'suppressed', reason: 'opted_out' },
      { state: 'sent', body: expect.stringContaining('no more texts') },
    ]);
    expect(await say('N')).toEqual([]);
    expect(await confirmation(id)).toBe('No');
  });

  it('is not sent without end to a machine that answers', async () => {
    const [first, second] = [await book(TUESDAY), await book(THURSDAY, its.ito)];
    await ask(first);
    await ask(second);
    for (let n = 0; n < 12; n += 1) await write('OK');
    expect((await replies()).length).toBeLessThanOrEqual(10);
  });

  it('is not sent by a practice that is closed', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await rows().organization.update({ where: { id: its.organizationId }, data: { active: false } });
    const said = await say('Y');
    await rows().organization.update({ where: { id: its.organizationId }, data: { active: true } });
    expect([said, await confirmation(id)]).toEqual([[], 'Yes']);
  });
});
