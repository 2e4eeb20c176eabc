import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../support/app.ts';
import { waitlistPractice } from '../../../support/waitlist.ts';

const test = await sharedTestApp();

interface Visit {
  appointment_id: number;
  appointment_date: string;
  appointment_date_local: string;
  provider_id: number;
  status: string;
}
interface Conflict {
  appointment_id: number | null;
  appointment_date_local: string;
  code: string;
}

/** A practice in Denver, whose clocks change on 2031-03-09 and 2031-11-02, with a patient and a doctor. */
async function practice() {
  const clinic = await waitlistPractice(test);
  const { admin, provider } = clinic;
  const patient = await clinic.patient();
  const book = (rrule: string, from: string, fields: object = {}) =>
    admin
      .post('/appointments/series')
      .send({ patient_id: patient.id, provider_id: provider.id, duration_minutes: 30, rrule, appointment_date: from, ...fields });
  const times = (visits: Visit[], status = 'scheduled'): string[] =>
    visits.filter((one) => one.status === status).map((one) => one.appointment_date_local);
  return {
    ...clinic,
    patient,
    book,
    times,
    /** @returns the id of the series, and its visits */
    async booked(rrule: string, from: string, fields: object = {}): Promise<{ uuid: number; visits: Visit[] }> {
      const made = await book(rrule, from, fields);
      expect(made.status, made.text).toBe(201);
      return made.body.data;
    },
    async read(uuid: number): Promise<Visit[]> {
      return (await admin.get(`/appointments/series/${uuid}`).expect(200)).body.data.visits;
    },
  };
}

const named = ({ body }: { body: { conflicts: Conflict[] } }) =>
  body.conflicts.map(({ appointment_id: id, appointment_date_local: at, code }) => [id, at, code]);

describe('a series of visits', () => {
  it('keeps the time of day over both clock changes, and names a time that the clocks skip', async () => {
    const { booked, book, times } = await practice();
    const instants = ({ visits }: { visits: Visit[] }) => visits.map(({ appointment_date: at }) => at);
    expect(instants(await booked('RRULE:FREQ=WEEKLY;COUNT=3', '2031-03-03T09:00:00'))).toEqual([
      '2031-03-03T16:00:00Z',
      '2031-03-10T15:00:00Z',
      '2031-03-17T15:00:00Z',
    ]);
    expect(instants(await booked('freq=daily;until=20311103', '2031-11-01T14:00:00'))).toEqual([
      '2031-11-01T20:00:00Z',
      '2031-11-02T21:00:00Z',
      '2031-11-03T21:00:00Z',
    ]);
    const night = await book('FREQ=DAILY;COUNT=3', '2031-03-08T02:30:00', { on_conflict: 'skip' });
    expect(times(night.body.data.visits)).toEqual(['2031-03-08T02:30:00', '2031-03-10T02:30:00']);
    expect(named(night)).toEqual([[null, '2031-03-09T02:30:00', 'skipped_by_clock_change']]);
    const refused = await book('FREQ=DAILY;UNTIL=20310309T103000Z', '2031-03-08T02:30:00').expect(409);
    expect(refused.body).toMatchObject({ code: 'series_conflict', errors: [{ pointer: '/appointment_date', code: 'time_taken' }, {}] });
    expect(times(await (await booked('FREQ=MONTHLY;BYDAY=-1FR;COUNT=2', '2031-03-01T08:00:00')).visits)).toEqual([
      '2031-03-28T08:00:00',
      '2031-04-25T08:00:00',
    ]);
  });

  it('skips a time that somebody has, or books nothing, as asked, and tells the patient once', async () => {
    const { admin, db, own, book, times, provider, patient, textsTo } = await practice();
    const other = { provider_id: provider.id, appointment_date: '2031-05-13T09:15:00', duration_minutes: 30 };
    await admin.post('/appointments').send(other).expect(201);
    const before = await db.appointment.count({ where: own });
    const rule = 'FREQ=WEEKLY;COUNT=4';
    const refused = await book(rule, '2031-05-06T09:00:00', { on_conflict: 'refuse' }).expect(409);
    expect(refused.body.errors).toMatchObject([{ code: 'time_taken' }]);
    expect(refused.body.errors[0].detail).toContain('2031-05-13T09:00:00: Appointment');
    expect(await db.appointment.count({ where: own })).toBe(before);

    const keyed = () => book(rule, '2031-05-06T09:00:00', { on_conflict: 'skip', notify: 'text' }).set('Idempotency-Key', 'series-1');
    const [made, again] = [await keyed().expect(201), await keyed().expect(201)];
    expect(again.body).toEqual(made.body);
    expect(times(made.body.data.visits)).toEqual(['2031-05-06T09:00:00', '2031-05-20T09:00:00', '2031-05-27T09:00:00']);
    expect(named(made)).toEqual([[null, '2031-05-13T09:00:00', 'time_taken']]);
    expect(made.body.warnings).toContainEqual({
      code: 'outside_hours',
      detail: '2031-05-20T09:00:00: The time is outside of the provider’s hours.',
    });
    expect(await textsTo(patient.mobilePhone)).toHaveLength(1);
    expect((await book('FREQ=DAILY;COUNT=1', '2031-05-13T09:00:00', { on_conflict: 'skip' }).expect(409)).body.code).toBe(
      'series_conflict',
    );
    const events = await db.event.groupBy({ by: ['subjectId'], where: { ...own, name: 'appointment.scheduled' }, _count: true });
    expect(events.map(({ _count }) => _count)).toEqual([1, 1, 1, 1]);
    const listed = await admin.get(`/appointments/series?patient=${patient.id}`).expect(200);
    expect(listed.body.data).toEqual([made.body.data]);
    expect((await admin.get('/appointments/series?patient=1').expect(200)).body.data).toEqual([]);
    const single = await admin.post('/appointments').send({ patient_id: patient.id, appointment_date: '2031-05-20T09:00:00' }).expect(201);
    const ids = [...made.body.data.visits.map((visit: Visit) => visit.appointment_id), single.body.data.uuid];
    const shown = await Promise.all(
      ids.map(async (id: number) => (await admin.get(`/appointments/${id}`).expect(200)).body.data.series_id),
    );
    expect(shown).toEqual([...made.body.data.visits.map(() => made.body.data.uuid), null]);
  });

  it('moves one visit, the following ones, or all to come, and leaves those where they are whose time is taken', async () => {
    const { admin, booked, read, times, patient, textsTo, db, own } = await practice();
    const { uuid, visits } = await booked('FREQ=WEEKLY;COUNT=4', '2031-06-02T09:00:00');
    const [first = 0, second = 0, third = 0] = visits.map(({ appointment_id: id }) => id);
    const move = (fields: object) => admin.put(`/appointments/series/${uuid}`).send(fields);
    await move({ scope: 'one', appointment_id: second, appointment_date: '2031-06-10T11:00:00', notify: 'text' }).expect(200);
    expect(await textsTo(patient.mobilePhone)).toHaveLength(1);
    // Each takes the place of the next one.
    const moved = await move({ scope: 'following', appointment_id: third, appointment_date: '2031-06-23T09:00:00', notify: 'text' }).expect(
      200,
    );
    expect(times(moved.body.data.visits)).toEqual([
      '2031-06-02T09:00:00',
      '2031-06-10T11:00:00',
      '2031-06-23T09:00:00',
      '2031-06-30T09:00:00',
    ]);
    expect(await textsTo(patient.mobilePhone)).toHaveLength(2);

    const colleague = await db.provider.create({ data: { ...own, firstName: 'Bo', lastName: 'Ray' } });
    await admin.post('/appointments').send({ provider_id: colleague.id, appointment_date: '2031-06-23T10:00:00', duration_minutes: 30 });
    const all = { scope: 'all', appointment_date: '2031-06-02T10:00:00', provider_id: colleague.id };
    await move(all).expect(409);
    expect(times(await read(uuid))[0]).toBe('2031-06-02T09:00:00');
    const skipped = await move({ ...all, on_conflict: 'skip' }).expect(200);
    expect(named(skipped)).toEqual([[third, '2031-06-23T10:00:00', 'time_taken']]);
    const places = (await read(uuid)).map(({ appointment_date_local: at, provider_id: id }) => [at, id === colleague.id]);
    expect(places).toEqual([
      ['2031-06-02T10:00:00', true],
      ['2031-06-10T12:00:00', true],
      ['2031-06-23T09:00:00', false],
      ['2031-06-30T10:00:00', true],
    ]);
    // In the week in which the clocks are put forward.
    await move({ scope: 'one', appointment_id: first, appointment_date: '2031-03-08T02:30:00' }).expect(200);
    const night = await move({ scope: 'one', appointment_id: first, appointment_date: '2031-03-09T02:30:00' }).expect(400);
    expect(night.body.errors[0]).toMatchObject({ pointer: '/appointment_date', code: 'skipped_by_clock_change' });
  });

  it('replaces the notices of moves that it withdraws, and tells of nothing else unasked', async () => {
    const { admin, booked, patient, db, own } = await practice();
    const { uuid, visits } = await booked('FREQ=WEEKLY;COUNT=4', '2031-06-02T09:00:00');
    const move = (fields: object) => admin.put(`/appointments/series/${uuid}`).send(fields).expect(200);
    for (const { appointment_id, day } of visits.slice(1, 3).map((visit, at) => ({ ...visit, day: 10 + 7 * at })))
      await move({ scope: 'one', appointment_id, appointment_date: `2031-06-${day}T11:00:00`, notify: 'text' });
    await move({ scope: 'all', appointment_date: '2031-06-02T13:00:00' });
    const texts = await db.smsMessage.findMany({ where: { ...own, toNumber: patient.mobilePhone ?? '' }, orderBy: { id: 'asc' } });
    expect(texts.map(({ state }) => state)).toEqual(['suppressed', 'suppressed', 'queued', 'queued']);
    expect(new Set(texts.slice(2).map(({ appointmentId }) => appointmentId))).toEqual(
      new Set(visits.slice(1, 3).map(({ appointment_id: id }) => id)),
    );
  });

  it('cancels one visit, the following ones, or all to come, whose times are free again', async () => {
    const { admin, booked, read, times, patient, textsTo } = await practice();
    const { uuid, visits } = await booked('FREQ=DAILY;COUNT=5', '2031-07-07T09:00:00');
    const cancel = (query: string) => admin.delete(`/appointments/series/${uuid}?${query}`);
    await cancel(`scope=one&appointment_id=${visits[1]?.appointment_id}`).expect(204);
    await cancel(`scope=following&appointment_id=${visits[3]?.appointment_id}&notify=text&reason=travel`).expect(204);
    expect(await textsTo(patient.mobilePhone)).toHaveLength(1);
    expect(times(await read(uuid))).toEqual(['2031-07-07T09:00:00', '2031-07-09T09:00:00']);
    await booked('FREQ=DAILY;COUNT=2', '2031-07-10T09:00:00');
    await cancel('scope=all').expect(204);
    expect(times(await read(uuid), 'cancelled')).toHaveLength(5);
    expect((await cancel('scope=all').expect(409)).body.code).toBe('no_visits_to_come');
    expect((await cancel('scope=one').expect(400)).body.errors).toMatchObject([{ pointer: '/appointment_id' }]);
    await cancel('scope=one&appointment_id=999999999').expect(404);
  });

  it('refuses rules that have no end, make too many visits, or none', async () => {
    const { book, admin } = await practice();
    for (const rule of [
      ...[
        '',
        'weekly',
        'FREQ=HOURLY;COUNT=3',
        'FREQ=WEEKLY',
        'COUNT=3',
        'FREQ=WEEKLY;COUNT=0',
        'FREQ=WEEKLY;COUNT=101',
        'FREQ=DAILY;COUNT=2;X=1',
      ],
      ...['FREQ=DAILY;UNTIL=20991231', 'FREQ=DAILY;UNTIL=20310101', 'FREQ=DAILY;UNTIL=20319999', 'FREQ=DAILY;COUNT=2;UNTIL=20320101'],
      ...[
        'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2',
        'FREQ=WEEKLY;BYDAY=XX;COUNT=2',
        'FREQ=DAILY;COUNT=2;COUNT=3',
        'FREQ=DAILY;BYMONTHDAY=45;COUNT=2',
      ],
    ]) {
      const refused = await book(rule, '2031-03-03T09:00:00');
      expect([rule, refused.status, refused.body.errors[0].pointer]).toEqual([rule, 400, '/rrule']);
    }
    expect((await book('FREQ=DAILY;COUNT=100', '2031-03-10T09:00:00').expect(201)).body.data.visits).toHaveLength(100);
    await book('FREQ=DAILY;COUNT=2', '2031-03-09T02:30:00').expect(400);
    await book('FREQ=DAILY;COUNT=2', '2031-03-03T09:00:00', { patient_id: 999_999_999 }).expect(404);
    await admin.get('/appointments/series/999999999').expect(404);
  });
});
