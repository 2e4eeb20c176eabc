import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createOrganization, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);

const rows = () => test.database.prisma;
const UNKNOWN = { error: 'There is no such patient.' };

type Client = typeof clinic;

async function read(id: number, query = '', client: Client = clinic) {
  const answer = await client.get(`/patients/${id}${query}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toHaveLength(1);
  return answer.body[0];
}

async function refusal(path: string, status: number, client: Client = clinic) {
  const answer = await client.get(`/patients/${path}`);
  expect(answer.status, answer.text).toBe(status);
  return answer.body;
}

const newPatient = (data: Partial<Prisma.PatientUncheckedCreateInput> = {}, organizationId = clinic.organizationId) =>
  createPatient(rows(), { organizationId, ...data });

const restrict = (
  patientId: number,
  data: Omit<Prisma.PrivacyRestrictionUncheckedCreateInput, 'organizationId' | 'patientId'>,
  client: Client = clinic,
) => rows().privacyRestriction.create({ data: { organizationId: client.organizationId, patientId, ...data } });

const audits = (id: number) =>
  rows().auditEntry.findMany({
    where: { organizationId: clinic.organizationId, resource: 'patient', resourceIds: { has: id } },
    orderBy: { id: 'asc' },
    select: { action: true, detail: true, operation: true },
  });

describe('one patient', () => {
  it('is a bare array of one record, and audited', async () => {
    const { id } = await newPatient({ firstName: 'Zoë', lastName: 'Núñez' });
    const answer = await clinic.get(`/patients/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject([{ patientid: String(id), firstname: 'Zoë', lastname: 'Núñez', status: 'active' }]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(await audits(id)).toEqual([expect.objectContaining({ action: 'read', detail: null })]);
  });

  it('has a tag, of what was asked for', async () => {
    const { id } = await newPatient();
    const { etag = '' } = (await clinic.get(`/patients/${id}`)).headers;
    expect((await clinic.get(`/patients/${id}`).set('if-none-match', etag)).status).toBe(304);
    expect((await clinic.get(`/patients/${id}?showportalstatus=true`).set('if-none-match', etag)).status).toBe(200);
    await rows().patient.updateMany({ where: { organizationId: clinic.organizationId, id }, data: { city: 'Cary' } });
    expect((await clinic.get(`/patients/${id}`).set('if-none-match', etag)).status).toBe(200);
  });

  it.each(['active', 'inactive', 'prospective'] as const)('is shown when %s, with that status', async (status) => {
    expect(await read((await newPatient({ status })).id)).toMatchObject({ status });
  });

  it('is not found when there is none, when deleted, and when of another organization', async () => {
    const other = await practiceClient(test);
    const theirs = await newPatient({}, other.organizationId);
    const deleted = await newPatient({ status: 'deleted' });
    for (const id of [theirs.id, deleted.id, 2_147_483_647]) {
      expect(await refusal(`${id}`, 404)).toEqual(UNKNOWN);
      expect(await refusal(`${id}?ignorerestrictions=true&showfullssn=true&showbalancedetails=true`, 404)).toEqual(UNKNOWN);
      expect(await audits(id)).toEqual([]);
    }
  });

  it.each(['0', '-1', '1.5', 'x', '2147483648', '%00'])('is refused with the id %s', async (id) => {
    expect(await refusal(id, 400)).toMatchObject({ invalidfields: ['patientId'] });
  });
});

describe('a patient under a privacy restriction', () => {
  it.each(['record', 'blocked'] as const)('of kind %s is as one who is not there, unless restrictions are ignored', async (kind) => {
    const { id } = await newPatient();
    await restrict(id, { kind, reason: 'Public person' });
    expect(await refusal(`${id}`, 404)).toEqual(UNKNOWN);
    expect(await refusal(`${id}?ignorerestrictions=false`, 404)).toEqual(UNKNOWN);
    expect(await audits(id)).toEqual([]);
    expect(await read(id, '?ignorerestrictions=true')).toMatchObject({ patientid: String(id) });
    expect(await audits(id)).toEqual([expect.objectContaining({ action: 'read', detail: 'despite a restriction' })]);
  });

  it('is shown once that is lifted, and under one that only closes the portal', async () => {
    const [lifted, portal] = [await newPatient(), await newPatient()];
    await restrict(lifted.id, { kind: 'record', liftedAt: new Date() });
    await restrict(portal.id, { kind: 'portal' });
    expect(await read(lifted.id)).toMatchObject({ patientid: String(lifted.id) });
    expect(await read(portal.id)).toMatchObject({ patientid: String(portal.id) });
  });

  it('hides a departmental copy of the patient too', async () => {
    const enterprise = await newPatient();
    const copy = await newPatient({ enterpriseId: enterprise.id });
    await restrict(enterprise.id, { kind: 'record' });
    expect(await refusal(`${copy.id}`, 404)).toEqual(UNKNOWN);
    expect(await read(copy.id, '?ignorerestrictions=true')).toMatchObject({ patientid: String(copy.id) });
  });

  it('is no secret of who may see it in another organization', async () => {
    const other = await practiceClient(test);
    const [mine, theirs] = [await newPatient(), await newPatient({}, other.organizationId)];
    await restrict(mine.id, { kind: 'record' });
    expect(await read(theirs.id, '', other)).toMatchObject({ patientid: String(theirs.id) });
  });
});

describe('departmentid on an enterprise practice', () => {
  /** A patient with a chart in each of two financial groups beside the enterprise chart; a third group knows nobody. */
  async function enterprise(isEnterprise = true) {
    const { id: organizationId } = await createOrganization(rows(), { isEnterprise });
    const client = await practiceClient(test, { organizationId });
    const office = async (providerGroupId: number | null) => (await createOffice(rows(), { organizationId, providerGroupId })).id;
    const group = async () => (await rows().providerGroup.create({ data: { organizationId, name: 'Group' } })).id;
    const [east, west, north] = [await group(), await group(), await group()];
    const offices = {
      east: await office(east),
      east2: await office(east),
      west: await office(west),
      north: await office(north),
      none: await office(null),
    };
    const chart = await newPatient({ primaryOfficeId: offices.east }, organizationId);
    const copyIn = (data: Partial<Prisma.PatientUncheckedCreateInput>) => newPatient({ enterpriseId: chart.id, ...data }, organizationId);
    const charts = { enterprise: chart.id, east: (await copyIn({})).id, west: (await copyIn({ status: 'inactive' })).id };
    const register = (patientId: number, officeId: number, localPatientId: number | null = null) =>
      rows().patientRegistration.create({ data: { organizationId, patientId, officeId, localPatientId, registeredOn: new Date() } });
    await register(charts.enterprise, offices.east, charts.east);
    await register(charts.west, offices.west);
    return { client, organizationId, offices, charts, register };
  }

  const shownIn = async (client: Client, id: number, officeId: number, query = '') =>
    Number((await read(id, `?departmentid=${officeId}${query}`, client)).patientid);

  it('selects the copy in the financial group of the department, whichever chart was asked for', async () => {
    const { client, offices, charts } = await enterprise();
    for (const id of Object.values(charts)) {
      expect(await shownIn(client, id, offices.east)).toBe(charts.east);
      expect(await shownIn(client, id, offices.east2)).toBe(charts.east);
      expect(await shownIn(client, id, offices.west)).toBe(charts.west);
    }
    expect(await read(charts.enterprise, `?departmentid=${offices.west}`, client)).toMatchObject({ status: 'inactive' });
    expect(await read(charts.enterprise, '', client)).toMatchObject({ patientid: String(charts.enterprise), status: 'active' });
  });

  it('keeps the local ids those of the chart that was asked for', async () => {
    const { client, offices, charts } = await enterprise();
    const shown = await read(charts.enterprise, `?departmentid=${offices.west}&showlocalpatientid=true`, client);
    expect(shown).toMatchObject({ patientid: String(charts.west), localpatientid: `${charts.east},${charts.west}` });
  });

  it('selects of several copies in a group the one of that very department', async () => {
    const { client, organizationId, offices, charts } = await enterprise();
    const second = await newPatient({ enterpriseId: charts.enterprise, primaryOfficeId: offices.east2 }, organizationId);
    expect(await shownIn(client, charts.enterprise, offices.east)).toBe(charts.east);
    expect(await shownIn(client, charts.enterprise, offices.east2)).toBe(second.id);
  });

  it('finds nobody in a group that has no chart of the patient, or only a deleted one', async () => {
    const { client, organizationId, offices, charts } = await enterprise();
    const nobody = { error: 'departmentid: There is no such patient.', missingfields: [], invalidfields: ['departmentid'] };
    expect(await refusal(`${charts.enterprise}?departmentid=${offices.north}`, 404, client)).toEqual(nobody);
    await newPatient({ enterpriseId: charts.enterprise, primaryOfficeId: offices.north, status: 'deleted' }, organizationId);
    expect(await refusal(`${charts.enterprise}?departmentid=${offices.north}`, 404, client)).toEqual(nobody);
  });

  it('selects the enterprise chart itself where that is registered', async () => {
    const { client, offices, charts, register } = await enterprise();
    await register(charts.enterprise, offices.north);
    expect(await shownIn(client, charts.enterprise, offices.north)).toBe(charts.enterprise);
    expect(await shownIn(client, charts.west, offices.north)).toBe(charts.enterprise);
  });

  it('changes nothing for a patient without copies, or in a department without a group', async () => {
    const { client, organizationId, offices, charts } = await enterprise();
    const single = await newPatient({ primaryOfficeId: offices.east }, organizationId);
    expect(await shownIn(client, single.id, offices.west)).toBe(single.id);
    expect(await shownIn(client, charts.enterprise, offices.none)).toBe(charts.enterprise);
  });

  it('changes nothing on a practice that is no enterprise', async () => {
    const { client, offices, charts } = await enterprise(false);
    for (const id of Object.values(charts)) expect(await shownIn(client, id, offices.west)).toBe(id);
  });

  it('lets no restriction be walked around', async () => {
    const { client, offices, charts } = await enterprise();
    await restrict(charts.west, { kind: 'blocked' }, client);
    expect(await refusal(`${charts.enterprise}?departmentid=${offices.west}`, 404, client)).toEqual(UNKNOWN);
    expect(await refusal(`${charts.west}?departmentid=${offices.east}`, 404, client)).toEqual(UNKNOWN);
    expect(await shownIn(client, charts.enterprise, offices.west, '&ignorerestrictions=true')).toBe(charts.west);
    expect(await shownIn(client, charts.enterprise, offices.east)).toBe(charts.east);
    await restrict(charts.enterprise, { kind: 'record' }, client);
    expect(await refusal(`${charts.enterprise}?departmentid=${offices.east}`, 404, client)).toEqual(UNKNOWN);
  });

  it('finds no deleted patient through a copy', async () => {
    const { client, organizationId, offices, charts } = await enterprise();
    await rows().patient.updateMany({ where: { organizationId, id: charts.enterprise }, data: { status: 'deleted' } });
    expect(await refusal(`${charts.enterprise}?departmentid=${offices.east}`, 404, client)).toEqual(UNKNOWN);
  });

  it('must be a department of the practice', async () => {
    const { client, charts, offices } = await enterprise();
    const theirs = await enterprise();
    const unknown = { error: 'departmentid: There is no such department.', missingfields: [], invalidfields: ['departmentid'] };
    for (const [asking, id] of [
      [client, charts.enterprise],
      [clinic, (await newPatient()).id],
    ] as const) {
      expect(await refusal(`${id}?departmentid=${theirs.offices.east}`, 404, asking)).toEqual(unknown);
      expect(await refusal(`${id}?departmentid=2147483647`, 404, asking)).toEqual(unknown);
    }
    expect(await refusal(`${theirs.charts.enterprise}?departmentid=${offices.east}`, 404, client)).toEqual(UNKNOWN);
  });

  it('is as if it were not sent when it is empty', async () => {
    const { client, charts } = await enterprise();
    const answer = await client.get(`/patients/${charts.west}?departmentid=`);
    expect(answer.body).toMatchObject([{ patientid: String(charts.west) }]);
  });

  it.each(['0', '-1', 'x', '1.5', '2147483648', '1&departmentid=2'])('is refused when written %s', async (departmentid) => {
    const { id } = await newPatient();
    expect(await refusal(`${id}?departmentid=${departmentid}`, 400)).toMatchObject({ invalidfields: ['departmentid'] });
  });
});
