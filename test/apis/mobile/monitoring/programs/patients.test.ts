import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient, createProvider } from '../../../../support/factories.ts';
import { type Person, shownPatients, uuids } from '../../people/people.ts';
import { createCheckIn, createItem, createProgram } from '../care.ts';

const RPM = '/remote-patient-monitoring';

const test = await sharedTestApp();
const own: Person = await signedInUser(test);
let organizationId: number;
beforeAll(async () => {
  ({ organizationId } = own);
});

const rows = () => test.database.prisma;
const monitored = (data: object = {}, person = own) =>
  createPatient(rows(), { organizationId: person.organizationId, flags: ['RPM'], ...data });
const listed = async (query = '', person = own) => uuids(await person.get(`${RPM}/patients?limit=1000&${query}`));
const review = (checkInId: number, patientId: number, data: object = {}) =>
  rows().checkInReview.create({
    data: { organizationId, checkInId, patientId, userId: own.user.id, minutes: 5, startedAt: new Date(), ...data },
  });

describe('a monitored patient', () => {
  it('is shown with chart, programs, conditions, last check-in and what waits for a review', async () => {
    const provider = await createProvider(rows(), { organizationId });
    const { id } = await monitored({ firstName: 'Rosa', lastName: 'Diaz', medicalRecordNo: 'M-1', primaryProviderId: provider.id });
    const item = await createItem(rows(), { organizationId, name: 'Pulse', unit: '/min', minTarget: 50, maxTarget: 90 });
    const program = await createProgram(rows(), { organizationId, name: 'Heart' });
    await own.post(`${RPM}/programs/add-patient`).send({ program_uuid: program.id, patient_uuid: id }).expect(201);
    const condition = (await own.post(`${RPM}/tracked-conditions`).send({ patient_uuid: id, icd_code: 'I50.9' })).body.data;
    const checkIns = [
      await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 8, readings: [{ itemId: item.id, value: 70 }] }),
      await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 6, readings: [{ itemId: item.id, value: 91 }] }),
      await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 4, readings: [{ itemId: item.id, value: 90 }] }),
      await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 2 }),
    ];
    const [good, high, taken, last] = checkIns.map((checkIn) => checkIn.id);
    await review(taken ?? 0, id);
    await review(good ?? 0, id, { deletedAt: new Date() });
    const { body } = await own.get(`${RPM}/patients/${id}`);
    const at = expect.stringMatching(/Z$/);
    expect(body.data).toMatchObject({
      ...(await own.get(`/patients/${id}`)).body.data,
      programs: [
        {
          uuid: program.id,
          name: 'Heart',
          enrolment_uuid: expect.any(Number),
          step: { uuid: program.steps[0], name: 'Consent', position: 1 },
          steps: 4,
          percent: 25,
          since: at,
          added_at: at,
        },
      ],
      tracked_conditions: [condition],
      last_checkin: { uuid: last, sent_at: at, answered_at: null, out_of_target: null, readings: [] },
      open_review_count: 2,
    });
    const target = { min: 50, max: 90, danger_min: null, danger_max: null, source: 'item', tracked_condition_uuids: [] };
    const pulse = { item: { uuid: item.id, name: 'Pulse', unit: '/min' }, target };
    expect(body.data.open_reviews).toEqual([
      { uuid: high, sent_at: at, answered_at: at, out_of_target: true, readings: [{ ...pulse, value: 91, out_of_target: true }] },
      { uuid: good, sent_at: at, answered_at: at, out_of_target: false, readings: [{ ...pulse, value: 70, out_of_target: false }] },
    ]);
    expect((await own.get(`${RPM}/patients?keyword=M-1`)).body.data).toEqual([body.data]);
    expect(await shownPatients(test, own, 'search')).toContainEqual([id]);
    expect(await shownPatients(test, own, 'read')).toContainEqual([id]);
  });

  it('waits for no review while one stands, however many come and go at once', async () => {
    const { id } = await monitored();
    const checkIn = await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 2, readings: [] });
    const waiting = async () => (await own.get(`${RPM}/patients/${id}`)).body.data.open_review_count;
    expect(await waiting()).toBe(1);
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => review(checkIn.id, id)));
    expect(await waiting()).toBe(0);
    const where = (one: number) => ({ organizationId_id: { organizationId, id: one } });
    const take = (one: number) => rows().checkInReview.update({ where: where(one), data: { deletedAt: new Date() } });
    const [last] = await Promise.all([review(checkIn.id, id), ...[first, ...others].map((one) => take(one?.id ?? 0))]);
    expect(await waiting()).toBe(0);
    await take(last.id);
    expect(await waiting()).toBe(1);
  });

  it('without anything yet is shown with nothing', async () => {
    const { id } = await monitored();
    expect((await own.get(`${RPM}/patients/${id}`)).body.data).toMatchObject({
      programs: [],
      tracked_conditions: [],
      last_checkin: null,
      open_review_count: 0,
      open_reviews: [],
    });
  });

  it('who left a program, and whose condition has ended, shows neither', async () => {
    const { id } = await monitored();
    const program = await createProgram(rows(), { organizationId, name: 'Left' });
    await own.post(`${RPM}/programs/add-patient`).send({ program_uuid: program.id, patient_uuid: id }).expect(201);
    await own.delete(`${RPM}/programs/${program.id}/patients/${id}`).expect(204);
    const { uuid } = (await own.post(`${RPM}/tracked-conditions`).send({ patient_uuid: id, icd_lex_code: 1 })).body.data;
    await own.delete(`${RPM}/tracked-conditions/${uuid}`).expect(204);
    expect((await own.get(`${RPM}/patients/${id}`)).body.data).toMatchObject({ programs: [], tracked_conditions: [] });
  });

  it('keeps what was measured against the target of its day when the target changes', async () => {
    const { id } = await monitored();
    const item = await createItem(rows(), { organizationId, name: 'Glucose', unit: 'mg/dL', maxTarget: 130 });
    const send = (min_target: number, max_target: number) => ({ items: [{ item_uuid: item.id, min_target, max_target }] });
    const { uuid } = (await own.post(`${RPM}/tracked-conditions`).send({ patient_uuid: id, icd_code: 'E11.9', ...send(70, 150) })).body
      .data;
    await rows().trackedCondition.update({
      where: { organizationId_id: { organizationId, id: uuid } },
      data: { createdAt: new Date(Date.now() - 5 * 86_400_000) },
    });
    await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 3, readings: [{ itemId: item.id, value: 140 }] });
    const state = async () => (await own.get(`${RPM}/patients/${id}`)).body.data.last_checkin.out_of_target;
    expect(await state()).toBe(false);
    await own.put(`${RPM}/tracked-conditions/${uuid}`).send(send(70, 120)).expect(200);
    expect(await state()).toBe(false);
    await createCheckIn(rows(), { organizationId, patientId: id, sentAgo: 0.999, readings: [{ itemId: item.id, value: 140 }] });
    await rows().checkIn.updateMany({
      where: { organizationId, patientId: id, sentAt: { gt: new Date(Date.now() - 86_400_000) } },
      data: { answeredAt: new Date() },
    });
    expect(await state()).toBe(true);
  });

  it('has the flag in whichever case; without it there is none, and none where the chart is not listed', async () => {
    const [small, mixed] = [await monitored({ flags: ['x', 'rpm'] }), await monitored({ flags: ['rPm'] })];
    const others = [
      await monitored({ flags: ['RPM2'] }),
      await monitored({ flags: [] }),
      await monitored({ status: 'deleted' }),
      await monitored(),
    ];
    await rows().privacyRestriction.create({ data: { organizationId, patientId: others[3]?.id ?? 0, kind: 'blocked' } });
    const all = await listed();
    expect(all).toEqual(expect.arrayContaining([small.id, mixed.id]));
    for (const { id } of [small, mixed]) expect((await own.get(`${RPM}/patients/${id}?sort=id&order=DESC`)).status).toBe(200);
    for (const { id } of others) {
      expect(all).not.toContain(id);
      expect((await own.get(`${RPM}/patients/${id}`)).body).toMatchObject({ status: 404, code: 'patient_not_found' });
    }
  });
});
