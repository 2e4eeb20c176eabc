import { describe, expect, it } from 'vitest';
import { practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test, { organization: { doubleBooking: 'refuse' } });
const { organizationId } = clinic;
const db = () => test.database.prisma;
const office = await createOffice(db(), { organizationId });

const newPatient = async () => (await createPatient(db(), { organizationId, firstName: 'Ada', lastName: 'Parts' })).id;
const put = (id: number, form: object, client = clinic) => client.put(`/patients/${id}`).type('form').send(form);
const read = async (id: number) => (await clinic.get(`/patients/${id}`)).body[0];
const listChanges = async (id: number) =>
  (await db().event.findMany({ where: { organizationId, subjectType: 'patient', subjectId: id }, orderBy: { id: 'asc' } })).map(
    ({ changed }) => changed,
  );

describe('privacy forms', () => {
  const verify = (id: number, form: object) => clinic.post(`/patients/${id}/privacyinformationverified`).type('form').send(form);

  it('are verified together or one by one, until they expire', async () => {
    const id = await newPatient();
    const answer = await verify(id, { departmentid: office.id });
    expect([answer.status, answer.body]).toEqual([200, [{ success: true }]]);
    expect(await read(id)).toMatchObject({ privacyinformationverified: 'true' });
    await verify(id, { insuredsignature: 'N' }).expect(200);
    expect(await read(id)).toMatchObject({ privacyinformationverified: 'false' });
    const signed = { insuredsignature: 'Y', signaturedatetime: '03/04/2026 09:30:00', expirationdate: '03/04/2199', signaturename: 'Ada' };
    expect((await verify(id, signed)).headers['warning-fields']).toBe('signaturename');
    expect(await read(id)).toMatchObject({ privacyinformationverified: 'true' });
    await verify(id, { patientsignature: 'true', expirationdate: '03/04/2020' }).expect(200);
    expect(await read(id)).toMatchObject({ privacyinformationverified: 'false' });
    await put(id, { privacyinformationverified: 'true' }).expect(200);
    expect(await read(id)).toMatchObject({ privacyinformationverified: 'true' });
    expect((await verify(id, { signaturedatetime: 'yesterday' })).body.invalidfields).toEqual(['signaturedatetime']);
  });
});

describe('custom fields', () => {
  it('are listed with their options, and set in the formats of their types', async () => {
    const make = (name: string, type: string, options?: object) =>
      db().customField.create({ data: { organizationId, name, type, ...(options ? { options } : {}) } });
    const [text, date, choice] = [
      await make('Note', 'text'),
      await make('Seen', 'date'),
      await make('Source', 'select', [{ id: 1, value: 'A friend' }]),
    ];
    const listed = (await clinic.get('/customfields')).body;
    expect(listed).toMatchObject([
      { customfieldid: String(text.id), name: 'Note', type: 'TEXT', select: false },
      { customfieldid: String(date.id), type: 'DATE' },
      { customfieldid: String(choice.id), selectyn: true, selectlist: [{ optionid: '1', optionvalue: 'A friend' }] },
    ]);
    const id = await newPatient();
    const path = `/patients/${id}/customfields`;
    const set = (fields: unknown) =>
      clinic
        .put(path)
        .type('form')
        .send({ departmentid: office.id, customfields: JSON.stringify(fields) });
    const answer = await set([
      { customfieldid: String(text.id), customfieldvalue: 'Likes tea' },
      { customfieldid: String(date.id), customfieldvalue: '02/29/2024' },
      { customfieldid: String(choice.id), optionid: '1' },
    ]);
    expect(answer.body).toEqual({ success: true, updatedcount: 3, disallowedcount: 0 });
    expect((await clinic.get(`${path}?departmentid=${office.id}`)).body).toEqual([
      { customfieldid: String(text.id), customfieldvalue: 'Likes tea' },
      { customfieldid: String(date.id), customfieldvalue: '02/29/2024' },
      { customfieldid: String(choice.id), customfieldvalue: 'A friend', optionid: '1' },
    ]);
    await set([{ customfieldid: String(text.id), customfieldvalue: '' }]).expect(200);
    expect((await clinic.get(path)).body).toHaveLength(2);
    for (const wrong of [[{ customfieldid: date.id, customfieldvalue: 'soon' }], [{ customfieldid: choice.id, optionid: 7 }], 'x', []])
      expect((await set(wrong)).body.invalidfields, JSON.stringify(wrong)).toEqual(['customfields']);
    const unknown = await set([{ customfieldid: 2_000_000_000, customfieldvalue: 'x' }]);
    expect([unknown.status, unknown.body.invalidfields]).toEqual([404, ['customfields']]);
    expect(await listChanges(id)).toEqual([['customFields'], ['customFields']]);
  });
});

describe('the photo of a patient', () => {
  /** The smallest PNG there is. */
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

  it('is stored, read and deleted', async () => {
    const id = await newPatient();
    const path = `/patients/${id}/photo`;
    expect((await clinic.get(path)).status).toBe(404);
    expect((await clinic.post(path).type('form').send({ image: PNG })).body).toEqual({ success: true });
    expect((await clinic.get(path)).body).toEqual({ image: PNG });
    expect((await clinic.delete(path)).body).toEqual({ success: true });
    expect((await clinic.delete(path)).status).toBe(404);
    for (const image of ['', 'no picture', Buffer.from('a text').toString('base64')])
      expect((await clinic.post(path).type('form').send({ image })).status).toBe(400);
    expect(await listChanges(id)).toEqual([['photo'], ['photo']]);
  });
});

describe('status deleted', () => {
  it('takes the scope practice.admin, cancels the visits to come, and frees their times', async () => {
    const id = await newPatient();
    const nurse = await signedInUser(test, { organizationId });
    const book = (patient: number, hours: number) =>
      nurse.post('/appointments/').send({
        patient_id: patient,
        user: [nurse.user.id],
        appointment_date: new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z'),
      });
    const [past, coming] = [(await book(id, -48)).body.data.uuid, (await book(id, 48)).body.data.uuid];
    expect((await book(await newPatient(), 48)).status).toBe(409);
    const refused = await put(id, { status: 'deleted' });
    expect(refused.status).toBe(403);
    const manager = await practiceClient(test, { organizationId, scopes: ['practice.write', 'practice.admin'] });
    expect((await put(id, { status: 'deleted' }, manager)).body).toEqual([{ patientid: String(id) }]);
    expect([(await clinic.get(`/patients/${id}`)).status, (await put(id, { city: 'Apex' }, manager)).status]).toEqual([404, 404]);
    expect((await nurse.get(`/appointments/${coming}`)).status).toBe(404);
    expect((await nurse.get(`/appointments/${past}`)).status).toBe(200);
    expect((await book(await newPatient(), 48)).status).toBe(201);
    expect((await clinic.post('/patients').type('form').send({ lastname: 'Gone', status: 'deleted' })).body.invalidfields).toEqual([
      'status',
    ]);
  });
});

describe('the status of a chart', () => {
  it('shows the status of the chart as that of each department', async () => {
    const form = { lastname: 'Inquirer', status: 'Prospective', departmentid: office.id };
    const id: number = (await clinic.post('/patients').type('form').send(form)).body[0].patientid;
    const [asked] = (await clinic.get(`/patients/${id}?showallpatientdepartmentstatus=true`)).body;
    expect(asked).toMatchObject({ status: 'prospective', allpatientstatuses: [{ departmentid: office.id, status: 'prospective' }] });
    await put(id, { status: 'INACTIVE' }).expect(200);
    const [shown] = (await clinic.get(`/patients/${id}?showallpatientdepartmentstatus=true`)).body;
    expect(shown).toMatchObject({ status: 'inactive', allpatientstatuses: [{ departmentid: office.id, status: 'inactive' }] });
  });
});
