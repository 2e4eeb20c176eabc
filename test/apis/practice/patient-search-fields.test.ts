import { describe, expect, it } from 'vitest';
import { sealSsn } from '../../../src/domain/patients/record/ssn.ts';
import { practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient, createProvider } from '../../support/factories.ts';
import { createAppointment } from '../../support/schedule.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

/** A practice of three charts: two of the same name, and one that shares only what is left out. */
async function practiceOfThree() {
  const clinic = await practiceClient(test);
  const { organizationId } = clinic;
  const ann = await createPatient(prisma, {
    organizationId,
    firstName: 'Ann',
    lastName: 'Field',
    preferredName: 'Nancy',
    suffix: 'Jr',
    birthDate: new Date('1980-02-29'),
    email: 'Ann.Field@example.com',
    mobilePhone: '+19105550123',
    city: 'Cary',
    zip: '27513-1234',
    guarantorLastName: 'Müller',
    guarantorBirthDate: new Date('1950-01-02'),
    guarantorAddressSameAsPatient: true,
  });
  const other = await createPatient(prisma, {
    organizationId,
    firstName: 'Anna',
    lastName: 'Field',
    status: 'inactive',
    birthDate: new Date('1981-02-28'),
    homePhone: '+19105550123',
    workPhone: '+19105550199',
  });
  const {
    encrypted: ssnEncrypted,
    hash: ssnHash,
    lastFour: ssnLastFour,
  } = sealSsn(test.services.keyring, { organizationId, row: String(other.id) }, '123456789');
  await prisma.patient.update({
    where: { organizationId_id: { organizationId, id: other.id } },
    data: { ssnEncrypted, ssnHash, ssnLastFour },
  });
  const third = await createPatient(prisma, { organizationId, firstName: 'Zed', lastName: 'Other' });
  return { clinic, organizationId, ann: String(ann.id), other: String(other.id), third: String(third.id) };
}

describe('a search by fields of the chart', () => {
  it('finds the charts that have the value, and no other', async () => {
    const { clinic, ann, other, third } = await practiceOfThree();
    const found = async (query: string) => {
      const { body } = await clinic.get(`/patients?${query}`).expect(200);
      const ids = body.patients.map(({ patientid }: { patientid: string }) => patientid);
      expect(body.totalcount, query).toBe(ids.length);
      return ids;
    };
    expect(await found('lastname=field')).toEqual([ann, other]);
    expect(await found('lastname=field&dob=02/29/1980')).toEqual([ann]);
    expect(await found('dob=02%2F28%2F1981')).toEqual([other]);
    expect(await found('dob=01/01/1999')).toEqual([]);
    expect(await found('ssn=123-45-6789')).toEqual([other]);
    expect(await found('ssn=123456780')).toEqual([]);
    expect(await found('email=ANN.field@EXAMPLE.com')).toEqual([ann]);
    expect(await found('mobilephone=(910)%20555-0123')).toEqual([ann]);
    expect(await found('homephone=9105550123')).toEqual([other]);
    expect(await found('anyphone=9105550123')).toEqual([ann, other]);
    expect(await found('anyphone=910-555-0199')).toEqual([other]);
    expect(await found('status=inactive')).toEqual([other]);
    expect(await found('suffix=jr&lastname=field')).toEqual([ann]);
    expect(await found('preferredname=NANCY')).toEqual([ann]);
    expect(await found('anyfirstname=nan')).toEqual([ann]);
    expect(await found('anyfirstname=an')).toEqual([ann, other]);
    expect(await found('zip=27513')).toEqual([ann]);
    expect(await found('guarantorlastname=muller&guarantorcity=cary&guarantordob=01/02/1950')).toEqual([ann]);
    for (const name of ['anyfirstname', 'middlename', 'preferredname', 'guardianlastname'])
      expect(await found(`${name}=-`), name).toEqual([]);
    expect(await found('')).toEqual([ann, other, third]);
  });

  it('pages, and repeats its parameters in the links', async () => {
    const { clinic, ann, other } = await practiceOfThree();
    const first = (await clinic.get('/patients?anyphone=9105550123&limit=1').expect(200)).body;
    expect([first.totalcount, first.patients[0].patientid]).toEqual([2, ann]);
    const second = (await test.http.get(first.next).set('authorization', `Bearer ${clinic.token}`).expect(200)).body;
    expect([second.totalcount, second.patients[0].patientid, second.next]).toEqual([2, other, undefined]);
  });

  it('refuses a value that no chart could have, by its name', async () => {
    const { clinic } = await practiceOfThree();
    for (const [name, value] of [
      ['dob', '13/45/1980'],
      ['ssn', '12'],
      ['mobilephone', '911'],
      ['status', 'alive'],
      ['state', 'Atlantis'],
      ['upcomingappointmenthours', '25'],
      ['upcomingappointmenthours', '0'],
      ['appointmentdepartmentid', 'north'],
    ]) {
      expect((await clinic.get(`/patients?${name}=${value}`).expect(400)).body.invalidfields).toEqual([name]);
    }
  });
});

describe('a search by an upcoming appointment', () => {
  it('finds the patients of one that fits all parameters, is not cancelled and not over', async () => {
    const { clinic, organizationId, ann, other, third } = await practiceOfThree();
    const [north, south] = [await createOffice(prisma, { organizationId }), await createOffice(prisma, { organizationId })];
    const [lee, kay] = [await createProvider(prisma, { organizationId }), await createProvider(prisma, { organizationId })];
    const hidden = await createPatient(prisma, { organizationId });
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    const appoint = (
      patient: string | number,
      hours: number,
      officeId: number,
      providerId: number,
      status: 'scheduled' | 'cancelled' = 'scheduled',
    ) => {
      const startsAt = new Date(Date.now() + hours * 3_600_000).toISOString();
      return createAppointment(prisma, { organizationId, patientId: Number(patient), startsAt, officeId, providerId, status });
    };
    await appoint(ann, 5.5, north.id, lee.id);
    await appoint(ann, 7.5, south.id, kay.id);
    await appoint(ann, 48, north.id, lee.id);
    await appoint(other, 2.5, north.id, kay.id);
    await appoint(other, 3, south.id, lee.id, 'cancelled');
    await appoint(third, -1.5, south.id, lee.id);
    await appoint(third, -2.5, north.id, lee.id);
    await appoint(hidden.id, 1, north.id, lee.id);
    const found = async (parameters: object) => {
      const { body } = await clinic.get('/patients').query(parameters).expect(200);
      expect(body.totalcount).toBe(body.patients.length);
      return body.patients.map(({ patientid }: { patientid: string }) => patientid);
    };
    const inNorth = { appointmentdepartmentid: north.id };
    const inSouth = { appointmentdepartmentid: south.id };
    const withLee = { appointmentproviderid: lee.id };
    expect(await found(inNorth)).toEqual([ann, other]);
    expect(await found(inSouth)).toEqual([ann]);
    expect(await found(withLee)).toEqual([ann]);
    expect(await found({ ...inSouth, ...withLee })).toEqual([]);
    expect(await found({ ...inNorth, upcomingappointmenthours: 3 })).toEqual([other]);
    expect(await found({ ...inNorth, upcomingappointmenthours: 6, lastname: 'field', firstname: 'ann', dob: '02/29/1980' })).toEqual([ann]);
    expect(await found({ ...withLee, upcomingappointmenthours: 5 })).toEqual([third]);
    expect(await found({ ...inSouth, upcomingappointmenthours: 7 })).toEqual([third]);
    expect(await found({ upcomingappointmenthours: 24 })).toEqual([ann, other, third]);
    expect(await found({ upcomingappointmenthours: 1 })).toEqual([third]);
    const foreign = await createOffice(prisma, { organizationId: (await practiceClient(test)).organizationId });
    expect(await found({ appointmentdepartmentid: foreign.id })).toEqual([]);
    expect(await found({ appointmentproviderid: 2_147_483_647 })).toEqual([]);

    const first = (
      await clinic
        .get('/patients')
        .query({ ...inNorth, limit: 1 })
        .expect(200)
    ).body;
    const second = (await test.http.get(first.next).set('authorization', `Bearer ${clinic.token}`).expect(200)).body;
    expect([first, second].map(({ totalcount, patients }) => [totalcount, patients[0].patientid])).toEqual([
      [2, ann],
      [2, other],
    ]);
    expect(second.next).toBeUndefined();
  });
});

describe('the same in the mobile API', () => {
  it('is by name, birth date, email, telephone and record number; and of users by name, email and telephone', async () => {
    const { organizationId, ann, other } = await practiceOfThree();
    const person = await signedInUser(test, { organizationId, user: { firstName: 'Uma', lastName: 'Vance', phone: '+19105550144' } });
    const found = async (path: string) => {
      const { body } = await person.get(path).expect(200);
      const ids = body.data.map(({ uuid }: { uuid: number }) => String(uuid));
      expect(body.meta.total, path).toBe(ids.length);
      return ids;
    };
    expect(await found('/patients?dob=1980-02-29')).toEqual([ann]);
    expect(await found('/patients?name=field%20an')).toEqual([ann, other]);
    expect(await found('/patients?search=nancy&sort=id')).toEqual([ann]);
    expect(await found('/patients?search=-')).toEqual([]);
    expect(await found('/patients?email=ann.field@example.com')).toEqual([ann]);
    expect(await found('/patients?phone=9105550123')).toEqual([ann, other]);
    expect(await found('/contacts?name=field')).toEqual([ann, other]);
    const me = [String(person.user.id)];
    expect(await found(`/users/search?email=${encodeURIComponent(person.email.toUpperCase())}`)).toEqual(me);
    expect(await found('/users/search?name=vance')).toEqual(me);
    expect(await found('/users/search?phone=910-555-0144')).toEqual(me);
    expect(await found('/users/search?phone=910-555-0145')).toEqual([]);
  });
});
