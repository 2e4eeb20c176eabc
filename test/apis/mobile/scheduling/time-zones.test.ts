import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';

const test = await sharedTestApp();
const phone = await signedInUser(test);

interface Zone {
  name: string;
  offset: string;
  offset_minutes: number;
  abbreviation: string;
}

async function zones(): Promise<Zone[]> {
  const { status, body } = await phone.get('/appointments/timezones?limit=1000');
  expect(status).toBe(200);
  expect(body.meta.total).toBe(body.data.length);
  return body.data;
}

describe('the list of time zones', () => {
  it('has each zone of the IANA database once, by the name that it has there', async () => {
    const names = (await zones()).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names.length).toBeGreaterThan(400);
    for (const name of ['UTC', 'America/New_York', 'Asia/Kolkata', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires', 'Australia/Lord_Howe'])
      expect(names).toContain(name);
    for (const name of ['Asia/Calcutta', 'Europe/Kiev', 'America/Buenos_Aires']) expect(names).not.toContain(name);
  });

  it('tells what the clocks show now', async () => {
    const all = new Map((await zones()).map((zone) => [zone.name, zone]));
    expect(all.get('UTC')).toEqual({ name: 'UTC', offset: '+00:00', offset_minutes: 0, abbreviation: 'UTC' });
    expect(all.get('Asia/Kolkata')).toMatchObject({ offset: '+05:30', offset_minutes: 330 });
    expect(all.get('America/Phoenix')).toEqual({ name: 'America/Phoenix', offset: '-07:00', offset_minutes: -420, abbreviation: 'MST' });
    // Now may be summer or winter.
    expect([-240, -300]).toContain(all.get('America/New_York')?.offset_minutes);
    expect(['EDT', 'EST']).toContain(all.get('America/New_York')?.abbreviation);
    expect([630, 660]).toContain(all.get('Australia/Lord_Howe')?.offset_minutes);
    for (const { offset, offset_minutes } of all.values()) {
      const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
      expect(offset_minutes).toBe(Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) + 0);
    }
  });

  it('pages as every list', async () => {
    const all = await zones();
    const { data, meta } = (await phone.get('/appointments/timezones?page=2&limit=7')).body;
    expect(data).toEqual(all.slice(7, 14));
    expect(meta).toMatchObject({ current_page: 2, per_page: 7, total: all.length });
    expect((await phone.get('/appointments/timezones')).body.data).toHaveLength(100);
  });

  it('lists no zone that an appointment could not have', async () => {
    const all = await zones();
    // All of them would take long; these stand for all.
    for (const { name } of all.filter((_, index) => index % 40 === 0)) {
      const answer = await phone.post('/appointments/').send({ appointment_date: '2031-06-01T12:00:00', appointment_timezone: name });
      expect([answer.status, answer.body.data?.appointment_timezone], answer.text).toEqual([201, name]);
    }
  });
});

describe('an appointment around a clock change', () => {
  it.each([
    // North, both changes.
    ['America/New_York', '2026-03-08T01:59:00', '2026-03-08T06:59:00Z', 'the last minute of winter'],
    ['America/New_York', '2026-03-08T03:00:00', '2026-03-08T07:00:00Z', 'the first of summer'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z', 'in the hour that comes twice: its first'],
    ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00Z', 'after it'],
    ['Europe/Berlin', '2026-03-29T01:59:00', '2026-03-29T00:59:00Z', 'the last of winter'],
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z', 'in the hour that comes twice: its first'],
    // South, both changes.
    ['Australia/Sydney', '2026-04-05T02:30:00', '2026-04-04T15:30:00Z', 'in the hour that comes twice: its first'],
    ['Australia/Sydney', '2026-10-04T03:00:00', '2026-10-03T16:00:00Z', 'the first of summer'],
    ['America/Santiago', '2026-04-04T23:30:00', '2026-04-05T02:30:00Z', 'in the hour before midnight that comes twice: its first'],
    // By half an hour.
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00Z', 'in the half hour that comes twice: its first'],
    ['Australia/Lord_Howe', '2026-10-04T02:30:00', '2026-10-03T15:30:00Z', 'the first of summer'],
    // Half hours, and quarters, off.
    ['Asia/Kolkata', '2026-03-08T02:30:00', '2026-03-07T21:00:00Z', 'where no clock is changed'],
    ['Asia/Kathmandu', '2026-03-08T02:30:00', '2026-03-07T20:45:00Z', 'where no clock is changed'],
    // Without daylight saving.
    ['America/Phoenix', '2026-03-08T02:30:00', '2026-03-08T09:30:00Z', 'while the others change theirs'],
    ['America/Phoenix', '2026-11-01T01:30:00', '2026-11-01T08:30:00Z', 'while the others change theirs'],
  ])('in %s at %s is %s, %s', async (appointment_timezone, local, instant) => {
    const created = await phone.post('/appointments/').send({ appointment_date: local, appointment_timezone });
    const shown = { appointment_date: instant, appointment_date_local: local, appointment_timezone };
    expect(created.body.data).toMatchObject(shown);
    const { uuid } = created.body.data;
    expect((await phone.get(`/appointments/${uuid}`)).body.data).toMatchObject(shown);
    // A time as it was shown can be sent back in either form, and nothing moves.
    for (const appointment_date of [instant, local]) {
      const saved = await phone.post(`/appointments/${uuid}`).send({ appointment_date });
      expect(saved.body.data).toEqual(created.body.data);
    }
  });

  it.each([
    ['America/New_York', '2026-03-08T02:30:00'],
    ['Australia/Sydney', '2026-10-04T02:30:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00'],
    ['America/Santiago', '2026-09-06T00:30:00'],
  ])('is refused in %s at %s, which no clock shows', async (appointment_timezone, appointment_date) => {
    const { body } = await phone.post('/appointments/').send({ appointment_date, appointment_timezone });
    expect(body).toMatchObject({ status: 400, errors: [{ pointer: '/appointment_date', code: 'skipped_by_clock_change' }] });
  });

  it('ends after as many minutes as it lasts, also through the change', async () => {
    const answer = await phone.post('/appointments/').send({ appointment_date: '2026-03-08T01:45:00' });
    expect(answer.body.data).toMatchObject({ appointment_date: '2026-03-08T06:45:00Z', appointment_end: '2026-03-08T07:15:00Z' });
  });

  it('keeps its hour when it is moved across the change', async () => {
    const { uuid } = (await phone.post('/appointments/').send({ appointment_date: '2026-03-06T09:00:00' })).body.data;
    const moved = await phone.post(`/appointments/${uuid}`).send({ appointment_date: '2026-03-09T09:00:00' });
    expect(moved.body.data).toMatchObject({ appointment_date: '2026-03-09T13:00:00Z', appointment_date_local: '2026-03-09T09:00:00' });
  });

  it('is on the day that the clocks of the organization say, short and long days included', async () => {
    const berlin = await signedInUser(test, { organization: { timeZone: 'Europe/Berlin' } });
    const days = ['2026-03-29T00:00:00', '2026-03-29T23:59:59', '2026-10-25T00:00:00', '2026-10-25T23:59:59'];
    for (const appointment_date of days) await berlin.post('/appointments/').send({ appointment_date }).expect(201);
    for (const day of ['2026-03-29', '2026-10-25']) {
      const { data } = (await berlin.get(`/appointments/all?min_appointment_date=${day}&max_appointment_date=${day}`)).body;
      const shown = data.map((one: { appointment_date_local: string }) => one.appointment_date_local);
      expect(shown).toEqual(days.filter((date) => date.startsWith(day)));
    }
  });
});
