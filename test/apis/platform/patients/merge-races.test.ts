import { expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../support/phone-numbers.ts';

const test = await sharedTestApp();
const { prisma: db, pool } = test.database;

/** Statements that wait for a lock. */
const WAITING = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const waiting = async (): Promise<number> => (await pool.query(WAITING)).rows[0].n;

it('leaves nothing behind that is written for the other chart while it runs', async () => {
  const person = await signedInUser(test);
  const own = { organizationId: person.organizationId };
  const [app, system] = [await integrationClient(test, own), await practiceClient(test, own)];
  await addPhoneNumber(db, { ...own, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1' });
  const item = await db.item.create({ data: { ...own, name: 'Weight', unit: 'kg' } });
  const into = (await createPatient(db, own)).id;
  const from = (await createPatient(db, { ...own, mobilePhone: anyNumber() })).id;
  const book = () => app.post('/appointments').send({ patient_id: from, appointment_date: '2031-03-04T15:30:00Z' });
  const booked = (await book()).body.data.uuid;
  const now = new Date();
  const { id: waitingRoomId } = await db.waitingRoom.create({ data: { ...own, name: 'Lobby' } });
  const visit = await db.waitingRoomVisit.create({ data: { ...own, waitingRoomId, patientId: from, enteredAt: now, lastSeenAt: now } });
  const client = await pool.connect();
  const measured = { patient_uuid: from, item_uuid: item.id, value: 82, unit: 'kg', measured_at: now.toISOString() };
  const writers = () => [
    person.post('/remote-patient-monitoring/readings').send(measured),
    book(),
    system.post(`/patients/${from}/insurances`).type('form').send({ insuranceplanname: 'Cedar' }),
    person.post(`/appointments/${booked}/send-sms`).send({ message: 'Call us.' }),
  ];
  try {
    // The last table of a merge: all others have moved by then.
    await client.query('BEGIN');
    await client.query('SELECT FROM waiting_room_visit WHERE organization_id = $1 AND id = $2 FOR UPDATE', [own.organizationId, visit.id]);
    const merging = person
      .post(`/platform/v1/patients/${into}/merge`)
      .send({ from })
      .then((one) => one);
    await expect.poll(waiting, { timeout: 5_000 }).toBe(1);
    const writing = writers().map((one) => one.then((answer) => answer));
    await expect.poll(waiting, { timeout: 5_000 }).toBe(1 + writing.length);
    await client.query('COMMIT');
    expect((await merging).status).toBe(201);
    for (const answer of await Promise.all(writing)) expect(answer.status, answer.text).toBeOneOf([200, 201]);
  } finally {
    client.release();
  }
  const countRecords = async (patientId: number) => {
    const where = { where: { ...own, patientId } };
    return [
      await db.reading.count(where),
      await db.appointment.count(where),
      await db.insurance.count(where),
      await db.smsMessage.count(where),
    ];
  };
  expect([await countRecords(from), await countRecords(into)]).toEqual([
    [0, 0, 0, 0],
    [1, 2, 1, 1],
  ]);
});
