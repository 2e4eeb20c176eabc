import { beforeEach, describe, expect, it } from 'vitest';
import { closeMonths } from '../../../../../src/jobs/due-work.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { createCheckIn, createReading, createReview, monthsAgo, openMeasuring } from '../readings/reported.ts';

const LEDGER = '/remote-patient-monitoring/ledger';
const MONTH = monthsAgo(2);

const test = await sharedTestApp();
let admin: Awaited<ReturnType<typeof signedInUser>>;
let organizationId: number;
beforeEach(async () => {
  admin = await signedInUser(test, { type: 'admin' });
  organizationId = admin.organizationId;
});

const rows = () => test.database.prisma;
const readRow = async (patientId = 0) => (await admin.get(`${LEDGER}?month=${MONTH}&patient_uuid=${patientId}`).expect(200)).body.data[0];
const close = (data: object = {}) => admin.post(`${LEDGER}/${MONTH}/close`).send(data);

it('a closed month has not changed where readings are left out for several reasons, in whatever order they were measured', async () => {
  const measuring = await openMeasuring(rows(), organizationId);
  for (const order of Array.from({ length: 4 }, () => [['self', 'staff'] as const, ['staff', 'self'] as const]).flat()) {
    const { id: patientId } = await createPatient(rows(), { organizationId });
    for (const source of order) await createReading(rows(), measuring, { organizationId, patientId, on: `${MONTH}-02`, source });
  }
  await close().expect(201);
  const { data } = (await admin.get(`${LEDGER}?month=${MONTH}`).expect(200)).body;
  expect(data.map((row: { pending_corrections: string[] }) => row.pending_corrections)).toEqual(Array.from({ length: 8 }, () => []));
});

describe('what is written after the closing', () => {
  it('is stored, and the answer names the closed months that it concerns', async () => {
    const { systolic } = await openMeasuring(rows(), organizationId);
    const checkIn = await createCheckIn(rows(), { organizationId, sentAt: new Date(`${MONTH}-01T12:00:00Z`) });
    const patient_uuid = checkIn.patientId;
    await close().expect(201);
    const named = (answer: { headers: Record<string, string> }) => answer.headers['warning-fields'];
    const work = { checkin_uuid: checkIn.id, minutes: 20, reason: 'Noted on paper.' };
    const review = await admin
      .post('/remote-patient-monitoring/checkin-reviews')
      .send({ ...work, started_at: `${MONTH}-05T15:00:00Z` })
      .expect(201);
    expect(named(review)).toBe(`closed_month.${MONTH}`);
    const present = await admin
      .post('/remote-patient-monitoring/checkin-reviews')
      .send({ ...work, minutes: 1 })
      .expect(201);
    expect(named(present) ?? '').not.toContain('closed_month');
    expect(named(await admin.delete(`/remote-patient-monitoring/checkin-reviews/${review.body.data.uuid}`))).toBe(`closed_month.${MONTH}`);
    const measured = (measured_at: string) =>
      admin
        .post('/remote-patient-monitoring/readings')
        .send({ patient_uuid, item_uuid: systolic.id, value: 120, unit: 'mmHg', measured_at, device: { identifier: 'cuff' } })
        .expect(201);
    expect(named(await measured(`${MONTH}-05T15:00:00Z`))).toBe(`closed_month.${MONTH}`);
    expect(named(await measured(new Date().toISOString()))).toBeUndefined();
    const consented = (given_at: string) =>
      admin.post(`/remote-patient-monitoring/patients/${patient_uuid}/consent`).send({ how: 'verbal', given_at }).expect(201);
    expect(named(await consented(`${monthsAgo(3)}-05T15:00:00Z`))).toBe(`closed_month.${MONTH}`);
    expect(named(await consented(new Date().toISOString()))).toBeUndefined();
  });
});

describe('a month of many patients', () => {
  const closing = async () => (await admin.get(`${LEDGER}/${MONTH}/close`).expect(200)).body.data;

  /** More patients than one step works out, in a program all October. */
  async function manyPatients() {
    const data = Array.from({ length: 260 }, () => ({ organizationId, firstName: 'Pat', lastName: 'Many' }));
    const patients = await rows().patient.createManyAndReturn({ data, select: { id: true } });
    const program = await rows().program.create({ data: { organizationId, name: 'At home' } });
    const addedAt = new Date(`${MONTH}-01T12:00:00Z`);
    await rows().programPatient.createMany({
      data: patients.map(({ id: patientId }) => ({ organizationId, programId: program.id, patientId, addedAt })),
    });
    return patients.map(({ id }) => id);
  }

  it('is closed by the worker, in one step at the end; a worker that was killed is followed by another', async () => {
    expect(await closing()).toMatchObject({ state: 'open', patients: 0, requested_at: null, hash: null });
    const ids = await manyPatients();
    const asked = (await close().expect(201)).body.data;
    expect(asked).toMatchObject({
      state: 'closing',
      patients: 260,
      patients_done: 0,
      requested_by: { uuid: admin.user.id },
      closed_at: null,
    });
    expect((await close({ leave_held: true }).expect(201)).body.data).toEqual(asked);
    await closeMonths(test.services, 1);
    expect(await closing()).toEqual({ ...asked, patients_done: 250 });
    expect(await readRow(ids[0])).toMatchObject({ closed: null, versions: [] });
    // The settings of the request count until the end.
    await rows().organization.update({ where: { id: organizationId }, data: { monitoringReadings: 'any' } });
    await Promise.all([closeMonths(test.services), closeMonths(test.services)]);
    await closeMonths(test.services);
    const closed = await closing();
    expect(closed).toMatchObject({ state: 'closed', patients_done: 260, rows: 260, closed_by: { uuid: admin.user.id } });
    expect((await admin.get(`${LEDGER}/${MONTH}/verify`).expect(200)).body.data).toMatchObject({
      rows: 260,
      intact: true,
      hash: closed.hash,
    });
    expect(await readRow(ids[259])).toMatchObject({ closed: { hash: closed.hash }, readings_policy: 'device', pending_corrections: [] });
    expect(await rows().monthClosingRow.count({ where: { organizationId } })).toBe(0);
    expect((await close()).body.code).toBe('already_closed');
  });

  it('stays open where the worker finds open holds, and is closed when they are released', async () => {
    const [first = 0] = await manyPatients();
    const checkIn = await createCheckIn(rows(), { organizationId, patientId: first, sentAt: new Date(`${MONTH}-01T12:00:00Z`) });
    const startedAt = new Date(`${MONTH}-03T15:00:00Z`);
    const long = await createReview(rows(), checkIn, { userId: admin.user.id, startedAt, minutes: 70 });
    await close().expect(201);
    await closeMonths(test.services);
    expect(await closing()).toMatchObject({ state: 'refused', held: 1, rows: null, hash: null });
    await admin.post(`${LEDGER}/releases`).send({ kind: 'long_review', review_uuid: long.id, reason: 'Seen in the call log.' }).expect(201);
    await close().expect(201);
    await closeMonths(test.services);
    expect(await closing()).toMatchObject({ state: 'closed', held: 0, rows: 260 });
  });
});
