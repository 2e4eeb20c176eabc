import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOffice, createProvider } from '../../../support/factories.ts';
import { uuids } from './people.ts';

const test = await sharedTestApp();
const person = await signedInUser(test);

const rows = () => test.database.prisma;

describe('a provider', () => {
  it('has all that a screen shows of a clinician, and is found by id and by NPI', async () => {
    const { organizationId, user } = person;
    const north = await createOffice(rows(), { organizationId, name: 'North' });
    const south = await createOffice(rows(), { organizationId, name: 'South' });
    const provider = await createProvider(rows(), {
      organizationId,
      userId: user.id,
      homeOfficeId: north.id,
      npi: '1234567893',
      firstName: 'Ada',
      lastName: 'Quinn',
      displayName: 'Dr. Ada Quinn',
      specialty: 'Family Medicine',
      providerTypeId: 'MD',
      sex: 'F',
      personalPronouns: 'she/her',
      acceptingNewPatients: false,
      federalIdNumber: '123456789',
    });
    await rows().providerOffice.createMany({
      data: [south, north].map(({ id: officeId }) => ({ organizationId, providerId: provider.id, officeId })),
    });
    const answer = await person.get(`/providers/${provider.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.etag).toBeDefined();
    expect(answer.body.data).toEqual({
      uuid: provider.id,
      npi: '1234567893',
      firstname: 'Ada',
      lastname: 'Quinn',
      display_name: 'Dr. Ada Quinn',
      specialty: 'Family Medicine',
      provider_type: 'MD',
      entity_type: 'Person',
      gender: 'F',
      pronouns: 'she/her',
      accepting_new_patients: false,
      active: true,
      user_uuid: user.id,
      home_office: north.id,
      offices: [
        { uuid: north.id, name: 'North' },
        { uuid: south.id, name: 'South' },
      ],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await person.get('/providers/npi/1234567893')).body).toEqual(answer.body);
  });

  it.each(['1234567890', '123456789', '12345678930', 'abcdefghij', '3234567893', '%20'])('is not looked for by the NPI %s', async (npi) => {
    const answer = await person.get(`/providers/npi/${npi}`);
    expect([answer.status, answer.body.errors[0]]).toEqual([
      400,
      { pointer: '/npi', code: 'invalid_npi', detail: 'must be ten digits with a valid check digit' },
    ]);
  });

  it('who has left is in no list, and can still be read', async () => {
    const { organizationId } = person;
    const gone = await createProvider(rows(), { organizationId, active: false });
    expect(uuids(await person.get('/providers'))).not.toContain(gone.id);
    expect((await person.get(`/providers/${gone.id}`)).body.data.active).toBe(false);
  });
});

describe('the list of providers', () => {
  it.each([
    ['', [0, 1, 2]],
    ['order=DESC', [2, 1, 0]],
    ['order=desc', [2, 1, 0]],
    ['sort=uuid', [0, 1, 2]],
    ['sort=lastname', [1, 0, 2]],
    ['sort=lastname&order=DESC', [2, 0, 1]],
    ['sort=firstname', [2, 0, 1]],
    ['sort=specialty', [1, 0, 2]],
    ['sort=specialty&order=DESC', [0, 1, 2]],
    ['sort=npi', [2, 0, 1]],
    ['sort=display_name', [0, 1, 2]],
    ['sort=provider_type', [0, 1, 2]],
    ['sort=active', [0, 1, 2]],
    ['sort=created_at&order=DESC', [2, 1, 0]],
    ['sort=updated_at', [0, 1, 2]],
  ])('with %s is in the order %j', async (query, order) => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const data = [
      { firstName: 'Bea', lastName: 'Moss', specialty: 'Urology', npi: '1245319599' },
      { firstName: 'Cleo', lastName: 'Ames', specialty: 'Allergy' },
      { firstName: 'Abe', lastName: 'Moss', npi: '1234567893' },
    ];
    const ids: number[] = [];
    for (const [day, fields] of data.entries()) {
      const at = new Date(Date.UTC(2026, 0, 1 + day));
      ids.push((await createProvider(rows(), { organizationId, ...fields, createdAt: at, updatedAt: at })).id);
    }
    const answer = await own.get(`/providers?${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(uuids(answer)).toEqual(order.map((index) => ids[index]));
  });

  it('lists the fields it can be sorted by when asked for another', async () => {
    const answer = await person.get('/providers?sort=shoe_size');
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/sort']);
    for (const field of ['id', 'lastname', 'npi', 'created_at']) expect(answer.body.errors[0].detail).toContain(field);
    expect((await person.get('/providers?order=up')).body.errors[0].pointer).toBe('/order');
  });
});
