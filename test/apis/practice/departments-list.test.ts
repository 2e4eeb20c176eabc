import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { operator } from '../../../src/domain/caller.ts';
import { listDepartments } from '../../../src/domain/practices/departments.ts';
import { inPractice } from '../../../src/domain/tx.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createProvider } from '../../support/factories.ts';
import { clinicWith } from './departments-clinic.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

interface Listed {
  totalcount: number;
  next?: string;
  departments: { name: string }[];
}

const namesIn = ({ departments }: Listed) => departments.map(({ name }) => name);

/** Lets a provider see patients in offices. */
async function seesPatients(organizationId: number, officeIds: number[], active = true): Promise<number> {
  const { id } = await createProvider(rows(), { organizationId, active });
  await rows().providerOffice.createMany({ data: officeIds.map((officeId) => ({ organizationId, providerId: id, officeId })) });
  return id;
}

describe('the list of departments', () => {
  const PLACES = [
    { name: 'office' },
    { name: 'ward', isHospitalDepartment: true },
    { name: 'hidden office', hiddenInPortal: true },
    { name: 'hidden ward', hiddenInPortal: true, isHospitalDepartment: true },
    { name: 'closed office', active: false },
    { name: 'closed ward', active: false, isHospitalDepartment: true },
  ];

  it.each([
    ['', ['office', 'ward']],
    ['?hospitalonly=false&showalldepartments=false', ['office', 'ward']],
    ['?hospitalonly=&showalldepartments=&limit=&offset=', ['office', 'ward']],
    ['?hospitalonly=true', ['ward']],
    ['?hospitalonly=1', ['ward']],
    ['?showalldepartments=true', ['office', 'ward', 'hidden office', 'hidden ward']],
    ['?showalldepartments=TRUE&hospitalonly=0', ['office', 'ward', 'hidden office', 'hidden ward']],
    ['?showalldepartments=1&hospitalonly=true', ['ward', 'hidden ward']],
  ])('with "%s" holds those that are asked for, in order of their ids, and counts them', async (query, names) => {
    const { list } = await clinicWith(test, ...PLACES);
    const body = await list(query);
    expect(namesIn(body)).toEqual(names);
    expect(body.totalcount).toBe(names.length);
  });

  it('comes in pages, and next keeps what was asked and leads through all of them', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { clinic, list } = await clinicWith(test, ...names.map((name) => ({ name, hiddenInPortal: true })), { name: 'f', active: false });
    const seen: string[][] = [];
    let path: string | undefined = '/departments?showalldepartments=true&limit=2';
    while (path && seen.length < 9) {
      const answer: { body: Listed } = await clinic.get(path).expect(200);
      expect(answer.body.totalcount).toBe(5);
      seen.push(namesIn(answer.body));
      path = answer.body.next?.replace(`/v1/${clinic.organizationId}`, '');
    }
    expect(seen).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(namesIn(await list('?showalldepartments=true&limit=1&offset=3'))).toEqual(['d']);
    expect(await list('?showalldepartments=true&limit=2&offset=5')).toEqual({
      totalcount: 5,
      departments: [],
      previous: `/v1/${clinic.organizationId}/departments?showalldepartments=true&limit=2&offset=3`,
    });
  });

  it.each([
    ['limit', '0'],
    ['limit', '5001'],
    ['offset', '-1'],
    ['hospitalonly', 'maybe'],
    ['showalldepartments', '2'],
    ['providerlist', 'true&providerlist=true'],
  ])('refuses the %s "%s" and names it', async (field, value) => {
    const clinic = await practiceClient(test);
    const answer = await clinic.get(`/departments?${field}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'The data provided is invalid.', invalidfields: [field] });
  });
});

describe('the providers of departments', () => {
  it('are listed with those where they see patients, where they are asked for', async () => {
    const { clinic, ids, list } = await clinicWith(test, { name: 'both' }, { name: 'one' }, { name: 'none' });
    const { both = 0, one = 0 } = ids;
    const first = await seesPatients(clinic.organizationId, [both, one]);
    const second = await seesPatients(clinic.organizationId, [both]);
    await seesPatients(clinic.organizationId, [both, one], false);
    const { departments } = await list('?providerlist=true');
    expect(departments.map(({ providerlist }: { providerlist: string[] }) => providerlist)).toEqual([
      [String(first), String(second)],
      [String(first)],
      [],
    ]);
    expect((await clinic.get(`/departments/${one}?providerlist=true`)).body[0].providerlist).toEqual([String(first)]);
  });

  it.each(['', '?providerlist=false'])('are not listed with "%s"', async (query) => {
    const { clinic, ids, list } = await clinicWith(test, { name: 'office' });
    await seesPatients(clinic.organizationId, [ids.office ?? 0]);
    expect((await list(query)).departments[0]).not.toHaveProperty('providerlist');
    expect((await clinic.get(`/departments/${ids.office}${query}`)).body[0]).not.toHaveProperty('providerlist');
  });

  it('take as many queries for many departments as for one', async () => {
    const { clinic } = await clinicWith(test, { name: 'first' });
    const own = openDatabase({ url: test.databaseUrl, poolSize: 1 });
    let sent = 0;
    own.pool.on('acquire', () => {
      sent += 1;
    });
    const caller = operator(clinic.organizationId, 'test');
    const queriesFor = async (count: number) => {
      const before = sent;
      const { items } = await listDepartments(
        inPractice(own.prisma, caller.organizationId),
        { hospitalOnly: false, withHidden: false, withProviders: true },
        { limit: 100, offset: 0 },
        new Date(),
      );
      expect(items).toHaveLength(count);
      return sent - before;
    };
    const forOne = await queriesFor(1);
    for (let made = 0; made < 20; made += 1) {
      const { id } = await createOffice(rows(), { organizationId: clinic.organizationId });
      await seesPatients(clinic.organizationId, [id]);
    }
    expect(forOne).toBeGreaterThan(0);
    expect(await queriesFor(21)).toBe(forOne);
    await own.close();
  });
});
