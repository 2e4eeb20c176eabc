import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOffice, createPatient, createProvider } from '../../../support/factories.ts';

const test = await sharedTestApp();
const nurse = await signedInUser(test);
const { organizationId } = nurse;
const app = await integrationClient(test, { organizationId });
const office = await createOffice(test.database.prisma, { organizationId, name: 'North' });
const provider = await createProvider(test.database.prisma, { organizationId });

const PATIENT = {
  status: 'prospective',
  firstname: 'Zoë',
  middlename: 'Maria',
  lastname: 'Núñez',
  suffix: 'Jr.',
  preferred_name: 'Zo',
  pronouns: 'she/her',
  address: { address: '1 Elm Street', address2: null, city: 'Cary', state: 'NC', zip: '27511' },
  email: 'zoe@example.com',
  phone_no: '9195550191',
  home_phone: '9195550190',
  work_phone: '9195550192',
  contact_preference: 'MAIL',
  dob: '1980-02-09',
  deceased_date: '2026-01-02',
  admit_date: '2026-01-01',
  gender: 'F',
  med_rec_no: 'MRN-4711',
  language: 'spa',
  timezone: 'America/Denver',
  census: true,
  flags: ['RPM'],
  do_not_sms: true,
  do_not_call: true,
  guardian: { firstname: 'Gus', middlename: null, lastname: 'Ward', suffix: null },
  provider: provider.id,
  office: office.id,
};

describe('POST and PUT /patients of the mobile API', () => {
  it('take all that the record shows, and take it back as it was read', async () => {
    const created = await nurse.post('/patients').send(PATIENT);
    expect([created.status, created.headers['warning-fields']], created.text).toEqual([201, undefined]);
    expect(created.body.data).toMatchObject({ ...PATIENT, offices: [{ uuid: office.id, name: 'North' }] });
    const { uuid } = created.body.data;
    const read = await nurse.get(`/patients/${uuid}`);
    expect(read.body.data).toEqual(created.body.data);
    const same = await nurse
      .put(`/patients/${uuid}`)
      .set('if-match', read.headers.etag ?? '')
      .send(read.body.data);
    expect([same.status, same.body, same.headers['warning-fields']]).toEqual([200, read.body, undefined]);
    const changed = await nurse.put(`/patients/${uuid}`).send({ guardian: { lastname: 'Other' }, deceased_date: null, address: null });
    expect(changed.body.data).toMatchObject({
      guardian: { firstname: 'Gus', lastname: 'Other' },
      deceased_date: null,
      address: { address: null, city: null },
      firstname: 'Zoë',
    });
    await nurse.put(`/patients/${uuid}`).send({ guardian: null }).expect(200);
    expect((await nurse.get(`/patients/${uuid}`)).body.data.guardian).toBeNull();
  });

  it.each([
    ['uuid', 1, 400],
    ['provider_name', 'Nobody', 400],
    ['updated_at', '2020-01-01T00:00:00Z', 400],
    ['status', 'deleted', 400],
    ['language', 'zzzz', 400],
    ['deceased_date', '2999-01-01', 400],
    ['timezone', 'Moon/Sea', 400],
    ['office', 2_000_000_000, 404],
    ['provider', 2_000_000_000, 404],
  ])('refuse %s %s, and name it', async (name, value, status) => {
    const { id } = await createPatient(test.database.prisma, { organizationId });
    for (const refused of [
      await nurse.put(`/patients/${id}`).send({ [name]: value }),
      await nurse.post('/patients').send({ lastname: 'New', [name]: value }),
    ]) {
      expect(refused.status, refused.text).toBe(status);
      expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([`/${name}`]);
    }
  });

  it('names who may be the same person, and who has the record number already', async () => {
    const lastname = `Twin${Date.now()}`;
    const first = await nurse.post('/patients').send({ firstname: 'Ana', lastname, dob: '1990-01-01', med_rec_no: lastname });
    const second = await nurse.post('/patients').send({ firstname: 'Ana', lastname, dob: '1990-01-01' });
    expect(second.headers['possible-matches']).toBe(`${first.body.data.uuid};score=24;reason="same name and birth date"`);
    expect((await nurse.post('/patients').send({ lastname, med_rec_no: lastname })).status).toBe(409);
  });
});

describe('the integration API', () => {
  it('takes language, preferred name, guardian, death and contact preference, and ids as they are shown', async () => {
    const further = { preferred_name: 'Zo', language: 'ger', contact_preference: 'MAIL', deceased_date: '2026-01-02' };
    const created = await app.post('/patients').send({ firstname: 'Zoë', ...further, guardian: { lastname: 'Ward' } });
    const shown = { ...further, language: 'deu', guardian: { firstname: null, middlename: null, lastname: 'Ward', suffix: null } };
    expect(created.body.data).toMatchObject(shown);
    const { uuid } = created.body.data;
    const same = await app.put(`/patients/${uuid}`).send(created.body.data);
    expect([same.status, same.body, same.headers['warning-fields']]).toEqual([200, created.body, undefined]);
    expect((await app.put(`/patients/${uuid}`).send({ uuid: uuid + 1, firstname: 'Other' })).status).toBe(400);
    const cleared = await app.put(`/patients/${uuid}`).send({ deceased_date: null, guardian: null });
    expect(cleared.body.data).toMatchObject({ deceased_date: null, guardian: null, language: 'deu' });
  });
});
