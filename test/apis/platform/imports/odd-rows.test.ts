import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../support/app.ts';
import { createOrganization } from '../../../support/factories.ts';
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
