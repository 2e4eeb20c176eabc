import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createLocation, createOffice, createPatient, createProvider } from '../../../support/factories.ts';
import { type Person, shownPatients, uuids } from './people.ts';

const test = await sharedTestApp();
const person: Person = await signedInUser(test, { organization: { timeZone: 'America/Denver' } });

const rows = () => test.database.prisma;

describe('a patient', () => {
  it('has the fields of the integration API’s record and what screens need besides', async () => {
    const { organizationId } = person;
    const provider = await createProvider(rows(), { organizationId, firstName: 'Ada', lastName: 'Quinn' });
    const location = await createLocation(rows(), { organizationId, name: 'Lab' });
    const north = await createOffice(rows(), { organizationId, name: 'North' });
    const south = await createOffice(rows(), { organizationId, name: 'South' });
    const patient = await createPatient(rows(), {
      organizationId,
      status: 'inactive',
      firstName: 'Zoë',
      middleName: 'M',
      lastName: 'Núñez',
      suffix: 'Jr',
      preferredName: 'Zo',
      preferredPronouns: 'she/her',
      address1: '1 Main St',
      address2: 'Apt 4',
      city: 'Raleigh',
      state: 'NC',
      zip: '27601',
      email: 'zoe@example.com',
      mobilePhone: '+19105550123',
      homePhone: '+19105550124',
      workPhone: '+442079460958',
      contactPreference: 'MOBILEPHONE',
      birthDate: new Date('1980-02-29'),
      deceasedDate: new Date('2026-01-31'),
      admitDate: new Date('2026-01-05'),
      sex: 'F',
      medicalRecordNo: 'A-1',
      languageCode: 'spa',
      timeZone: 'America/Chicago',
      census: true,
      flags: ['diabetes'],
      doNotSms: true,
      doNotCall: true,
      primaryProviderId: provider.id,
      locationId: location.id,
      primaryOfficeId: south.id,
    });
    const registered = { organizationId, patientId: patient.id, registeredOn: new Date('2026-01-05') };
    await rows().patientRegistration.create({ data: { ...registered, officeId: north.id } });
    const answer = await person.get(`/patients/${patient.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({
      uuid: patient.id,
      user_uuid: null,
      external_id: null,
      status: 'inactive',
      firstname: 'Zoë',
      middlename: 'M',
      lastname: 'Núñez',
      suffix: 'Jr',
      preferred_name: 'Zo',
      pronouns: 'she/her',
      address: { address: '1 Main St', address2: 'Apt 4', city: 'Raleigh', state: 'NC', zip: '27601' },
      email: 'zoe@example.com',
      phone_no: '9105550123',
      home_phone: '9105550124',
      work_phone: '+442079460958',
      contact_preference: 'MOBILEPHONE',
      dob: '1980-02-29',
      deceased_date: '2026-01-31',
      admit_date: '2026-01-05',
      gender: 'F',
      med_rec_no: 'A-1',
      language: 'spa',
      timezone: 'America/Chicago',
      census: true,
      flags: ['diabetes'],
      do_not_sms: true,
      do_not_call: true,
      guardian: null,
      shared_with: [],
      can_text: { ok: false, reason: 'deceased', until: null },
      provider: provider.id,
      provider_name: 'Ada Quinn',
      location: location.id,
      location_name: 'Lab',
      office: south.id,
      offices: [
        { uuid: north.id, name: 'North' },
        { uuid: south.id, name: 'South' },
      ],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect((await person.get('/patients?lastname=nunez')).body.data).toEqual([answer.body.data]);
  });

  it('may have nothing but an id, and is then in the time zone of the organization', async () => {
    const patient = await createPatient(rows(), { organizationId: person.organizationId, firstName: null, lastName: null });
    expect((await person.get(`/patients/${patient.id}`)).body.data).toMatchObject({
      firstname: null,
      lastname: null,
      timezone: 'America/Denver',
      offices: [],
      provider_name: null,
      flags: [],
    });
  });

  it('has a tag that changes with the record, and each look at it is audited', async () => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId });
    const { etag } = (await own.get(`/patients/${id}`)).headers;
    expect((await own.get(`/patients/${id}/`).set('if-none-match', String(etag))).status).toBe(304);
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { city: 'Cary' } });
    expect((await own.get(`/patients/${id}`).set('if-none-match', String(etag))).body.data.address.city).toBe('Cary');
    expect(await shownPatients(test, own, 'read')).toEqual([[id], [id], [id]]);
  });

  it.each(['deleted', 'record', 'blocked'] as const)('whose chart is %s is neither listed nor found', async (kind) => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const { id } = await createPatient(rows(), { organizationId, lastName: 'Hidden' });
    expect(uuids(await own.get('/patients'))).toEqual([id]);
    if (kind === 'deleted')
      await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { status: 'deleted' } });
    else await rows().privacyRestriction.create({ data: { organizationId, patientId: id, kind } });
    for (const path of ['/patients', '/patients?lastname=hid', '/patients?sort=dob', '/patients?sort=uuid', '/patients/uuid']) {
      const answer = await own.get(path);
      expect([path, answer.body.data, answer.body.meta.total]).toEqual([path, [], 0]);
    }
    expect((await own.get(`/patients/${id}`)).status).toBe(404);
  });
});
