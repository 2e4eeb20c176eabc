import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createProvider } from '../../../../support/factories.ts';
import type { Person } from '../../people/people.ts';
import { createAppointment, createRoom, createSession, createVisit, createWait, newPatient } from '../telehealth.ts';

const test = await sharedTestApp();

const db = () => test.database.prisma;

const NOTHING = {
  sessions: 0,
  visits: 0,
  minutes: 0,
  patients: 0,
  waiting_room_visits: 0,
  waiting_minutes: 0,
  waiting_minutes_average: null,
  waiting_minutes_median: null,
  no_shows: 0,
};
const figures = z.looseObject({ sessions: z.int(), visits: z.int(), minutes: z.int() });
const report = z.object({
  totals: figures,
  days: z.array(figures.extend({ date: z.string() })).default([]),
  users: z.array(figures.extend({ user_id: z.int().nullable() })).default([]),
});

async function ask(who: Person, path: 'telehealth-data' | 'telehealth-user-data', query: string) {
  const answer = await who.get(`/video-session/${path}?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return report.parse(answer.body.data);
}

const additive = ['sessions', 'visits', 'minutes', 'waiting_room_visits', 'waiting_minutes', 'no_shows'] as const;
const sumParts = (parts: Record<string, unknown>[]) =>
  Object.fromEntries(additive.map((name) => [name, parts.reduce((sum, part) => sum + Number(part[name]), 0)]));
const only = (whole: Record<string, unknown>) => Object.fromEntries(additive.map((name) => [name, whole[name]]));

describe('the reports', () => {
  let who: Person;
  let colleague: number;
  beforeAll(async () => {
    who = await signedInUser(test);
    const { organizationId } = who;
    colleague = (await db().user.create({ data: { organizationId, type: 'provider', firstName: 'Hedda', lastName: 'Gabler' } })).id;
    const [ada, bo] = [await newPatient(test, who), await newPatient(test, who)];
    const visit = async (start: string, minutes: number | null, data: { patientId: number | null; hostUserId?: number }) => {
      const startedAt = new Date(start);
      const endedAt = minutes === null ? null : new Date(startedAt.getTime() + minutes * 60_000);
      const { hostUserId = who.user.id, patientId } = data;
      const { id: videoSessionId } = await createSession(test, who, { hostUserId, startedAt, endedAt });
      await createVisit(test, who, { videoSessionId, patientId, startedAt, endedAt });
      return videoSessionId;
    };
    // New York: the 9th has 23 hours, from 05:00 UTC on.
    await visit('2031-03-09T04:59:59Z', 20, { patientId: ada.id });
    await visit('2031-03-09T05:00:00Z', 10, { patientId: ada.id, hostUserId: colleague });
    await visit('2031-03-10T03:59:59Z', 30, { patientId: bo.id });
    const last = await visit('2031-03-10T04:00:00Z', null, { patientId: null, hostUserId: colleague });
    await createSession(test, who, { startedAt: null, endedAt: null, createdAt: new Date('2031-03-09T12:00:00Z') });
    const [room, own] = [await createRoom(test, organizationId), await createRoom(test, organizationId, { userId: colleague })];
    const wait = (patientId: number, waitingRoomId: number, entered: string, minutes: number | null, more: object = {}) => {
      const enteredAt = new Date(`2031-03-${entered}:00Z`);
      const leftAt = minutes === null ? null : new Date(enteredAt.getTime() + minutes * 60_000);
      return createWait(test, organizationId, { patientId, waitingRoomId, enteredAt, leftAt, admittedAt: leftAt, ...more });
    };
    await wait(ada.id, room.id, '09T12:00', 4);
    await wait(bo.id, own.id, '09T13:00', 5);
    await wait(bo.id, room.id, '10T12:00', 21, { admittedAt: null, videoSessionId: last });
    await wait(ada.id, room.id, '10T13:00', null);
    const { id: providerId } = await createProvider(db(), { organizationId, userId: colleague });
    const missed = { status: 'no_show' as const, waitingRoomId: room.id, startsAt: new Date('2031-03-10T12:00:00Z') };
    await createAppointment(test, who, ada.id, { ...missed, providerId });
    await createAppointment(test, who, bo.id, missed);
    await createAppointment(test, who, bo.id, { ...missed, waitingRoomId: null });
  });

  it('count each day on the practice’s clocks, also that of a clock change and those without anything', async () => {
    const { days, totals } = await ask(who, 'telehealth-data', 'min-date=2031-03-07&max-date=2031-03-10');
    expect(days).toEqual([
      { date: '2031-03-07', ...NOTHING },
      { date: '2031-03-08', ...NOTHING, sessions: 1, visits: 1, minutes: 20, patients: 1 },
      {
        date: '2031-03-09',
        ...NOTHING,
        sessions: 2,
        visits: 2,
        minutes: 40,
        patients: 2,
        waiting_room_visits: 2,
        waiting_minutes: 9,
        waiting_minutes_average: 4.5,
        waiting_minutes_median: 4.5,
      },
      {
        date: '2031-03-10',
        ...NOTHING,
        sessions: 1,
        visits: 1,
        waiting_room_visits: 2,
        waiting_minutes: 21,
        waiting_minutes_average: 21,
        waiting_minutes_median: 21,
        no_shows: 2,
      },
    ]);
    expect(totals).toEqual({
      sessions: 4,
      visits: 4,
      minutes: 60,
      patients: 2,
      waiting_room_visits: 4,
      waiting_minutes: 30,
      waiting_minutes_average: 10,
      waiting_minutes_median: 5,
      no_shows: 2,
    });
  });

  it('count for each user what is theirs, and what is nobody’s', async () => {
    const { users } = await ask(who, 'telehealth-user-data', 'min-date=2031-03-07&max-date=2031-03-10');
    expect(users).toMatchObject([
      {
        user_id: colleague,
        firstname: 'Hedda',
        lastname: 'Gabler',
        sessions: 2,
        visits: 2,
        minutes: 10,
        patients: 1,
        waiting_room_visits: 2,
        waiting_minutes: 26,
        no_shows: 1,
      },
      {
        user_id: who.user.id,
        firstname: 'Una',
        lastname: 'User',
        sessions: 2,
        visits: 2,
        minutes: 50,
        patients: 2,
        waiting_room_visits: 0,
        no_shows: 0,
      },
      { user_id: null, firstname: null, lastname: null, sessions: 0, visits: 0, waiting_room_visits: 2, waiting_minutes: 4, no_shows: 1 },
    ]);
  });

  it.each([
    'min-date=2031-03-08&max-date=2031-03-10',
    'min_date=2031-03-09&max_date=2031-03-09',
    'min-date=2031-01-01&max-date=2031-12-31',
  ])('for %s have parts that add up to the whole, which is the same in both', async (query) => {
    const [byDay, byUser] = [await ask(who, 'telehealth-data', query), await ask(who, 'telehealth-user-data', query)];
    expect(byDay.totals).toEqual(byUser.totals);
    expect(byDay.totals.sessions).toBeGreaterThan(0);
    expect(sumParts(byDay.days)).toEqual(only(byDay.totals));
    expect(sumParts(byUser.users)).toEqual(only(byUser.totals));
  });

  it('of a day of 25 hours count all of them', async () => {
    const own = await signedInUser(test);
    for (const startedAt of ['2031-11-02T04:00:00Z', '2031-11-03T04:59:59Z', '2031-11-03T05:00:00Z'])
      await createVisit(test, own, { startedAt: new Date(startedAt), endedAt: new Date('2031-11-04T00:00:00Z') });
    const { days } = await ask(own, 'telehealth-data', 'min-date=2031-11-02&max-date=2031-11-03');
    expect(days.map(({ visits }) => visits)).toEqual([2, 1]);
  });

  it('without max-date go on until today, on which a visit that runs is counted without minutes', async () => {
    const own = await signedInUser(test, { organization: { timeZone: 'Pacific/Kiritimati' } });
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format();
    await createVisit(test, own, { startedAt: new Date(), endedAt: null });
    const { days, totals } = await ask(own, 'telehealth-data', `min-date=${today}`);
    expect(days.map(({ date, visits, minutes }) => [date, visits, minutes])).toEqual([[today, 1, 0]]);
    expect(totals).toMatchObject({ visits: 1, minutes: 0 });
  });

  it('list a whole leap year, and nothing where nothing was', async () => {
    const own = await signedInUser(test);
    const { days, totals } = await ask(own, 'telehealth-data', 'min-date=2032-01-01&max-date=2032-12-31');
    expect([days.length, days[59]?.date, totals]).toEqual([366, '2032-02-29', NOTHING]);
    expect((await ask(own, 'telehealth-user-data', 'min-date=2032-01-01&max-date=2032-12-31')).users).toEqual([]);
  });

  it('count a session with a restricted patient, and neither the visits nor the waits of the patient', async () => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const { id: patientId } = await newPatient(test, own);
    await createVisit(test, own, { patientId });
    await createWait(test, organizationId, { patientId, waitingRoomId: (await createRoom(test, organizationId)).id });
    await db().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    for (const path of ['telehealth-data', 'telehealth-user-data'] as const)
      expect((await ask(own, path, 'min-date=2031-03-01&max-date=2031-03-31')).totals).toEqual({ ...NOTHING, sessions: 1 });
  });

  describe.each(['telehealth-data', 'telehealth-user-data'])('%s', (path) => {
    it.each([
      ['', 'min-date'],
      ['max-date=2031-03-08', 'min-date'],
      ['min-date=2031-03-09&max-date=2031-03-08', 'min-date'],
      ['min-date=2031-01-01&max-date=2032-01-02', 'min-date'],
      ['min-date=2199-01-01', 'min-date'],
      ['min-date=2031-02-30', 'min-date'],
      ['min-date=2031-03-08T00:00:00Z', 'min-date'],
      ['min-date=2031-03-08&max-date=03/09/2031', 'max-date'],
      ['min_date=2031-03-09&max_date=2031-03-08', 'min_date'],
    ])('with "%s" is refused and names %s', async (query, field) => {
      const { status, body } = await who.get(`/video-session/${path}?${query}`);
      expect(status).toBe(400);
      expect(body.errors).toMatchObject([{ pointer: `/${field}` }]);
    });
  });
});
