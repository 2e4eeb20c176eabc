import { beforeAll, describe, expect, it } from 'vitest';
import { practiceClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createLocation, createOffice, createPatient, createProvider } from '../../../support/factories.ts';
import { type Person, shownPatients, uuids } from './people.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

describe('the list of patients', () => {
  let own: Person;
  let north: number;
  let south: number;
  /** Ids by name, and back. */
  const ids: number[] = [];
  beforeAll(async () => {
    own = await signedInUser(test);
    const { organizationId } = own;
    north = (await createOffice(rows(), { organizationId })).id;
    south = (await createOffice(rows(), { organizationId })).id;
    const providers = {
      first: (await createProvider(rows(), { organizationId })).id,
      second: (await createProvider(rows(), { organizationId })).id,
    };
    const places = {
      first: (await createLocation(rows(), { organizationId })).id,
      second: (await createLocation(rows(), { organizationId })).id,
    };
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    const people = [
      // 0
      {
        firstName: 'Zoë',
        lastName: 'Garcia',
        birthDate: day(3),
        sex: 'F',
        medicalRecordNo: 'B',
        email: 'c@example.com',
        mobilePhone: '+19105550103',
        city: 'Cary',
        state: 'NC',
        zip: '3',
        languageCode: 'spa',
        admitDate: day(2),
        primaryProviderId: providers.second,
        locationId: places.first,
        primaryOfficeId: south,
        createdAt: day(2),
        updatedAt: day(3),
      },
      // 1
      {
        firstName: 'Ann',
        lastName: 'López García',
        birthDate: day(1),
        sex: 'M',
        medicalRecordNo: 'C',
        email: 'b@example.com',
        mobilePhone: '+19105550102',
        city: 'Apex',
        state: 'SC',
        zip: '1',
        languageCode: 'eng',
        admitDate: day(3),
        primaryProviderId: providers.first,
        locationId: places.second,
        primaryOfficeId: north,
        createdAt: day(1),
        updatedAt: day(2),
      },
      // 2
      {
        firstName: 'Ánna',
        lastName: 'Garza',
        status: 'prospective' as const,
        primaryOfficeId: north,
        createdAt: day(3),
        updatedAt: day(1),
      },
    ];
    for (const data of people) ids.push((await createPatient(rows(), { organizationId, ...data })).id);
  });
  const found = async (query: string) => {
    const answer = await own.get(`/patients?${query.replaceAll('{north}', String(north)).replaceAll('{south}', String(south))}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.meta.total).toBe(answer.body.data.length);
    return uuids(answer).map((uuid) => ids.indexOf(uuid));
  };

  it.each([
    // Without SORT as in the search of the practice API.
    ['', [0, 2, 1]],
    ['order=DESC', [1, 2, 0]],
    ['sort=uuid', [0, 1, 2]],
    ['sort=id&order=DESC', [2, 1, 0]],
    ['sort=lastname', [0, 2, 1]],
    ['sort=lastname&order=desc', [1, 2, 0]],
    ['sort=firstname', [1, 2, 0]],
    ['sort=firstname&order=DESC', [0, 2, 1]],
    // Patients without a value come last, in either direction.
    ['sort=dob', [1, 0, 2]],
    ['sort=dob&order=DESC', [0, 1, 2]],
    ['sort=gender', [0, 1, 2]],
    ['sort=gender&order=DESC', [1, 0, 2]],
    ['sort=status&order=DESC', [2, 1, 0]],
    ['sort=med_rec_no', [0, 1, 2]],
    ['sort=med_rec_no&order=DESC', [1, 0, 2]],
    ['sort=email', [1, 0, 2]],
    ['sort=phone_no', [1, 0, 2]],
    ['sort=city', [1, 0, 2]],
    ['sort=state&order=DESC', [1, 0, 2]],
    ['sort=zip', [1, 0, 2]],
    ['sort=language', [1, 0, 2]],
    ['sort=admit_date&order=DESC', [1, 0, 2]],
    ['sort=provider', [1, 0, 2]],
    ['sort=location', [0, 1, 2]],
    ['sort=office', [1, 2, 0]],
    ['sort=created_at', [1, 0, 2]],
    ['sort=updated_at&order=DESC', [0, 1, 2]],
    // Starts of names.
    ['lastname=gar', [1, 0, 2]],
    ['lastname=GARC', [1, 0]],
    ['lastname=garc%C3%ADa&order=DESC', [0, 1]],
    ['lastname=lopez+gar', [1]],
    ['lastname=gar&sort=lastname', [0, 2, 1]],
    ['lastname=gar&sort=firstname&order=DESC', [0, 2, 1]],
    ['lastname=gar&sort=dob', [1, 0, 2]],
    ['lastname=gar&sort=id', [0, 1, 2]],
    ['firstname=an', [1, 2]],
    ['firstname=an&order=DESC', [2, 1]],
    ['firstname=an&sort=lastname', [2, 1]],
    ['firstname=an&sort=created_at&order=DESC', [2, 1]],
    ['firstname=ann&lastname=gar', [1, 2]],
    ['firstname=zoe&lastname=gar', [0]],
    ['firstname=nn', []],
    ['lastname=arc', []],
    ['lastname=%25', []],
    ['lastname=_', []],
    ['lastname=', [0, 2, 1]],
    ['firstname=+&lastname=garz', [2]],
    // Offices.
    ['office={north}', [2, 1]],
    ['departmentid={south}', [0]],
    ['office={north}&departmentid={north}&sort=dob', [1, 2]],
    ['office={north}&lastname=gar', [1, 2]],
    ['office={north}&firstname=ann&lastname=gar&sort=uuid&order=DESC', [2, 1]],
    ['office={south}&firstname=an', []],
    ['office=1888888', []],
  ])('with %j is %j', async (query, order) => {
    expect(await found(query)).toEqual(order);
  });

  it.each(['', 'lastname=gar', 'lastname=lopez%20g', 'firstname=an', 'firstname=zoe&lastname=g', 'lastname=arc'])(
    'with %j finds whom the practice API finds, in its order',
    async (query) => {
      const practice = await practiceClient(test, { organizationId: own.organizationId });
      const answer = await practice.get(`/patients?${query}`);
      expect(answer.status, answer.text).toBe(200);
      const theirs = answer.body.patients.map(({ patientid }: { patientid: string }) => ids.indexOf(Number(patientid)));
      expect(await found(query)).toEqual(theirs);
    },
  );

  it('lists the fields it can be sorted by when asked for another', async () => {
    const answer = await own.get('/patients?sort=shoe_size');
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/sort']);
    for (const field of ['uuid', 'lastname', 'dob', 'med_rec_no', 'updated_at']) expect(answer.body.errors[0].detail).toContain(field);
    expect(answer.text).not.toContain('shoe_size');
  });

  it.each([
    ['order=up', '/order'],
    ['limit=1001', '/limit'],
    ['page=0', '/page'],
    ['office=x', '/office'],
    ['departmentid=0', '/departmentid'],
    ['office=1&departmentid=2', '/office', '/departmentid'],
    [`lastname=${'x'.repeat(101)}`, '/lastname'],
    ['firstname=a%00', '/firstname'],
  ])('refuses %s', async (query, ...pointers) => {
    const answer = await own.get(`/patients?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });

  it.each(['', 'sort=uuid&', 'sort=lastname&order=DESC&', 'sort=dob&', 'lastname=gar&'])(
    'with %j is walked page by page over its links, none missed and none twice',
    async (query) => {
      const seen: number[] = [];
      let next = `/patients?${query}limit=1`;
      for (let pages = 0; next !== '' && pages < 5; pages += 1) {
        const answer = await own.get(next);
        seen.push(...uuids(answer));
        next = answer.body.links.next === null ? '' : answer.body.links.next.slice(test.address.length);
      }
      expect(seen.map((uuid) => ids.indexOf(uuid))).toEqual(await found(query));
    },
  );

  it('is audited as a search that showed the patients of its page', async () => {
    const before = (await shownPatients(test, own, 'search')).length;
    await own.get('/patients?sort=uuid&limit=2');
    await own.get('/patients?lastname=nobody');
    expect((await shownPatients(test, own, 'search')).slice(before)).toEqual([ids.slice(0, 2)]);
  });

  it('past its end is empty and still tells the total', async () => {
    expect((await own.get('/patients?page=9')).body).toMatchObject({ data: [], meta: { total: 3, from: null, to: null } });
  });
});
