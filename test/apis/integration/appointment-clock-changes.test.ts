import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';
import { expectException, storedRows } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test, { organization: { timeZone: 'America/New_York' } });

const office = (timeZone: string) => createOffice(test.database.prisma, { organizationId: clinic.organizationId, timeZone });

/** The three fields that tell when. */
const when = (answer: { status: number; text: string; body: { data: Record<string, unknown> } }) => {
  expect(answer.status, answer.text).toBe(200);
  const { appointment_date, appointment_date_utc, appointment_timezone } = answer.body.data;
  return [appointment_date, appointment_date_utc, appointment_timezone];
};

describe('wall time', () => {
  it.each([
    ['America/New_York', '2026-03-08T01:59:59', '2026-03-08T06:59:59Z', 'the last second of winter'],
    ['America/New_York', '2026-03-08T03:00:00', '2026-03-08T07:00:00Z', 'the first of summer'],
    ['America/New_York', '2026-11-01T00:59:59', '2026-11-01T04:59:59Z', 'before the hour that comes twice'],
    ['America/New_York', '2026-11-01T01:00:00', '2026-11-01T05:00:00Z', 'its first occurrence'],
    ['America/New_York', '2026-11-01T01:59:59', '2026-11-01T05:59:59Z', 'the end of the first occurrence'],
    ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00Z', 'after both'],
    ['America/Sao_Paulo', '2026-10-18T00:30:00', '2026-10-18T03:30:00Z', 'a night that was skipped until 2018'],
    ['America/Sao_Paulo', '2026-02-15T23:30:00', '2026-02-16T02:30:00Z', 'a night that came twice until 2018'],
    ['Australia/Lord_Howe', '2026-10-04T01:59:00', '2026-10-03T15:29:00Z', 'before half an hour is skipped'],
    ['Australia/Lord_Howe', '2026-10-04T02:30:00', '2026-10-03T15:30:00Z', 'after it'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00Z', 'the first of a half hour that comes twice'],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00', '2026-04-04T15:30:00Z', 'after both'],
    ['Asia/Kolkata', '2026-03-08T02:30:00', '2026-03-07T21:00:00Z', 'half an hour off the full'],
    ['America/Phoenix', '2026-03-08T02:30:00', '2026-03-08T09:30:00Z', 'no clock change in March'],
    ['America/Phoenix', '2026-11-01T01:30:00', '2026-11-01T08:30:00Z', 'nor in November'],
    ['Asia/Kathmandu', '2026-06-15T12:00:00', '2026-06-15T06:15:00Z', 'a quarter off'],
  ])('in %s: %s is %s, %s', async (appointment_timezone, local, utc) => {
    const created = await clinic.post('/appointments').send({ appointment_timezone, appointment_date: local });
    expect(when(created)).toEqual([local, utc, appointment_timezone]);
    expect(when(await clinic.get(`/appointments/${created.body.data.uuid}`))).toEqual([local, utc, appointment_timezone]);
    const moved = await clinic.post('/appointments').send({ appointment_timezone });
    expect(when(await clinic.put(`/appointments/${moved.body.data.uuid}`).send({ appointment_date: local }))).toEqual([
      local,
      utc,
      appointment_timezone,
    ]);
  });

  it.each([
    ['America/New_York', '2026-03-08T02:00:00'],
    ['America/New_York', '2026-03-08T02:59:59'],
    ['Australia/Lord_Howe', '2026-10-04T02:00:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:29:59'],
    ['America/Sao_Paulo', '2018-11-04T00:30:00'],
    ['Pacific/Apia', '2011-12-30T12:00:00'],
  ])('in %s: %s never occurs and is refused by name', async (appointment_timezone, appointment_date) => {
    const { uuid } = (await clinic.post('/appointments').send({ appointment_timezone, appointment_date: '2026-01-05T09:00:00' })).body.data;
    const before = await storedRows(test.database, clinic);
    expectException(await clinic.post('/appointments').send({ appointment_timezone, appointment_date }), 400, 'appointment_date');
    expectException(await clinic.put(`/appointments/${uuid}`).send({ appointment_date }), 400, 'appointment_date');
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });
});

describe('a date with an offset', () => {
  it.each([
    ['2026-11-01T01:30:00-04:00', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z'],
    ['2026-11-01T01:30:00-05:00', '2026-11-01T01:30:00', '2026-11-01T06:30:00Z'],
    ['2026-03-08T02:30:00-05:00', '2026-03-08T03:30:00', '2026-03-08T07:30:00Z'],
    ['2026-03-08T07:30:00Z', '2026-03-08T03:30:00', '2026-03-08T07:30:00Z'],
    ['2026-03-08T07:30:00.750Z', '2026-03-08T03:30:00', '2026-03-08T07:30:00Z'],
    ['2026-03-09 13:30+0530', '2026-03-09T04:00:00', '2026-03-09T08:00:00Z'],
    ['2026-01-01T00:30:00+14:00', '2025-12-31T05:30:00', '2025-12-31T10:30:00Z'],
  ])('%s is that instant, shown in the zone', async (appointment_date, local, utc) => {
    const created = await clinic.post('/appointments').send({ appointment_date });
    expect(when(created)).toEqual([local, utc, 'America/New_York']);
  });
});

describe('a time that was read', () => {
  const SECOND = '2027-11-07T01:30:00-05:00';

  it('can be sent back, also the second of two, and neither the time nor the answer changes', async () => {
    const { uuid } = (await clinic.post('/appointments').send({ appointment_date: SECOND })).body.data;
    const key = { organizationId_id: { organizationId: clinic.organizationId, id: uuid } };
    await test.database.prisma.appointment.update({ where: key, data: { confirmation: 'Yes', confirmedAt: new Date() } });
    const { data } = (await clinic.get(`/appointments/${uuid}`)).body;
    for (const body of [
      data,
      { appointment_date: data.appointment_date },
      { appointment_date: '2027-11-07 01:30' },
      { appointment_date: SECOND },
    ]) {
      const saved = await clinic.put(`/appointments/${uuid}`).send(body);
      expect(when(saved)).toEqual(['2027-11-07T01:30:00', '2027-11-07T06:30:00Z', 'America/New_York']);
      expect(saved.body).toEqual({ data });
    }
    expect(await test.database.prisma.appointment.findUnique({ where: key })).toMatchObject({ confirmation: 'Yes' });
  });

  it('moves to the other of two by an offset, and is read anew in another zone', async () => {
    const { uuid } = (await clinic.post('/appointments').send({ appointment_date: SECOND })).body.data;
    const put = (body: object) => clinic.put(`/appointments/${uuid}`).send(body);
    expect(when(await put({ appointment_date: '2027-11-07T01:30:00-04:00' }))[1]).toBe('2027-11-07T05:30:00Z');
    expect(when(await put({ appointment_date: '2027-11-07T01:30:00' }))[1]).toBe('2027-11-07T05:30:00Z');
    expect(when(await put({ appointment_date: SECOND }))[1]).toBe('2027-11-07T06:30:00Z');
    const detroit = { appointment_date: '2027-11-07T01:30:00', appointment_timezone: 'America/Detroit' };
    expect(when(await put(detroit))).toEqual(['2027-11-07T01:30:00', '2027-11-07T05:30:00Z', 'America/Detroit']);
  });
});

describe('the zone', () => {
  it('is that of the body, else of the office, else of the organization', async () => {
    const { id: office_id } = await office('America/Los_Angeles');
    const appointment_date = '2026-03-09T09:30:00';
    const all = { appointment_date, office_id, appointment_timezone: 'America/Denver' };
    expect(when(await clinic.post('/appointments').send(all))).toEqual([appointment_date, '2026-03-09T15:30:00Z', 'America/Denver']);
    expect(when(await clinic.post('/appointments').send({ appointment_date, office_id }))).toEqual([
      appointment_date,
      '2026-03-09T16:30:00Z',
      'America/Los_Angeles',
    ]);
    expect(when(await clinic.post('/appointments').send({ appointment_date }))).toEqual([
      appointment_date,
      '2026-03-09T13:30:00Z',
      'America/New_York',
    ]);
  });

  it('stays when the appointment moves, and a new date is read in it', async () => {
    const { id: office_id } = await office('America/Los_Angeles');
    const { uuid } = (await clinic.post('/appointments').send({ office_id, appointment_date: '2026-03-07T09:30:00' })).body.data;
    expect(when(await clinic.put(`/appointments/${uuid}`).send({ appointment_date: '2026-03-09T09:30:00' }))).toEqual([
      '2026-03-09T09:30:00',
      '2026-03-09T16:30:00Z',
      'America/Los_Angeles',
    ]);
  });

  it('alone changes the wall clock and not the instant', async () => {
    const { uuid } = (await clinic.post('/appointments').send({ appointment_date: '2026-03-09T09:30:00' })).body.data;
    const put = (body: object) => clinic.put(`/appointments/${uuid}`).send(body);
    expect(when(await put({ appointment_timezone: 'Asia/Kolkata' }))).toEqual([
      '2026-03-09T19:00:00',
      '2026-03-09T13:30:00Z',
      'Asia/Kolkata',
    ]);
    // That of the office which it has got, the practice's first.
    const [local, instant, zone] = when(await put({ appointment_timezone: null }));
    expect([local, instant, zone]).toEqual([
      expect.any(String),
      '2026-03-09T13:30:00Z',
      expect.stringMatching(/^America\/(New_York|Los_Angeles|Chicago)$/),
    ]);
  });

  it('follows the appointment to another office, unless the body says otherwise', async () => {
    const [west, east] = [await office('America/Los_Angeles'), await office('America/New_York')];
    const { uuid } = (await clinic.post('/appointments').send({ office_id: east.id, appointment_date: '2026-03-09T09:30:00' })).body.data;
    const put = (body: object) => clinic.put(`/appointments/${uuid}`).send(body);
    expect(when(await put({ office_id: west.id }))).toEqual(['2026-03-09T06:30:00', '2026-03-09T13:30:00Z', 'America/Los_Angeles']);
    expect(when(await put({ office_id: east.id, appointment_date: '2026-03-09T11:00:00' }))).toEqual([
      '2026-03-09T11:00:00',
      '2026-03-09T15:00:00Z',
      'America/New_York',
    ]);
    const denver = { office_id: west.id, appointment_timezone: 'America/Denver', appointment_date: '2026-03-09T11:00:00' };
    expect(when(await put(denver))).toEqual(['2026-03-09T11:00:00', '2026-03-09T17:00:00Z', 'America/Denver']);
    expect(when(await put({ office_id: west.id, appointment_date: '2026-03-10T11:00:00' }))).toEqual([
      '2026-03-10T11:00:00',
      '2026-03-10T17:00:00Z',
      'America/Denver',
    ]);
  });

  it('is one zone under all its names: an alias moves nothing, and is stored by its present name', async () => {
    const { uuid } = (await clinic.post('/appointments').send({ appointment_date: '2027-11-07T01:30:00-05:00' })).body.data;
    const key = { organizationId_id: { organizationId: clinic.organizationId, id: uuid } };
    const answered = { confirmation: 'Yes', confirmedAt: new Date() } as const;
    const second = ['2027-11-07T01:30:00', '2027-11-07T06:30:00Z', 'America/New_York'];
    const body = { appointment_date: '2027-11-07T01:30:00', appointment_timezone: 'US/Eastern' };
    for (const timeZone of ['America/New_York', 'US/Eastern']) {
      await test.database.prisma.appointment.update({ where: key, data: { ...answered, timeZone } });
      expect(when(await clinic.put(`/appointments/${uuid}`).send(body))).toEqual(second);
      expect(await test.database.prisma.appointment.findUnique({ where: key })).toMatchObject({
        confirmation: 'Yes',
        timeZone: 'America/New_York',
      });
    }
    const indian = { appointment_timezone: 'Asia/Calcutta' };
    expect(when(await clinic.post('/appointments').send(indian))[2]).toBe('Asia/Kolkata');
    const { id: office_id } = await office('US/Pacific');
    expect(when(await clinic.post('/appointments').send({ office_id }))[2]).toBe('America/Los_Angeles');
    const fixed = { appointment_date: '2027-07-07T09:00:00', appointment_timezone: 'EST' };
    expect(when(await clinic.post('/appointments').send(fixed))).toEqual(['2027-07-07T09:00:00', '2027-07-07T14:00:00Z', 'EST']);
  });

  it('is known by its IANA name in any spelling, and nothing else is a zone', async () => {
    expect(when(await clinic.post('/appointments').send({ appointment_timezone: 'asia/kolkata' }))[2]).toBe('Asia/Kolkata');
    const before = await storedRows(test.database, clinic);
    for (const appointment_timezone of [
      'Mars/Olympus',
      '+05:00',
      'EST5',
      'America/New York',
      '2026-01-01T00:00[America/New_York]',
      'UTC\0',
      'x'.repeat(65),
      5,
      {},
      ['UTC'],
    ]) {
      expectException(await clinic.post('/appointments').send({ appointment_timezone }), 400, 'appointment_timezone');
    }
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });
});
