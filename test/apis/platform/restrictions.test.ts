import { describe, expect, it } from 'vitest';
import { practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const { id: organizationId } = await createOrganization(rows);
const officer = await signedInUser(test, { organizationId, user: { privacyOfficer: true } });
const system = await practiceClient(test, { organizationId });
const toPath = (patient: number) => `/platform/v1/patients/${patient}/restrictions`;
const newPatient = async (lastName = 'Ames') => (await createPatient(rows, { organizationId, lastName })).id;

describe('a restriction', () => {
  it.each(['record', 'blocked'])(
    'of kind %s takes a chart out of all lists until a privacy officer ends it, who does not see it either',
    async (kind) => {
      const patient = await newPatient(`Hidden${kind}`);
      const found = async () => (await system.get(`/patients?lastname=hidden${kind}`).expect(200)).body.totalcount;
      expect(await found()).toBe(1);
      const { body } = await officer.post(toPath(patient)).send({ kind, reason: 'Member of staff' }).expect(201);
      expect(body.data).toMatchObject({ patient_uuid: patient, kind, reason: 'Member of staff', ended_at: null });
      expect(await found()).toBe(0);
      await officer.get(`/patients/${patient}`).expect(404);
      const again = await officer.post(toPath(patient)).send({ kind }).expect(409);
      expect(again.body).toMatchObject({ code: 'restricted', detail: expect.stringContaining(String(body.data.uuid)) });
      await officer.delete(`${toPath(patient)}/${body.data.uuid}`).expect(204);
      expect(await found()).toBe(1);
      expect((await officer.delete(`${toPath(patient)}/${body.data.uuid}`).expect(409)).body.code).toBe('restriction_ended');
      const next = await officer.post(toPath(patient)).send({ kind: 'portal' }).expect(201);
      const list = await officer.get(`${toPath(patient)}?limit=1&page=2`).expect(200);
      expect(list.body).toMatchObject({ data: [{ uuid: next.body.data.uuid, kind: 'portal' }], meta: { total: 2 } });
      expect((await officer.get(toPath(patient)).expect(200)).body.data[0].ended_at).not.toBeNull();
      const events = await rows.event.findMany({ where: { organizationId, name: 'patient.updated', subjectId: patient } });
      expect(events.map(({ changed }) => changed)).toEqual([['restrictions'], ['restrictions'], ['restrictions']]);
    },
  );

  it('is kept by privacy officers alone, of charts of their practice, and ended at its own chart', async () => {
    const [patient, another] = [await newPatient(), await newPatient()];
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    expect((await admin.post(toPath(patient)).send({ kind: 'record' }).expect(403)).body.code).toBe('privacy_officers_only');
    await admin.get(toPath(patient)).expect(403);
    const { body } = await officer.post(toPath(patient)).send({ kind: 'record' }).expect(201);
    await officer.delete(`${toPath(another)}/${body.data.uuid}`).expect(404);
    const deleted = (await createPatient(rows, { organizationId, status: 'deleted' })).id;
    const theirs = (await createPatient(rows, { organizationId: (await createOrganization(rows)).id })).id;
    for (const unknown of [deleted, theirs]) await officer.post(toPath(unknown)).send({ kind: 'record' }).expect(404);
    const wrong = await officer.post(toPath(another)).send({ kind: 'secret' }).expect(400);
    expect(wrong.body.errors).toMatchObject([{ pointer: '/kind' }]);
  });
});
