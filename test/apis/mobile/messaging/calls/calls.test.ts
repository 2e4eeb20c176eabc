import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { recordIncomingCall } from '../../../../../src/domain/messaging/calls/incoming-calls.ts';
import { createUnitOfWork } from '../../../../../src/domain/unit-of-work/unit-of-work.ts';
import type { Prisma } from '../../../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { createNumber, createUserWithNumber } from '../numbers.ts';

const test = await sharedTestApp();

let calls = 0;
async function createCall(
  line: { organizationId: number; id: number; number: string; chatId: number | null },
  data: Partial<Prisma.IncomingCallUncheckedCreateInput> = {},
) {
  calls += 1;
  return test.database.prisma.incomingCall.create({
    data: {
      organizationId: line.organizationId,
      phoneNumberId: line.id,
      chatId: line.chatId,
      carrierCallId: `CA-${calls}`,
      fromNumber: '+13365550100',
      toNumber: line.number,
      status: 'completed',
      startedAt: new Date('2031-03-08T15:00:00Z'),
      endedAt: new Date('2031-03-08T15:01:30Z'),
      ...data,
    },
  });
}

/** A call as the carrier reports it. */
const ring = ({ organizationId, number }: { organizationId: number; number: string }, { from }: { from: string }) =>
  createUnitOfWork(test.database).write(jobCaller(organizationId, 'test'), (tx) =>
    recordIncomingCall(tx, {
      kind: 'call',
      id: `CA-${randomUUID()}`,
      from,
      to: number,
      status: 'completed',
      startedAt: new Date('2031-03-08T15:00:00Z'),
      endedAt: new Date('2031-03-08T15:01:30Z'),
    }),
  );

const ids = ({ body }: { body: { data: { uuid: number }[] } }) => body.data.map(({ uuid }) => uuid);

describe('the call log', () => {
  it.each(['/incomming-call-log', '/incoming-call-log', '/incomming-call-log/'])(
    'at %s shows who called which line, when and for how long',
    async (path) => {
      const { who, chat, line } = await createUserWithNumber(test);
      const { id } = await createCall(line);
      const { status, body } = await who.get(path);
      expect(status).toBe(200);
      expect(body.data).toEqual([
        {
          uuid: id,
          from: '3365550100',
          to: line.number.slice(2),
          status: 'completed',
          start_time: '2031-03-08T15:00:00Z',
          end_time: '2031-03-08T15:01:30Z',
          duration_seconds: 90,
          number_id: line.id,
          chat_id: chat.id,
          contact_uuid: null,
          patient_uuid: null,
          caller_name: null,
        },
      ]);
    },
  );

  it('names the patient who called, by mobile number before home number, and notes that they were shown', async () => {
    const { who, line } = await createUserWithNumber(test);
    const { organizationId } = who;
    await createPatient(test.database.prisma, { organizationId, firstName: 'Hal', lastName: 'Home', homePhone: '+13365550101' });
    const { id } = await createPatient(test.database.prisma, {
      organizationId,
      firstName: 'Mo',
      lastName: 'Bile',
      mobilePhone: '+13365550101',
    });
    await ring(line, { from: '+13365550101' });
    const { body } = await who.get('/incomming-call-log');
    expect(body.data).toMatchObject([{ caller_name: 'Mo Bile', patient_uuid: id, contact_uuid: id }]);
    const audits = await test.database.prisma.auditEntry.findMany({
      where: { organizationId, actor: `user:${who.user.id}`, action: 'search' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ resource, resourceIds }) => [resource, resourceIds])).toEqual(
      expect.arrayContaining([
        ['patient', [id]],
        ['incoming_call', ids({ body })],
      ]),
    );
  });

  it('leaves out the calls of a patient whose chart is restricted, also after somebody else gets the number', async () => {
    const { who, line } = await createUserWithNumber(test);
    const { organizationId } = who;
    const phone = { organizationId, mobilePhone: '+13365550102' };
    const { id: patientId } = await createPatient(test.database.prisma, phone);
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    await ring(line, { from: '+13365550102' });
    // Came in before anybody had the number.
    await createCall(line, { fromNumber: '+13365550102' });
    const none = { data: [], meta: { total: 0 } };
    expect((await who.get('/incomming-call-log')).body).toMatchObject(none);
    await createPatient(test.database.prisma, phone);
    await ring(line, { from: '+13365550102' });
    expect((await who.get('/incomming-call-log')).body).toMatchObject(none);
    expect((await who.get('/incomming-call-log?number=3365550102')).body).toMatchObject(none);
  });

  it('keeps a call with the patient whose it was when it came in, whoever is restricted or has the number later', async () => {
    const { who, line } = await createUserWithNumber(test);
    const { organizationId } = who;
    const phone = { organizationId, mobilePhone: '+13365550103' };
    const { id: first } = await createPatient(test.database.prisma, phone);
    const { id: second } = await createPatient(test.database.prisma, phone);
    const restrict = (patientId: number) =>
      test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId, kind: 'blocked' } });
    await ring(line, { from: '+13365550103' });
    expect((await who.get('/incomming-call-log')).body.data).toMatchObject([{ patient_uuid: first }]);
    const { id: restriction } = await restrict(second);
    expect((await who.get('/incomming-call-log')).body.data).toMatchObject([{ patient_uuid: first }]);
    await test.database.prisma.privacyRestriction.updateMany({
      where: { organizationId, id: restriction },
      data: { liftedAt: new Date() },
    });
    await restrict(first);
    expect((await who.get('/incomming-call-log')).body).toMatchObject({ data: [], meta: { total: 0 } });
  });

  it('keeps a call with the call group that it came to, whatever the number rings later', async () => {
    const { who, line, chat } = await createUserWithNumber(test);
    const admin = await signedInUser(test, { type: 'admin', organizationId: who.organizationId });
    await ring(line, { from: '+13365550104' });
    expect((await admin.post('/available-numbers').send({ number: line.number, chat_id: null })).status).toBe(201);
    await ring(line, { from: '+13365550104' });
    expect((await who.get('/incomming-call-log')).body.data.map(({ chat_id }: { chat_id: number | null }) => chat_id).toSorted()).toEqual([
      chat.id,
      null,
    ]);
  });

  it('names no patient of another organization', async () => {
    const { who, line } = await createUserWithNumber(test);
    const other = await signedInUser(test);
    await createPatient(test.database.prisma, { organizationId: other.organizationId, mobilePhone: '+13365550102' });
    await createCall(line, { fromNumber: '+13365550102' });
    expect((await who.get('/incomming-call-log')).body.data).toMatchObject([{ caller_name: null, patient_uuid: null, contact_uuid: null }]);
  });

  it('shows a withheld number as the carrier wrote it', async () => {
    const { who, line } = await createUserWithNumber(test);
    await createCall(line, { fromNumber: 'anonymous', endedAt: null, status: 'ringing' });
    expect((await who.get('/incomming-call-log')).body.data).toMatchObject([{ from: 'anonymous', end_time: null, duration_seconds: null }]);
  });

  it('is in order of the start, the newest first, and in pages that neither repeat nor skip', async () => {
    const { who, line } = await createUserWithNumber(test);
    const made: { minute: number; id: number }[] = [];
    for (const minute of [3, 1, 2, 2, 5]) {
      const { id } = await createCall(line, { startedAt: new Date(`2031-03-08T15:0${minute}:00Z`) });
      made.push({ minute, id });
    }
    const newest = made.toSorted((one, other) => other.minute - one.minute || other.id - one.id).map(({ id }) => id);
    expect(ids(await who.get('/incomming-call-log'))).toEqual(newest);
    const pages = [1, 2, 3].map((page) => who.get(`/incomming-call-log?limit=2&page=${page}`));
    const answers = await Promise.all(pages);
    expect(answers.flatMap(ids)).toEqual(newest);
    expect(answers[1]?.body.meta).toMatchObject({ total: 5, last_page: 3, from: 3, to: 4 });
    expect((await who.get('/incomming-call-log?page=9&limit=2')).body.meta).toMatchObject({ total: 5, from: null });
  });

  it('of a number shows the calls from it and to it', async () => {
    const { who, line } = await createUserWithNumber(test);
    const second = await createNumber(test, who.organizationId);
    const one = await createCall(line, { fromNumber: '+13365550111' });
    const other = await createCall(second);
    expect(ids(await who.get('/incomming-call-log?number=3365550111'))).toEqual([one.id]);
    expect(ids(await who.get(`/incomming-call-log?number=${second.number.slice(2)}`))).toEqual([other.id]);
    expect(ids(await who.get('/incomming-call-log?number=3365550119'))).toEqual([]);
    const paged = await who.get('/incomming-call-log?number=3365550111&limit=1&page=2');
    expect([ids(paged), paged.body.meta.total]).toEqual([[], 1]);
    expect(paged.body.links.prev).toContain('number=3365550111');
  });

  it.each([
    ['startTimeAfter=2031-03-08', [1, 2, 3]],
    ['startTimeAfter=2031-03-09', [2, 3]],
    ['startTimeBefore=2031-03-08', [0, 1]],
    ['startTimeAfter=2031-03-09&startTimeBefore=2031-03-09', [2]],
    ['startTimeAfter=2031-03-09T05:00:00Z', [2, 3]],
    ['startTimeAfter=2031-03-09T00:00:01', [3]],
    ['startTimeBefore=2031-03-08T23:59:59', [0, 1]],
  ])('with %s shows what started then on the practice’s clocks', async (query, expected) => {
    const { who, line } = await createUserWithNumber(test);
    // In New York the day of the clock change begins at 05:00 UTC and ends at 04:00.
    const starts = ['2031-03-08T04:59:59Z', '2031-03-09T04:59:59Z', '2031-03-09T05:00:00Z', '2031-03-10T04:00:00Z'];
    const made: number[] = [];
    for (const startedAt of starts) made.push((await createCall(line, { startedAt: new Date(startedAt) })).id);
    expect(ids(await who.get(`/incomming-call-log?${query}`)).toReversed()).toEqual(expected.map((index) => made[index]));
  });

  it.each([
    ['number=12', 'number'],
    ['number=abc', 'number'],
    ['startTimeAfter=yesterday', 'startTimeAfter'],
    ['startTimeBefore=2031-02-30', 'startTimeBefore'],
    ['startTimeAfter=2031-03-09&startTimeBefore=2031-03-08', 'startTimeAfter'],
    ['page=0', 'page'],
    ['limit=1001', 'limit'],
  ])('with %s is refused and names %s', async (query, field) => {
    const { status, body } = await (await signedInUser(test)).get(`/incomming-call-log?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });
});

it('a voice message names its caller as the log of calls does', async () => {
  const who = await signedInUser(test);
  const { organizationId } = who;
  const line = await createNumber(test, organizationId);
  const rosa = await createPatient(test.database.prisma, { organizationId, firstName: 'Rosa', lastName: 'Diaz' });
  const kim = await test.database.prisma.contact.create({ data: { organizationId, phone: '+13365550147', firstName: 'Kim' } });
  for (const [index, patientId] of [rosa.id, null].entries()) {
    const fromNumber = patientId === null ? '+13365550147' : '+13365550148';
    const startedAt = new Date(Date.parse('2031-03-08T15:00:00Z') - index * 60_000);
    await createCall(line, { patientId, fromNumber, startedAt });
    const left = { organizationId, phoneNumberId: line.id, carrierId: `VM-${line.number}-${index}`, patientId, fromNumber };
    await test.database.prisma.voicePagerMessage.create({ data: { ...left, receivedAt: startedAt } });
  }
  const named = async (path: string) =>
    (await who.get(path).expect(200)).body.data.map(
      (one: Record<string, unknown>) => `${one.contact_uuid} ${one.patient_uuid} ${one.caller_name}`,
    );
  const names = [`${rosa.id} ${rosa.id} Rosa Diaz`, `${kim.id} null Kim`];
  expect([await named('/voice-pager-number-messages'), await named('/incomming-call-log')]).toEqual([names, names]);
});
