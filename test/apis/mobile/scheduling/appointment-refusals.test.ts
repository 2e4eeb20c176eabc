import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType, createLocation, createOffice } from '../../../support/factories.ts';
import { appointmentReferences } from '../../../support/schedule.ts';
import { appointmentCalls } from './appointment-calls.ts';

const test = await sharedTestApp();
const phone = await signedInUser(test);

const rows = () => test.database.prisma;
const own = () => ({ organizationId: phone.organizationId });

const { create, save } = appointmentCalls(phone);

describe('what is refused', () => {
  it.each([
    ['appointment_type_id', 'appointment_type_not_found'],
    ['type', 'appointment_type_not_found'],
    ['patient_id', 'patient_not_found'],
    ['office_id', 'office_not_found'],
    ['office', 'office_not_found'],
    ['location_id', 'location_not_found'],
    ['location', 'location_not_found'],
    ['waiting_room_id', 'waiting_room_not_found'],
    ['provider_id', 'provider_not_found'],
  ])('is a %s that the organization does not have, by the name that was sent', async (field, code) => {
    const answer = await phone.post('/appointments/').send({ [field]: 2_000_000_000 });
    expect(answer.body).toMatchObject({ status: 404, code, errors: [{ pointer: `/${field}`, code: 'not_found' }] });
    expect(answer.body.detail).toMatch(new RegExp(`^${field}: `));
  });

  it('is a place of another office, by name; places of no office, and appointments of none, take any', async () => {
    const { office, room, location } = await appointmentReferences(rows(), phone.organizationId);
    const other = await createOffice(rows(), own());
    const anywhere = await createLocation(rows(), own());
    for (const place of [{ location_id: location.id }, { waiting_room_id: room.id }]) {
      const [field] = Object.keys(place);
      const there = await phone.post('/appointments/').send({ office_id: other.id, ...place });
      expect(there.body).toMatchObject({ status: 400, errors: [{ pointer: `/${field}`, code: 'other_office' }] });
      const { uuid } = await create({ office_id: office.id, ...place });
      const moved = await phone.post(`/appointments/${uuid}`).send({ office_id: other.id });
      expect(moved.body).toMatchObject({ status: 400, errors: [{ pointer: `/${field}`, code: 'other_office' }] });
      expect((await save(uuid, { office_id: other.id, [field ?? '']: null })).office_id).toBe(other.id);
    }
    expect((await create({ location_id: location.id, waiting_room_id: room.id })).location_id).toBe(location.id);
    const elsewhere = await createLocation(rows(), { ...own(), officeId: other.id });
    const apart = await phone.post('/appointments/').send({ location_id: elsewhere.id, waiting_room_id: room.id });
    expect(apart.body).toMatchObject({ status: 400, errors: [{ pointer: '/waiting_room_id', code: 'other_office' }] });
    expect((await create({ office_id: other.id, location_id: anywhere.id })).location_id).toBe(anywhere.id);
  });

  it('is an inactive type, for an appointment that does not have it yet', async () => {
    const type = await createAppointmentType(rows(), { ...own(), name: 'Old' });
    const [had, without] = [await create({ type: type.id }), await create()];
    await rows().appointmentType.update({ where: { organizationId_id: { ...own(), id: type.id } }, data: { active: false } });
    for (const path of ['/appointments/', `/appointments/${without.uuid}`]) {
      const refused = await phone.post(path).send({ type: type.id });
      expect(refused.body).toMatchObject({ status: 409, code: 'inactive_type', errors: [{ pointer: '/type' }] });
    }
    expect(await save(had.uuid, { appointment_type_id: type.id, show_on_tasks: 0 })).toMatchObject({ appointment_type_id: type.id });
  });

  it('is a user who does not exist, works elsewhere or stands for an API client, each by its entry and in the same words', async () => {
    const elsewhere = (await signedInUser(test)).user.id;
    const app = await integrationClient(test, own());
    await app.post('/appointments').send({});
    const { id: machine } = await rows().user.findFirstOrThrow({ where: { ...own(), type: 'interface' } });
    const answer = await phone.post('/appointments/').send({ 'user[]': [elsewhere, phone.user.id, machine, 2_000_000_000] });
    expect(answer.body).toMatchObject({ status: 404, code: 'user_not_found' });
    expect(answer.body.errors).toEqual(
      [0, 2, 3].map((entry) => ({ pointer: `/user[]/${entry}`, code: 'not_found', detail: 'There is no such user.' })),
    );
  });

  it.each([
    [{ appointment_date: '2026-03-08T02:30:00' }, '/appointment_date', 'skipped_by_clock_change'],
    [{ appointment_date: 'tomorrow' }, '/appointment_date', 'invalid_date_time'],
    [{ appointment_date: 5 }, '/appointment_date', 'invalid_type'],
    [{ appointment_timezone: 'Mars/Olympus' }, '/appointment_timezone', 'unknown_time_zone'],
    [{ patient_id: 0 }, '/patient_id', 'too_small'],
    [{ patient_id: 3_000_000_000 }, '/patient_id', 'too_big'],
    [{ 'user[]': 5 }, '/user[]', 'invalid_type'],
    [{ user: [1, 'x'] }, '/user/1', 'invalid_type'],
    [{ confirmation: 'yes' }, '/confirmation', 'invalid_value'],
    [{ show_on_tasks: 2 }, '/show_on_tasks', 'invalid_value'],
  ])('is %j, by name', async (body, pointer, code) => {
    const answer = await phone.post('/appointments/').send(body);
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ pointer, code }] });
  });

  it.each([
    [{ appointment_date: 'tomorrow', patient_id: 2_000_000_000, office_id: 1_999_999_999 }, 400, 'invalid_input'],
    [{ appointment_date: 'tomorrow', patient_id: 'me', office: {} }, 400, 'invalid_input'],
    [{ appointment_timezone: 'Mars/Olympus', appointment_date: '2026-02-30T09:00:00', 'user[]': [2_000_000_000] }, 400, 'invalid_input'],
    [{ appointment_timezone: 'Mars/Olympus', appointment_date: '2026-02-30T09:00:00', 'user[]': ['me'] }, 400, 'invalid_input'],
    [{ type: 5, appointment_type_id: 6, patient_id: 'me' }, 400, 'invalid_input'],
    [{ patient_id: 2_000_000_000, location_id: 2_000_000_000, 'user[]': [2_000_000_000] }, 404, 'patient_not_found'],
  ])('is %j, with every wrong field at once', async (body, status, code) => {
    const { uuid } = await create({});
    for (const path of ['/appointments/', `/appointments/${uuid}`]) {
      const answer = await phone.post(path).send(body);
      expect(answer.body).toMatchObject({ status, code });
      const named = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer.split('/')[1]).sort();
      expect(named).toEqual(Object.keys(body).sort());
    }
  });

  it('is an address, a query and a body at once', async () => {
    const answer = await phone.post('/appointments/me').send({ patient_id: 'me', appointment_date: 'tomorrow' });
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/uuid', '/patient_id', '/appointment_date']);
  });

  it('names fields that nobody knows in a header, and takes the rest', async () => {
    const answer = await phone.post('/appointments/').send({ show_on_tasks: 0, notes: 'bring X-rays' });
    expect([answer.status, answer.headers['warning-fields'], answer.body.data.show_on_tasks]).toEqual([201, 'notes', false]);
  });
});
