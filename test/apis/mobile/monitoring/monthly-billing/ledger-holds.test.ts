import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient, createUser } from '../../../../support/factories.ts';
import { createCheckIn, createConsent, createReading, createReview, type Measuring, openMeasuring } from '../readings/reported.ts';

const LEDGER = '/remote-patient-monitoring/ledger';
const MONTH = '2026-10';

const test = await sharedTestApp();
let admin: Awaited<ReturnType<typeof signedInUser>>;
let organizationId: number;
let measuring: Measuring;
beforeEach(async () => {
  admin = await signedInUser(test, { type: 'admin' });
  organizationId = admin.organizationId;
  measuring = await openMeasuring(rows(), organizationId);
});

const rows = () => test.database.prisma;

/** A patient who consented, with readings on the first 16 days of October. */
async function patient(days = 16) {
  const { id } = await createPatient(rows(), { organizationId, firstName: 'Rosa', lastName: 'Diaz' });
  await createConsent(rows(), { organizationId, patientId: id });
  for (let day = 1; day <= days; day += 1) await measured(id, day);
  return id;
}

const measured = (patientId: number, day: number) =>
  createReading(rows(), measuring, { organizationId, patientId, on: `${MONTH}-${String(day).padStart(2, '0')}` });

/** Work on a patient, by a colleague of its own unless given otherwise. */
async function worked(patientId: number, at: string, minutes: number, data: object = {}) {
  const checkIn = await createCheckIn(rows(), { organizationId, patientId, sentAt: new Date(`${MONTH}-01T12:00:00Z`) });
  const { user } = await createUser(rows(), { organizationId });
  return createReview(rows(), checkIn, { userId: user.id, startedAt: new Date(`${MONTH}-${at}:00Z`), minutes, liveContact: true, ...data });
}

const readRow = async (patientId: number) =>
  (await admin.get(`${LEDGER}?month=${MONTH}&patient_uuid=${patientId}`).expect(200)).body.data[0];
const release = (data: object) => admin.post(`${LEDGER}/releases`).send({ reason: 'Seen in the call log.', ...data });
const writeCodes = ({ codes }: { codes: { code: string; units: number }[] }) => codes.map(({ code, units }) => `${code}x${units}`);

describe('a hold', () => {
  it('of a review leaves its minutes out, until an admin releases it and says why', async () => {
    const id = await patient();
    await worked(id, '03T15:00', 20);
    const long = await worked(id, '04T15:00', 61);
    const held = await readRow(id);
    expect(held).toMatchObject({ minutes: 20, reviews: 2, holds: [{ kind: 'long_review', review_uuid: long.id, released: null }] });
    expect(held.left_out).toEqual([{ kind: 'reviews', code: null, count: 1, why: 'held: 61 minutes, more than 60' }]);
    const { body } = await release({ kind: 'long_review', review_uuid: long.id }).expect(201);
    expect(body.data).toMatchObject({ kind: 'long_review', review_uuid: long.id, patient_uuid: id, released_by: { uuid: admin.user.id } });
    const free = await readRow(id);
    expect(free).toMatchObject({ minutes: 81, left_out: [] });
    expect(free.holds).toMatchObject([{ released: { by: { uuid: admin.user.id }, reason: 'Seen in the call log.' } }]);
    const review = await admin.get(`/remote-patient-monitoring/checkin-reviews/${long.id}`);
    expect(review.body.data.holds).toMatchObject([{ kind: 'long_review', released: { reason: 'Seen in the call log.' } }]);
    const again = await release({ kind: 'long_review', review_uuid: long.id });
    expect([again.status, again.body.code]).toEqual([409, 'already_released']);
    const audit = await rows().auditEntry.findFirst({ where: { organizationId, resource: 'review_release', action: 'create' } });
    expect(audit).toMatchObject({ resourceIds: [body.data.uuid], patientIds: [id] });
  });

  it('of two reviews at the same time is of both, whoever the patients are, and each is released by itself', async () => {
    const [one, other] = [await patient(2), await patient(2)];
    const { user } = await createUser(rows(), { organizationId });
    const first = await worked(one, '03T15:00', 20, { userId: user.id });
    await worked(other, '03T15:10', 20, { userId: user.id });
    expect([(await readRow(one)).minutes, (await readRow(other)).minutes]).toEqual([0, 0]);
    await release({ kind: 'overlapping_reviews', review_uuid: first.id }).expect(201);
    expect([(await readRow(one)).minutes, (await readRow(other)).minutes]).toEqual([20, 0]);
    // The admin did not know of a third one: what it overlaps with is held again, and can be released again.
    const third = await worked(await patient(1), '03T15:05', 5, { userId: user.id });
    expect((await readRow(one)).holds).toMatchObject([{ released: null, text: expect.stringContaining(String(third.id)) }]);
    expect((await readRow(one)).minutes).toBe(0);
    await release({ kind: 'overlapping_reviews', review_uuid: first.id }).expect(201);
    expect((await readRow(one)).minutes).toBe(20);
  });

  it('of units is of those beyond four, and of further ones again', async () => {
    const id = await patient();
    for (const day of ['03', '04']) await worked(id, `${day}T15:00`, 60);
    const units = { kind: 'too_many_units', patient_uuid: id, month: MONTH };
    const hold = { kind: 'too_many_units', code: '99458', units: 1, text: '5 units of 99458, more than 4', released: null };
    expect(await readRow(id)).toMatchObject({ minutes: 120, holds: [hold] });
    expect(writeCodes(await readRow(id))).toEqual(['99454x1', '99457x1', '99458x4']);
    expect((await release(units).expect(201)).body.data).toMatchObject({ units: 5, review_uuid: null, month: MONTH });
    expect(writeCodes(await readRow(id))).toEqual(['99454x1', '99457x1', '99458x5']);
    await worked(id, '05T15:00', 20);
    expect(writeCodes(await readRow(id))).toEqual(['99454x1', '99457x1', '99458x5']);
    expect((await readRow(id)).holds).toMatchObject([{ units: 1, released: null }, { released: { reason: 'Seen in the call log.' } }]);
  });

  it.each([
    [{ kind: 'long_review' }, 400, '/review_uuid'],
    [{ kind: 'too_many_units' }, 400, '/patient_uuid'],
    [{ kind: 'too_many_units', patient_uuid: 999_999_999, month: MONTH }, 404, '/patient_uuid'],
    [{ kind: 'long_review', review_uuid: 999_999_999 }, 404, '/review_uuid'],
    [{ kind: 'colour', review_uuid: 1 }, 400, '/kind'],
    [{ kind: 'long_review', review_uuid: 1, reason: ' \u200b\u00ad' }, 400, '/reason'],
    [{ kind: 'long_review', review_uuid: 1, reason: '' }, 400, '/reason'],
  ])('named %j is refused', async (data, status, pointer) => {
    const answer = await release(data);
    expect([answer.status, answer.body.errors[0]?.pointer]).toEqual([status, pointer]);
  });

  it('is where something is held, and its release an admin’s', async () => {
    const id = await patient(1);
    const { id: reviewId } = await worked(id, '03T15:00', 20);
    const unheld = await release({ kind: 'long_review', review_uuid: reviewId });
    expect([unheld.status, unheld.body.code]).toEqual([409, 'not_held']);
    const units = await release({ kind: 'too_many_units', patient_uuid: id, month: MONTH });
    expect([units.status, units.body.code]).toEqual([409, 'not_held']);
    const nurse = await signedInUser(test, { organizationId });
    await nurse.post(`${LEDGER}/releases`).send({ kind: 'long_review', review_uuid: reviewId, reason: 'Mine.' }).expect(403);
    await nurse.post(`${LEDGER}/${MONTH}/close`).send({}).expect(403);
  });
});
