import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createSurvey } from '../../../support/check-ins.ts';
import { createOffice, createPatient } from '../../../support/factories.ts';
import { changedIn, readPage, subscribed, waitUntil } from '../../practice/changes.ts';

const test = await sharedTestApp();
const db = test.database.prisma;

async function clinic() {
  const person = await signedInUser(test);
  const own = { organizationId: person.organizationId };
  const [app, system] = [await integrationClient(test, own), await practiceClient(test, own)];
  const chart = async (fields: object = {}) =>
    (await createPatient(db, { ...own, firstName: 'Ann', lastName: 'Lee', birthDate: new Date('1980-02-29'), ...fields })).id;
  const visit = async (patientId: number) =>
    (await app.post('/appointments').send({ patient_id: patientId, appointment_date: '2031-03-04T15:30:00Z' }).expect(200)).body.data.uuid;
  const merge = (into: number, body: object, query = '') => person.post(`/platform/v1/patients/${into}/merge${query}`).send(body);
  const undo = (into: number, query = '') => person.delete(`/platform/v1/patients/${into}/merge${query}`);
  const countRows = async (id: number) => ({
    appointments: await db.appointment.count({ where: { ...own, patientId: id } }),
    readings: await db.reading.count({ where: { ...own, patientId: id } }),
    insurances: (await db.insurance.findMany({ where: { ...own, patientId: id }, orderBy: { sequenceNumber: 'asc' } })).map(
      ({ planName, sequenceNumber }) => `${sequenceNumber} ${planName}`,
    ),
    texts: await db.smsMessage.count({ where: { ...own, patientId: id } }),
  });
  return { person, own, app, system, chart, visit, merge, undo, countRows };
}

/** Two charts of Ann: what the second has moves, but for what the first has, too. */
async function twice() {
  const practice = await clinic();
  const { own, chart, visit } = practice;
  const item = await db.item.create({ data: { ...own, name: 'Weight', unit: 'kg' } });
  const into = await chart({ email: 'ann@example.com' });
  const from = await chart({ mobilePhone: '+19195550123', email: 'other@example.com', medicalRecordNo: 'MRN-7', zip: '27601' });
  const measuredAt = new Date('2026-10-01T12:00:00Z');
  for (const patientId of [into, from])
    await db.reading.create({
      data: { ...own, patientId, itemId: item.id, value: 80, measuredAt, measuredOn: new Date('2026-10-01'), source: 'self' },
    });
  await db.reading.create({
    data: { ...own, patientId: from, itemId: item.id, value: 81, measuredAt: new Date(), measuredOn: new Date(), source: 'self' },
  });
  for (const [patientId, planName, sequenceNumber] of [
    [into, 'Evergreen', 1],
    [from, 'Evergreen', 1],
    [from, 'Cedar', 2],
  ] as const)
    await db.insurance.create({ data: { ...own, patientId, planName, sequenceNumber } });
  return { ...practice, into, from, appointment: await visit(from) };
}

describe('a merge', () => {
  it('leads what is below a chart to the other, and no deletion of the chart itself', async () => {
    const { own, into, from, merge } = await twice();
    await merge(into, { from }).then(({ status }) => expect(status).toBe(201));
    const manager = await practiceClient(test, { ...own, scopes: ['practice.read', 'practice.write', 'practice.admin'] });
    expect((await manager.put(`/patients/${from}`).type('form').send({ status: 'deleted' })).status).toBe(404);
    const [insurance] = await db.insurance.findMany({ where: { ...own, patientId: into } });
    const cancelled = await manager.delete(`/patients/${from}/insurances/${insurance?.id}`);
    expect([cancelled.status, cancelled.headers['merged-into']]).toEqual([200, String(into)]);
    expect(await db.patient.findFirst({ where: { ...own, id: into } })).toMatchObject({ status: 'active' });
  });

  it('moves what the other chart has, fills what this one lacks, and is the same in a dry run that changes nothing', async () => {
    const { into, from, merge, countRows, app, appointment } = await twice();
    const before = await countRows(from);
    const preview = await merge(into, { from, fields: [] }, '?dry_run=true');
    expect([preview.status, await countRows(from)]).toEqual([200, before]);
    const done = await merge(into, { from });
    expect(done.status, done.text).toBe(201);
    const { uuid, merged_at, undo_until, ...result } = done.body.data;
    expect(result).toEqual({
      patient_uuid: into,
      from_uuid: from,
      fields: {
        from: expect.arrayContaining(['mobile_phone', 'zip', 'medical_record_no']),
        kept: expect.arrayContaining(['email', 'first_name']),
      },
      moved: { appointment: 1, insurance: 1, reading: 1 },
    });
    expect(preview.body.data).toEqual({ ...result, uuid: null, merged_at: null, undo_until: null });
    expect([uuid, Date.parse(undo_until) - Date.parse(merged_at)]).toEqual([expect.any(Number), 30 * 86_400_000]);
    expect(await countRows(into)).toEqual({ appointments: 1, readings: 2, insurances: ['1 Evergreen', '2 Cedar'], texts: 0 });
    expect((await app.get(`/appointments/${appointment}`)).body.data.patient).toMatchObject({ uuid: into });
    expect((await app.get(`/patients/${into}`)).body.data).toMatchObject({
      email: 'ann@example.com',
      address: { zip: '27601' },
    });
  });

  it('takes a field that both have where it is named, and names a wrong one', async () => {
    const { into, from, merge, app } = await twice();
    const wrong = await merge(into, { from, fields: ['email', 'shoe_size'] });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/fields/1']);
    await merge(into, { from, fields: ['email'] }).expect(201);
    expect((await app.get(`/patients/${into}`)).body.data.email).toBe('other@example.com');
  });

  it('leads from the id of the other chart to this one at every door', async () => {
    const { into, from, merge, app, system, person, appointment, chart } = await twice();
    const child = await chart({ firstName: 'Kim' });
    await merge(into, { from }).expect(201);
    const answers = [
      await app.get(`/patients/${from}`),
      await system.get(`/patients/${from}`),
      await person.get(`/patients/${from}`),
      await system.get(`/patients/${from}/appointments?showpast=true`),
      await app.get(`/appointments?patient_id=${from}`),
      await app.put(`/patients/${from}`).send({ city: 'Cary' }),
      await app.post('/appointments').send({ patient_id: from, appointment_date: '2031-03-05T15:30:00Z' }),
      await person.get(`/appointments/patient/${from}`),
      await person.get(`/contacts/${from}`),
      await app.put(`/patients/${child}`).send({ guardian: { patient_uuid: from } }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['merged-into']])).toEqual(answers.map(() => [200, String(into)]));
    expect(answers[0]?.body.data).toMatchObject({ uuid: into });
    expect(answers[1]?.body[0]).toMatchObject({ patientid: String(into) });
    expect(answers[4]?.body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual([appointment]);
    expect(answers.at(-1)?.body.data.guardian).toMatchObject({ patient_uuid: into });
    const { id: survey_type_id } = await createSurvey(test, person.organizationId);
    const { uuid: contact_tag_uuid } = (await person.post('/contact-tags').send({ name: 'Interpreter', color: '#3366cc' })).body.data;
    const { id: room } = await db.waitingRoom.create({ data: { organizationId: person.organizationId, name: 'Lobby' } });
    const made = [
      await person.post('/checkin/send').send({ sms_email: 'ann@example.com', recipient_id: from, survey_type_id }),
      await person.post(`/contact-contact-tags/${from}`).send({ contact_tag_uuid }),
      await person.post(`/waiting-rooms/${room}/invite/${from}`).send({ email: 'ann@example.com' }),
    ];
    expect(made.map(({ headers }) => headers['merged-into'])).toEqual(made.map(() => String(into)));
    expect((await system.get(`/patients/${from}/photo`)).body).toEqual({ error: 'There is no such image.' });
    expect((await app.get(`/patients/${into}`)).headers).not.toHaveProperty('merged-into');
    expect((await app.get('/patients/2147483647')).headers).not.toHaveProperty('merged-into');
    await db.privacyRestriction.create({ data: { organizationId: person.organizationId, patientId: into, kind: 'record' } });
    const hidden = await app.get(`/appointments?patient_id=${from}`);
    expect([hidden.body.data, hidden.headers['merged-into']]).toEqual([[], undefined]);
    await db.privacyRestriction.deleteMany({ where: { organizationId: person.organizationId } });
    const again = await app.post('/appointments').set('idempotency-key', `merged-${from}`).send({ patient_id: from });
    const replayed = await app.post('/appointments').set('idempotency-key', `merged-${from}`).send({ patient_id: from });
    expect([again.status, replayed.status, replayed.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
  });

  it('is told: the other chart is withdrawn, and this one has merged', async () => {
    const { into, from, merge, system } = await twice();
    await subscribed(system, 'patients');
    await merge(into, { from }).expect(201);
    await waitUntil(system, 'patients', 2);
    const { records } = await readPage(system, 'patients');
    expect(records).toEqual([
      expect.objectContaining({ patientid: String(into), lastname: 'Lee' }),
      expect.objectContaining({ patientid: String(from), status: 'deleted' }),
    ]);
    expect(await changedIn(system, 'patients')).toEqual([]);
  });

  it('leads the numbers of the other chart in other systems to the one that goes on', async () => {
    const { app, person, chart, merge } = await clinic();
    const into = await chart({ medicalRecordNo: 'MRN-1' });
    const from = await chart({ medicalRecordNo: 'MRN-2', externalId: 'EXT-2' });
    await merge(into, { from }).then(({ status }) => expect(status).toBe(201));
    const byNumber = await app.get('/patients/mrn/MRN-2').expect(200);
    expect([byNumber.body.data.uuid, byNumber.headers['merged-into']]).toEqual([into, String(into)]);
    for (const query of ['external_id=EXT-2', 'med_rec_no=MRN-2', 'med_rec_no=MRN-1'])
      expect((await person.get(`/patients?${query}`)).body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual([into]);
  });

  it('is refused for the chart itself, an unknown one, a restricted one, and one that was merged before', async () => {
    const { into, from, merge, own, chart } = await twice();
    expect((await merge(into, { from: into })).body).toMatchObject({ status: 409, code: 'same_chart', errors: [{ pointer: '/from' }] });
    expect((await merge(into, { from: 2_147_483_647 })).status).toBe(404);
    const restricted = await chart();
    await db.privacyRestriction.create({ data: { ...own, patientId: restricted, kind: 'record' } });
    expect([(await merge(into, { from: restricted })).status, (await merge(restricted, { from: into })).status]).toEqual([404, 404]);
    await merge(into, { from }).expect(201);
    expect((await merge(into, { from })).status).toBe(404);
    expect((await merge(into, {})).status).toBe(400);
  });
});

describe('a merge that is undone', () => {
  it('gives everything back', async () => {
    const { into, from, merge, undo, countRows, app } = await twice();
    const [before, chart, other] = [await countRows(from), await app.get(`/patients/${into}`), await app.get(`/patients/${from}`)];
    await merge(into, { from, fields: ['email'] }).expect(201);
    await undo(into).expect(204);
    expect(await countRows(from)).toEqual(before);
    for (const [id, was] of [
      [into, chart],
      [from, other],
    ] as const) {
      const now = await app.get(`/patients/${id}`);
      expect(now.headers).not.toHaveProperty('merged-into');
      expect({ ...now.body.data, updated_at: null }).toEqual({ ...was.body.data, updated_at: null });
    }
    expect((await undo(into)).status).toBe(404);
  });

  it('is refused where something contradicts, or after thirty days', async () => {
    const { into, from, merge, undo, app, own } = await twice();
    await merge(into, { from }).expect(201);
    await app.put(`/patients/${into}`).send({ zip: '10001' }).expect(200);
    expect((await undo(into, `?from=${from}`)).body).toMatchObject({
      status: 409,
      code: 'merge_stands',
      detail: expect.stringContaining('zip'),
    });
    await app.put(`/patients/${into}`).send({ zip: '27601' }).expect(200);
    await db.patientMerge.updateMany({ where: own, data: { mergedAt: new Date(Date.now() - 31 * 86_400_000) } });
    expect((await undo(into)).body).toMatchObject({ status: 409, code: 'merge_stands' });
  });

  it('makes a chart restricted no longer whose restriction came with the other', async () => {
    const { own } = await clinic();
    const { organizationId } = own;
    const trusted = await signedInUser(test, { organizationId, type: 'admin' });
    const [into, from] = [(await createPatient(db, own)).id, (await createPatient(db, own)).id];
    await createOffice(db, own);
    expect((await trusted.post(`/platform/v1/patients/${into}/merge`).send({ from })).status).toBe(201);
    await trusted.delete(`/platform/v1/patients/${into}/merge`).expect(204);
  });
});

it('possible duplicates are pairs with the score of a registration and its reasons, the surest first; other people are in none', async () => {
  const { person, own, chart } = await clinic();
  const [one, same] = [await chart({ mobilePhone: '+19195550101' }), await chart({ lastName: 'LEE', mobilePhone: '+19195550101' })];
  const near = await chart({ firstName: 'Anna', email: 'a@example.com' });
  await chart({ firstName: 'Ben', lastName: 'Ode', birthDate: new Date('1990-01-01') });
  const hidden = await chart();
  await db.privacyRestriction.create({ data: { ...own, patientId: hidden, kind: 'record' } });
  const { data, meta } = (await person.get('/platform/v1/patients/possible-duplicates').expect(200)).body;
  expect(data.map(({ patients }: { patients: { uuid: number }[] }) => patients.map(({ uuid }) => uuid))).toEqual([
    [one, same],
    [one, near],
    [same, near],
  ]);
  expect(data[0]).toMatchObject({
    score: 32,
    reasons: ['same birth date', 'same last name', 'same first name', 'same telephone number'],
  });
  expect([meta.total, (await person.get('/platform/v1/patients/possible-duplicates?limit=1&page=9')).body.meta.total]).toEqual([3, 3]);
});
