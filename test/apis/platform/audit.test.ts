import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const admin = await signedInUser(test, { type: 'admin' });
const { organizationId } = admin.user;
const provider = await signedInUser(test, { organizationId, type: 'provider' });
const AUDIT = '/platform/v1/audit';

interface Entry {
  uuid: number;
  actor: string;
  action: string;
  resource: string;
  resource_ids: number[];
}

const entries = async (query: string): Promise<Entry[]> => (await admin.get(`${AUDIT}${query}`).expect(200)).body.data;

describe('the audit', () => {
  it('is read by patient, by user, by client, by action and by days, page after page', async () => {
    const [ada, bo] = [
      await createPatient(test.database.prisma, { organizationId }),
      await createPatient(test.database.prisma, { organizationId }),
    ];
    await provider.get(`/patients/${ada.id}`).expect(200);
    await provider.get(`/patients/${bo.id}`).expect(200);
    const client = await integrationClient(test, { organizationId });
    await client.get(`/patients/${ada.id}`).expect(200);
    const ofAda = (await entries(`?patient=${ada.id}`)).filter(({ resource }) => resource === 'patient');
    expect(ofAda.map(({ actor }) => actor)).toEqual([`client:${client.clientId}`, `user:${provider.user.id}`]);
    const grant = await test.database.prisma.apiClientGrant.findFirstOrThrow({ where: { clientId: client.clientId } });
    expect((await entries(`?client=${grant.userId}`)).map(({ resource_ids }) => resource_ids)).toEqual([[ada.id]]);
    const ofUser = await entries(`?user=${provider.user.id}&action=read`);
    expect(ofUser.map(({ resource_ids }) => resource_ids)).toEqual([[bo.id], [ada.id]]);
    const first = await admin.get(`${AUDIT}?user=${provider.user.id}&action=read&limit=1`).expect(200);
    const rest = await admin.get(String(first.body.links.next).replace(test.address, '')).expect(200);
    expect([...first.body.data, ...rest.body.data]).toEqual(ofUser);
    expect(rest.body.links.next).toBeNull();
    expect(await entries('?to=2020-01-01')).toEqual([]);
    const own = await entries('?action=search');
    expect(own.some(({ resource, actor }) => resource === 'audit_entry' && actor === `user:${admin.user.id}`)).toBe(true);
    expect((await admin.get(`${AUDIT}?from=2026-02-30`).expect(400)).body.errors[0].pointer).toBe('/from');
  });

  it('does not name a restricted chart, and knows nothing of its patient', async () => {
    const patient = await createPatient(test.database.prisma, { organizationId });
    await provider.get(`/patients/${patient.id}`).expect(200);
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    expect(await entries(`?patient=${patient.id}`)).toEqual([]);
    const [newest] = await entries(`?user=${provider.user.id}&action=read`);
    expect(newest).toMatchObject({ resource: 'patient', resource_ids: [], patient_ids: [], patient_restricted: true });
  });

  it('is written as a table with every field', async () => {
    const { text, headers } = await admin.get(`${AUDIT}?format=csv&action=sign_in`).expect(200);
    expect(headers['content-disposition']).toContain('audit.csv');
    const [entry = {}] = await entries('?action=sign_in');
    expect(text.split('\r\n')[0]?.replace('\ufeff', '').split(',').sort()).toEqual(Object.keys(entry).sort());
  });

  it('is verified by the practice itself, which learns the head to keep', async () => {
    const { body } = await admin.post(`${AUDIT}/verify`).expect(200);
    expect(body.data).toMatchObject({ holds: true, broken: null });
  });

  it('is for administrators alone, also as a table', async () => {
    await provider.get(AUDIT).expect(403);
    await provider.get(`${AUDIT}?format=csv`).expect(403);
    await provider.post(`${AUDIT}/verify`).expect(403);
  });
});
