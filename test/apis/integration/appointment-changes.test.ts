import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

const rows = () => test.database.prisma;

async function appointment(fields: object = {}) {
  const created = await clinic.post('/appointments').send(fields);
  expect(created.status, created.text).toBe(200);
  return created.body.data;
}

/** From its start to its end, which other appointments may not overlap. */
async function minutes(id: number) {
  const key = { organizationId_id: { organizationId: clinic.organizationId, id } };
  const { startsAt, endsAt } = await rows().appointment.findUniqueOrThrow({ where: key });
  return startsAt && endsAt ? (endsAt.getTime() - startsAt.getTime()) / 60_000 : null;
}

describe('changing an appointment', () => {
  it('changes only what is sent', async () => {
    const { organizationId } = clinic;
    const patient = await createPatient(rows(), { organizationId });
    const type = await createAppointmentType(rows(), { organizationId });
    const before = await appointment({ appointment_date: '2026-03-09T09:30:00', patient_id: patient.id, appointment_type_id: type.id });
    const moved = await clinic.put(`/appointments/${before.uuid}`).send({ appointment_date: '2026-04-01T15:00:00' });
    expect(moved.status).toBe(200);
    expect(moved.body.data).toEqual({
      ...before,
      appointment_date: '2026-04-01T15:00:00',
      appointment_date_utc: '2026-04-01T19:00:00Z',
      updated_at: moved.body.data.updated_at,
    });
    const other = await createPatient(rows(), { organizationId });
    const handedOn = await clinic.put(`/appointments/${before.uuid}`).send({ patient_id: String(other.id) });
    expect(handedOn.body.data).toEqual({
      ...moved.body.data,
      patient: expect.objectContaining({ uuid: other.id }),
      updated_at: handedOn.body.data.updated_at,
    });
    expect((await clinic.get(`/appointments/${before.uuid}`)).body).toEqual(handedOn.body);
  });

  it('clears with null', async () => {
    const { organizationId } = clinic;
    const patient = await createPatient(rows(), { organizationId });
    const type = await createAppointmentType(rows(), { organizationId });
    const { uuid } = await appointment({ appointment_date: '2026-03-09T09:30:00', patient_id: patient.id, appointment_type_id: type.id });
    const cleared = await clinic.put(`/appointments/${uuid}`).send({ appointment_date: null, patient_id: null, appointment_type_id: null });
    expect(cleared.body.data).toMatchObject({ appointment_date: null, appointment_date_utc: null, patient: null, type: null });
    expect((await clinic.get(`/appointments/${uuid}`)).body).toEqual(cleared.body);
  });

  it('moves updated_at and tells of an event, unless nothing changed', async () => {
    const { organizationId } = clinic;
    const created = await appointment({ appointment_date: '2026-03-09T09:30:00', duration_minutes: 45 });
    const key = { organizationId_id: { organizationId, id: created.uuid } };
    const long = new Date('2020-01-01T00:00:00Z');
    await rows().appointment.update({ where: key, data: { updatedAt: long } });
    const events = () =>
      rows().event.findMany({ where: { organizationId, subjectType: 'appointment', subjectId: created.uuid }, orderBy: { id: 'asc' } });
    for (const same of [{}, { appointment_date: '2026-03-09T09:30:00' }, { appointment_date: '2026-03-09T13:30:00Z', patient_id: null }]) {
      const answer = await clinic.put(`/appointments/${created.uuid}`).send(same);
      expect(answer.body.data).toMatchObject({ updated_at: '2020-01-01T00:00:00Z', appointment_date: '2026-03-09T09:30:00' });
    }
    expect((await events()).map(({ name }) => name)).toEqual(['appointment.scheduled']);
    const moved = await clinic.put(`/appointments/${created.uuid}`).send({ appointment_date: '2026-03-10T09:30:00' });
    expect(Date.parse(moved.body.data.updated_at)).toBeGreaterThan(long.getTime());
    expect(moved.body.data.created_at).toBe(created.created_at);
    expect((await events()).map(({ name, changed }) => [name, changed.toSorted()])).toEqual([
      ['appointment.scheduled', ['durationMinutes', 'endsAt', 'localStart', 'startsAt']],
      ['appointment.moved', ['endsAt', 'localStart', 'startsAt']],
    ]);
  });

  it('asks for confirmation anew when the appointment moves, and only then', async () => {
    const { organizationId } = clinic;
    const { uuid } = await appointment({ appointment_date: '2026-03-09T09:30:00' });
    const key = { organizationId_id: { organizationId, id: uuid } };
    await rows().appointment.update({ where: key, data: { confirmation: 'Yes', confirmedAt: new Date(), confirmedBy: 'patient' } });
    const type = await createAppointmentType(rows(), { organizationId });
    await clinic.put(`/appointments/${uuid}`).send({ appointment_type_id: type.id });
    expect(await rows().appointment.findUnique({ where: key })).toMatchObject({ confirmation: 'Yes', confirmedBy: 'patient' });
    await clinic.put(`/appointments/${uuid}`).send({ appointment_date: '2026-03-09T10:30:00' });
    expect(await rows().appointment.findUnique({ where: key })).toMatchObject({
      confirmation: 'Pending',
      confirmedAt: null,
      confirmedBy: null,
    });
  });

  it('keeps the wall clock that the patient was told, also where the rules of the zone have changed since', async () => {
    const { organizationId } = clinic;
    const { uuid } = await appointment({ appointment_date: '2026-07-01T09:30:00' });
    const key = { organizationId_id: { organizationId, id: uuid } };
    const told = { localStart: new Date('2026-07-01T08:30:00Z') };
    await rows().appointment.update({ where: key, data: told });
    const patient = await createPatient(rows(), { organizationId });
    const changed = await clinic.put(`/appointments/${uuid}`).send({ patient_id: patient.id });
    expect(changed.body.data).toMatchObject({ appointment_date: '2026-07-01T08:30:00', appointment_date_utc: '2026-07-01T13:30:00Z' });
  });

  it('loses nothing when two change different fields at once', async () => {
    const { organizationId } = clinic;
    for (let round = 0; round < 5; round += 1) {
      const patient = await createPatient(rows(), { organizationId });
      const type = await createAppointmentType(rows(), { organizationId, durationMinutes: 90 });
      const { uuid } = await appointment({ appointment_date: '2026-03-09T09:30:00' });
      const path = `/appointments/${uuid}`;
      const answers = await Promise.all([
        clinic.put(path).send({ patient_id: patient.id }),
        clinic.put(path).send({ appointment_type_id: type.id }),
        clinic.put(path).send({ appointment_date: '2026-06-01T10:00:00' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await clinic.get(path)).body.data).toMatchObject({
        appointment_date: '2026-06-01T10:00:00',
        patient: { uuid: patient.id },
        type: { uuid: type.id },
      });
      expect(await minutes(uuid)).toBe(90);
    }
  });
});

describe('the length of an appointment', () => {
  it('is that of its type, else the usual one of the organization, also after the type changed', async () => {
    const { organizationId } = clinic;
    const long = await createAppointmentType(rows(), { organizationId, durationMinutes: 90 });
    const plain = await createAppointmentType(rows(), { organizationId });
    const { uuid } = await appointment({ appointment_date: '2026-03-09T09:30:00', appointment_type_id: long.id });
    expect(await minutes(uuid)).toBe(90);
    await clinic.put(`/appointments/${uuid}`).send({ appointment_date: '2026-03-10T09:30:00' });
    expect(await minutes(uuid)).toBe(90);
    await clinic.put(`/appointments/${uuid}`).send({ appointment_type_id: plain.id });
    expect(await minutes(uuid)).toBe(30);
    await clinic.put(`/appointments/${uuid}`).send({ appointment_type_id: long.id });
    await clinic.put(`/appointments/${uuid}`).send({ appointment_type_id: null });
    expect(await minutes(uuid)).toBe(30);
  });

  it('stays what somebody set by hand while the type stays', async () => {
    const { organizationId } = clinic;
    const { uuid } = await appointment({ appointment_date: '2026-03-09T09:30:00' });
    await rows().appointment.update({ where: { organizationId_id: { organizationId, id: uuid } }, data: { durationMinutes: 45 } });
    await clinic.put(`/appointments/${uuid}`).send({ appointment_date: '2026-03-11T09:30:00' });
    expect(await minutes(uuid)).toBe(45);
  });
});
