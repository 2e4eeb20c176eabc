import { describe, expect, it } from 'vitest';
import { writeUsDay } from '../../../src/apis/practice/patients/record/patient-formats.wire.ts';
import { dayAt, writeDay } from '../../../src/domain/values/time/time.ts';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';
import { registering } from './registering.ts';

const test = await sharedTestApp();
const system = await practiceClient(test);

const { rows, stored, register } = registering(() => ({ test, system }));

const day = (written: string) => new Date(`${written}T00:00:00Z`);

describe('a registration', () => {
  it('stores every field of the document', async () => {
    const { organizationId } = system;
    const office = await createOffice(rows(), { organizationId });
    const { patient } = await register({
      address1: '1 Main St',
      address2: 'Apt 4',
      city: 'Raleigh',
      departmentid: String(office.id),
      dob: '02/29/1980',
      email: 'zoe@example.com',
      firstname: 'Zoë',
      lastname: "Núñez-O'Brien",
      homephone: '(919) 733-4321',
      mobilephone: '+1 910.555.0123',
      state: 'NC',
      zip: '27601-1234',
      sex: 'F',
      race: '2106-3',
    });
    expect(patient).toMatchObject({
      address1: '1 Main St',
      address2: 'Apt 4',
      city: 'Raleigh',
      primaryOfficeId: office.id,
      birthDate: day('1980-02-29'),
      email: 'zoe@example.com',
      emailDeclined: false,
      firstName: 'Zoë',
      lastName: "Núñez-O'Brien",
      homePhone: '+19197334321',
      mobilePhone: '+19105550123',
      mobilePhoneDeclined: false,
      state: 'NC',
      zip: '27601-1234',
      sex: 'F',
      races: ['2106-3'],
      status: 'active',
      registrationDate: expect.any(Date),
    });
  });

  it.each([
    'address1',
    'address2',
    'city',
    'email',
    'firstname',
    'lastname',
    'homephone',
    'mobilephone',
    'state',
    'zip',
    'sex',
    'race',
    'dob',
  ])('by %s alone is enough, and its other fields have no value', async (field) => {
    const value = {
      email: 'a@example.com',
      homephone: '9197334321',
      mobilephone: '9105550123',
      state: 'NC',
      zip: '27601',
      sex: 'M',
      race: '2028-9',
      dob: '01/02/1990',
    };
    const { patient } = await register({ [field]: Object.entries(value).find(([name]) => name === field)?.[1] ?? 'x' });
    const { firstName, lastName, address1, address2, city, state, zip, email, homePhone, mobilePhone, birthDate, sex, races } = patient;
    const set = [firstName, lastName, address1, address2, city, state, zip, email, homePhone, mobilePhone, birthDate, sex, races[0]];
    expect(set.filter((one) => one !== null && one !== undefined)).toHaveLength(1);
  });

  it('is entered in the books of its department, under its provider group, from today on', async () => {
    const { organizationId } = system;
    const group = await rows().providerGroup.create({ data: { organizationId, name: 'Group' } });
    const office = await createOffice(rows(), { organizationId, providerGroupId: group.id });
    const { patient } = await register({ departmentid: office.id });
    expect(await rows().patientRegistration.findMany({ where: { organizationId, patientId: patient.id } })).toMatchObject([
      {
        officeId: office.id,
        providerGroupId: group.id,
        localPatientId: patient.id,
        registeredOn: patient.registrationDate,
      },
    ]);
  });

  it('is dated by the day that it is in the practice, wherever that is', async () => {
    const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    const days: (number | undefined)[] = [];
    for (const timeZone of zones) {
      const there = await practiceClient(test, { organization: { timeZone } });
      const before = dayAt(new Date(), timeZone);
      const { body } = await there.post('/patients').type('form').send({ firstname: 'A' });
      const patient = await rows().patient.findFirstOrThrow({ where: { organizationId: there.organizationId, id: body[0].patientid } });
      expect([before, dayAt(new Date(), timeZone)]).toContainEqual(patient.registrationDate);
      days.push(patient.registrationDate?.getTime());
    }
    expect(days[0]).toBeGreaterThan(days[1] ?? 0);
  });

  it('leaves an event that names the fields that were given, and no value, and an audit row', async () => {
    const ignored = { lastname: '', race: '', homephone: '123', mobilephone: 'none' };
    const { patient } = await register({ firstname: 'Quintessa', zip: '27601', email: 'q@example.com', ...ignored });
    const { organizationId } = system;
    const event = await rows().event.findFirstOrThrow({ where: { organizationId, subjectId: patient.id } });
    expect(event).toMatchObject({ name: 'patient.registered', subjectType: 'patient', changed: ['firstName', 'zip', 'email'] });
    const audit = await rows().auditEntry.findFirstOrThrow({ where: { organizationId, resourceIds: { has: patient.id } } });
    expect(audit).toMatchObject({ action: 'create', resource: 'patient', operation: 'POST /{apivariant}/{practiceid}/patients' });
    expect(test.logs.join()).not.toContain('Quintessa');
  });

  it('says that it was created', async () => {
    expect((await register({ firstname: 'A' })).answer.headers.registration).toBe('created');
  });

  it('names unknown fields in a header and ignores them', async () => {
    const { answer } = await register({ firstname: 'A', nickname: 'B', 'shoe size': '44' });
    expect(answer.headers['warning-fields']).toBe('nickname, shoe%20size');
  });

  it('has no value for what is sent empty', async () => {
    const { patient, answer } = await register(
      'firstname=A&lastname=&address1=%20&dob=&homephone=&mobilephone=+&race=&sex=&zip=&departmentid=&email=&state=',
    );
    expect(patient).toMatchObject({
      firstName: 'A',
      lastName: null,
      address1: null,
      birthDate: null,
      homePhone: null,
      races: [],
      sex: null,
    });
    expect(answer.headers['warning-fields']).toBeUndefined();
  });

  it('is one and the same record in the integration API', async () => {
    const { patient } = await register({
      firstname: 'Ann',
      lastname: 'Lee',
      email: 'ann@example.com',
      mobilephone: '9105550123',
      dob: '02/29/1980',
      sex: 'F',
    });
    const app = await integrationClient(test, { organizationId: system.organizationId });
    const shown = await app.put(`/patients/${patient.id}`).send({});
    expect(shown.body.data).toMatchObject({
      firstname: 'Ann',
      lastname: 'Lee',
      email: 'ann@example.com',
      phone_no: '9105550123',
      dob: '1980-02-29',
      gender: 'F',
    });
    await app.put(`/patients/${patient.id}`).send({ email: 'new@example.com', lname: 'Lee-Park' });
    expect(await stored(patient.id)).toMatchObject({ lastName: 'Lee-Park', email: 'new@example.com', lastEmail: 'ann@example.com' });
    await app.put(`/patients/${patient.id}`).send({ email: null });
    expect(await stored(patient.id)).toMatchObject({ email: null, lastEmail: 'new@example.com' });
    await app.put(`/patients/${patient.id}`).send({ email: 'third@example.com' });
    expect(await stored(patient.id)).toMatchObject({ email: 'third@example.com', lastEmail: 'new@example.com' });
  });
});

describe('what was registered', () => {
  it('is shown and found in its own API, with what follows from it', async () => {
    const { organizationId } = system;
    const office = await createOffice(rows(), { organizationId });
    const { patient } = await register({
      firstname: 'Inés',
      lastname: 'de la Vega',
      dob: '02/29/1980',
      race: '2028-9\t2106-3',
      email: 'ines@example.com',
      mobilephone: 'declined',
      homephone: '9197334321',
      state: 'nc',
      zip: '276011234',
      sex: 'F',
      departmentid: office.id,
    });
    const shown = await system.get(`/patients/${patient.id}?showlocalpatientid=true`);
    expect(shown.body).toMatchObject([
      {
        patientid: String(patient.id),
        localpatientid: String(patient.id),
        firstname: 'Inés',
        lastname: 'de la Vega',
        dob: '02/29/1980',
        race: ['2028-9', '2106-3'],
        racecode: 'R2',
        racename: 'Asian',
        email: 'ines@example.com',
        emailexistsyn: true,
        hasmobileyn: false,
        homephone: '9197334321',
        state: 'NC',
        zip: '27601-1234',
        sex: 'F',
        status: 'active',
        departmentid: String(office.id),
        registrationdate: writeUsDay(writeDay(patient.registrationDate)),
      },
    ]);
    const found = await system.get(`/patients?firstname=ines&lastname=vega&departmentid=${office.id}`);
    expect(found.body).toMatchObject({ totalcount: 1, patients: [{ patientid: String(patient.id) }] });
    const app = await integrationClient(test, { organizationId });
    await app.put(`/patients/${patient.id}`).send({ lname: 'Ortega' });
    expect((await system.get(`/patients?lastname=ortega`)).body).toMatchObject({ totalcount: 1, patients: [{ firstname: 'Inés' }] });
  });
});
