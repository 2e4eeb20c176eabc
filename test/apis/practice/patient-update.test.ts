import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);
const { organizationId } = clinic;

async function register(form: object = {}): Promise<number> {
  const answer = await clinic
    .post('/patients')
    .type('form')
    .send({ firstname: 'Ada', lastname: 'Before', ...form });
  expect(answer.status, answer.text).toBe(200);
  return answer.body[0].patientid;
}

const update = (id: number, form: object | string, client = clinic) => client.put(`/patients/${id}`).type('form').send(form);

async function updated(id: number, form: object | string) {
  const answer = await update(id, form);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual([{ patientid: String(id) }]);
  return answer;
}

const read = async (id: number) => (await clinic.get(`/patients/${id}?ignorerestrictions=true`)).body[0];

describe('PUT /patients/{patientid}', () => {
  it('changes the fields of the form, as every API then shows', async () => {
    const id = await register({ city: 'Cary' });
    const office = await createOffice(test.database.prisma, { organizationId, name: 'North' });
    await updated(id, {
      firstname: 'Zoë',
      lastname: 'Núñez 王',
      dob: '2/9/1980',
      departmentid: office.id,
      sex: 'F',
      address1: '1 Elm Street',
      state: 'North Carolina',
      zip: '276011234',
      mobilephone: '(919) 555-0190',
      email: 'zoe@example.com',
      race: '2106-3\t2028-9',
    });
    expect(await read(id)).toMatchObject({
      firstname: 'Zoë',
      lastname: 'Núñez 王',
      dob: '02/09/1980',
      departmentid: String(office.id),
      sex: 'F',
      address1: '1 Elm Street',
      city: 'Cary',
      state: 'NC',
      zip: '27601-1234',
      mobilephone: '9195550190',
      email: 'zoe@example.com',
      race: ['2106-3', '2028-9'],
    });
    const app = await integrationClient(test, { organizationId });
    expect((await app.get(`/patients/${id}`)).body.data).toMatchObject({ firstname: 'Zoë', lastname: 'Núñez 王' });
    const nurse = await signedInUser(test, { organizationId });
    expect((await nurse.get(`/patients/${id}`)).body.data).toMatchObject({ lastname: 'Núñez 王' });
    const found = await clinic.get('/patients?lastname=nunez');
    expect(found.body.patients.map((one: { patientid: string }) => one.patientid)).toContain(String(id));
  });

  it('keeps an office that was closed later, and moves no other chart there', async () => {
    const { id: departmentid } = await createOffice(test.database.prisma, { organizationId });
    const id = await register({ departmentid });
    await test.database.prisma.office.update({
      where: { organizationId_id: { organizationId, id: departmentid } },
      data: { active: false },
    });
    await updated(id, { departmentid, city: 'Cary' });
    expect(await read(id)).toMatchObject({ departmentid: String(departmentid), city: 'Cary' });
    const refused = await update(await register({}), { departmentid });
    expect(refused.status).toBe(404);
  });

  it('leaves what is absent, empty or no telephone number, and names what it does without', async () => {
    const id = await register({ city: 'Cary', homephone: '9195550111', email: 'a@example.com', race: '2106-3' });
    const before = await read(id);
    const answer = await updated(id, {
      lastname: '',
      city: ' ',
      email: '',
      race: '',
      homephone: '123',
      state: 'NC',
      shoesize: '9',
    });
    expect(answer.headers['warning-fields']).toBe('homephone, shoesize');
    expect(await read(id)).toEqual({ ...before, state: 'NC' });
  });

  it('is told in the log by the names of the fields, and in the audit; a form that changes nothing is not', async () => {
    const id = await register({ city: 'Cary' });
    await updated(id, { city: 'Apex', state: 'NC' });
    await updated(id, { city: 'Apex' });
    const where = { organizationId, subjectType: 'patient', subjectId: id };
    const events = await test.database.prisma.event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ name, changed }) => [name, changed.toSorted()])).toEqual([
      ['patient.registered', ['city', 'firstName', 'lastName']],
      ['patient.updated', ['city', 'state']],
    ]);
    const audits = await test.database.prisma.auditEntry.findMany({
      where: { organizationId, resource: 'patient', resourceIds: { has: id } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action }) => action)).toEqual(['create', 'update', 'read']);
  });

  it('takes an email address and a mobile number away from who declines, until a value is sent', async () => {
    const id = await register({ email: 'a@example.com', mobilephone: '9195550190' });
    await updated(id, { email: 'declined', mobilephone: 'Declined' });
    const declined = await read(id);
    expect(declined).toMatchObject({ email: 'declined', emailexistsyn: false, hasmobileyn: false, lastemail: 'a@example.com' });
    expect(declined.mobilephone).toBeUndefined();
    await updated(id, { email: 'b@example.com', mobilephone: '9195550191' });
    expect(await read(id)).toMatchObject({ email: 'b@example.com', emailexistsyn: true, mobilephone: '9195550191', hasmobileyn: true });
  });

  it.each([
    ['a form without anything', {}, []],
    ['one of empty and unknown fields', { lastname: '', shoesize: '9' }, []],
    ['a day that does not exist', { dob: '02/30/1980' }, ['dob']],
    ['a day to come', { dob: '01/01/2199' }, ['dob']],
    ['a state that does not exist', { state: 'XX', lastname: 'After' }, ['state']],
    ['a name that is too long', { lastname: 'x'.repeat(101) }, ['lastname']],
    ['no email address', { email: 'nobody' }, ['email']],
  ])('refuses %s, and changes nothing', async (_what, form, fields) => {
    const id = await register();
    const before = await read(id);
    const answer = await update(id, form);
    expect([answer.status, answer.body.invalidfields]).toEqual([400, fields]);
    expect(await read(id)).toEqual(before);
  });

  it('is 404 for an unknown department, naming it, and for patients whom the client may not see', async () => {
    const id = await register();
    const wrong = await update(id, { departmentid: '2000000000' });
    expect([wrong.status, wrong.body.invalidfields]).toEqual([404, ['departmentid']]);
    const unknown = await update(2_000_000_000, { city: 'Apex' });
    expect(unknown.status).toBe(404);
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId: id, kind: 'record' } });
    const hidden = await clinic.put(`/patients/${id}?ignorerestrictions=true`).type('form').send({ city: 'Apex' });
    expect([hidden.status, hidden.body]).toEqual([404, unknown.body]);
    const trusted = await practiceClient(test, { organizationId, scopes: ['practice.write', 'restricted.read'] });
    expect((await update(id, { city: 'Apex' }, trusted)).status).toBe(200);
    const reader = await practiceClient(test, { organizationId, scopes: ['practice.read'] });
    expect((await update(id, { city: 'Apex' }, reader)).status).toBe(403);
  });

  it('compares If-Match with the record as it is read', async () => {
    const id = await register();
    const { etag = '' } = (await clinic.get(`/patients/${id}`)).headers;
    await clinic.put(`/patients/${id}`).set('if-match', etag).type('form').send({ city: 'Apex' }).expect(200);
    await clinic.put(`/patients/${id}`).set('if-match', etag).type('form').send({ city: 'Cary' }).expect(412);
    expect((await read(id)).city).toBe('Apex');
  });
});
