import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { slotClinic } from './slot-clinic.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;

const clinic = (settings?: Parameters<typeof slotClinic>[1]) => slotClinic(test, settings);
const nine = (slots: [number, string][]): number => slots.find(([, time]) => time === '09:00')?.[0] ?? 0;
const listTimes = (slots: [number, string][]): string[] => slots.map(([, time]) => time);

describe('free times', () => {
  it('are shown with ids that stay, on the clocks of the office', async () => {
    const { admin, free, type, place } = await clinic();
    const first = await free();
    expect(listTimes(first)).toEqual(['09:00', '10:00', '11:00']);
    expect(await free()).toEqual(first);
    const page = await admin.get(`/slots?type=${type.id}&from=2031-03-03&until=2031-03-09&limit=1&page=2`);
    expect(page.body.data).toEqual([
      {
        uuid: first[1]?.[0],
        ...place,
        appointment_type_id: type.id,
        starts_at: '2031-03-03T17:00:00Z',
        starts_at_local: '2031-03-03T10:00:00',
        ends_at: '2031-03-03T18:00:00Z',
        timezone: 'America/Denver',
        duration_minutes: 60,
        modality: 'in_person',
        capacity: 1,
        places_left: 1,
      },
    ]);
    expect(page.body.meta.total).toBe(3);
  });

  it('leave out leave, holidays, visits with their buffers and what others book, and have further hours', async () => {
    const { admin, free, place, type } = await clinic();
    const rule = (rules: object) => admin.put(`/appointments/types/${type.id}`).send(rules);
    await rule({ buffer_after: 15 });
    const add = async (exception: object) => {
      const answer = await admin.post('/availability/exceptions').send(exception);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data.uuid;
    };
    await add({ ...place, from: '2031-03-08T10:00', until: '2031-03-08T12:00', available: true });
    const leave = await add({ provider_id: place.provider_id, from: '2031-03-03T11:30', until: '2031-03-03T13:00', reason: 'Dentist' });
    const booked = { ...place, appointment_type_id: type.id, appointment_timezone: 'America/Denver' };
    await admin.post('/appointments/').send({ ...booked, appointment_date: '2031-03-03T09:00:00' });
    expect(listTimes(await free())).toEqual(['10:00', '11:00']);
    await admin.put(`/availability/exceptions/${leave}`).send({ from: '2031-03-03T10:30' });
    expect(listTimes(await free())).toEqual(['10:00', '11:00']);
    await admin.delete(`/availability/exceptions/${leave}`);
    expect(listTimes(await free())).toEqual(['11:00', '10:00', '11:00']);
    await admin.post('/availability/exceptions?despite_visits=true').send({ from: '2031-03-03', until: '2031-03-03' });
    expect(listTimes(await free())).toEqual(['10:00', '11:00']);
    await rule({ latest_days: 30 });
    expect(await free()).toEqual([]);
  });

  it('are held by one, booked by the hold, and found again after a cancellation', async () => {
    const { admin, doctor, free, patient } = await clinic();
    const slot = nine(await free());
    const held = await admin.post('/slots/hold').send({ slot });
    expect(held.status, held.text).toBe(201);
    const hold = held.body.data.uuid;
    expect((await admin.post('/slots/hold').send({ slot, minutes: 30 })).body.data.uuid).toBe(hold);
    expect(listTimes(await free())).toEqual(['10:00', '11:00']);
    expect((await doctor.post('/slots/hold').send({ slot })).body).toMatchObject({ status: 409, code: 'slot_taken' });
    expect((await doctor.post('/appointments/').send({ hold })).status).toBe(404);
    const patient_id = await patient();
    const booked = await admin.post('/appointments/').send({ hold, patient_id });
    expect(booked.body.data, booked.text).toMatchObject({
      uuid: slot,
      appointment_date_local: '2031-03-03T09:00:00',
      duration_minutes: 60,
    });
    // Asked for again after a lost answer.
    expect((await admin.post('/appointments/').send({ hold, patient_id })).body.data.uuid).toBe(slot);
    expect((await admin.post('/appointments/').send({ slot, patient_id })).body.data.uuid).toBe(slot);
    expect((await admin.post('/appointments/').send({ slot, patient_id: await patient() })).body.code).toBe('slot_taken');
    await admin.delete(`/appointments/${slot}`);
    const again = await free();
    expect(listTimes(again)).toEqual(['09:00', '10:00', '11:00']);
    expect(nine(again)).not.toBe(slot);
  });

  it('come back when a hold is released, and when it is over', async () => {
    const { admin, doctor, free, patient } = await clinic();
    const slot = nine(await free());
    const { uuid } = (await admin.post('/slots/hold').send({ slot })).body.data;
    expect((await doctor.delete(`/slots/hold/${uuid}`)).status).toBe(404);
    expect((await admin.delete(`/slots/hold/${uuid}`)).status).toBe(204);
    expect(nine(await free())).toBe(slot);
    const { uuid: second } = (await admin.post('/slots/hold').send({ slot })).body.data;
    await rows().slotClaim.updateMany({ where: { id: second }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect(nine(await free())).toBe(slot);
    expect((await admin.post('/appointments/').send({ hold: second, patient_id: await patient() })).body.code).toBe('hold_expired');
    expect((await doctor.post('/slots/hold').send({ slot })).status).toBe(201);
  });

  it('are taken before a visit leaves its former one, which others find then', async () => {
    const { admin, free, patient } = await clinic();
    const [first, second] = (await free()).map(([uuid]: [number, string]) => uuid);
    const { uuid } = (await admin.post('/appointments/').send({ slot: first, patient_id: await patient() })).body.data;
    const other = (await admin.post('/appointments/').send({ slot: second, patient_id: await patient() })).body.data;
    expect((await admin.post(`/appointments/${uuid}`).send({ slot: second })).body.code).toBe('slot_taken');
    expect(listTimes(await free())).toEqual(['11:00']);
    await admin.delete(`/appointments/${other.uuid}`);
    const [[ten]] = await free();
    const moved = await admin.post(`/appointments/${uuid}`).send({ slot: ten });
    expect(moved.body.data, moved.text).toMatchObject({ uuid, appointment_date_local: '2031-03-03T10:00:00' });
    expect(listTimes(await free())).toEqual(['09:00', '11:00']);
  });

  it('are booked once each by 200 who ask at once for ten', { timeout: 120_000 }, async () => {
    const { admin, own, type, place } = await clinic({ refuses: true });
    await admin.post('/availability').send({ ...place, weekday: 2, from: '08:00', until: '18:00' });
    const slots = await admin.get(`/slots?type=${type.id}&from=2031-03-04&until=2031-03-04`);
    const ids = slots.body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(ids).toHaveLength(10);
    const client = await integrationClient(test, own);
    const book = async (slot: number) => {
      // An answer that was lost is asked for again.
      const key = randomUUID();
      for (;;) {
        const answer = await client.post('/appointments').set('idempotency-key', key).send({ slot });
        if (answer.status !== 503) return answer;
      }
    };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => book(ids[index % 10])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(190);
    expect(await rows().appointment.count({ where: own })).toBe(10);
    expect((await admin.get(`/slots?type=${type.id}&from=2031-03-04&until=2031-03-04`)).body.data).toEqual([]);
  });

  it('are refused with a person who is elsewhere then, when booked and when moved to', async () => {
    const { admin, own, office, free, patient } = await clinic({ refuses: true });
    const nurse = await signedInUser(test, own);
    const busy = { date: '2031-03-03T09:00:00', office_id: office.id, user: [nurse.user.id], patient_id: await patient() };
    await admin
      .post('/appointments/')
      .send({ ...busy, appointment_date: busy.date })
      .expect(201);
    const [nineOClock, ten] = (await free()).map(([slot]: [number]) => slot);
    const visit = { user: [nurse.user.id], patient_id: await patient() };
    const refused = await admin.post('/appointments/').send({ ...visit, slot: nineOClock });
    expect([refused.status, refused.body.code]).toEqual([409, 'double_booked']);
    const booked = await admin
      .post('/appointments/')
      .send({ ...visit, slot: ten })
      .expect(201);
    const moved = await admin.post(`/appointments/${booked.body.data.uuid}`).send({ slot: nineOClock });
    expect([moved.status, moved.body.code]).toEqual([409, 'double_booked']);
  });

  it('have a place for each patient of a group, also where double booking is refused', async () => {
    const { admin, patient, type } = await clinic({ refuses: true, capacity: 2 });
    const places = async () =>
      (await admin.get(`/slots?type=${type.id}&from=2031-03-03&until=2031-03-03`)).body.data.map(
        ({ places_left }: { places_left: number }) => places_left,
      );
    const [{ uuid: slot }] = (await admin.get(`/slots?type=${type.id}&from=2031-03-03&until=2031-03-03`)).body.data;
    const visits = [await patient(), await patient()].map((patient_id) => admin.post('/appointments/').send({ slot, patient_id }));
    const booked = await Promise.all(visits);
    expect(booked.map(({ status }) => status)).toEqual([201, 201]);
    expect(await places()).toEqual([2, 2]);
    expect((await admin.post('/appointments/').send({ slot, patient_id: await patient() })).body.code).toBe('slot_taken');
    await admin.delete(`/appointments/${booked[0]?.body.data.uuid}`);
    expect(await places()).toEqual([1, 2, 2]);
  });

  it('refuse a visit by time where double booking is refused, and one that is held', async () => {
    const { admin, free, place, patient } = await clinic({ refuses: true });
    const slot = nine(await free());
    await admin.post('/slots/hold').send({ slot });
    const by = { ...place, patient_id: await patient() };
    const taken = await admin.post('/appointments/').send({ ...by, appointment_date: '2031-03-03T09:30:00' });
    expect(taken.body).toMatchObject({ status: 409, code: 'double_booked', errors: [{ pointer: '/appointment_date' }] });
    expect((await admin.post('/appointments/').send({ ...by, appointment_date: '2031-03-03T10:00:00' })).status).toBe(201);
    expect(listTimes(await free())).toEqual(['11:00']);
  });
});

it('a slot says nothing of the visit of a patient whose chart is restricted', async () => {
  const { admin, free, patient, own } = await clinic();
  const [slot, hidden, other] = [nine(await free()), await patient(), await patient()];
  const booked = await admin.post('/appointments').send({ slot, patient_id: hidden });
  expect(booked.status, booked.text).toBe(201);
  await rows().privacyRestriction.create({ data: { ...own, patientId: hidden, kind: 'record' } });
  const colleague = await signedInUser(test, own);
  const answer = await colleague.post('/appointments').send({ slot, patient_id: hidden });
  expect(answer.body).toMatchObject({ status: 404, code: 'patient_not_found' });
  expect((await colleague.post('/appointments').send({ slot, patient_id: other })).status).toBe(409);
});

it('a visit by time is booked with a warning outside of the hours, on a holiday, and for a patient who has another that day', async () => {
  const { admin, place, patient } = await clinic();
  await admin.post('/availability/exceptions').send({ from: '2031-03-10', until: '2031-03-10' });
  const patient_id = await patient();
  const book = async (appointment_date: string) => {
    const booked = await admin.post('/appointments/').send({ ...place, patient_id, appointment_date, duration_minutes: 30 });
    expect(booked.status, booked.text).toBe(201);
    expect(booked.headers['warning-codes'] ?? '').toBe(booked.body.warnings.map(({ code }: { code: string }) => code).join(', '));
    return booked.headers['warning-codes'];
  };
  expect(await book('2031-03-03T11:30:00')).toBeUndefined();
  expect(await book('2031-03-03T11:45:00')).toBe('outside_hours, patient_booked_twice');
  expect(await book('2031-03-10T09:00:00')).toBe('holiday');
});
