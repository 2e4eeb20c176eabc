import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);

const rows = () => test.database.prisma;

type ProviderData = Omit<Parameters<typeof createProvider>[1], 'organizationId'>;

/** A new provider, and what is told of them. */
async function readProvider(provider: ProviderData = {}, query = '') {
  const { id } = await createProvider(rows(), { ...provider, organizationId: clinic.organizationId });
  const answer = await clinic.get(`/providers/${id}${query}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toHaveLength(1);
  return answer.body[0];
}

const REQUIRED = {
  providerid: expect.any(Number),
  firstname: 'Ada',
  lastname: 'Quinn',
  entitytype: 'Person',
  billable: true,
  createencounteroncheckinyn: true,
  hideinportalyn: false,
};

describe('a provider', () => {
  it('has every field of the document, and those beyond its cut', async () => {
    const { organizationId } = clinic;
    const home = await createOffice(rows(), { organizationId, name: 'Beacon Riverside' });
    const supervisor = await createProvider(rows(), { organizationId, username: 'emarchetti' });
    const provider = await readProvider(
      {
        supervisingProviderId: supervisor.id,
        homeOfficeId: home.id,
        npi: '2234567893',
        firstName: 'Inês',
        lastName: 'Carvalho-Reed',
        displayName: 'Inês Carvalho-Reed, NP',
        schedulingName: 'CarvalhoReed_I',
        username: 'icarvalho',
        entityType: 'Non-Person',
        providerTypeId: 'NP',
        providerTypeName: 'Nurse Practitioner',
        specialty: 'Pediatrics',
        specialtyId: 37,
        ansiSpecialtyCode: '363LP0200X',
        ansiNameCode: 'Nurse Practitioner : Pediatrics (363LP0200X)',
        federalIdNumber: '00-0000101',
        sex: 'F',
        personalPronouns: 'she/her',
        directAddress: 'icarvalho@direct.example.com',
        scheduleResourceType: 'Person',
        billable: false,
        acceptingNewPatients: false,
        createEncounterOnCheckIn: false,
        hiddenInPortal: true,
        otherProviderIds: [31, 32],
        createEncounterProviderIds: [32],
        providerGroupIds: [1, 2],
      },
      '?showallproviderids=true&showfederalidnumber=1&showproviderdetails=true',
    );
    expect(provider).toEqual({
      providerid: expect.any(Number),
      firstname: 'Inês',
      lastname: 'Carvalho-Reed',
      displayname: 'Inês Carvalho-Reed, NP',
      schedulingname: 'CarvalhoReed_I',
      providerusername: 'icarvalho',
      npi: 2234567893,
      entitytype: 'Non-Person',
      type: 'NP',
      providertypeid: 'NP',
      providertype: 'Nurse Practitioner',
      specialty: 'Pediatrics',
      specialtyid: 37,
      ansispecialtycode: '363LP0200X',
      ansinamecode: 'Nurse Practitioner : Pediatrics (363LP0200X)',
      sex: 'F',
      personalpronouns: 'she/her',
      directaddress: 'icarvalho@direct.example.com',
      scheduleresourcetype: 'Person',
      billable: false,
      acceptingnewpatientsyn: false,
      createencounteroncheckinyn: false,
      hideinportalyn: true,
      supervisingproviderid: supervisor.id,
      supervisingproviderusername: 'emarchetti',
      homedepartment: 'Beacon Riverside',
      providergrouplist: '1,2',
      otherprovideridlist: '31,32',
      createencounterprovideridlist: '32',
      federalidnumber: '00-0000101',
    });
  });

  it('has members beyond the document on request alone', async () => {
    expect(await readProvider({ sex: 'F', providerTypeId: 'NP' }, '?showproviderdetails=true')).toEqual({
      ...REQUIRED,
      providertypeid: 'NP',
      type: 'NP',
      sex: 'F',
      acceptingnewpatientsyn: true,
    });
    expect(await readProvider({ sex: 'F', providerTypeId: 'NP' })).toEqual({ ...REQUIRED, providertypeid: 'NP' });
  });

  it('leaves out what has no value, also where it is asked for', async () => {
    expect(await readProvider()).toEqual(REQUIRED);
    const everything = '?showallproviderids=true&showfederalidnumber=1&showusualdepartmentguessthreshold=0';
    expect(await readProvider({}, everything)).toEqual(REQUIRED);
  });

  it.each([
    ['billable', { billable: true }],
    ['createencounteroncheckinyn', { createEncounterOnCheckIn: true }],
    ['hideinportalyn', { hiddenInPortal: true }],
  ])('says %s where that alone is so', async (field, flags) => {
    const none = { billable: false, acceptingNewPatients: false, createEncounterOnCheckIn: false, hiddenInPortal: false };
    const provider = await readProvider({ ...none, ...flags });
    expect(Object.keys(provider).filter((name) => provider[name] === true)).toEqual([field]);
  });

  it.each(['', '?showallproviderids=false', '?showallproviderids=0', '?showallproviderids='])(
    'keeps the ancillary ids to itself with "%s"',
    async (query) => {
      const provider = await readProvider({ otherProviderIds: [31], createEncounterProviderIds: [31], providerGroupIds: [1] }, query);
      expect(provider).not.toHaveProperty('otherprovideridlist');
      expect(provider).not.toHaveProperty('createencounterprovideridlist');
      expect(provider.providergrouplist).toBe('1');
    },
  );

  it.each(['true', 'TRUE', '1'])('lists the ancillary ids with showallproviderids=%s', async (value) => {
    expect((await readProvider({ otherProviderIds: [31] }, `?showallproviderids=${value}`)).otherprovideridlist).toBe('31');
  });

  it.each(['', '?showfederalidnumber=0', '?showfederalidnumber='])('keeps the federal id number to itself with "%s"', async (query) => {
    expect(await readProvider({ federalIdNumber: '00-0000101' }, query)).not.toHaveProperty('federalidnumber');
  });

  it('is found also once they have left', async () => {
    expect((await readProvider({ active: false })).lastname).toBe('Quinn');
  });

  it('is not sent again to who has it already', async () => {
    const { id } = await createProvider(rows(), { organizationId: clinic.organizationId });
    const { headers } = await clinic.get(`/providers/${id}`);
    await clinic.get(`/providers/${id}`).set('if-none-match', String(headers.etag)).expect(304);
  });

  it.each([
    ['providers/12x', 'providerId'],
    ['providers/0', 'providerId'],
    ['providers/2147483648', 'providerId'],
    ['providers/1?showallproviderids=maybe', 'showallproviderids'],
    ['providers/1?showfederalidnumber=2', 'showfederalidnumber'],
    ['providers/1?showfederalidnumber=0.5', 'showfederalidnumber'],
    ['providers/1?showfederalidnumber=perhaps', 'showfederalidnumber'],
    ['providers/1?showusualdepartmentguessthreshold=-0.1', 'showusualdepartmentguessthreshold'],
    ['providers/1?showusualdepartmentguessthreshold=1.01', 'showusualdepartmentguessthreshold'],
    ['providers/1?showusualdepartmentguessthreshold=50', 'showusualdepartmentguessthreshold'],
    ['providers/1?showusualdepartmentguessthreshold=half', 'showusualdepartmentguessthreshold'],
    ['providers/1?showusualdepartmentguessthreshold=NaN', 'showusualdepartmentguessthreshold'],
    ['providers/1?showusualdepartmentguessthreshold=0.5&showusualdepartmentguessthreshold=1', 'showusualdepartmentguessthreshold'],
  ])('%s is refused, naming %s', async (path, field) => {
    const answer = await clinic.get(`/${path}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'The data provided is invalid.', invalidfields: [field] });
  });
});
