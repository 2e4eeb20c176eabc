import { describe, expect, it } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { updatePatient } from '../../../src/domain/patients/chart/change-patient.ts';
import { createUnitOfWork } from '../../../src/domain/unit-of-work/unit-of-work.ts';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';
import { registering } from './registering.ts';

const test = await sharedTestApp();
const system = await practiceClient(test);

const { rows, send, stored, register, refused } = registering(() => ({ test, system }));

describe('declining', () => {
  it.each(['declined', 'DECLINED', ' Declined '])('is understood of email, mobile phone and race: %j', async (word) => {
    const { patient, answer } = await register({ email: word, mobilephone: word, race: word });
    expect(patient).toMatchObject({ email: null, emailDeclined: true, mobilePhone: null, mobilePhoneDeclined: true, races: ['declined'] });
    expect(answer.headers['warning-fields']).toBeUndefined();
  });

  it('is taken back by a value that comes later', async () => {
    const { patient } = await register({ email: 'declined', mobilephone: 'declined' });
    const app = await integrationClient(test, { organizationId: system.organizationId });
    await app.put(`/patients/${patient.id}`).send({ email: 'a@example.com', phone_no: '9105550123' });
    expect(await stored(patient.id)).toMatchObject({ emailDeclined: false, mobilePhoneDeclined: false });
  });

  it('is no home phone number', async () => {
    const { patient, answer } = await register({ firstname: 'A', homephone: 'declined' });
    expect(patient.homePhone).toBeNull();
    expect(answer.headers['warning-fields']).toBe('homephone');
  });
});

describe('a department', () => {
  it('that is closed takes no registration, in the same words, and still knows who was registered before', async () => {
    const { organizationId } = system;
    const { id } = await createOffice(rows(), { organizationId });
    const { patient } = await register({ firstname: 'Before', departmentid: id });
    await rows().office.update({ where: { organizationId_id: { organizationId, id } }, data: { active: false } });
    const unknown = await refused({ firstname: 'A', departmentid: 2_000_000_000 }, 404);
    for (const form of [{ firstname: 'A' }, { firstname: 'A', lastname: 'B', dob: '02/29/1980', zip: '27601' }]) {
      expect((await refused({ ...form, departmentid: id }, 404)).text).toBe(unknown.text);
    }
    expect((await system.get(`/patients/${patient.id}`)).body).toMatchObject([{ departmentid: String(id) }]);
  });
});

describe('a patient who moves to another department', () => {
  it('is in the books of both, and is entered in the same ones once', async () => {
    const { organizationId } = system;
    const offices = [await createOffice(rows(), { organizationId }), await createOffice(rows(), { organizationId })];
    const [first = 0, second = 0] = offices.map(({ id }) => id);
    const { patient } = await register({ departmentid: first });
    const unitOfWork = createUnitOfWork(test.database);
    for (const primaryOfficeId of [second, first]) {
      await unitOfWork.write(operator(organizationId, 'test'), (tx) => updatePatient(tx, patient.id, { primaryOfficeId }));
    }
    const books = await rows().patientRegistration.findMany({
      where: { organizationId, patientId: patient.id },
      orderBy: { officeId: 'asc' },
    });
    expect(books.map(({ officeId }) => officeId)).toEqual([first, second]);
    expect((await stored(patient.id)).primaryOfficeId).toBe(first);
  });
});

describe('a body', () => {
  it.each([
    ['without a field', ''],
    ['with empty fields alone', 'firstname=&zip=+'],
    ['with unknown fields alone', 'nickname=x'],
  ])('%s is refused', async (_, form) => {
    expect((await refused(form)).body).toEqual({ error: expect.stringContaining('form'), missingfields: [], invalidfields: [] });
  });

  it('that is missing is an empty form', async () => {
    expect((await system.post('/patients').expect(400)).body.error).toBe('The form has no fields to register by.');
  });

  it.each([
    ['application/json', '{"firstname":"A"}'],
    ['text/plain', 'firstname=A'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('of type %s is 415, which says what is expected', async (type, body) => {
    const answer = await system.post('/patients').set('content-type', type).send(body);
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({ error: expect.stringContaining('application/x-www-form-urlencoded') });
  });

  it('may say its character set', async () => {
    const answer = await system
      .post('/patients')
      .set('content-type', 'application/x-www-form-urlencoded; charset=UTF-8')
      .send('firstname=Zo%C3%AB');
    expect((await stored(answer.body[0].patientid)).firstName).toBe('Zoë');
  });
});

describe('a retry with the same Idempotency-Key', () => {
  it('gets the first answer byte for byte, with what it said of the registration, and registers nobody', async () => {
    const ask = (form: object) => send(form).set('idempotency-key', 'registration-1');
    const first = await ask({ firstname: 'A', homephone: '911' });
    const before = await rows().patient.count({ where: { organizationId: system.organizationId } });
    const again = await ask({ firstname: 'A', homephone: '911' });
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', registration: 'created', 'warning-fields': 'homephone' });
    expect(await rows().patient.count({ where: { organizationId: system.organizationId } })).toBe(before);
    expect((await ask({ firstname: 'B' })).status).toBe(422);
  });
});

describe('who may register', () => {
  it('is a client with the scope practice.write', async () => {
    const reader = await practiceClient(test, { organizationId: system.organizationId, scopes: ['practice.read'] });
    expect((await reader.post('/patients').type('form').send({ firstname: 'A' })).status).toBe(403);
  });
});
