import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { migrateOnStart } from '../../src/database/migrate-on-start.ts';
import { oneLine } from '../../src/domain/values/text-form.ts';
import { ownTestApp } from '../support/app.ts';
import { codePoint } from '../support/code-point.ts';
import { databaseUrls, runAsOwner } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';

const test = await ownTestApp();
const rows = () => test.database.prisma;

/** Applies the migration to the rows that stand, as an installation of the version before does. @returns what it told the operator */
async function mend(migration = 'text_in_one_form'): Promise<string[]> {
  await runAsOwner(test.databaseUrl, `DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_${migration}'`);
  const told: string[] = [];
  await migrateOnStart(databaseUrls(test.databaseUrl), { MIGRATE_ON_START: true }, { warn: (sentence) => void told.push(sentence) });
  return told;
}

describe('the migration to one form of texts', () => {
  it('mends what stands, says how many rows, and leaves events and an audit row of the charts', async () => {
    const { id: organizationId } = await createOrganization(rows());
    const created = (data: object) => rows().patient.create({ data: { organizationId, ...data } });
    const blanks = await created({ firstName: ' Leading', lastName: 'O\u2019Hara\u00a0\u00a0Nun\u0303ez\u200b', guarantorLastName: '\t' });
    const state = await created({ lastName: 'Empire', state: 'New York', zip: '100011234', guarantorState: 'n.c.' });
    const abroad = await created({ lastName: 'Ng', state: 'Victoria', zip: '3000', countryCode: 'AUS' });
    const fine = await created({ firstName: 'Zoë', lastName: 'van der Berg', state: 'NC', zip: '27601' });
    const first = await created({ lastName: 'One', medicalRecordNo: 'HV-1 ' });
    const second = await created({ lastName: 'Two ', medicalRecordNo: ' HV-1' });
    await rows().contactTag.createMany({
      data: [
        { organizationId, name: 'Diabetes', color: '#000000' },
        { organizationId, name: ' Asthma ', color: '#000000' },
      ],
    });
    const before = await rows().event.count();

    expect(await mend()).toEqual([
      'patient: texts of 3 rows were brought to one form.',
      'patient: texts of 1 row were brought to one form.',
      'patient: 1 row stayed, since another row has that medical record no in one form already; "npm run admin -- patients check" lists them.',
      'contact tag: texts of 1 row were brought to one form.',
    ]);

    const now = await rows().patient.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect(now[0]).toMatchObject({
      firstName: 'Leading',
      lastName: 'O\u2019Hara Nuñez',
      firstNameFolded: 'leading',
      guarantorLastName: null,
    });
    expect(now[1]).toMatchObject({ state: 'NY', zip: '10001-1234', guarantorState: 'NC' });
    expect(now.slice(2, 4)).toEqual([abroad, fine]);
    expect(now.slice(4)).toMatchObject([{ medicalRecordNo: 'HV-1' }, { medicalRecordNo: ' HV-1', lastName: 'Two' }]);
    expect(
      await rows().patientNameKey.findMany({ where: { patientId: blanks.id }, select: { lastKey: true }, orderBy: { ordinal: 'asc' } }),
    ).toContainEqual({ lastKey: 'nunez' });
    const events = await rows().event.findMany({ orderBy: { id: 'asc' }, skip: before });
    expect(events.map(({ subjectId, name, changed }) => [Number(subjectId), name, changed.toSorted()])).toEqual([
      [blanks.id, 'patient.updated', ['firstName', 'guarantorLastName', 'lastName']],
      [state.id, 'patient.updated', ['guarantorState', 'state', 'zip']],
      [second.id, 'patient.updated', ['lastName']],
      [first.id, 'patient.updated', ['medicalRecordNo']],
    ]);
    const audit = await rows().auditEntry.findFirstOrThrow({ where: { organizationId }, orderBy: { id: 'desc' } });
    expect(audit).toMatchObject({ actor: 'operator', action: 'update', resource: 'patient', detail: 'texts brought to one form' });
    expect(audit.resourceIds.map(Number)).toEqual([blanks.id, state.id, first.id, second.id]);
    expect(await mend()).toEqual([expect.stringContaining('patient: 1 row stayed')]);
  });
});

describe('the migration of control characters', () => {
  it('takes them out of what stands, so that a search finds it, and says how many rows', async () => {
    const { id: organizationId } = await createOrganization(rows());
    const { id } = await rows().patient.create({ data: { organizationId, firstName: '\u0001', lastName: 'Be\u0007ll\u009f' } });
    await rows().contactTag.create({ data: { organizationId, name: 'As\u007fthma', color: '#000000' } });
    expect(await mend('control_characters')).toEqual([
      'patient: texts of 1 row lost control characters.',
      expect.stringContaining('patient: 1 row stayed'),
      'contact tag: texts of 1 row lost control characters.',
    ]);
    expect(await rows().patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } })).toMatchObject({
      firstName: null,
      lastName: 'Bell',
      lastNameFolded: 'bell',
    });
    expect(await rows().event.findFirstOrThrow({ where: { organizationId }, orderBy: { id: 'desc' } })).toMatchObject({
      name: 'patient.updated',
      changed: ['firstName', 'lastName'],
    });
  });

  it('leaves a function that makes the form as requests do', async () => {
    const unit = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 1 }),
      fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)),
    );
    const texts = fc.sample(
      fc.array(unit).map((all) => all.join('').replaceAll('\0', '')),
      500,
    );
    const made = await rows().$queryRaw<
      { form: string }[]
    >`SELECT one_line(text) AS form FROM unnest(${texts}::text[]) WITH ORDINALITY AS of (text, at) ORDER BY at`;
    expect(made.map(({ form }) => form)).toEqual(texts.map(oneLine));
  });
});
