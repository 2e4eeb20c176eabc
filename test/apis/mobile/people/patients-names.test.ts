import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOffice, createPatient, createProvider } from '../../../support/factories.ts';
import { shownPatients, uuids } from './people.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

describe('GET /patients/uuid', () => {
  it('answers staff and admin the names of all patients, in the order asked for', async () => {
    const admin = await signedInUser(test, { type: 'admin' });
    const { organizationId } = admin;
    const staff = await signedInUser(test, { organizationId });
    const [b, a] = [
      await createPatient(rows(), { organizationId, firstName: 'Bo', lastName: 'Ames' }),
      await createPatient(rows(), { organizationId, firstName: 'Al', lastName: 'Zed' }),
    ].map(({ id }) => id);
    const names = [
      { uuid: b, firstname: 'Bo', lastname: 'Ames' },
      { uuid: a, firstname: 'Al', lastname: 'Zed' },
    ];
    const answer = await admin.get('/patients/uuid');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ data: names, meta: { total: 2 } });
    expect((await staff.get('/patients/uuid?sort=firstname')).body.data).toEqual(names.toReversed());
    expect((await staff.get('/patients/uuid?sort=uuid&order=DESC&limit=1')).body).toMatchObject({ data: [names[1]], meta: { total: 2 } });
    expect((await staff.get('/patients/uuid?sort=nothing')).body.errors[0].detail).toContain('firstname');
    expect(await shownPatients(test, admin, 'search')).toEqual([[b, a]]);
  });

  it('answers a provider their own patients: by chart, by registration and by appointment', async () => {
    const doctor = await signedInUser(test, { type: 'provider' });
    const { organizationId, user } = doctor;
    const { id: providerId } = await createProvider(rows(), { organizationId, userId: user.id });
    const { id: officeId } = await createOffice(rows(), { organizationId });
    const other = await createProvider(rows(), { organizationId });
    const make = async (lastName: string, data: object = {}) => (await createPatient(rows(), { organizationId, lastName, ...data })).id;
    const book = (patientId: number, data: object) =>
      rows().appointment.create({ data: { organizationId, patientId, timeZone: 'UTC', durationMinutes: 30, ...data } });
    const charted = await make('Charted', { primaryProviderId: providerId });
    const registered = await make('Registered');
    await rows().patientRegistration.create({
      data: { organizationId, patientId: registered, officeId, primaryProviderId: providerId, registeredOn: new Date('2026-01-01') },
    });
    const seen = await make('Seen');
    await book(seen, { providerId });
    await book(seen, { users: { create: { userId: user.id } } });
    const joined = await make('Joined', { primaryProviderId: other.id });
    await book(joined, { users: { create: { userId: user.id } } });
    const cancelled = await make('Cancelled');
    await book(cancelled, { providerId, status: 'cancelled', users: { create: { userId: user.id } } });
    await make('Strange', { primaryProviderId: other.id });
    const answer = await doctor.get('/patients/uuid?sort=uuid');
    expect(answer.status, answer.text).toBe(200);
    expect(uuids(answer)).toEqual([charted, registered, seen, joined]);
    expect(answer.body.meta.total).toBe(4);
    for (const sort of ['lastname', 'firstname', 'dob', 'created_at'])
      expect(uuids(await doctor.get(`/patients/uuid?sort=${sort}`)).toSorted((a, b) => a - b)).toEqual([charted, registered, seen, joined]);
  });

  it('answers a provider without patients an empty list', async () => {
    const doctor = await signedInUser(test, { type: 'provider' });
    await createPatient(rows(), { organizationId: doctor.organizationId });
    expect((await doctor.get('/patients/uuid')).body).toMatchObject({ data: [], meta: { total: 0 } });
  });
});
