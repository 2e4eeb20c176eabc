import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../support/app.ts';
import { createOrganization, createPatient } from '../../../support/factories.ts';
import { importer } from './sending.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

async function practice() {
  const { id } = await createOrganization(prisma, { registrationPolicy: 'open' });
  const charts = () => prisma.patient.findMany({ where: { organizationId: id }, orderBy: { externalId: 'asc' } });
  return { id, system: await importer(test, id), charts };
}

describe('the report of an import', () => {
  it('keeps columns that the import does not know, so that a name can be split and sent again', async () => {
    const { system, charts } = await practice();
    const file = 'Chart,Name,,dob,\nc-1,"Smith, John",A,1980-01-02,B\n';
    const mapping = encodeURIComponent(JSON.stringify({ Chart: 'external_id' }));
    const refused = await system.import(`kind=patients&mapping=${mapping}`, file);
    expect(refused).toMatchObject({ counts: { refused: 1 }, ignored_columns: ['Name'] });
    const report = await system.report(refused.id);
    expect(report).toContain('c-1,"Smith, John",A,1980-01-02,B,');
    const split = report.replace('Name', 'lastname,firstname').replace('"Smith, John"', 'Smith,John');
    expect(await system.import(`kind=patients&mapping=${mapping}`, split)).toMatchObject({ counts: { created: 1 } });
    expect(await charts()).toMatchObject([{ externalId: 'c-1', firstName: 'John', lastName: 'Smith' }]);
  });

  it('seals what may be a number of social security in them, and only its own field opens that', async () => {
    const { system, charts } = await practice();
    const row = {
      Name: 'Smith, John',
      dob: '1980-01-02',
      Social: '123-45-6789',
      Account: 234567890,
      Notes: { tags: ['345-67-8901', 'x'] },
    };
    const refused = await system.import('kind=patients', JSON.stringify(row));
    const report = await system.report(refused.id);
    expect(report).not.toMatch(/123-45-6789|234567890|345-67-8901/);
    expect(report).toContain('"x"');
    const named = report.replace('"Name":"Smith, John"', '"firstname":"John"').replace('"Social"', '"ssn"');
    const astray = await system.import('kind=patients', named.replace('"Account"', '"external_id"'));
    expect(astray).toMatchObject({ counts: { refused: 1 } });
    expect(await system.report(astray.id)).toContain('external_id: was sealed because it has nine digits');
    expect(await system.import('kind=patients', named)).toMatchObject({ counts: { created: 1 } });
    expect(await charts()).toMatchObject([{ firstName: 'John', ssnLastFour: '6789' }]);
  });
});

describe('a row', () => {
  it('without a name and a birth date makes no chart, whatever the practice asks of registrations', async () => {
    const { id, system, charts } = await practice();
    await createPatient(prisma, { organizationId: id, externalId: 'c-1', city: null });
    const file =
      'external_id,firstname,lastname,dob,city\nc-1,,,,Cary\nc-2,,Two,1980-01-02,\nGrand total,,,,2\nc-4,Grand total,,,2\nc-5,,,1980-01-02,\n';
    const done = await system.import('kind=patients&on_match=update', file);
    expect(done.counts).toMatchObject({ created: 1, updated: 1, refused: 3 });
    const [, ...refused] = (await system.report(done.id)).trimEnd().split('\r\n');
    expect(refused.map((line) => line.replace(/^.*refused,/, ''))).toEqual([
      '"lastname, dob","lastname: is missing; dob: is missing",',
      'dob,dob: is missing,',
      'lastname,lastname: is missing,',
    ]);
    expect((await charts()).map(({ externalId, city }) => [externalId, city])).toEqual([
      ['c-1', 'Cary'],
      ['c-2', null],
    ]);
  });

  it('has a day with midnight behind it, and no other time', async () => {
    const { system, charts } = await practice();
    const [right, wrong] = [
      [
        '1980-02-29 00:00:00',
        '1980-02-29T00:00:00',
        '1980-02-29T00:00:00.000Z',
        '2/29/1980 0:00',
        '02/29/1980 12:00:00 AM',
        '2/29/1980 12:00 am',
      ],
      ['1980-02-29 00:01:00', '2/29/1980 12:00:00 PM', '1980-02-29T05:00:00Z', '1980-02-30 00:00:00', '2/29/1980 0:00 PM'],
    ];
    const rows = [...right, ...wrong].map((day, n) => `d-${n},Ada,${day}\n`);
    const done = await system.import('kind=patients', `external_id,firstname,dob\n${rows.join('')}`);
    expect(done.counts).toMatchObject({ created: 6, refused: 5 });
    expect(new Set((await charts()).map(({ birthDate }) => birthDate?.toISOString()))).toEqual(new Set(['1980-02-29T00:00:00.000Z']));
    const report = await system.report(done.id);
    expect(report.match(/dob: has a time of day; it must be a day such as 1980-02-29/g)).toHaveLength(4);
    expect(report).toContain('dob: is a day that does not exist');
  });

  it('is no line that is empty, blank, or has separators only', async () => {
    const { system } = await practice();
    const file = 'firstname,lastname,dob\nAda,One,1980-01-02\n\n   \n,,\n , ,"",\n,,,,\n,';
    const done = await system.import('kind=patients', file);
    expect(done).toMatchObject({ state: 'done', counts: { rows: 1, created: 1, refused: 0 } });
  });
});
