import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const system = await practiceClient(test);
const { organizationId } = system;
const app = await integrationClient(test, { organizationId });

const rows = () => test.database.prisma;
const send = (form: object, query = '') => system.post(`/patients${query}`).type('form').send(form);

let people = 0;

/** Someone who stands already: of a birth date, a name and numbers that no other test has. */
async function standing(row: Partial<Prisma.PatientUncheckedCreateInput> = {}) {
  people += 1;
  const form = {
    firstname: 'Zoe',
    lastname: `Nunez ${people}`,
    dob: `02/03/${1900 + people}`,
    email: `zoe.${people}@example.com`,
    homephone: `91973343${10 + people}`,
    zip: String(27_600 + people),
  };
  const patient = await createPatient(rows(), {
    organizationId,
    firstName: 'Zoë',
    lastName: `Núñez ${people}`,
    birthDate: new Date(Date.UTC(1900 + people, 1, 3)),
    email: form.email,
    homePhone: `+1${form.homephone}`,
    zip: form.zip,
    ...row,
  });
  return { patient, form };
}

describe('a patient who was created', () => {
  it.each([
    ['same name and birth date', 24, ['firstname', 'lastname', 'dob']],
    ['same name and telephone number', 24, ['firstname', 'lastname', 'homephone']],
    ['same name and email', 24, ['firstname', 'lastname', 'email']],
    ['same birth date and telephone number', 16, ['dob', 'homephone']],
    ['same birth date and email', 16, ['dob', 'email']],
    ['same birth date and last name', 16, ['lastname', 'dob']],
    ['same birth date and first name', 16, ['firstname', 'dob']],
    ['same name and zip', 18, ['firstname', 'lastname', 'zip']],
  ])('comes with whom may be the same person: %s', async (reason, score, same) => {
    const { patient, form } = await standing();
    const shared = Object.fromEntries(Object.entries(form).filter(([field]) => same.includes(field)));
    const answer = await send({ firstname: 'Xena', lastname: 'Xu', ...shared });
    expect(answer.headers).toMatchObject({
      registration: 'created',
      'possible-matches': `${patient.id};score=${score};reason="${reason}"`,
    });
    const audits = await rows().auditEntry.findMany({ where: { organizationId, resourceIds: { has: patient.id } } });
    expect(audits).toMatchObject([{ action: 'search', resource: 'patient', operation: 'POST /{apivariant}/{practiceid}/patients' }]);
  });

  it('comes with nobody where nothing agrees, or a name alone', async () => {
    const { form } = await standing();
    for (const other of [
      { firstname: 'Xena', lastname: 'Xu', dob: '12/31/1988' },
      { firstname: form.firstname, lastname: form.lastname },
    ]) {
      const answer = await send(other);
      expect(answer.headers.registration).toBe('created');
      expect(answer.headers).not.toHaveProperty('possible-matches');
    }
  });

  it('comes with five at most, the likeliest first and then by id', async () => {
    const { patient, form } = await standing();
    const { birthDate, lastName } = patient;
    const siblings: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      siblings.push((await createPatient(rows(), { organizationId, firstName: `Sibling ${count}`, lastName, birthDate })).id);
    }
    const answer = await send({ firstname: form.firstname, lastname: form.lastname, dob: form.dob });
    const ids = String(answer.headers['possible-matches'])
      .split(', ')
      .map((item) => Number(item.split(';')[0]));
    expect(ids).toEqual([patient.id, ...siblings.slice(0, 4)]);
  });

  it.each([
    [
      'deleted',
      (id: number) => rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { status: 'deleted' } }),
    ],
    ['restricted', (patientId: number) => rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } })],
    ['blocked', (patientId: number) => rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'blocked' } })],
  ])('comes with nobody whose chart is %s', async (_, hide) => {
    const { patient, form } = await standing();
    await hide(patient.id);
    for (const answer of [await send(form, '?dryrun=true'), await send(form)])
      expect(answer.headers).not.toHaveProperty('possible-matches');
  });

  it('comes with nobody of another practice, and nobody where the practice does not look', async () => {
    const { patient, form } = await standing();
    const [other, careless] = [await practiceClient(test), await practiceClient(test, { organization: { matchOnRegistration: false } })];
    const { id: _, firstNameFolded: _first, lastNameFolded: _last, ...row } = patient;
    await rows().patient.create({ data: { ...row, organizationId: careless.organizationId } });
    for (const one of [other, careless]) {
      const answer = await one
        .post('/patients')
        .type('form')
        .send({ ...form, zip: '99501', email: '', homephone: '' });
      expect(answer.headers.registration).toBe('created');
      expect(answer.headers).not.toHaveProperty('possible-matches');
    }
  });

  it('comes with the same ones when the answer is repeated, which is audited again', async () => {
    const { patient, form } = await standing();
    const ask = () => send({ lastname: form.lastname, dob: form.dob }).set('idempotency-key', `near-${patient.id}`);
    const [first, again] = [await ask(), await ask()];
    expect(first.headers['possible-matches']).toBe(`${patient.id};score=16;reason="same birth date and last name"`);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', 'possible-matches': first.headers['possible-matches'] });
    expect(again.text).toBe(first.text);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, resourceIds: { has: patient.id } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action, detail }) => [action, detail])).toEqual([
      ['search', null],
      ['read', 'stored response'],
    ]);
  });

  it('is always a new one in the integration API, whose answer names the same person too', async () => {
    const { patient, form } = await standing();
    const dob = patient.birthDate?.toISOString().slice(0, 10);
    const answer = await app.post('/patients').send({ firstname: form.firstname, lastname: form.lastname, email: form.email, dob });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data.uuid).not.toBe(patient.id);
    expect(answer.headers['possible-matches']).toBe(`${patient.id};score=32;reason="same name and birth date"`);
    expect((await app.post('/patients').send({ firstname: 'Nobody', lastname: 'Else' })).headers).not.toHaveProperty('possible-matches');
  });
});

describe('a dry run', () => {
  const counts = async () => ({
    patients: await rows().patient.count({ where: { organizationId } }),
    registrations: await rows().patientRegistration.count({ where: { organizationId } }),
    events: await rows().event.count({ where: { organizationId } }),
    changes: await rows().auditEntry.count({ where: { organizationId, action: { notIn: ['read', 'search'] } } }),
    answers: await rows().idempotencyRecord.count({ where: { organizationId } }),
  });

  it('tells whom it would create or return, and whom it may be, and writes nothing but that it looked', async () => {
    const { patient, form } = await standing();
    const before = await counts();
    const near = await send({ lastname: form.lastname, dob: form.dob }, '?dry_run');
    expect({ status: near.status, body: near.body }).toEqual({ status: 200, body: [{ dryrun: true, registration: 'would-create' }] });
    expect(near.headers).toMatchObject({ registration: 'would-create', 'possible-matches': expect.stringContaining(`${patient.id};`) });
    const same = await send(form, '?dryrun=true');
    expect(same.body).toEqual([{ dryrun: true, registration: 'would-match', patientid: patient.id }]);
    expect(same.headers.registration).toBe('would-match');
    expect(await counts()).toEqual(before);
    const audits = await rows().auditEntry.findMany({ where: { organizationId, resourceIds: { has: patient.id } } });
    expect(audits.map(({ action }) => action)).toEqual(['search', 'search']);
  });

  it('is refused as the registration would be', async () => {
    const strict = await practiceClient(test, { organization: { registrationPolicy: 'strict' } });
    const contradictions = [{ countrycode: 'USA', countrycode3166: 'CA' }, { patientid: 5 }].map((form) => ({ firstname: 'A', ...form }));
    const wrong = [{ state: 'XX', dob: '13/01/1980' }, { firstname: 'A', departmentid: 2_000_000_000 }, {}];
    for (const form of [{ sex: 'F' }, ...wrong, ...contradictions]) {
      for (const one of [system, strict]) {
        const [tried, real] = [
          await one.post('/patients?dryrun=true').type('form').send(form),
          await one.post('/patients').type('form').send(form),
        ];
        if (real.status === 200) expect(tried.body).toMatchObject([{ registration: 'would-create' }]);
        else expect([tried.status, tried.text]).toEqual([real.status, real.text]);
      }
    }
  });

  it('leaves the Idempotency-Key to the registration itself', async () => {
    const { form } = await standing({ status: 'deleted' });
    const ask = (query: string) => send(form, query).set('idempotency-key', `dry-${form.lastname}`);
    expect((await ask('?dryrun=true')).body).toMatchObject([{ registration: 'would-create' }]);
    const real = await ask('');
    expect(real.headers.registration).toBe('created');
    expect((await ask('')).headers['idempotent-replayed']).toBe('true');
    expect((await ask('?dryrun=true')).body).toMatchObject([{ registration: 'would-match', patientid: real.body[0].patientid }]);
  });
});
