import { beforeAll, describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient } from '../../support/factories.ts';

let offices: { north: number; south: number };

const NAMES: [first: string | null, last: string | null][] = [
  ['María', 'de la Cruz'],
  ['Mary', 'Smith-Jones'],
  ['Marc', 'Smith'],
  ['Sinéad', "O'Neil"],
  ['Zoë', 'Núñez'],
  ['Peter', 'Crux'],
  ['Ana', 'García-Garza'],
  ['Percy', '100%'],
  ['Una', 'under_score'],
  ['Ben', 'back\\slash'],
  ['Ben', 'backxslash'],
  ['Ole', 'Ångström'],
  ['Mononym', null],
  [null, 'Nameless'],
];

const test = await sharedTestApp();
const clinic = await practiceClient(test);

beforeAll(async () => {
  const { organizationId } = clinic;
  const office = async (name: string) => (await createOffice(test.database.prisma, { organizationId, name })).id;
  offices = { north: await office('North'), south: await office('South') };
  for (const [firstName, lastName] of NAMES)
    await createPatient(test.database.prisma, { organizationId, firstName, lastName, primaryOfficeId: offices.north });
  await createPatient(test.database.prisma, { organizationId, firstName: 'Marta', lastName: 'Smithers', primaryOfficeId: offices.south });
  await createPatient(test.database.prisma, { organizationId, firstName: 'Marta', lastName: 'Nowhere' });
});

interface Shown {
  patientid: string;
  firstname?: string;
  lastname?: string;
}

async function search(query: Record<string, string | number>, asker = clinic) {
  const answer = await asker.get('/patients').query(query);
  expect(answer.status, answer.text).toBe(200);
  const body: { totalcount: number; next?: string; patients: Shown[] } = answer.body;
  return body;
}

/** Names that a search finds, in the order of the response. */
async function found(query: Record<string, string | number>) {
  const { totalcount, patients } = await search(query);
  expect(totalcount).toBe(patients.length);
  return patients.map(({ firstname = '', lastname = '' }) => `${firstname} ${lastname}`.trim());
}

describe('a search by last name', () => {
  it.each([
    ['cruz', ['María de la Cruz']],
    ['de la c', ['María de la Cruz']],
    ['JONES', ['Mary Smith-Jones']],
    ['neil', ["Sinéad O'Neil"]],
    ['nunez', ['Zoë Núñez']],
    ['angst', ['Ole Ångström']],
    ['oneil', ["Sinéad O'Neil"]],
    ['O’Neil', ["Sinéad O'Neil"]],
    ['SmithJones', ['Mary Smith-Jones']],
    ['DelaCruz', ['María de la Cruz']],
    ['smith', ['Marc Smith', 'Marta Smithers', 'Mary Smith-Jones']],
    ['smith-j', ['Mary Smith-Jones']],
    ['-', []],
    ['mith', []],
    ['ruz', []],
    ['maria', []],
  ])('for %s finds %j', async (lastname, names) => {
    expect(await found({ lastname })).toEqual(names);
  });

  it('finds once who answers to it with several words of the name', async () => {
    expect(await found({ lastname: 'gar' })).toEqual(['Ana García-Garza']);
    expect(await found({ lastname: 'garz' })).toEqual(['Ana García-Garza']);
  });

  it.each([
    ['%', []],
    ['100%', ['Percy 100%']],
    ['_', []],
    ['under_', ['Una under_score']],
    ['\\', []],
    ['back\\', ['Ben back\\slash']],
    ['back_', []],
  ])('takes %s as letters', async (lastname, names) => {
    expect(await found({ lastname })).toEqual(names);
  });
});

describe('a search by first name', () => {
  it.each([
    ['mar', ['Marc Smith', 'María de la Cruz', 'Marta Nowhere', 'Marta Smithers', 'Mary Smith-Jones']],
    ['ZOE', ['Zoë Núñez']],
    ['arc', []],
    ['smith', []],
  ])('for %s finds %j', async (firstname, names) => {
    expect(await found({ firstname })).toEqual(names);
  });
});

describe('a search by several', () => {
  it('finds who answers to all of it', async () => {
    const { north, south } = offices;
    expect(await found({ lastname: 'smith', firstname: 'mar', departmentid: north })).toEqual(['Marc Smith', 'Mary Smith-Jones']);
    expect(await found({ lastname: 'smith', firstname: 'mary' })).toEqual(['Mary Smith-Jones']);
    expect(await found({ lastname: 'smith', primarydepartmentid: south })).toEqual(['Marta Smithers']);
    expect(await found({ firstname: 'marta', departmentid: south })).toEqual(['Marta Smithers']);
    expect(await found({ departmentid: south })).toEqual(['Marta Smithers']);
  });

  it('finds by department alone all whose primary department it is, by last name', async () => {
    const names = await found({ departmentid: offices.north });
    expect(names).toHaveLength(NAMES.length);
    expect(names.indexOf('Mononym')).toBe(names.indexOf('Nameless') - 1);
    expect(names.slice(-3)).toEqual(['Marc Smith', 'Mary Smith-Jones', 'Una under_score']);
  });

  it('finds all patients without anything, and takes an empty parameter as not sent', async () => {
    const all = await found({});
    expect(all).toHaveLength(NAMES.length + 2);
    expect(await found({ lastname: '', firstname: '', departmentid: '', limit: '', offset: '' })).toEqual(all);
    expect(await found({ lastname: '  ', firstname: 'zoe' })).toEqual(['Zoë Núñez']);
  });

  it('finds nobody in a department that does not exist, nor in one of another practice', async () => {
    const other = await practiceClient(test);
    const theirs = await createOffice(test.database.prisma, { organizationId: other.organizationId });
    await createPatient(test.database.prisma, { organizationId: other.organizationId, primaryOfficeId: theirs.id });
    expect(await found({ departmentid: theirs.id })).toEqual([]);
    expect(await found({ departmentid: 2_147_483_647 })).toEqual([]);
  });
});

describe('a search', () => {
  it.each([
    ['limit', '0'],
    ['limit', '5001'],
    ['limit', '-1'],
    ['limit', 'ten'],
    ['limit', '1.5'],
    ['offset', '-1'],
    ['offset', 'x'],
    ['offset', '2147483648'],
    ['departmentid', 'x'],
    ['departmentid', '0'],
    ['departmentid', '2147483648'],
    ['lastname', 'x'.repeat(201)],
    ['firstname', 'a\0b'],
    ['after', 'x'],
  ])('refuses %s=%s by name', async (name, value) => {
    const answer = await clinic.get('/patients').query({ [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: expect.any(String), invalidfields: [name] });
  });

  it('refuses a parameter that is sent twice', async () => {
    const answer = await clinic.get('/patients?lastname=a&lastname=b');
    expect(answer.status).toBe(400);
    expect(answer.body.invalidfields).toEqual(['lastname']);
  });
});

describe('the list', () => {
  const rows = () => test.database.prisma;

  it('never shows deleted, restricted and blocked patients, until that is over', async () => {
    const asker = await practiceClient(test);
    const { organizationId } = asker;
    const { id } = await createPatient(rows(), { organizationId, firstName: 'Hidden', lastName: 'Example' });
    const key = { organizationId_id: { organizationId, id } };
    const restrict = (kind: 'record' | 'blocked' | 'portal') =>
      rows().privacyRestriction.create({ data: { organizationId, patientId: id, kind } });
    const count = async () => {
      const counts = await Promise.all(
        [{}, { lastname: 'exam' }, { firstname: 'hid' }].map(async (query) => (await search(query, asker)).totalcount),
      );
      expect(new Set(counts).size).toBe(1);
      return counts[0];
    };
    expect(await count()).toBe(1);
    await restrict('portal');
    expect(await count()).toBe(1);
    for (const kind of ['record', 'blocked'] as const) {
      const restriction = await restrict(kind);
      expect(await count()).toBe(0);
      await rows().privacyRestriction.update({
        where: { organizationId_id: { organizationId, id: restriction.id } },
        data: { liftedAt: new Date() },
      });
      expect(await count()).toBe(1);
    }
    await rows().patient.update({ where: key, data: { status: 'deleted' } });
    expect(await count()).toBe(0);
    await rows().patient.update({ where: key, data: { status: 'inactive' } });
    expect(await count()).toBe(1);
  });

  it('follows a change of name and of department at once', async () => {
    const asker = await practiceClient(test);
    const { organizationId } = asker;
    const { id } = await createPatient(rows(), { organizationId, firstName: 'Ann', lastName: 'Before' });
    const office = await createOffice(rows(), { organizationId });
    const data = { firstName: 'Bea', lastName: 'van After', primaryOfficeId: office.id };
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data });
    expect(await search({ lastname: 'before' }, asker)).toMatchObject({ totalcount: 0 });
    expect(await search({ firstname: 'ann' }, asker)).toMatchObject({ totalcount: 0 });
    for (const query of [{ lastname: 'after' }, { firstname: 'bea' }, { departmentid: office.id }])
      expect(await search(query, asker)).toMatchObject({ totalcount: 1, patients: [{ patientid: String(id), firstname: 'Bea' }] });
  });

  it('is audited as a search that showed those who stand on the page', async () => {
    const asker = await practiceClient(test);
    const { organizationId } = asker;
    const [a, b, c] = [
      await createPatient(rows(), { organizationId, lastName: 'Audit A' }),
      await createPatient(rows(), { organizationId, lastName: 'Audit B' }),
      await createPatient(rows(), { organizationId, lastName: 'Audit C' }),
    ];
    await search({ lastname: 'audit', limit: 2 }, asker);
    await search({ lastname: 'audit', limit: 2, offset: 2 }, asker);
    await search({ lastname: 'nobody' }, asker);
    const entries = await rows().auditEntry.findMany({ where: { organizationId, resource: 'patient' }, orderBy: { id: 'asc' } });
    expect(entries.map(({ action, resourceIds }) => ({ action, resourceIds }))).toEqual([
      { action: 'search', resourceIds: [a.id, b.id] },
      { action: 'search', resourceIds: [c.id] },
    ]);
  });

  it('puts no name into the log', async () => {
    const asker = await practiceClient(test);
    await createPatient(rows(), { organizationId: asker.organizationId, firstName: 'Qwertilda', lastName: 'Xylophonowitz' });
    expect(await search({ lastname: 'xylophono', firstname: 'qwert' }, asker)).toMatchObject({ totalcount: 1 });
    expect(test.logs.join('').toLowerCase()).not.toMatch(/xylophono|qwert/);
  });
});
