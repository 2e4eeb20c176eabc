import { describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { findNumberOwner, recordIncomingCall } from '../../../../../src/domain/messaging/calls/incoming-calls.ts';
import { createUnitOfWork } from '../../../../../src/domain/unit-of-work/unit-of-work.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createNumber, createUserWithNumber } from '../numbers.ts';

const test = await sharedTestApp();

describe('a call that comes in', () => {
  const record = (organizationId: number, event: Omit<Parameters<typeof recordIncomingCall>[1], 'kind'>) =>
    createUnitOfWork(test.database).write(jobCaller(organizationId, 'carrier'), (tx) => recordIncomingCall(tx, { kind: 'call', ...event }));
  const ringing = (to: string) => ({
    id: `CA-in-${to}`,
    from: '+13365550120',
    to,
    status: 'ringing',
    startedAt: new Date('2031-03-08T15:00:00Z'),
    endedAt: null,
  });

  it('is stored once though it is told ten times at once, and its caller is a contact from then on', async () => {
    const { who, line } = await createUserWithNumber(test);
    const told = await Promise.all(Array.from({ length: 10 }, () => record(who.organizationId, ringing(line.number))));
    expect(told.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'known'), 'stored']);
    const { body } = await who.get('/incomming-call-log');
    const contact = await test.database.prisma.contact.findFirstOrThrow({
      where: { organizationId: who.organizationId, phone: '+13365550120' },
    });
    expect(body.data).toMatchObject([{ from: '3365550120', status: 'ringing', contact_uuid: contact.id, patient_uuid: null }]);
    const events = await test.database.prisma.event.findMany({
      where: { organizationId: who.organizationId, subjectType: 'incoming_call' },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name }) => name)).toEqual(['call.received']);
  });

  it('is told to the end, and does not ring again once it is over', async () => {
    const { who, line } = await createUserWithNumber(test);
    const over = { ...ringing(line.number), status: 'completed', endedAt: new Date('2031-03-08T15:02:00Z') };
    await record(who.organizationId, ringing(line.number));
    await record(who.organizationId, over);
    await record(who.organizationId, ringing(line.number));
    expect((await who.get('/incomming-call-log')).body.data).toMatchObject([
      { status: 'completed', start_time: '2031-03-08T15:00:00Z', end_time: '2031-03-08T15:02:00Z' },
    ]);
  });

  it('on a number that the practice no longer has, or never had, is ignored, and says so', async () => {
    const { who } = await createUserWithNumber(test);
    const gone = await createNumber(test, who.organizationId, { state: 'released', releasedAt: new Date() });
    const theirs = (await createUserWithNumber(test)).line;
    for (const { number } of [gone, theirs, { number: '+12125551234' }]) {
      expect(await record(who.organizationId, ringing(number))).toBe('ignored');
    }
    expect((await who.get('/incomming-call-log')).body.meta.total).toBe(0);
  });

  it('finds the practice by its number', async () => {
    const { who, line } = await createUserWithNumber(test);
    expect(await findNumberOwner(test.database.prisma, line.number)).toEqual({
      organizationId: who.organizationId,
      phoneNumberId: line.id,
    });
    const gone = await createNumber(test, who.organizationId, { state: 'released', releasedAt: new Date() });
    expect(await findNumberOwner(test.database.prisma, gone.number)).toBeNull();
  });
});
