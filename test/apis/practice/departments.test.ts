import { describe, expect, it } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { findDepartment, listDepartments } from '../../../src/domain/practices/departments.ts';
import { inPractice } from '../../../src/domain/tx.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';
import { clinicWith } from './departments-clinic.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

type OfficeData = Parameters<typeof clinicWith>[1];

/** The one department of a new practice, and all that is told of it. */
async function readDepartment(office: OfficeData = {}) {
  const { list } = await clinicWith(test, office);
  const [department] = (await list()).departments;
  return department;
}

const ALL = { hospitalOnly: false, withHidden: true, withProviders: false };

const REQUIRED = [
  'departmentid',
  'name',
  'clinicals',
  'placeofservicefacility',
  'timezone',
  'timezonename',
  'timezoneoffset',
  'doesnotobservedst',
  'creditcardtypes',
  'medicationhistoryconsent',
  'ishospitaldepartment',
  'servicedepartment',
];

describe('a department', () => {
  it('has every field of the document, the same in the list and by its id', async () => {
    const clinic = await practiceClient(test);
    const { organizationId } = clinic;
    const group = await rows().providerGroup.create({ data: { organizationId, name: 'Hudson Medical Group' } });
    const { id } = await createOffice(rows(), {
      organizationId,
      providerGroupId: group.id,
      name: 'Poughkeepsie Main Street',
      patientDepartmentName: 'Main Street Office',
      timeZone: 'America/Phoenix',
      address1: '412 Main Street',
      address2: 'Suite 200',
      city: 'Poughkeepsie',
      state: 'NY',
      zip: '12601',
      latitude: '41.703700',
      longitude: '-73.921',
      phone: '+18455550101',
      fax: '+442079460958',
      portalUrl: 'https://portal.example.com',
      clinicals: 'DOCUMENTSONLY',
      chartSharingGroupId: 3,
      communicatorBrandId: 4,
      placeOfServiceTypeId: '11',
      placeOfServiceTypeName: 'OFFICE',
      placeOfServiceFacility: true,
      singleAppointmentContractMax: '300.00',
      oneYearContractMax: '1500.5',
      creditCardTypes: ['AX', 'VI'],
      ecommerceCreditCardTypes: ['MC'],
      medicationHistoryConsent: true,
      isHospitalDepartment: true,
      isServiceDepartment: false,
    });
    const department = {
      departmentid: String(id),
      name: 'Poughkeepsie Main Street',
      patientdepartmentname: 'Main Street Office',
      address: '412 Main Street, Suite 200',
      city: 'Poughkeepsie',
      state: 'NY',
      zip: '12601',
      latitude: '41.7037',
      longitude: '-73.921',
      phone: '8455550101',
      fax: '+442079460958',
      portalurl: 'https://portal.example.com',
      clinicals: 'DOCUMENTSONLY',
      chartsharinggroupid: '3',
      communicatorbrandid: '4',
      providergroupid: String(group.id),
      providergroupname: 'Hudson Medical Group',
      placeofservicetypeid: '11',
      placeofservicetypename: 'OFFICE',
      placeofservicefacility: true,
      singleappointmentcontractmax: '300',
      oneyearcontractmax: '1500.50',
      timezone: -7,
      timezonename: 'America/Phoenix',
      timezoneoffset: -7,
      doesnotobservedst: true,
      creditcardtypes: ['AX', 'VI'],
      ecommercecreditcardtypes: ['MC'],
      medicationhistoryconsent: true,
      ishospitaldepartment: true,
      servicedepartment: false,
    };
    expect((await clinic.get('/departments')).body).toEqual({ totalcount: 1, departments: [department] });
    const answer = await clinic.get(`/departments/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([department]);
  });

  it('leaves out what has no value, and has always what is required', async () => {
    const department = await readDepartment();
    expect(Object.keys(department).sort()).toEqual([...REQUIRED].sort());
    expect(department.creditcardtypes).toEqual([]);
  });

  it.each([
    ['placeofservicefacility', { placeOfServiceFacility: true }],
    ['medicationhistoryconsent', { medicationHistoryConsent: true }],
    ['ishospitaldepartment', { isHospitalDepartment: true }],
    ['servicedepartment', { isServiceDepartment: true }],
    ['doesnotobservedst', { timeZone: 'America/Phoenix' }],
  ])('says %s where that alone is so', async (field, office) => {
    const department = await readDepartment({ isServiceDepartment: false, ...office });
    expect(Object.keys(department).filter((name) => department[name] === true)).toEqual([field]);
  });

  it.each([
    ['the first line alone', { address1: '412 Main Street' }, '412 Main Street'],
    ['the second line alone', { address2: 'Suite 200' }, 'Suite 200'],
  ])('has for its address %s', async (_, lines, address) => {
    expect((await readDepartment(lines)).address).toBe(address);
  });

  it.each(['US/Eastern', 'America/New_York', 'Australia/Lord_Howe'])('has the time zone name %s as it is written', async (timeZone) => {
    expect((await readDepartment({ timeZone })).timezonename).toBe(timeZone);
  });

  it('shows today’s offset and the standard one on both sides of a clock change', async () => {
    const { clinic, ids } = await clinicWith(
      test,
      { name: 'north', timeZone: 'US/Eastern' },
      { name: 'south', timeZone: 'Australia/Sydney' },
    );
    const caller = operator(clinic.organizationId, 'test');
    const at = async (moment: string) => {
      const { items } = await listDepartments(inPractice(rows(), caller.organizationId), ALL, { limit: 10, offset: 0 }, new Date(moment));
      const north = await findDepartment(inPractice(rows(), caller.organizationId), ids.north ?? 0, ALL, new Date(moment));
      expect(north.offsets).toEqual(items[0]?.offsets);
      return items.map(({ offsets: { today, standard } }) => [today, standard]);
    };
    expect(await at('2026-01-15T12:00:00Z')).toEqual([
      [-5, -5],
      [11, 10],
    ]);
    expect(await at('2026-07-15T12:00:00Z')).toEqual([
      [-4, -5],
      [10, 10],
    ]);
  });
});

describe('one department', () => {
  it.each([
    ['office', '', 200],
    ['office', '?hospitalonly=true', 404],
    ['ward', '?hospitalonly=true', 200],
    ['hidden', '', 404],
    ['hidden', '?showalldepartments=true', 200],
    ['hidden', '?showalldepartments=true&hospitalonly=1', 404],
    ['closed', '?showalldepartments=true', 404],
  ])('that is %s answers with "%s" %i', async (name, query, status) => {
    const { clinic, ids } = await clinicWith(
      test,
      { name: 'office' },
      { name: 'ward', isHospitalDepartment: true },
      { name: 'hidden', hiddenInPortal: true },
      { name: 'closed', active: false },
    );
    const answer = await clinic.get(`/departments/${ids[name]}${query}`);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body).toMatchObject([{ departmentid: String(ids[name]) }]);
  });

  it.each(['0', '-1', 'main', '1e3', '07', '2147483648', '99999999999999999999', '%00', '1.0'])('is none with the id %s', async (id) => {
    const clinic = await practiceClient(test);
    const answer = await clinic.get(`/departments/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'There is no such department.' });
  });

  it('is not sent again to who has it already', async () => {
    const { clinic, ids } = await clinicWith(test, { name: 'office' });
    const { headers } = await clinic.get(`/departments/${ids.office}`);
    await clinic.get(`/departments/${ids.office}`).set('if-none-match', String(headers.etag)).expect(304);
  });

  it('refuses a flag that is neither true nor false', async () => {
    const { clinic, ids } = await clinicWith(test, { name: 'office' });
    const answer = await clinic.get(`/departments/${ids.office}?hospitalonly=maybe`);
    expect(answer.status).toBe(400);
    expect(answer.body.invalidfields).toEqual(['hospitalonly']);
  });
});
