import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { createUser } from '../../../../support/factories.ts';
import { createNumber, createUserWithNumber } from '../numbers.ts';

const test = await sharedTestApp();

describe('a call group', () => {
  it('shows its members in the order in which they are called, and its numbers', async () => {
    const { who, chat, line } = await createUserWithNumber(test);
    const { organizationId } = who;
    const people: number[] = [];
    for (const [firstName, ringOrder, active] of [
      ['Third', 3, true],
      ['First', 1, true],
      ['Gone', 2, false],
    ] as const) {
      const { user } = await createUser(test.database.prisma, {
        organizationId,
        firstName,
        lastName: 'Up',
        active,
        chatStatus: 'online',
        phone: '+13365550130',
      });
      await test.database.prisma.chatMember.create({ data: { organizationId, chatId: chat.id, userId: user.id, ringOrder } });
      people.push(user.id);
    }
    await createNumber(test, organizationId, { chatId: chat.id, state: 'released', releasedAt: new Date() });
    const { status, body, headers } = await who.get(`/chats/${chat.id}/call-group-data`);
    expect(status).toBe(200);
    const member = {
      last_name: 'Up',
      phone: '3365550130',
      chat_status: 'online',
      telehealth_availability: expect.any(Boolean),
      text_alerts: false,
    };
    expect(body.data).toEqual({
      uuid: chat.id,
      name: 'On Call',
      members: [
        { ...member, user_id: people[1], ring_order: 1, first_name: 'First' },
        { ...member, user_id: people[0], ring_order: 3, first_name: 'Third' },
      ],
      numbers: [expect.objectContaining({ uuid: line.id, number: line.number.slice(2), type: 'plain', chat_id: chat.id })],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await who.get(`/chats/${chat.id}/call-group-data`).set('if-none-match', headers.etag ?? '')).status).toBe(304);
  });
});
