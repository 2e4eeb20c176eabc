import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';
import { expectException, storedRows } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const stranger = await integrationClient(test);

const rows = () => test.database.prisma;

describe('a medical record number', () => {
  it.each([
    'a/b',
    '/',
    'a b',
    '100%',
    'a%2Fb',
    '%00',
    'a+b',
    'a?b=c&d',
    'a#b',
    'Ä-ß-ñ',
    '病历-17',
    '😀'.repeat(16),
    'mrn',
    'a;b,c',
    "O'Brien",
    '"quoted"',
    '\\',
    'A'.repeat(64),
    '病'.repeat(64),
  ])('of %j is stored and found as it is', async (med_rec_no) => {
    const created = await clinic.post('/patients').send({ med_rec_no });
    expect(created.status, created.text).toBe(200);
    expect(created.body.data.med_rec_no).toBe(med_rec_no);
    const found = await clinic.get(`/patients/mrn/${encodeURIComponent(med_rec_no)}`);
    expect(found.status, found.text).toBe(200);
    expect(found.body).toEqual(created.body);
  });

  it('is one with and without the blanks around it, and of whatever kind they are inside', async () => {
    const { uuid } = (await clinic.post('/patients').send({ med_rec_no: '\u00a0HV \t 10001\u200b' })).body.data;
    for (const med_rec_no of [' HV 10001', 'HV\u00a010001', 'HV  10001 ']) {
      expectException(await clinic.post('/patients').send({ med_rec_no }), 409, 'med_rec_no');
      const found = await clinic.get(`/patients/mrn/${encodeURIComponent(med_rec_no)}`);
      expect(found.body.data).toMatchObject({ uuid, med_rec_no: 'HV 10001' });
    }
    expectException(await clinic.get('/patients/mrn/%20'), 400, 'mrn');
  });

  it('tells small letters from capitals', async () => {
    await clinic.post('/patients').send({ med_rec_no: 'case-a' });
    expectException(await clinic.get('/patients/mrn/CASE-A'), 404, null);
    expect((await clinic.post('/patients').send({ med_rec_no: 'CASE-A' })).status).toBe(200);
  });

  it('belongs to one patient: a second is refused with the id of the first, on create and on update', async () => {
    const first = (await clinic.post('/patients').send({ med_rec_no: 'taken' })).body.data;
    const other = (await clinic.post('/patients').send({ med_rec_no: 'mine' })).body.data;
    const before = await storedRows(test.database, clinic);
    const created = await clinic.post('/patients').send({ firstname: 'Ann', med_rec_no: 'taken' });
    const updated = await clinic.put(`/patients/${other.uuid}`).send({ firstname: 'Ann', med_rec_no: 'taken' });
    for (const answer of [created, updated]) {
      expectException(answer, 409, 'med_rec_no');
      expect(answer.body.message).toMatch(new RegExp(`\\b${first.uuid}\\b`));
    }
    expect(await storedRows(test.database, clinic)).toEqual(before);
    expect((await clinic.put(`/patients/${first.uuid}`).send({ med_rec_no: 'taken', firstname: 'Bo' })).status).toBe(200);
  });

  it('is free again when its patient gives it up', async () => {
    const { uuid } = (await clinic.post('/patients').send({ med_rec_no: 'passed on' })).body.data;
    await clinic.put(`/patients/${uuid}`).send({ med_rec_no: null });
    expectException(await clinic.get('/patients/mrn/passed%20on'), 404, null);
    expect((await clinic.post('/patients').send({ med_rec_no: 'passed on' })).status).toBe(200);
  });

  it('of twenty parallel creates goes to one, and the others are told whose it is', async () => {
    for (let round = 0; round < 3; round += 1) {
      const med_rec_no = `parallel-${round}`;
      const answers = await Promise.all(Array.from({ length: 20 }, () => clinic.post('/patients').send({ med_rec_no })));
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      const losers = answers.filter(({ status }) => status !== 200);
      expect(losers).toHaveLength(19);
      for (const loser of losers) {
        expectException(loser, 409, 'med_rec_no');
        expect(loser.body.message).toMatch(new RegExp(`\\b${winner?.body.data.uuid}\\b`));
      }
      const { organizationId } = clinic;
      expect(await rows().patient.count({ where: { organizationId, medicalRecordNo: med_rec_no } })).toBe(1);
      expect(await rows().event.count({ where: { organizationId, subjectType: 'patient', subjectId: winner?.body.data.uuid } })).toBe(1);
    }
  });

  it('of parallel updates goes to one patient too', async () => {
    const patients = await Promise.all(Array.from({ length: 8 }, () => createPatient(rows(), { organizationId: clinic.organizationId })));
    const answers = await Promise.all(patients.map(({ id }) => clinic.put(`/patients/${id}`).send({ med_rec_no: 'sought after' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('may be the same in two organizations, and each finds its own patient', async () => {
    const [ours, theirs] = await Promise.all([clinic, stranger].map((client) => client.post('/patients').send({ med_rec_no: 'common' })));
    expect([ours?.status, theirs?.status]).toEqual([200, 200]);
    expect((await clinic.get('/patients/mrn/common')).body).toEqual(ours?.body);
    expect((await stranger.get('/patients/mrn/common')).body).toEqual(theirs?.body);
  });

  it('of a deleted chart finds nobody, and is never given to another person', async () => {
    const { organizationId } = clinic;
    const { id } = await createPatient(rows(), { organizationId, medicalRecordNo: 'deleted', status: 'deleted' });
    expectException(await clinic.get('/patients/mrn/deleted'), 404, null);
    expectException(await clinic.put(`/patients/${id}`).send({ firstname: 'Ann' }), 404, null);
    expectException(await clinic.post('/patients').send({ med_rec_no: 'deleted' }), 409, 'med_rec_no');
  });

  it.each([['%00'], ['a%00b'], ['%ED%A0%80'], ['%zz'], ['A'.repeat(65)]])('cannot be %s', async (encoded) => {
    const answer = await clinic.get(`/patients/mrn/${encoded}`);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).sort()).toEqual(['exception', 'file', 'line', 'message']);
  });
});

describe('a read by record number', () => {
  it('leaves an audit row that names the patient', async () => {
    const { uuid } = (await clinic.post('/patients').send({ med_rec_no: 'audited' })).body.data;
    const read = await clinic.get('/patients/mrn/audited');
    const entries = await rows().auditEntry.findMany({
      where: { requestId: String(read.headers['x-request-id']) },
      orderBy: { id: 'asc' },
    });
    expect(entries).toMatchObject([
      {
        organizationId: clinic.organizationId,
        actor: `client:${clinic.clientId}`,
        action: 'read',
        resource: 'patient',
        resourceIds: [uuid],
        operation: 'GET /api/patients/mrn/{mrn}',
      },
    ]);
  });
});
