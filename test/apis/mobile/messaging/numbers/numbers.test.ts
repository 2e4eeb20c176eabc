import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createChat, createNumber, freshNumber, reconcileOrders } from '../numbers.ts';

const test = await sharedTestApp();

const admin = () => signedInUser(test, { type: 'admin' });
const listRows = (number: string) => test.database.prisma.phoneNumber.findMany({ where: { number }, orderBy: { id: 'asc' } });
const isOffered = async (who: Awaited<ReturnType<typeof admin>>, number: string): Promise<boolean> => {
  const { body } = await who.get(`/available-numbers?areaCode=${number.slice(2, 5)}&contains=${number.slice(2)}`);
  return body.data.length === 1;
};

describe('a search of numbers', () => {
  it('offers ten of area code 910 unless asked otherwise', async () => {
    const who = await signedInUser(test);
    const { status, body } = await who.get('/available-numbers');
    expect(status).toBe(200);
    expect(body.data).toHaveLength(10);
    expect(body.data.every(({ number }: { number: string }) => /^910555\d{4}$/.test(number))).toBe(true);
    expect(body.data[0]).toEqual({
      number: '9105550100',
      friendly_name: '(910) 555-0100',
      locality: null,
      region: null,
      capabilities: { voice: true, sms: true, fax: true },
    });
    expect(body.meta).toMatchObject({ current_page: 1, per_page: 10, from: 1, to: 10 });
    expect(body.meta.total).toBeGreaterThan(50);
  });

  it.each([
    ['areaCode=212&limit=3', ['2125550100', '2125550101', '2125550102']],
    ['areaCode=212&contains=017*&limit=2', ['2125550170', '2125550171']],
    ['areaCode=212&contains=JKL0199', ['2125550199']],
    ['areaCode=212&contains=1234', []],
    ['areaCode=555', []],
  ])('with %s offers %j', async (query, numbers) => {
    const { body } = await (await signedInUser(test)).get(`/available-numbers?${query}`);
    expect(body.data.map(({ number }: { number: string }) => number)).toEqual(numbers);
  });

  it('has pages as lists have, which neither repeat nor skip, and are empty beyond what is offered', async () => {
    const who = await signedInUser(test);
    const readPage = async (page: number) => (await who.get(`/available-numbers?areaCode=216&contains=010*&limit=4&page=${page}`)).body;
    const [first, second, third, beyond] = [await readPage(1), await readPage(2), await readPage(3), await readPage(4)];
    const numbers = [first, second, third].flatMap(({ data }) => data.map(({ number }: { number: string }) => number));
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, line) => `216555010${line}`));
    expect(second.meta).toMatchObject({ current_page: 2, per_page: 4, from: 5, to: 8, total: 10, last_page: 3 });
    expect(second.links.next).toMatch(/[?&]page=3\b/);
    expect(third.links.next).toBeNull();
    expect([beyond.data, beyond.meta.total]).toEqual([[], 10]);
  });

  it.each([
    ['areaCode=91', 'areaCode'],
    ['areaCode=110', 'areaCode'],
    ['areaCode=abc', 'areaCode'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['contains=%23', 'contains'],
    ['contains=12345678901234567', 'contains'],
    ['contains=%00', 'contains'],
  ])('with %s is refused and names %s', async (query, field) => {
    const { status, body } = await (await signedInUser(test)).get(`/available-numbers?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });
});

describe('a purchase', () => {
  it('keeps the number at once and has bought it when the job has run', async () => {
    const who = await admin();
    const number = freshNumber();
    const chat = await createChat(test, who.organizationId);
    const { status, body } = await who.post('/available-numbers').send({ number: number.slice(2), type: 'fax', chat_id: chat.id });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      uuid: expect.any(Number),
      number: number.slice(2),
      type: 'fax',
      chat_id: chat.id,
      state: 'ordered',
      reason: null,
      registration: 'unknown',
      releases_at: null,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await isOffered(who, number)).toBe(false);
    await reconcileOrders(test);
    const sold = await test.database.prisma.carrierNumber.findFirstOrThrow({ where: { number } });
    expect(await listRows(number)).toMatchObject([{ state: 'active', carrier: 'local', carrierId: sold.id }]);
    const list = await who.get('/fax-numbers');
    expect(list.body.data).toEqual([{ ...body.data, state: 'active' }]);
  });

  it('leaves its events and audit rows, of the order and of what came of it', async () => {
    const who = await admin();
    const { body } = await who.post('/available-numbers').send({ number: freshNumber() });
    await reconcileOrders(test);
    const where = { organizationId: who.organizationId, subjectType: 'phone_number', subjectId: body.data.uuid };
    const events = await test.database.prisma.event.findMany({ where, orderBy: { id: 'asc' }, select: { name: true, actor: true } });
    expect(events).toEqual([
      { name: 'number.ordered', actor: `user:${who.user.id}` },
      { name: 'number.purchased', actor: 'job:reconcile-number-orders' },
    ]);
    const audits = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: who.organizationId, resource: 'phone_number' },
      orderBy: { id: 'asc' },
    });
    expect(audits).toMatchObject([
      { action: 'create', resourceIds: [body.data.uuid] },
      { action: 'update', resourceIds: [body.data.uuid] },
    ]);
  });

  it.each([
    [undefined, 'plain'],
    ['plain', 'plain'],
    ['Phone', 'plain'],
    ['Fax Number', 'fax'],
    ['voice_pager', 'voice_pager'],
    ['voice-pager-number', 'voice_pager'],
    ['VoicePager', 'voice_pager'],
  ])('of type %j is %s', async (type, kind) => {
    const { body } = await (await admin()).post('/available-numbers').send({ number: freshNumber(), type });
    expect(body.data.type).toBe(kind);
  });

  it.each([2_125_550_150, '(212) 555-0151', '1-212-555-0152', '+12125550153'])('takes a number written as %j', async (number) => {
    const { status } = await (await admin()).post('/available-numbers').send({ number });
    expect(status).toBe(201);
  });

  it.each([
    [{}, 'number'],
    [{ number: 'nonsense' }, 'number'],
    [{ number: 911 }, 'number'],
    [{ number: '+442079460123' }, 'number'],
    [{ number: `9105550130${'0'.repeat(60)}` }, 'number'],
    [{ number: '9105550130\0' }, 'number'],
    [{ number: '9105550130', type: 'pigeon' }, 'type'],
    [{ number: '9105550130', chat_id: 'x' }, 'chat_id'],
  ])('of %j is refused and names %s', async (body, field) => {
    const answer = await (await admin()).post('/available-numbers').send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });

  it.each(['staff', 'provider'] as const)('is not for %s', async (type) => {
    const number = freshNumber();
    const { status } = await (await signedInUser(test, { type })).post('/available-numbers').send({ number });
    expect(status).toBe(403);
    expect(await listRows(number)).toEqual([]);
  });

  it('for a call group of another organization finds none, and keeps nothing', async () => {
    const [who, other] = [await admin(), await admin()];
    const chat = await createChat(test, other.organizationId);
    const number = freshNumber();
    const { status, body } = await who.post('/available-numbers').send({ number, chat_id: chat.id });
    expect(status).toBe(404);
    expect(body.errors).toMatchObject([{ pointer: '/chat_id' }]);
    expect(await listRows(number)).toEqual([]);
  });

  it('of a number that the practice has is refused with 409', async () => {
    const who = await admin();
    const { number } = await createNumber(test, who.organizationId);
    const { status, body } = await who.post('/available-numbers').send({ number });
    expect([status, body.code]).toEqual([409, 'number_owned']);
  });

  it('of a plain number that the practice has moves it to another call group where one is sent', async () => {
    const who = await admin();
    const chat = await createChat(test, who.organizationId);
    const { id, number } = await createNumber(test, who.organizationId);
    const { status, body } = await who.post('/available-numbers').send({ number, chat_id: chat.id });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ uuid: id, type: 'plain', chat_id: chat.id });
    const last = await who.post('/available-numbers').send({ number, type: 'fax' });
    expect([last.status, last.body.code]).toEqual([409, 'last_plain_number']);
  });

  it('of a number that somebody else has is answered as one that nobody sells', async () => {
    const [who, other] = [await admin(), await admin()];
    const { number } = await createNumber(test, other.organizationId);
    const theirs = await who.post('/available-numbers').send({ number });
    const nobodys = await who.post('/available-numbers').send({ number: '+12125551234' });
    expect(theirs.status).toBe(409);
    expect({ ...theirs.body, request_id: '' }).toEqual({ ...nobodys.body, request_id: '' });
  });

  it('of one number by twenty at once, of two practices, is made by one; the others are told 409', async () => {
    const buyers = [await admin(), await admin()];
    const number = freshNumber();
    const asked = Array.from({ length: 20 }, (_, index) => buyers[index % 2]?.post('/available-numbers').send({ number }));
    const answers = (await Promise.all(asked)).map((answer) => answer?.status);
    expect(answers.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    await Promise.all([reconcileOrders(test), reconcileOrders(test), reconcileOrders(test)]);
    expect(await listRows(number)).toMatchObject([{ state: 'active' }]);
    expect(await test.database.prisma.carrierNumber.count({ where: { number } })).toBe(1);
  });

  it('that is retried with its key is the same purchase', async () => {
    const who = await admin();
    const number = freshNumber();
    const send = () => who.post('/available-numbers').set('idempotency-key', number).send({ number });
    const first = await send();
    await reconcileOrders(test);
    const again = await send();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
    expect(await listRows(number)).toHaveLength(1);
  });

  it('that the carrier refuses fails with the reason, and the number is free for others', async () => {
    const who = await admin();
    const number = freshNumber();
    const { body } = await who.post('/available-numbers').send({ number, type: 'fax' });
    // Sold meanwhile to a customer of the carrier outside of this server.
    const sale = { id: `PN-x-${number}`, number, reference: `x-${number}` };
    await test.database.prisma.carrierNumber.create({ data: sale });
    await reconcileOrders(test);
    const shown = (await who.get('/fax-numbers')).body.data;
    expect(shown).toEqual([{ ...body.data, state: 'failed', reason: 'number_taken' }]);
    await test.database.prisma.carrierNumber.delete({ where: { id: sale.id } });
    expect((await who.post('/available-numbers').send({ number })).status).toBe(201);
    expect((await who.delete(`/fax-numbers/${body.data.uuid}`)).status).toBe(204);
    expect((await who.get('/fax-numbers')).body.data).toEqual([]);
  });
});
