import { afterEach, describe, expect, it } from 'vitest';
import { ownTestApp } from '../support/app.ts';
import { createRecipient } from '../support/check-ins.ts';
import { days, openScheduling } from './scheduling.ts';

const test = await ownTestApp();
const jobs = openScheduling(test);
afterEach(() => jobs.endAll());

const rows = () => test.database.prisma;

describe('a time that was missed', () => {
  it('is made up for within twelve hours, once', async () => {
    const of = await jobs.due();
    await jobs.name(of, [await createRecipient(test, of.organizationId)]);
    await jobs.run('2031-03-10T20:59:00Z');
    await jobs.run('2031-03-10T21:00:00Z');
    expect(days(await jobs.sent(of))).toEqual(['2031-03-10']);
    expect(await jobs.next(of)).toBe('2031-03-11T09:00:00.000Z');
    expect(await jobs.events(of)).toEqual(['scheduled_check_in.ran']);
  });

  it('is left out after that, which an event tells, and the audit with its day', async () => {
    const of = await jobs.due();
    await jobs.name(of, [await createRecipient(test, of.organizationId)]);
    await jobs.run('2031-03-10T21:00:01Z');
    expect(await jobs.sent(of)).toEqual([]);
    expect(await jobs.next(of)).toBe('2031-03-11T09:00:00.000Z');
    expect(await jobs.events(of)).toEqual(['scheduled_check_in.missed']);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId: of.organizationId, actor: 'job:scheduled-check-ins' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ detail }) => detail)).toEqual(['missed 2031-03-10']);
  });

  it('of several is only the newest that is made up for; each other one is told of', async () => {
    const of = await jobs.due();
    await jobs.name(of, [await createRecipient(test, of.organizationId)]);
    await jobs.run('2031-03-14T15:00:00Z');
    expect(days(await jobs.sent(of))).toEqual(['2031-03-14']);
    expect((await jobs.events(of)).toSorted()).toEqual([...Array(4).fill('scheduled_check_in.missed'), 'scheduled_check_in.ran']);
    expect(await jobs.next(of)).toBe('2031-03-15T09:00:00.000Z');
  });

  it('of a practice that has moved to another zone since is asked on its day, and no day twice', async () => {
    const of = await jobs.due({ nextRunAt: new Date('2031-03-10T09:00:00Z') });
    await jobs.name(of, [await createRecipient(test, of.organizationId)]);
    await jobs.run('2031-03-10T09:00:00Z');
    await rows().organization.update({ where: { id: of.organizationId }, data: { timeZone: 'America/Los_Angeles' } });
    await jobs.run('2031-03-11T09:00:00Z');
    expect(days(await jobs.sent(of))).toEqual(['2031-03-10']);
    expect(await jobs.next(of)).toBe('2031-03-11T16:00:00.000Z');
    await jobs.run('2031-03-11T16:00:00Z');
    await rows().organization.update({ where: { id: of.organizationId }, data: { timeZone: 'UTC' } });
    await jobs.run('2031-03-12T16:00:00Z');
    expect(days(await jobs.sent(of))).toEqual(['2031-03-10', '2031-03-11', '2031-03-12']);
  });
});
