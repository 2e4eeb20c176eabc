import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOrganization, createPatient } from '../../../support/factories.ts';
import { importer } from './sending.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

async function practice(organization = {}) {
  const { id } = await createOrganization(prisma, organization);
  const where = { where: { organizationId: id } };
  return { id, where, system: await importer(test, id), admin: await signedInUser(test, { organizationId: id, type: 'admin' }) };
}

/** What another system has of Ada, in the words of the practice API's form. */
const ADA = {
  external_id: 'e-1',
  firstname: 'Ada',
  lastname: 'One',
  dob: '02/29/1980',
  countrycode: 'us',
  contactpreference: 'MAIL',
  consenttotext: 'false',
  homeboundyn: 'true',
  race: '2106-3|2131-1',
  ssn: '123-45-6789',
  contactname: 'Bo One',
  contactrelationship: 'spouse',
  nextkinname: 'Cia One',
  nextkinphone: '919-555-0124',
  guardiansuffix: 'Jr',
  guarantorfirstname: 'Dan',
  guarantordob: '01/02/1950',
  guarantorssn: '234567890',
  guarantoraddresssameaspatient: 'false',
  guarantoraddress1: '1 Main St, back',
  guarantorcountrycode3166: 'DE',
  guarantorphone: '9195550125',
  guarantorrelationshiptopatient: '3',
  employer: 'acme',
  guarantoremployerid: 'Acme',
  occupationcode: '0010',
};

describe('rows of charts', () => {
  it('have all fields of the form of a registration, by its rules, and a report shows no number of social security', async () => {
    const { id, where, system, admin } = await practice();
    const { id: employerId } = await prisma.employer.create({ data: { organizationId: id, name: 'Acme' } });
    const odd = { ...ADA, external_id: 'e-2', guarantorcountrycode: 'FR', contactrelationship: 'pet' };
    const lacking = { ...ADA, external_id: 'e-3', employer: 'Nobody', guarantoraddresssameaspatient: 'true' };
    const file = [ADA, odd, lacking, { ...ADA, external_id: 'e-4', guarantorcountrycode: 'FR' }]
      .map((row) => JSON.stringify(row))
      .join('\n');
    const done = await system.import('kind=patients', file);
    expect(done).toMatchObject({ counts: { created: 1, refused: 3 }, ignored_columns: [] });
    const [chart] = await prisma.patient.findMany(where);
    expect(chart).toMatchObject({
      countryCode: 'USA',
      countryCode3166: 'US',
      contactPreference: 'MAIL',
      doNotSms: true,
      homebound: true,
      races: ['2106-3', '2131-1'],
      ssnLastFour: '6789',
      contactRelationship: 'SPOUSE',
      nextOfKinPhone: '+19195550124',
      guardianSuffix: 'Jr',
      guarantorBirthDate: new Date('1950-01-02'),
      guarantorSsnLastFour: '7890',
      guarantorCountryCode: 'DEU',
      guarantorPhone: '+19195550125',
      guarantorRelationshipToPatient: '3',
      employerId,
      guarantorEmployerId: employerId,
      occupationCode: '0010',
    });
    expect((await admin.get('/patients?external_id=e-1')).body.data).toMatchObject([{ uuid: chart?.id, contact_preference: 'MAIL' }]);
    const report = await system.report(done.id);
    expect(report).toContain('contactrelationship: must be one of SPOUSE');
    expect(report).toContain('employer: There is no such employer');
    expect(report.split('\n').filter((line) => line !== '')).toHaveLength(3);
    expect(report).not.toMatch(/123-?45-?6789|234567890/);
  });

  it('keep their numbers of social security in the report, sealed for an import of the same practice', async () => {
    const { system, where } = await practice();
    const rows = ['s-1,Ada,1980-13-01,123-45-6789,', 's-2,Bo,1980-01-01,000-00-0000,', 's-3,Cy,1980-01-01,234-56-7890,1 Main St, Apt 4'];
    const refused = await system.import('kind=patients', `external_id,firstname,dob,ssn,address1\n${rows.join('\n')}\n`);
    const report = await system.report(refused.id);
    expect(report).not.toMatch(/123-45-6789|000-00-0000|234-56-7890/);
    expect(report).toContain('"1 Main St, Apt 4"');
    const mended = report.replace('1980-13-01', '1980-12-01');
    const elsewhere = await practice();
    const foreign = await elsewhere.system.import('kind=patients', mended);
    expect(await elsewhere.system.report(foreign.id)).toContain('ssn: has a sealed number that was altered');
    expect(await system.import('kind=patients', mended)).toMatchObject({ counts: { created: 2, refused: 1 } });
    const charts = await prisma.patient.findMany({ ...where, orderBy: { externalId: 'asc' } });
    expect(charts).toMatchObject([
      { externalId: 's-1', ssnLastFour: '6789' },
      { externalId: 's-3', ssnLastFour: '7890', address1: '1 Main St, Apt 4' },
    ]);
    const [{ changed = [] } = {}] = await prisma.event.findMany({ where: { ...where.where, subjectId: charts[0]?.id ?? 0 } });
    expect(changed).toContain('ssn');
  });

  it('come back from an export of this server, in both formats', async () => {
    const from = await practice();
    const file = [JSON.stringify({ ...ADA, employer: '', guarantoremployerid: '', ssn: '', guarantorssn: '' })];
    file.push(
      JSON.stringify({
        externalId: 'e-2',
        flags: ['a,b', '[c]'],
        email: 'declined',
        lname: '=1+1',
        dob: '1990-05-06',
        mobilePhone: '+1 919 555 0126',
      }),
    );
    await from.system.import('kind=patients', file.join('\n'));
    const appointments =
      'external_id,patient_external_id,date,duration,user\nv-1,e-1,2033-05-03T15:00:00Z,25,\nv-2,e-2,2033-05-03T16:00:00Z,,\n';
    await from.system.import('kind=appointments', appointments.replace('user', 'status').replace('25,', '25,cancelled'));
    const createReader = ({ id }: { id: number }) => importer(test, id, ['exports.read']);
    const exported = async (one: { id: number }, query: string) => {
      const { text, status } = await (await createReader(one)).send('GET', `/exports?${query}`);
      expect(status).toBe(200);
      return text;
    };
    /** Without what is another one in another practice. */
    const OWN =
      /"(id|patient_id|enterprise_id|registration_date|created_at|cancelled_at|updated_at|booked_at|created_by_user_id|booked_by_user_id)":[^,}]*,?/g;
    const readRecords = async (one: { id: number }, kind: string) =>
      (await exported(one, `kind=${kind}`))
        .split('\n')
        .slice(0, -2)
        .map((line) => line.replaceAll(OWN, ''));
    for (const format of ['csv', 'ndjson']) {
      const into = await practice();
      const charts = await exported(from, `kind=patients&format=${format}`);
      const done = await into.system.import('kind=patients', charts);
      expect(done, await into.system.report(done.id)).toMatchObject({
        state: 'done',
        counts: { rows: 2, created: 2, refused: 0 },
      });
      expect(await readRecords(into, 'patients')).toEqual(await readRecords(from, 'patients'));
      const ids = new Map((await prisma.patient.findMany(from.where)).map((chart) => [chart.id, chart.externalId]));
      let visits = await exported(from, `kind=appointments&format=${format}`);
      for (const { id, externalId } of await prisma.patient.findMany(into.where))
        for (const [old, name] of ids)
          if (name === externalId) visits = visits.replaceAll(new RegExp(`(^\\d+,|"patient_id":)${old}\\b`, 'gm'), `$1${id}`);
      expect(await into.system.import('kind=appointments', visits)).toMatchObject({ counts: { rows: 2, created: 2, refused: 0 } });
      expect(await readRecords(into, 'appointments')).toEqual(await readRecords(from, 'appointments'));
    }
  });

  it('are refused by themselves where they have a NUL, or fewer cells than the first row names', async () => {
    const { system } = await practice();
    const done = await system.import('kind=patients', 'firstname,dob,zip\nA\0da,1980-01-01,27601\nBea,1980-01-02\nCia,1980-01-03,27601\n');
    expect(done).toMatchObject({ state: 'done', counts: { created: 1, refused: 2 } });
    const report = await system.report(done.id);
    expect(report).toContain('has 2 cells, but the header row has 3');
    const lines = await system.import(
      'kind=patients',
      '{"firstname":"A\\u0000da"}\n{"firstname":"B\0ea"}\n{"firstname":"Cia","dob":"1980-01-03"}\n',
    );
    expect(lines).toMatchObject({ state: 'done', counts: { created: 1, refused: 2 } });
  });

  it('of a record number that a chart has with another external id are matches to decide', async () => {
    const { id, system, where } = await practice();
    const { id: known } = await createPatient(prisma, { organizationId: id, medicalRecordNo: 'M-1', externalId: 'old', firstName: 'Ada' });
    const writeRow = (decision: string) => `med_rec_no,external_id,firstname,on_match\nM-1,new,Ida,${decision}\n`;
    const skipped = await system.import('kind=patients', writeRow(''));
    expect(skipped.counts).toMatchObject({ skipped: 1, matched: 1 });
    expect(await system.report(skipped.id)).toContain(`the same person as patient ${known}`);
    const refused = await system.import('kind=patients', writeRow('create'));
    expect(refused.counts).toMatchObject({ refused: 1, created: 0 });
    expect((await system.import('kind=patients', writeRow('update'))).counts).toMatchObject({ updated: 1, matched: 1 });
    expect(await prisma.patient.findMany(where)).toMatchObject([{ externalId: 'old', firstName: 'Ida' }]);
  });

  it('of many of one name are compared once each, and each finds its own chart', async () => {
    const { system, where } = await practice();
    const writePatientRow = (n: number) => `John,Smith,1980-01-02,${String(10_000 + n)}`;
    const rows = Array.from({ length: 1_500 }, (_, n) => writePatientRow(n));
    const same = Array.from({ length: 400 }, () => writePatientRow(1));
    const head = 'firstname,lastname,dob,zip';
    const begun = performance.now();
    const first = await system.import('kind=patients', [head, ...rows, ...same].join('\n'));
    const seconds = (performance.now() - begun) / 1_000;
    expect(first.counts).toMatchObject({ created: 1_500, skipped: 400, matched: 400 });
    const again = await system.import('kind=patients', [head, ...rows.toReversed()].join('\n'));
    expect(again.counts).toMatchObject({ created: 0, matched: 1_500 });
    expect(await prisma.patient.count(where)).toBe(1_500);
    expect(seconds).toBeLessThan(60);
  });
});

describe('rows of other records', () => {
  it('are refused where nothing is in them: insurances without a plan, contacts without a name', async () => {
    const { id, system, where } = await practice();
    await createPatient(prisma, { organizationId: id, externalId: 'p-1' });
    const insured = await system.import('kind=insurances', 'patient_external_id,policynumber,insureddob,insuredfirstname\np-1,7,,\n');
    expect(insured.counts).toMatchObject({ created: 0, refused: 1 });
    expect(await system.report(insured.id)).toContain('plan_name: is missing');
    const file = 'patient_external_id,plan,insureddob,insurancepolicyholderaddress1\np-1,Evergreen,01/02/1950,1 Main St\n';
    expect((await system.import('kind=insurances', file)).counts).toMatchObject({ created: 1 });
    expect(await prisma.insurance.findMany(where)).toMatchObject([
      { insured: { birthDate: '1950-01-02' }, policyHolder: { address1: '1 Main St' } },
    ]);
    const contacts = await system.import('kind=contacts', 'phone,fname,lname\n919-555-0123,,\n');
    expect(contacts.counts).toMatchObject({ created: 0, refused: 1 });
  });

  it('of appointments are found by their external id', async () => {
    const { id, system, admin } = await practice();
    await createPatient(prisma, { organizationId: id, externalId: 'p-1' });
    await system.import(
      'kind=appointments',
      'external_id,patient_external_id,date\nv 1,p-1,2033-05-03T15:00:00Z\nv-2,p-1,2033-05-03T16:00:00Z\n',
    );
    for (const address of ['/api/appointments', '/appointments/all']) {
      const { body, status } = await admin.get(`${address}?external_id=v%201`);
      expect([address, status, body.data?.length]).toEqual([address, 200, 1]);
    }
  });
});
