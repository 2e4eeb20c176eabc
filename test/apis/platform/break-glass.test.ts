import { describe, expect, it } from 'vitest';
import { actorWith, integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const admin = await signedInUser(test, { type: 'admin', user: { email: `admin-${Date.now()}@example.com` } });
const { organizationId } = admin;
const URL = '/platform/v1/break-glass';
const REASON = 'Unconscious in the emergency room, allergies unknown';
const DESPITE = 'despite a restriction';

const rows = () => test.database.prisma;
const newPerson = (type: 'admin' | 'provider' | 'staff' = 'provider') => signedInUser(test, { organizationId, type });

async function restrictedPatient(data: { lastName?: string; medicalRecordNo?: string; birthDate?: Date } = {}) {
  const patient = await createPatient(rows(), { organizationId, firstName: 'Zoë', lastName: 'Hiddenfield', ...data });
  await rows().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
  return patient;
}

const listAudits = async (actor: string) => {
  const found = await rows().auditEntry.findMany({ where: { organizationId, actor }, orderBy: { id: 'asc' } });
  return found.map(({ action, resource, detail, patientIds }) => ({ action, resource, detail, patientIds }));
};

describe('a restricted chart that a provider opens in an emergency', () => {
  it('exists for that user alone, in every API that takes users, until it is closed', async () => {
    const patient = await restrictedPatient();
    const [provider, colleague] = [await newPerson(), await newPerson('admin')];
    const integration = actorWith(test, provider.token, organizationId, '/api');
    await provider.get(`/patients/${patient.id}`).expect(404);
    const { body } = await provider.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(201);
    expect(body.data).toMatchObject({ patient_uuid: patient.id, user_uuid: provider.user.id, reason: REASON, closed_at: null });
    expect(Date.parse(body.data.ends_at) - Date.parse(body.data.opened_at)).toBe(3_600_000);

    expect((await provider.get(`/patients/${patient.id}`).expect(200)).text).toContain('Hiddenfield');
    expect((await integration.get(`/patients/${patient.id}`).expect(200)).body.data.uuid).toBe(patient.id);
    expect((await provider.get('/patients?lastname=hiddenf').expect(200)).body.data).toMatchObject([{ uuid: patient.id }]);
    await integration.put(`/patients/${patient.id}`).send({ city: 'Cary' }).expect(200);
    const appointment = await integration
      .post('/appointments')
      .send({ patient_id: patient.id, appointment_date: '2031-03-04T14:00:00Z' })
      .expect(200);
    expect(appointment.body.data).toMatchObject({ patient: { uuid: patient.id }, patient_restricted: true });
    const listed = await integration.get(`/appointments?patient_id=${patient.id}`).expect(200);
    expect(listed.body.data).toMatchObject([{ patient: { uuid: patient.id }, patient_restricted: true }]);
    await colleague.get(`/patients/${patient.id}`).expect(404);

    await provider.delete(`${URL}/${body.data.uuid}`).expect(204);
    await provider.get(`/patients/${patient.id}`).expect(404);
    expect((await provider.get('/patients?lastname=hiddenf').expect(200)).body.data).toEqual([]);
    const audits = await listAudits(`user:${provider.user.id}`);
    const breaking = { action: 'break_glass', resource: 'chart_opening', patientIds: [patient.id] };
    expect(audits.filter(({ action }) => action === 'break_glass')).toMatchObject([breaking, breaking]);
    const found = await admin.get(`/platform/v1/audit?user=${provider.user.id}&action=break_glass`).expect(200);
    expect(found.body.data.map(({ action }: { action: string }) => action)).toEqual(['break_glass', 'break_glass']);
    const looks = audits.filter(({ resource }) => resource === 'patient');
    expect(looks.length).toBeGreaterThanOrEqual(4);
    expect(looks.every(({ detail }) => detail === DESPITE)).toBe(true);
  });

  it('is found by its record number, and by names and day of birth, as they are written in the chart', async () => {
    const provider = await newPerson();
    const patient = await restrictedPatient({ lastName: 'Ångström', medicalRecordNo: 'BG-1', birthDate: new Date('1980-02-29') });
    const open = (named: object) => provider.post(URL).send({ ...named, reason: REASON });
    const byName = { first_name: 'zoe', last_name: 'angstrom', birth_date: '1980-02-29' };
    for (const named of [{ record_number: 'BG-1' }, byName])
      expect((await open(named).expect(201)).body.data.patient_uuid).toBe(patient.id);
    // All that is given has to fit: in a hurry one field is of somebody else.
    await open({ patient_uuid: patient.id, record_number: 'BG-2' }).expect(404);
    expect((await open({ patient_uuid: patient.id, record_number: 'BG-1' }).expect(201)).body.data.patient_uuid).toBe(patient.id);
    await open({ ...byName, birth_date: '1980-02-28' }).expect(404);
    expect((await open({ first_name: 'Zoë', patient_id: 1 }).expect(400)).body.errors[0].pointer).toBe('/patient_uuid');
    const another = await restrictedPatient({ lastName: 'Ångström', birthDate: new Date('1980-02-29') });
    await open(byName).expect(404);
    expect((await listAudits(`user:${provider.user.id}`)).filter(({ detail }) => detail === 'nobody found')).toHaveLength(3);
    await rows().patient.update({ where: { organizationId_id: { organizationId, id: another.id } }, data: { lastName: 'Other' } });
  });

  it('is matched by no registration, of that user neither', async () => {
    const provider = await newPerson();
    const birthDate = new Date('1980-02-29');
    const [hidden, seen] = [
      await restrictedPatient({ lastName: 'Matchfield', birthDate }),
      await createPatient(rows(), { organizationId, firstName: 'Zoë', lastName: 'Matchfield', birthDate }),
    ];
    await provider.post(URL).send({ patient_uuid: hidden.id, reason: REASON }).expect(201);
    const { headers } = await provider.post('/patients').send({ firstname: 'Zoë', lastname: 'Matchfield', dob: '1980-02-29' }).expect(201);
    expect(headers['possible-matches']).toMatch(new RegExp(`^${seen.id};[^,]*$`));
  });

  it('is told at once to the privacy officers, by notification and by a mail without the name; to the admins where there is none', async () => {
    const patient = await restrictedPatient({ lastName: 'Untoldfield' });
    const provider = await newPerson();
    const officer = await signedInUser(test, { organizationId, type: 'staff', user: { privacyOfficer: true } });
    const { body } = await provider.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(201);
    const told = (await officer.get('/notifications').expect(200)).body.data;
    expect(told).toMatchObject([{ kind: 'chart.opened', subject: { type: 'chart_opening', uuid: body.data.uuid } }]);
    expect((await admin.get('/notifications').expect(200)).text).not.toContain(`"uuid":${body.data.uuid}}`);
    const mails = await rows().mailMessage.findMany({ where: { organizationId, toAddress: officer.email } });
    expect(mails).toMatchObject([{ state: 'queued', subject: 'A chart was opened by emergency access' }]);
    expect(mails.map((mail) => mail.body).join()).not.toMatch(/Untoldfield|Unconscious/);
    expect((await officer.get(URL).expect(200)).body.data[0]).toMatchObject({ uuid: body.data.uuid, reason: REASON });
    await officer.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(403);

    await rows().user.update({ where: { organizationId_id: { organizationId, id: officer.user.id } }, data: { privacyOfficer: false } });
    const again = await provider.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(201);
    const toAdmins = (await admin.get('/notifications').expect(200)).body.data;
    expect(toAdmins).toContainEqual(expect.objectContaining({ subject: { type: 'chart_opening', uuid: again.body.data.uuid } }));
  });
});

describe('an opening', () => {
  it('shows a chart as restricted while it is, and not once the restriction was lifted', async () => {
    const patient = await restrictedPatient();
    const provider = await newPerson();
    const integration = actorWith(test, provider.token, organizationId, '/api');
    await provider.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(201);
    const { uuid } = (await integration.post('/appointments').send({ patient_id: patient.id }).expect(200)).body.data;
    const readAppointment = async () => (await integration.get(`/appointments/${uuid}`).expect(200)).body.data;
    expect(await readAppointment()).toMatchObject({ patient: { uuid: patient.id }, patient_restricted: true });
    await rows().privacyRestriction.updateMany({ where: { organizationId, patientId: patient.id }, data: { liftedAt: new Date() } });
    // What is known of a session is cached for a moment.
    await expect.poll(readAppointment, { timeout: 10_000 }).toMatchObject({ patient: { uuid: patient.id }, patient_restricted: false });
    expect((await provider.get(URL).expect(200)).body.data).toMatchObject([{ patient_uuid: patient.id, closed_at: null }]);
  });

  it('answers for an unrestricted chart as for a restricted one, and for none as for another practice’s', async () => {
    const provider = await newPerson();
    const plain = await createPatient(rows(), { organizationId });
    const elsewhere = await createPatient(rows(), { organizationId: (await signedInUser(test)).organizationId });
    const open = (patient_uuid: number) => provider.post(URL).send({ patient_uuid, reason: REASON });
    expect(Object.keys((await open(plain.id).expect(201)).body.data)).toEqual(
      Object.keys((await open((await restrictedPatient()).id).expect(201)).body.data),
    );
    const [theirs, nobodys] = [await open(elsewhere.id).expect(404), await open(2_147_483_647).expect(404)];
    const said = ({ body }: typeof theirs) => ({ ...body, request_id: '' });
    expect(said(theirs)).toEqual(said(nobodys));
  });

  it.each([
    ['short', 'Emergency'],
    ['of blanks', ' '.repeat(40)],
    ['that shows nothing', '\u200b\u2800\u3164\u00ad\u0301'.repeat(10)],
    ['too long', 'x'.repeat(501)],
  ])('is refused for a reason %s', async (_, reason) => {
    const { body } = await admin.post(URL).send({ patient_uuid: 1, reason }).expect(400);
    expect(body).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/reason' }] });
  });

  it('is refused after ten attempts in an hour, also those that found nobody', async () => {
    const provider = await newPerson();
    const ask = () => provider.post(URL).send({ record_number: 'nobody has this', reason: REASON });
    const statuses = (await Promise.all(Array.from({ length: 12 }, ask))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array<number>(10).fill(404), 429, 429]);
    const refused = await ask().expect(429);
    expect(refused.body.code).toBe('too_many_openings');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  });

  it('is listed for its own user, ended by an admin, and ends with the role and with the account', async () => {
    const patient = await restrictedPatient();
    const [provider, colleague] = [await newPerson(), await newPerson()];
    const open = async () => (await provider.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(201)).body.data.uuid;
    const first = await open();
    expect((await provider.get(URL).expect(200)).body).toMatchObject({ data: [{ uuid: first }], meta: { total: 1 } });
    expect((await colleague.get(URL).expect(200)).body.data).toEqual([]);
    await colleague.delete(`${URL}/${first}`).expect(404);
    await admin.delete(`${URL}/${first}`).expect(204);
    await provider.get(`/patients/${patient.id}`).expect(404);

    const where = { organizationId_id: { organizationId, id: provider.user.id } };
    const closed = async (id: number) =>
      (await rows().chartOpening.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } })).closedAt !== null;
    for (const change of [{ type: 'staff' as const }, { active: false }]) {
      const id = await open();
      await rows().user.update({ where, data: change });
      expect(await closed(id)).toBe(true);
      await rows().user.update({ where, data: { type: 'provider', active: true } });
      await provider.get(`/patients/${patient.id}`).expect(404);
    }
  });

  it('ends by itself after its hour', async () => {
    const patient = await restrictedPatient();
    const provider = await newPerson();
    const { uuid } = (await provider.post(URL).send({ patient_uuid: patient.id, reason: REASON }).expect(201)).body.data;
    await provider.get(`/patients/${patient.id}`).expect(200);
    const where = { organizationId_id: { organizationId, id: uuid } };
    await rows().chartOpening.update({ where, data: { endsAt: new Date(Date.now() - 1) } });
    await provider.get(`/patients/${patient.id}`).expect(404);
  });

  it('is no client’s and no staff member’s', async () => {
    const { token } = await integrationClient(test, { organizationId, scopes: ['integration.write', 'restricted.read'] });
    const named = { patient_uuid: 1, reason: REASON };
    expect((await actorWith(test, token, organizationId).post(URL).send(named).expect(403)).body.code).toBe('wrong_token');
    expect((await (await newPerson('staff')).post(URL).send(named).expect(403)).body.code).toBe('insufficient_role');
  });
});
