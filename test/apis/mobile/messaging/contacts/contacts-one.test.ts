import { beforeAll, describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import type { Person } from '../../people/people.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;
const unknown = async (organizationId: number, phone: string, data: object = {}) =>
  (await rows().contact.create({ data: { organizationId, phone, ...data } })).id;
const restrict = (organizationId: number, patientId: number, kind: 'record' | 'blocked') =>
  rows().privacyRestriction.create({ data: { organizationId, patientId, kind } });

describe('a contact', () => {
  let own: Person;
  beforeAll(async () => {
    own = await signedInUser(test);
  });

  it('follows from a patient of any API, under the patient’s id, and its names and numbers are the patient’s', async () => {
    const app = await integrationClient(test, { organizationId: own.organizationId });
    const patient = { firstname: 'Ann', lastname: 'Ames', phone_no: '9105550123', email: 'ann@example.com' };
    const { uuid } = (await app.post('/patients').send(patient)).body.data;
    const read = async () => (await own.get(`/contacts/${uuid}`)).body.data;
    expect(await read()).toEqual({
      uuid,
      patient_uuid: uuid,
      firstname: 'Ann',
      lastname: 'Ames',
      phone_no: '9105550123',
      home_phone: null,
      work_phone: null,
      email: 'ann@example.com',
      can_text: { ok: false, reason: 'no_number', until: null },
      tags: [],
      shared_with: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const list = await own.get('/contacts?search=ames');
    expect(list.body.data).toEqual([await read()]);
    await app.put(`/patients/${uuid}`).send({ lastname: 'Baker' }).expect(200);
    expect(await read()).toMatchObject({ lastname: 'Baker' });
    expect((await own.get('/contacts?search=ames')).body.data).toEqual([]);
    expect(await rows().contact.count({ where: { organizationId: own.organizationId } })).toBe(0);
  });

  it('that is no patient shows its number, and the email that is known', async () => {
    const id = await unknown(own.organizationId, '+442071838750', { email: 'who@example.com' });
    expect((await own.get(`/contacts/${id}`)).body.data).toMatchObject({
      uuid: id,
      patient_uuid: null,
      firstname: null,
      lastname: null,
      phone_no: '+442071838750',
      email: 'who@example.com',
      tags: [],
    });
  });

  it('has its tags, by name, each with the link to take it off', async () => {
    const { id } = await createPatient(rows(), { organizationId: own.organizationId });
    const put = async (name: string, color: string) => {
      const { uuid } = (await own.post('/contact-tags').send({ name, color })).body.data;
      const link = (await own.post(`/contact-contact-tags/${id}`).send({ contact_tag_uuid: uuid })).body.data;
      return { uuid, name, color, contact_contact_tag_uuid: link.uuid };
    };
    const [second, first] = [await put('pharmacy', '#111111'), await put('Érable', '#222222')];
    expect((await own.get(`/contacts/${id}`)).body.data.tags).toEqual([first, second]);
  });

  it('answers with a tag, and 304 while nothing changes', async () => {
    const { id } = await createPatient(rows(), { organizationId: own.organizationId });
    const { etag } = (await own.get(`/contacts/${id}`)).headers;
    expect((await own.get(`/contacts/${id}`).set('if-none-match', String(etag))).status).toBe(304);
  });

  it.each<[string, (organizationId: number, id: number) => Promise<unknown>]>([
    [
      'deleted',
      (organizationId, id) => rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { status: 'deleted' } }),
    ],
    ['restricted', (organizationId, id) => restrict(organizationId, id, 'record')],
    ['blocked', (organizationId, id) => restrict(organizationId, id, 'blocked')],
  ])('of a patient who is %s is in no list and not found, with its tags', async (_, hide) => {
    const clinic = await signedInUser(test);
    const { organizationId } = clinic;
    const { id } = await createPatient(rows(), { organizationId, lastName: 'Hidden', mobilePhone: '+19105550144' });
    const tag = (await clinic.post('/contact-tags').send({ name: 'VIP' })).body.data.uuid;
    const link = (await clinic.post(`/contact-contact-tags/${id}`).send({ contact_tag_uuid: tag })).body.data.uuid;
    const queries = ['', 'sort=firstname', 'sort=id', 'search=hid', 'search=910555', `contact_tag_uuid=${tag}`];
    const totals = async () => Promise.all(queries.map(async (query) => (await clinic.get(`/contacts?${query}`)).body.meta.total));
    expect(await totals()).toEqual([1, 1, 1, 1, 1, 1]);
    await hide(organizationId, id);
    expect(await totals()).toEqual([0, 0, 0, 0, 0, 0]);
    const answer = await clinic.get(`/contacts/${id}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'contact_not_found']);
    expect((await clinic.get('/contact-contact-tags')).body.meta.total).toBe(0);
    expect((await clinic.post(`/contact-contact-tags/${id}`).send({ contact_tag_uuid: tag })).status).toBe(404);
    expect((await clinic.delete(`/contact-contact-tags/${link}`)).status).toBe(404);
  });

  it.each(['0', 'x', '1.5', '2147483648'])('is refused as %s', async (id) => {
    const answer = await own.get(`/contacts/${id}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/id']);
  });

  it('that nobody is, is not found', async () => {
    expect((await own.get('/contacts/1888888')).body).toMatchObject({ status: 404, code: 'contact_not_found' });
  });

  it.each(['admin', 'provider', 'staff'] as const)('is for everybody who signed in: %s', async (type) => {
    const person = await signedInUser(test, { organizationId: own.organizationId, type });
    expect((await person.get('/contacts')).status).toBe(200);
    const made = await person.post('/contact-tags').send({ name: `Of ${type}` });
    expect(made.status).toBe(201);
    expect((await person.delete(`/contact-tags/${made.body.data.uuid}`)).status).toBe(204);
    expect((await person.post('/canned-replies').send({ message: 'Soon' })).status).toBe(201);
  });
});
