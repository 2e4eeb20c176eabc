import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createChat, createNumber, freshNumber, letDayPass, reconcileOrders } from '../numbers.ts';

const test = await sharedTestApp();

const admin = (organizationId?: number) => signedInUser(test, { type: 'admin', ...(organizationId ? { organizationId } : {}) });
const listEvents = (organizationId: number, subjectId: number) =>
  test.database.prisma.event.findMany({ where: { organizationId, subjectType: 'phone_number', subjectId }, orderBy: { id: 'asc' } });
const findRow = (id: number) => test.database.prisma.phoneNumber.findFirst({ where: { id } });

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each([
  ['fax', '/fax-numbers', 'voice_pager'],
  ['voice_pager', '/voice-pager-numbers', 'fax'],
] as const)('%s numbers', (kind, path, otherKind) => {
  it('are made of a plain number that the practice has, by an admin alone', async () => {
    const who = await admin();
    const staff = await signedInUser(test, { organizationId: who.organizationId });
    const chat = await createChat(test, who.organizationId);
    await createNumber(test, who.organizationId);
    const { id, number } = await createNumber(test, who.organizationId);
    expect((await staff.post(path).send({ number, chat_id: chat.id })).status).toBe(403);
    expect(await findRow(id)).toMatchObject({ kind: 'plain', chatId: null });
    const { status, body } = await who.post(path).send({ number: Number(number.slice(2)), chat_id: chat.id });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ uuid: id, number: number.slice(2), type: kind, chat_id: chat.id, state: 'active' });
    expect(await findRow(id)).toMatchObject({ kind, chatId: chat.id });
    expect(await listEvents(who.organizationId, id)).toMatchObject([{ name: 'number.attached', changed: ['kind', 'chatId'] }]);
  });

  it('keep the call group where none is sent, move to another one, and to none by null', async () => {
    const who = await admin();
    const chat = await createChat(test, who.organizationId);
    const { id, number } = await createNumber(test, who.organizationId, { kind });
    expect((await who.post(path).send({ number, chat_id: chat.id })).body.data.chat_id).toBe(chat.id);
    expect((await who.post(path).send({ number })).body.data.chat_id).toBe(chat.id);
    expect((await who.post(path).send({ number, chat_id: ' ' })).body.data.chat_id).toBe(chat.id);
    expect((await who.post(path).send({ number, chat_id: null })).body.data.chat_id).toBeNull();
    expect(await listEvents(who.organizationId, id)).toMatchObject([{ changed: ['chatId'] }, { changed: ['chatId'] }]);
  });

  it('become plain again, with the call group and the messages that they have', async () => {
    const who = await admin();
    const chat = await createChat(test, who.organizationId);
    await createNumber(test, who.organizationId);
    const { id, number } = await createNumber(test, who.organizationId, { chatId: chat.id });
    expect((await who.post(path).send({ number })).body.data).toMatchObject({ type: kind, chat_id: chat.id });
    const { status, body } = await who.post('/available-numbers').send({ number });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ uuid: id, type: 'plain', chat_id: chat.id, state: 'active' });
    expect((await who.get(path)).body.data).toEqual([]);
  });

  it('are not made of the last plain number, also where two are made at once', async () => {
    const who = await admin();
    const [one, two] = [await createNumber(test, who.organizationId), await createNumber(test, who.organizationId)];
    const answers = await Promise.all([one, two].map(({ number }) => who.post(path).send({ number })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const refused = answers.find(({ status }) => status === 409)?.body;
    expect(refused).toMatchObject({ code: 'last_plain_number', detail: expect.stringContaining('last plain number') });
    const kinds = [await findRow(one.id), await findRow(two.id)].map((row) => row?.kind);
    expect(kinds.toSorted()).toEqual([kind, 'plain'].toSorted());
  });

  it('are not made of a number that does something else', async () => {
    const who = await admin();
    const { id, number } = await createNumber(test, who.organizationId, { kind: otherKind });
    const { status, body } = await who.post(path).send({ number });
    expect([status, body.code]).toEqual([409, 'number_in_use']);
    expect(await findRow(id)).toMatchObject({ kind: otherKind });
  });

  it('that the practice does not have are bought by an admin, and not by others', async () => {
    const boss = await admin();
    const staff = await signedInUser(test, { organizationId: boss.organizationId });
    const number = freshNumber('704');
    const refused = await staff.post(path).send({ number });
    expect(refused.status).toBe(403);
    const { status, body } = await boss.post(path).send({ number });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ type: kind, state: 'ordered' });
    await reconcileOrders(test);
    expect((await staff.get(path)).body.data).toMatchObject([{ uuid: body.data.uuid, state: 'active' }]);
  });

  it('are not made of another organization’s number, which is as one that nobody sells', async () => {
    const [who, other] = [await admin(), await admin()];
    const { id, number } = await createNumber(test, other.organizationId);
    const theirs = await who.post(path).send({ number });
    const nobodys = await who.post(path).send({ number: '+12125551234' });
    expect(theirs.status).toBe(409);
    expect({ ...theirs.body, request_id: '' }).toEqual({ ...nobodys.body, request_id: '' });
    expect(await findRow(id)).toMatchObject({ kind: 'plain', organizationId: other.organizationId });
  });

  it.each([
    [{}, 400, 'number'],
    [{ number: 'none' }, 400, 'number'],
    [{ number: '9195550100', chat_id: 0 }, 400, 'chat_id'],
    [{ number: '9195550100', chat_id: 2_147_483_647 }, 404, 'chat_id'],
  ])('of %j are refused with %i and name %s', async (body, status, field) => {
    const answer = await (await admin()).post(path).send(body);
    expect(answer.status).toBe(status);
    expect(answer.body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });

  it('are listed by id and page, of this kind and organization alone', async () => {
    const who = await signedInUser(test);
    const made = [
      await createNumber(test, who.organizationId, { kind }),
      await createNumber(test, who.organizationId, { kind }),
      await createNumber(test, who.organizationId, { kind }),
    ];
    await createNumber(test, who.organizationId, { kind: otherKind });
    await createNumber(test, who.organizationId, { kind: 'plain' });
    await createNumber(test, (await admin()).organizationId, { kind });
    const ids = (await who.get(path)).body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(ids).toEqual(made.map(({ id }) => id));
    const second = await who.get(`${path}?page=2&limit=2`);
    expect(second.body.data).toMatchObject([{ uuid: made[2]?.id }]);
    expect(second.body.meta).toMatchObject({ total: 3, last_page: 2 });
  });

  it('of a call group are listed alone', async () => {
    const who = await signedInUser(test);
    const [chat, empty] = [await createChat(test, who.organizationId), await createChat(test, who.organizationId)];
    const { id } = await createNumber(test, who.organizationId, { kind, chatId: chat.id });
    await createNumber(test, who.organizationId, { kind });
    expect((await who.get(`${path}/chat/${chat.id}`)).body.data).toMatchObject([{ uuid: id }]);
    expect((await who.get(`${path}/chat/${empty.id}`)).body.data).toEqual([]);
    expect((await who.get(`${path}/chat/x`)).status).toBe(400);
  });

  it('are given back: listed for a day as released, and at the carrier when the job has run after that', async () => {
    const who = await admin();
    const number = freshNumber('704');
    const { uuid } = (await who.post(path).send({ number })).body.data;
    expect((await who.delete(`${path}/${uuid}`)).body.code).toBe('number_ordered');
    await reconcileOrders(test);
    const before = Date.now();
    expect((await who.delete(`${path}/${uuid}`)).status).toBe(204);
    const [listed] = (await who.get(path)).body.data;
    expect(listed).toMatchObject({ uuid, state: 'releasing', releases_at: expect.stringMatching(/Z$/) });
    const wait = Date.parse(listed.releases_at) - before;
    expect(Math.abs(wait - DAY_MS)).toBeLessThan(60_000);
    // Released again, it does not wait longer.
    expect((await who.delete(`${path}/${uuid}`)).status).toBe(204);
    expect((await who.get(path)).body.data).toEqual([listed]);
    await reconcileOrders(test);
    expect(await findRow(uuid)).toMatchObject({ state: 'releasing', releasedAt: null });
    await letDayPass(test, uuid);
    await reconcileOrders(test);
    expect(await findRow(uuid)).toMatchObject({ state: 'released', releasedAt: expect.any(Date) });
    expect((await who.get(path)).body.data).toEqual([]);
    expect((await who.delete(`${path}/${uuid}`)).status).toBe(404);
    expect(await test.database.prisma.carrierNumber.findFirst({ where: { number } })).toMatchObject({ returnedAt: expect.any(Date) });
    const names = (await listEvents(who.organizationId, uuid)).map(({ name }) => name);
    expect(names).toEqual(['number.ordered', 'number.purchased', 'number.released', 'number.returned']);
    // The number can be bought again.
    expect((await who.post(path).send({ number })).status).toBe(201);
    await reconcileOrders(test);
    expect(await test.database.prisma.carrierNumber.count({ where: { number, returnedAt: null } })).toBe(1);
  });

  it('that were given back are taken back within a day, as any kind, and are nobody else’s meanwhile', async () => {
    const [who, other] = [await admin(), await admin()];
    const staff = await signedInUser(test, { organizationId: who.organizationId });
    for (const [taken, type] of [
      [path, kind],
      ['/available-numbers', 'plain'],
      [otherKind === 'fax' ? '/fax-numbers' : '/voice-pager-numbers', otherKind],
    ] as const) {
      const { id, number } = await createNumber(test, who.organizationId, { kind });
      expect((await who.delete(`${path}/${id}`)).status).toBe(204);
      expect((await staff.post(taken).send({ number })).status).toBe(403);
      expect((await other.post(taken).send({ number })).body.code).toBe('number_not_available');
      const { status, body } = await who.post(taken).send({ number });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({ uuid: id, type, state: 'active', releases_at: null });
      await letDayPass(test, id);
      await reconcileOrders(test);
      expect(await findRow(id)).toMatchObject({ state: 'active', releasedAt: null });
      expect((await listEvents(who.organizationId, id)).map(({ name }) => name)).toEqual(['number.released', 'number.release_cancelled']);
    }
  });

  it('are given back by an admin alone, and only as what they are', async () => {
    const boss = await admin();
    const staff = await signedInUser(test, { organizationId: boss.organizationId });
    const [own, other] = [
      await createNumber(test, boss.organizationId, { kind }),
      await createNumber(test, boss.organizationId, { kind: otherKind }),
    ];
    expect((await staff.delete(`${path}/${own.id}`)).status).toBe(403);
    expect((await boss.delete(`${path}/${other.id}`)).status).toBe(409);
    const theirs = await createNumber(test, (await admin()).organizationId, { kind });
    expect((await boss.delete(`${path}/${theirs.id}`)).status).toBe(404);
    for (const { id } of [own, other, theirs]) expect(await findRow(id)).toMatchObject({ state: 'active', releasedAt: null });
  });
});
