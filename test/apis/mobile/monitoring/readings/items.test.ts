import { beforeAll, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import type { Person } from '../../people/people.ts';
import { createItem } from '../care.ts';

const PATH = '/remote-patient-monitoring/items';

const test = await sharedTestApp();
const own: Person = await signedInUser(test);
beforeAll(async () => {
  const of = { organizationId: own.organizationId };
  await createItem(test.database.prisma, { ...of, name: 'weight', unit: 'lb', minTarget: null, maxTarget: null });
  await createItem(test.database.prisma, { ...of, name: 'Éjection', unit: '%', minTarget: 50.125, maxTarget: null });
  await createItem(test.database.prisma, { ...of, name: 'Steps', unit: null, minTarget: 4000, maxTarget: null });
  await createItem(test.database.prisma, { ...of, name: 'Over', active: false });
});

const names = async (query: string, person = own) =>
  (await person.get(`${PATH}?${query}`)).body.data.map(({ name }: { name: string }) => name);

it('the catalogue shows what can be measured, its unit and what is usually aimed at, without what was ended', async () => {
  const { body } = await own.get(`${PATH}?limit=2`);
  expect(body.meta).toMatchObject({ total: 3, last_page: 2 });
  expect(body.data[0]).toEqual({
    uuid: expect.any(Number),
    name: 'Éjection',
    unit: '%',
    min_target: 50.125,
    max_target: null,
    danger_min: null,
    danger_max: null,
    plausible_min: null,
    plausible_max: null,
    kind: 'physiologic',
    loinc: null,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
});

it('the catalogue is sorted by what is asked, what has no unit last', async () => {
  expect(await names('')).toEqual(['Éjection', 'Steps', 'weight']);
  expect(await names('sort=title&order=DESC')).toEqual(['weight', 'Steps', 'Éjection']);
  expect(await names('sort=unit')).toEqual(['Éjection', 'weight', 'Steps']);
  expect(await names('sort=unit&order=DESC')).toEqual(['weight', 'Éjection', 'Steps']);
  expect(await names('sort=id&limit=1&page=2')).toEqual(['Éjection']);
  const wrong = await own.get(`${PATH}?sort=color`);
  expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('name or title or unit')]);
});

it('the catalogue is the organization’s own', async () => {
  expect(await names('', await signedInUser(test))).toEqual([]);
});
