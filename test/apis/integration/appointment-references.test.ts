import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createOffice, createPatient, createUser } from '../../support/factories.ts';
import { expectException, storedRows } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const stranger = await integrationClient(test);

const rows = () => test.database.prisma;
const NOWHERE = 2_147_483_647;

describe('what an appointment refers to', () => {
  it.each([
    ['patient_id', (organizationId: number) => createPatient(rows(), { organizationId })],
    ['appointment_type_id', (organizationId: number) => createAppointmentType(rows(), { organizationId })],
    ['office_id', (organizationId: number) => createOffice(rows(), { organizationId })],
  ])('is refused by name when %s is another organization’s, in the same words as an id that exists nowhere', async (field, create) => {
    const { id } = await create(stranger.organizationId);
    const standing = (await clinic.post('/appointments').send({})).body.data.uuid;
    const before = await storedRows(test.database, clinic);
    for (const send of [
      (body: object) => clinic.post('/appointments').send(body),
      (body: object) => clinic.put(`/appointments/${standing}`).send(body),
    ]) {
      const theirs = await send({ [field]: id, appointment_date: '2026-03-09T09:30:00' });
      const nobodys = await send({ [field]: NOWHERE, appointment_date: '2026-03-09T09:30:00' });
      expectException(theirs, 404, field);
      expect(theirs.body).toEqual(nobodys.body);
    }
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });
});

describe('a cancelled appointment', () => {
  it('is gone for every reader and kept for the history', async () => {
    const { uuid } = (await clinic.post('/appointments').send({ appointment_date: '2026-03-09T09:30:00' })).body.data;
    const cancelled = await clinic.delete(`/appointments/${uuid}`);
    expect({ status: cancelled.status, body: cancelled.body }).toEqual({ status: 200, body: { message: expect.any(String) } });
    expectException(await clinic.get(`/appointments/${uuid}`), 404, null);
    expectException(await clinic.put(`/appointments/${uuid}`).send({}), 404, null);
    expectException(await clinic.delete(`/appointments/${uuid}`), 404, null);
    const { organizationId } = clinic;
    expect(await rows().appointment.findUnique({ where: { organizationId_id: { organizationId, id: uuid } } })).toMatchObject({
      status: 'cancelled',
      cancelledAt: expect.any(Date),
    });
  });

  it('is cancelled once by many who try at once', async () => {
    const { uuid } = (await clinic.post('/appointments').send({})).body.data;
    const answers = await Promise.all(Array.from({ length: 8 }, () => clinic.delete(`/appointments/${uuid}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    expect(
      await rows().event.count({ where: { organizationId: clinic.organizationId, subjectId: uuid, name: 'appointment.cancelled' } }),
    ).toBe(1);
  });
});

describe('double booking', () => {
  /** Two appointments of one user, an hour apart, in an organization with that policy. */
  async function twoOfOneUser(doubleBooking: 'allow' | 'refuse') {
    const careful = await integrationClient(test, { organization: { doubleBooking } });
    const { organizationId } = careful;
    const { user } = await createUser(rows(), { organizationId });
    const [first, second] = await Promise.all(
      ['2026-03-09T09:00:00', '2026-03-09T10:00:00'].map(
        async (appointment_date) => (await careful.post('/appointments').send({ appointment_date })).body.data.uuid,
      ),
    );
    for (const appointmentId of [first, second])
      await rows().userAppointment.create({ data: { organizationId, appointmentId, userId: user.id } });
    return { careful, second };
  }

  it('is refused where the organization wants that, and the appointment stays where it was', async () => {
    const { careful, second } = await twoOfOneUser('refuse');
    const before = await storedRows(test.database, careful);
    expectException(
      await careful.put(`/appointments/${second}`).send({ appointment_date: '2026-03-09T09:15:00' }),
      409,
      'appointment_date',
    );
    expect(await storedRows(test.database, careful)).toEqual(before);
    expect((await careful.put(`/appointments/${second}`).send({ appointment_date: '2026-03-09T09:30:00' })).status).toBe(200);
  });

  it('is allowed elsewhere', async () => {
    const { careful, second } = await twoOfOneUser('allow');
    expect((await careful.put(`/appointments/${second}`).send({ appointment_date: '2026-03-09T09:15:00' })).status).toBe(200);
  });
});

describe('the audit', () => {
  it('names the appointment and the patient whose chart an answer shows', async () => {
    const { organizationId } = clinic;
    const patient = await createPatient(rows(), { organizationId });
    const created = await clinic.post('/appointments').send({ patient_id: patient.id });
    const { uuid } = created.body.data;
    const answers = [
      created,
      await clinic.get(`/appointments/${uuid}`),
      await clinic.put(`/appointments/${uuid}`).send({ appointment_date: '2026-03-09T09:30:00' }),
      await clinic.put(`/appointments/${uuid}`).send({}),
      await clinic.delete(`/appointments/${uuid}`),
    ];
    const audited = await Promise.all(
      answers.map(async ({ headers }) => {
        const entries = await rows().auditEntry.findMany({
          where: { organizationId, requestId: String(headers['x-request-id']) },
          orderBy: { id: 'asc' },
        });
        return entries.map(({ action, resource, resourceIds }) => `${action} ${resource} ${resourceIds}`).sort();
      }),
    );
    const shown = `read patient ${patient.id}`;
    expect(audited).toEqual([
      [`create appointment ${uuid}`, shown],
      [`read appointment ${uuid}`, shown],
      [shown, `update appointment ${uuid}`],
      [`read appointment ${uuid}`, shown],
      [`cancel appointment ${uuid}`, `update patient ${patient.id}`],
    ]);
  });
});

describe('a booking beside a change of its chart that is not yet committed', () => {
  it.each([
    ["status = 'deleted'", 404],
    ["deceased_date = '2026-01-01'", 409],
  ])('waits for it, and is refused where it set %s', async (change, status) => {
    const { organizationId } = clinic;
    const { id } = await createPatient(rows(), { organizationId });
    const client = await test.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`UPDATE patient SET ${change} WHERE organization_id = $1 AND id = $2`, [organizationId, id]);
      const booking = clinic.post('/appointments').send({ patient_id: id, appointment_date: '2126-03-09T09:30:00' });
      const answer = booking.then((one) => one);
      const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`;
      await expect.poll(async () => (await test.database.pool.query(waiting)).rows[0].n, { timeout: 3_000 }).toBe(1);
      await client.query('COMMIT');
      expect((await answer).status).toBe(status);
    } finally {
      client.release();
    }
  });
});
