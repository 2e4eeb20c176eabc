import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient, createUser } from '../../../support/factories.ts';
import { appointmentReferences } from '../../../support/schedule.ts';
import { appointmentCalls } from './appointment-calls.ts';

const test = await sharedTestApp();
const phone = await signedInUser(test);

const rows = () => test.database.prisma;
const own = () => ({ organizationId: phone.organizationId });

const { create, save } = appointmentCalls(phone);

const references = () => appointmentReferences(rows(), phone.organizationId);

describe('saving an appointment', () => {
  it('changes only what is sent, and clears with null', async () => {
    const { office, room, patient, type, location } = await references();
    const before = await create({
      appointment_type_id: type.id,
      patient_id: patient.id,
      office_id: office.id,
      location_id: location.id,
      waiting_room_id: room.id,
      appointment_date: '2031-03-04T09:30:00',
      show_on_tasks: 0,
      'user[]': [phone.user.id],
    });
    expect(before.show_on_tasks).toBe(false);
    const moved = await save(before.uuid, { appointment_date: '2031-03-11T09:30:00' });
    expect(moved).toEqual({
      ...before,
      appointment_date: '2031-03-11T15:30:00Z',
      appointment_date_local: '2031-03-11T09:30:00',
      appointment_end: '2031-03-11T16:15:00Z',
      updated_at: moved.updated_at,
    });
    const cleared = await save(before.uuid, {
      appointment_type_id: null,
      patient_id: null,
      office_id: null,
      location_id: null,
      waiting_room_id: null,
      appointment_date: null,
      show_on_tasks: null,
      'user[]': null,
    });
    expect(cleared).toEqual({ ...(await create()), uuid: before.uuid, created_at: before.created_at, updated_at: cleared.updated_at });
  });

  it('takes type, office and location as other words for their ids', async () => {
    const { office, type, location } = await references();
    const { uuid } = await create();
    const saved = await save(uuid, { type: type.id, office: String(office.id), office_id: office.id, location: location.id });
    expect(saved).toMatchObject({ appointment_type_id: type.id, office_id: office.id, location_id: location.id });
    expect(await save(uuid, { type: null })).toMatchObject({ type: null, office_id: office.id });
  });

  it('and cancelling are refused to who saw an older state, though saving is a POST', async () => {
    const { office, room, patient, type, location } = await references();
    const created = await phone.post('/appointments/').send({
      appointment_type_id: type.id,
      patient_id: patient.id,
      office_id: office.id,
      location_id: location.id,
      waiting_room_id: room.id,
      appointment_date: '2031-03-05T09:30:00',
      'user[]': [phone.user.id],
    });
    const path = `/appointments/${created.body.data.uuid}`;
    const first = String(created.headers.etag);
    expect((await phone.get(path)).headers.etag).toBe(first);
    const saved = await phone.post(path).set('if-match', first).send({ confirmation: 'Yes' });
    expect([saved.status, saved.body.data.confirmation.status]).toEqual([200, 'Yes']);
    const late = await phone.post(path).set('if-match', first).send({ confirmation: 'No' });
    expect(late.body).toMatchObject({ status: 412, code: 'precondition_failed' });
    await phone.delete(path).set('if-match', first).expect(412);
    const { headers, body } = await phone.get(path).expect(200);
    expect([headers.etag, body.data.confirmation.status]).toEqual([saved.headers.etag, 'Yes']);
    await phone.delete(path).set('if-match', String(headers.etag)).expect(204);
  });

  it('takes its own answer back whole, and changes nothing', async () => {
    const { office, room, patient, type, location } = await references();
    const made = await create({
      type: type.id,
      patient_id: patient.id,
      office: office.id,
      location: location.id,
      waiting_room_id: room.id,
      appointment_date: '2027-11-07T01:30:00-07:00',
      user: [phone.user.id],
      confirmation: 'Yes',
    });
    expect(await save(made.uuid, made)).toEqual(made);
    const { headers } = await phone.post(`/appointments/${made.uuid}`).send(made);
    expect(headers['warning-fields']).toMatch(/\bcreated_by\b/);
    const { confirmation, office: shown } = made;
    const ignored = await phone.post(`/appointments/${made.uuid}`).send({ office: shown, confirmation });
    expect(ignored.headers['warning-fields']).toBe('office, confirmation');
    const local = { appointment_date: made.appointment_date_local, appointment_timezone: made.appointment_timezone };
    expect(await save(made.uuid, { ...made, ...local })).toEqual(made);
    const moved = await save(made.uuid, { ...made, appointment_date: '2027-11-08T15:00:00Z' });
    expect(moved.confirmation.status).toBe('Pending');
  });

  it('keeps a patient whose chart was deleted, whom its answer shows as null, when that is sent back', async () => {
    const { id } = await createPatient(rows(), own());
    const { uuid } = await create({ patient_id: id, confirmation: 'Yes' });
    await rows().patient.update({ where: { organizationId_id: { ...own(), id } }, data: { status: 'deleted' } });
    const read = (await phone.get(`/appointments/${uuid}`)).body.data;
    expect([read.patient_id, read.confirmation.status]).toEqual([null, 'Yes']);
    expect(await save(uuid, read)).toEqual(read);
    expect((await rows().appointment.findFirstOrThrow({ where: { ...own(), id: uuid } })).patientId).toBe(id);
  });

  it('has to be confirmed anew where the patient changes, and is reminded of anew', async () => {
    const [one, other] = [await createPatient(rows(), own()), await createPatient(rows(), own())];
    const { uuid } = await create({ patient_id: one.id, appointment_date: '2031-03-04T09:30:00', confirmation: 'Yes' });
    const reminder = { ...own(), appointmentId: uuid, kind: 'five_minutes', dueAt: new Date() };
    await rows().appointmentReminder.create({ data: reminder });
    expect((await save(uuid, { patient_id: one.id })).confirmation.status).toBe('Yes');
    expect((await save(uuid, { patient_id: other.id })).confirmation).toEqual({ status: 'Pending', at: null, by: null });
    expect(await rows().appointmentReminder.count({ where: { ...own(), appointmentId: uuid } })).toBe(0);
    expect((await save(uuid, { patient_id: one.id, confirmation: 'Yes' })).confirmation.status).toBe('Yes');
  });

  it.each([
    ['appointment_type_id', 'type', 1, 2],
    ['office_id', 'office', 1, 2],
    ['location_id', 'location', 1, 2],
    ['user[]', 'user', [1], [1, 2]],
  ])('refuses %s and %s that disagree, and names both', async (one, other, first, second) => {
    const { uuid } = await create();
    for (const path of ['/appointments/', `/appointments/${uuid}`]) {
      const answer = await phone.post(path).send({ [one]: first, [other]: second });
      expect(answer.status).toBe(400);
      expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([`/${one}`, `/${other}`]);
    }
  });

  it('puts the users in the place of those who took part, each once', async () => {
    const [one, two] = [(await createUser(rows(), own())).user, (await createUser(rows(), own())).user];
    const { uuid } = await create({ 'user[]': [phone.user.id, one.id] });
    const ids = (data: { users: { uuid: number }[] }) => data.users.map((user) => user.uuid);
    expect(ids(await save(uuid, { 'user[]': [String(two.id), one.id, two.id] }))).toEqual([one.id, two.id]);
    expect(ids(await save(uuid, { show_on_tasks: 0 }))).toEqual([one.id, two.id]);
    expect(ids(await save(uuid, { user: [] }))).toEqual([]);
  });

  it('lets who has left stay where they take part already, and join nothing new', async () => {
    const { user } = await createUser(rows(), own());
    const { uuid } = await create({ 'user[]': [user.id] });
    await rows().user.update({ where: { organizationId_id: { ...own(), id: user.id } }, data: { active: false } });
    await save(uuid, { 'user[]': [user.id, phone.user.id] });
    const refused = await phone.post('/appointments/').send({ user: [phone.user.id, user.id] });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: '/user/1', code: 'inactive_user' }] });
  });

  it.each([
    ['{}', {}],
    ['what stands', { show_on_tasks: true, confirmation: 'Pending', appointment_date: '2031-03-04T14:30:00Z' }],
    ['the same users', 'users'],
  ])('is no change where %s is sent: no event, and updated_at stays', async (_, sent) => {
    const { uuid } = await create({ appointment_date: '2031-03-04T09:30:00', 'user[]': [phone.user.id] });
    const key = { organizationId_id: { ...own(), id: uuid } };
    await rows().appointment.update({ where: key, data: { updatedAt: new Date('2020-01-01T00:00:00Z') } });
    const saved = await save(uuid, typeof sent === 'string' ? { 'user[]': [phone.user.id] } : sent);
    expect(saved.updated_at).toBe('2020-01-01T00:00:00Z');
    expect(await rows().event.count({ where: { ...own(), subjectType: 'appointment', subjectId: uuid } })).toBe(1);
  });

  it('leaves events and audit rows that name what changed, and never a value', async () => {
    const { patient } = await references();
    const { uuid } = await create({ patient_id: patient.id, 'user[]': [phone.user.id] });
    await save(uuid, { appointment_date: '2031-03-04T09:30:00' });
    await save(uuid, { 'user[]': [] });
    await phone.delete(`/appointments/${uuid}`).expect(204);
    const where = { ...own(), subjectType: 'appointment', subjectId: uuid };
    const events = await rows().event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ name, changed, actor }) => [name, changed.toSorted(), actor])).toEqual([
      ['appointment.scheduled', ['patientId', 'users'], `user:${phone.user.id}`],
      ['appointment.moved', ['endsAt', 'localStart', 'startsAt'], `user:${phone.user.id}`],
      ['appointment.changed', ['users'], `user:${phone.user.id}`],
      ['appointment.cancelled', [], `user:${phone.user.id}`],
    ]);
    const audits = await rows().auditEntry.findMany({
      where: { ...own(), resource: 'appointment', resourceIds: { has: uuid } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action }) => action).toSorted()).toEqual(['cancel', 'create', 'update', 'update']);
    expect(await rows().auditEntry.count({ where: { ...own(), resource: 'patient', resourceIds: { has: patient.id } } })).toBe(4);
  });
});
