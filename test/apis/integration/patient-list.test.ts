import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createLocation, createOffice, createPatient, createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const app = await integrationClient(test);
const { organizationId } = app;

const found = async (query: string) => {
  const { body } = await app.get(`/patients?${query}`).expect(200);
  return body.data.map(({ uuid }: { uuid: number }) => uuid);
};

describe('the list of patients of the integration API', () => {
  it('has what a client created, found by each field of the chart, and by several together', async () => {
    const { id: officeId } = await createOffice(rows, { organizationId });
    const [provider, location] = [await createProvider(rows, { organizationId }), await createLocation(rows, { organizationId, officeId })];
    const sent = {
      fname: 'Zoë',
      lname: 'Núñez-Smith',
      dob: '1980-02-29',
      email: 'Zoe@Example.com',
      phone_no: '9105550123',
      med_rec_no: 'MR 7',
      gender: 'female',
      address: { address: '12 Sample Street', city: 'Raleigh', state: 'NC', zip: '27601-1234' },
      provider: provider.id,
      location: location.id,
    };
    const made = await app.post('/patients').send(sent).expect(200);
    const { uuid } = made.body.data;
    await createPatient(rows, { organizationId, firstName: 'Ann', lastName: 'Other', sex: 'M', state: 'SC' });
    const { body } = await app.get('/patients?search=smith%20zo').expect(200);
    expect(body).toEqual({ data: [made.body.data], links: expect.objectContaining({ next: null, prev: null }), meta: null });
    for (const query of [
      ...[
        'firstname=zoe',
        'fname=ZOE',
        'lastname=smith',
        'lname=nunez',
        'dob=1980-02-29',
        'email=zoe@example.com',
        'phone_no=(910) 555-0123',
      ],
      ...[
        'med_rec_no=MR%207',
        'gender=F',
        'gender=female',
        'address=12 sample street',
        'city=RALEIGH',
        'state=North Carolina',
        'zip=27601',
      ],
      ...[`provider=${provider.id}`, `location=${location.id}`, 'lastname=smith&dob=1980-02-29&state=NC'],
    ])
      expect([query, await found(query)]).toEqual([query, [uuid]]);
    expect(await found('lastname=smith&dob=1981-02-28')).toEqual([]);
    expect((await found('limit=5')).length).toBe(2);
    for (const wrong of ['dob=29.02.1980', 'phone_no=12', 'state=Nowhere', 'nickname=zoe', 'fname=Ann&firstname=Zoe'])
      expect([wrong, (await app.get(`/patients?${wrong}`)).status]).toEqual([wrong, 400]);
  });

  it('has no deleted chart, and no restricted one but for clients who may see them', async () => {
    const hidden = await createPatient(rows, { organizationId, lastName: 'Hidden' });
    await createPatient(rows, { organizationId, lastName: 'Hidden', status: 'deleted' });
    await rows.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    expect(await found('lastname=hidden')).toEqual([]);
    const trusted = await integrationClient(test, { organizationId, scopes: ['integration.read', 'restricted.read'] });
    expect((await trusted.get('/patients?lastname=hidden').expect(200)).body.data).toMatchObject([{ uuid: hidden.id }]);
  });
});

describe('updated_since', () => {
  it('leaves what changed at that instant or later, and takes an instant with its offset alone', async () => {
    const person = await signedInUser(test, { organizationId, type: 'admin' });
    const [old, young] = [new Date('2030-05-01T10:00:00Z'), new Date('2030-05-01T12:00:00Z')];
    const type = async (name: string, updatedAt: Date) =>
      (await rows.appointmentType.create({ data: { organizationId, name, updatedAt } })).id;
    const types = [await type('Old', old), await type('Young', young)];
    const patients: number[] = [];
    const appointments: number[] = [];
    for (const updatedAt of [old, young]) {
      const { id: patientId } = await createPatient(rows, { organizationId, lastName: 'Since', updatedAt });
      patients.push(patientId);
      const { body } = await app.post('/appointments').send({ patient_id: patientId, appointment_date: '2033-06-07T10:00:00' }).expect(200);
      appointments.push(body.data.uuid);
      await rows.appointment.update({ where: { organizationId_id: { organizationId, id: body.data.uuid } }, data: { updatedAt } });
    }
    for (const [actor, path, [, late]] of [
      [app, '/appointments?from=2033-06-07&', appointments],
      [person, '/appointments/all?min_appointment_date=2033-06-07&', appointments],
      [app, '/patients?lastname=since&', patients],
      [person, '/patients?lastname=since&', patients],
      [app, '/appointments/types?', types],
      [person, '/appointments/types?', types],
    ] as const) {
      const { body } = await actor.get(`${path}updated_since=${encodeURIComponent('2030-05-01T14:00:00+02:00')}`).expect(200);
      expect([path, body.data.map(({ uuid }: { uuid: number }) => uuid)]).toEqual([path, [late]]);
      const exact = await actor.get(`${path}updated_since=2030-05-01T10:00:00Z`).expect(200);
      expect([path, exact.body.data.length]).toEqual([path, 2]);
      for (const wrong of ['2030-05-01', '2030-05-01T10:00:00', 'yesterday', '2030-02-30T10:00:00Z'])
        expect([path, wrong, (await actor.get(`${path}updated_since=${wrong}`)).status]).toEqual([path, wrong, 400]);
    }
  });
});
