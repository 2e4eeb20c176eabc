import { describe, expect, it } from 'vitest';
import { type Actor, integrationClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { sentCheckIn, surveyingPractice } from '../support/check-ins.ts';
import { createPatient } from '../support/factories.ts';

/** Ids of records that accumulate with use: 64 bits in the database, JSON integers to 2^53 - 1 on the wire. */

const test = await sharedTestApp();
const PAST_32_BITS = 2 ** 32;
const TOO_LARGE = ['9007199254740992', '18446744073709551616'];

const rows = () => test.database.prisma;

/** The names of the events of a record, and the actions of the audit rows that name it. */
async function traces(organizationId: number, subject: string, id: number) {
  const [events, audits] = await Promise.all([
    rows().event.findMany({ where: { organizationId, subjectType: subject, subjectId: id }, orderBy: { id: 'asc' } }),
    rows().auditEntry.findMany({ where: { organizationId, resource: subject, resourceIds: { has: id } }, orderBy: { id: 'asc' } }),
  ]);
  return { events: events.map(({ name }) => name), audits: new Set(audits.map(({ action }) => action)) };
}

const uuids = (answer: { body: { data: { uuid: number }[] } }) => answer.body.data.map(({ uuid }) => uuid);

describe('an appointment with an id past 32 bits', () => {
  it.each([
    ['integration', integrationClient, (who: Actor, path: string, body: object) => who.put(path).send(body)],
    ['mobile', signedInUser, (who: Actor, path: string, body: object) => who.post(path).send(body)],
  ] as const)('is made, read, listed, changed and cancelled over the %s API', async (_, join, change) => {
    const who = await join(test);
    const { organizationId } = who;
    const patient = await createPatient(rows(), { organizationId });
    const made = await who.post('/appointments/').send({ appointment_date: '2031-01-15T10:00:00', patient_id: patient.id });
    const { uuid } = made.body.data;
    expect(uuid).toBeGreaterThan(PAST_32_BITS);
    const path = `/appointments/${uuid}`;
    expect((await who.get(path)).body.data.uuid).toBe(uuid);
    expect((await change(who, path, { appointment_date: '2031-01-16T10:00:00' })).body.data.uuid).toBe(uuid);
    if (join === signedInUser) expect(uuids(await who.get(`/appointments/patient/${patient.id}`))).toEqual([uuid]);
    expect((await who.delete(path)).status).toBeLessThan(300);
    expect((await who.get(path)).status).toBe(404);
    const { events, audits } = await traces(organizationId, 'appointment', uuid);
    expect(events).toEqual(['appointment.scheduled', 'appointment.moved', 'appointment.cancelled']);
    for (const action of ['create', 'read', 'update', 'cancel']) expect(audits).toContain(action);
  });
});

describe('a check-in with an id past 32 bits', () => {
  it('is sent by a text, answered, listed and reviewed', async () => {
    const practice = await surveyingPractice(test);
    const { person, organizationId } = practice;
    const { id, path, recipient } = await sentCheckIn(test, practice);
    const { smsMessageId } = await rows().checkIn.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
    expect(Math.min(id, Number(smsMessageId))).toBeGreaterThan(PAST_32_BITS);
    expect(uuids(await person.get(`/sms-messages?patient=${recipient.id}`))).toEqual([smsMessageId]);
    const answers = { answer_systolic: '140', answer_symptom: 'None', answer_feeling: '3', answer_slept: 'yes' };
    expect((await test.http.post(path).type('form').send(answers)).status).toBeLessThan(400);
    const [reading] = await rows().reading.findMany({ where: { organizationId, checkInId: id } });
    expect(reading?.id).toBeGreaterThan(PAST_32_BITS);
    expect(JSON.stringify((await person.get(`/remote-patient-monitoring/checkins/patients/${recipient.id}`)).body)).toContain(String(id));
    await rows().checkIn.update({
      where: { organizationId_id: { organizationId, id } },
      data: { sentAt: new Date(Date.now() - 3_600_000) },
    });
    const review = await person.post('/remote-patient-monitoring/checkin-reviews').send({ checkin_uuid: id, message: 'Well.', minutes: 5 });
    expect(review.body).toMatchObject({ data: { checkin_uuid: id, uuid: expect.any(Number) } });
    expect((await traces(organizationId, 'check_in', id)).events).toContain('check_in.answered');
    expect((await traces(organizationId, 'check_in_review', review.body.data.uuid)).events).toEqual(['check_in_review.created']);
  });
});

describe('an id larger than 2^53 - 1', () => {
  it.each(TOO_LARGE)('is refused, as %s', async (id) => {
    const [clinic, person] = [await integrationClient(test), await signedInUser(test)];
    const answers = [
      await clinic.get(`/appointments/${id}`),
      await clinic.put(`/appointments/${id}`).send({}),
      await clinic.delete(`/appointments/${id}`),
      await person.get(`/appointments/${id}`),
      await person.post(`/appointments/${id}`).send({}),
      await person.delete(`/appointments/${id}`),
      await person.post(`/appointments/${id}/send-sms`).send({ message: 'Hello.' }),
      await person.get(`/sms-messages?appointment=${id}`),
      await person.get(`/remote-patient-monitoring/checkin-reviews/${id}`),
      await person.post('/remote-patient-monitoring/checkin-reviews').send({ checkin_uuid: Number(id) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  });
});

describe('a statement of the server', () => {
  it('has 64-bit integers as numbers, through Prisma and past it', async () => {
    const sql = 'SELECT 9007199254740991::bigint AS id, NULL::bigint AS none, count(*) AS n FROM (VALUES (1), (2)) AS v (i)';
    const expected = { id: Number.MAX_SAFE_INTEGER, none: null, n: 2 };
    expect((await test.database.pool.query(sql)).rows).toEqual([expected]);
    expect(await rows().$queryRawUnsafe(sql)).toEqual([expected]);
    expect(await rows().$transaction((tx) => tx.$queryRawUnsafe(sql))).toEqual([expected]);
  });

  it('never shows a larger one as a number that is not the same', async () => {
    const sql = 'SELECT 9007199254740993::bigint AS id';
    await expect(test.database.pool.query(sql)).rejects.toThrow('larger than 2^53 - 1');
    expect(await rows().$queryRawUnsafe(sql)).toEqual([{ id: 9007199254740993n }]);
    const { id: organizationId } = await rows().organization.create({ data: { name: 'Large', timeZone: 'UTC' } });
    await test.database.pool.query(
      'INSERT INTO opt_out (organization_id, id, number, opted_out, keyword, source) VALUES ($1, $2, $3, true, $3, $3)',
      [...[organizationId, '9007199254740993'], 'x'],
    );
    await expect(rows().optOut.findMany({ where: { organizationId } })).rejects.toThrow('too large');
  });
});
