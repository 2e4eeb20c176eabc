import { beforeAll, describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);
const { organizationId } = clinic;
let ids: { adams: number; ann: number; nunez: number };

beforeAll(async () => {
  const provider = async (data: object) => (await createProvider(test.database.prisma, { organizationId, ...data })).id;
  ids = {
    nunez: await provider({ firstName: 'Zoë', lastName: 'Núñez', providerTypeId: 'NP', displayName: 'Nurse Zoe' }),
    adams: await provider({ firstName: 'Ben', lastName: 'Adams', providerTypeId: 'MD', providerGroupIds: [3], otherProviderIds: [7, 8] }),
    ann: await provider({ firstName: 'Ann', lastName: 'Adams', providerTypeId: 'MD' }),
  };
  await provider({ firstName: 'Old', lastName: 'Adams', active: false });
  await practiceClient(test).then((there) =>
    createProvider(test.database.prisma, { organizationId: there.organizationId, lastName: 'Adams' }),
  );
});

const listed = async (query = '') => {
  const answer = await clinic.get(`/providers${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.providers.map((one: { providerid: number }) => one.providerid);
};

describe('GET /providers', () => {
  it('lists the active providers by name, as one is read but for the lists of ids', async () => {
    expect(await listed()).toEqual([ids.ann, ids.adams, ids.nunez]);
    const [read] = (await clinic.get(`/providers/${ids.adams}`)).body;
    const { providergrouplist, ...without } = read;
    expect(providergrouplist).toBe('3');
    expect((await clinic.get('/providers?name=ben')).body).toEqual({ totalcount: 1, providers: [without] });
    const withIds = await clinic.get('/providers?name=ben&showallproviderids=true');
    expect(withIds.body.providers).toEqual([{ ...read, otherprovideridlist: '7,8' }]);
  });

  it.each([
    ['?name=nunez', ['nunez']],
    ['?name=zoe%20nun', ['nunez']],
    ['?name=NURSE', ['nunez']],
    ['?name=adams%20b', ['adams']],
    ['?providertype=md', ['ann', 'adams']],
    ['?providertype=MD&name=ann', ['ann']],
    ['?providertype=DO', []],
    ["?name='", []],
    ['?name=.', []],
    ['?name=-', []],
    ['?name=%25', []],
    ['?name=_', []],
  ] as const)('finds by %s', async (query, names) => {
    expect(await listed(query)).toEqual(names.map((name) => ids[name]));
  });

  it('pages by offset, and refuses names of parameters that it does not have but those that ask for more', async () => {
    const { body } = await clinic.get('/providers?limit=1&offset=1');
    expect(body).toMatchObject({
      totalcount: 3,
      next: `/v1/${organizationId}/providers?limit=1&offset=2`,
      previous: `/v1/${organizationId}/providers?limit=1&offset=0`,
      providers: [{ providerid: ids.adams }],
    });
    expect((await clinic.get('/providers?Name=x').expect(400)).body.invalidfields).toEqual(['Name']);
    const odd = await clinic.get('/providers?ShowUsualDepartmentGuessThreshold=0.0');
    expect(odd.headers['warning-fields']).toBe('ShowUsualDepartmentGuessThreshold');
    expect(odd.body.totalcount).toBe(3);
  });
});
