import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Actor, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createRecipient } from '../support/check-ins.ts';
import { createAppointment } from '../support/schedule.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const person = await signedInUser(test, { type: 'admin' });
const { organizationId } = person;
const app = await integrationClient(test, { organizationId });
const system = await practiceClient(test, { organizationId });

describe('an empty parameter', () => {
  it('is as if left out, in all APIs', async () => {
    const same = async (actor: Actor, path: string, empty: string) => {
      const plain = await actor.get(path).expect(200);
      const answer = await actor.get(`${path}${empty}`);
      expect([empty, answer.status, answer.body.data ?? answer.body.patients ?? answer.body.departments]).toEqual([
        empty,
        200,
        plain.body.data ?? plain.body.patients ?? plain.body.departments,
      ]);
      expect(answer.headers['warning-fields']).toBeUndefined();
    };
    await same(app, '/appointments/types', '?limit=&page=%20');
    await same(person, '/appointments/all', '?user_id=&user[]=&user=&type=&office=&min_appointment_date=&limit=');
    await same(person, '/appointments/status/all', '?status=');
    await same(person, '/patients', '?sort=&order=&office=');
    await same(person, '/sms-messages', '?patient=&state=&direction=');
    await same(person, '/notifications', '?unread=');
    await same(system, '/patients', '?limit=&offset=&lastname=&departmentid=');
    await same(system, '/departments', '?providerlist=&limit=');
  });
});

describe('an unknown parameter', () => {
  const readWarnings = async (request: ReturnType<Actor['get']>) => (await request.expect(200)).headers['warning-fields'];

  it('is refused among the parameters of a query, with the known ones, in all APIs and on every kind of operation', async () => {
    const refused = async (request: ReturnType<Actor['get']>) => {
      const answer = await request;
      expect(answer.status, answer.text).toBe(400);
      return answer.body.message ?? answer.body.detail ?? answer.body.detailedmessage;
    };
    expect(await refused(app.get('/appointments/types?limt=5&page=1'))).toBe('limt: is unknown; known are updated_since, page, limit');
    expect(await refused(app.get('/appointments?foo=1'))).toContain(
      'foo: is unknown; known are patient_id, from, to, external_id, updated_since, page, limit',
    );
    expect(await refused(app.post('/patients?dry=1').send({ lastname: 'C' }))).toBe('dry: is unknown: this operation takes no parameters');
    expect(await refused(person.get('/users?usr%5B%5D=1&limit=3'))).toContain('usr[]: is unknown');
    expect(await refused(person.get('/remote-patient-monitoring/ledger?format=csv&mont=2026-01'))).toContain('mont: is unknown');
    expect(await refused(person.get('/appointments/types?__proto__=1'))).toContain('__proto__: is unknown');
    expect(await refused(test.http.post('/login?next=/').send({ email: person.email, password: person.password }))).toContain('next');
    const misspelled = await system.get('/patients?lastnam=a&lastname=b');
    expect([misspelled.status, misspelled.body.invalidfields]).toEqual([400, ['lastnam']]);
    expect(await readWarnings(system.get('/patients?lastname=b&showinsurance=true&ignorerestrictions=false'))).toBe(
      'showinsurance, ignorerestrictions',
    );
    expect(await readWarnings(person.get('/users'))).toBeUndefined();
  });

  it('is a field of the form where the practice API takes one', async () => {
    expect(await readWarnings(system.post('/patients?a=1&lastname=Query').type('form').send({ b: '1' }))).toBe('b, a');
    const twice = await system.post('/patients?lastname=One').type('form').send({ lastname: 'Two' });
    expect([twice.status, twice.body.invalidfields]).toEqual([400, ['lastname']]);
    const { patientid } = (await system.post('/patients?firstname=Only&lastname=Query').expect(200)).body[0];
    const { body } = await system.get(`/patients/${patientid}`).expect(200);
    expect([body[0].firstname, body[0].lastname]).toEqual(['Only', 'Query']);
  });
});

describe('the names of one filter', () => {
  it('are one: user, user[], user[0] and repetitions', async () => {
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => signedInUser(test, { organizationId }).then(({ user }) => user.id)));
    for (const userId of [a, b, c]) await createAppointment(prisma, { organizationId, startsAt: '2032-01-15T15:00:00Z' }, [Number(userId)]);
    for (const query of [
      `user=${a}&user=${b}`,
      `user[]=${a}&user[]=${b}`,
      `user%5B%5D=${a}&user=${b}`,
      `user[0]=${a}&user[1]=${b}`,
      `user[7]=${a}&user=${b}&user[]=`,
    ]) {
      for (const path of ['/appointments/all', '/appointments/search', '/appointments/status/all', '/user-appointments/search']) {
        const { body, headers } = await person.get(`${path}?${query}`).expect(200);
        expect([path, query, body.meta.total, headers['warning-fields']]).toEqual([path, query, 2, undefined]);
        expect(decodeURIComponent(body.links.first)).toContain(`${path}?${decodeURIComponent(query)}`);
      }
      expect((await person.get(`/appointments/percentage?${query}`).expect(200)).body.data.total).toBe(2);
    }
    const wrong = await person.get('/appointments/all?user=x');
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/user/0']);
  });

  it('are one: patient, patient_id and patient_uuid, wherever a list is filtered by an id', async () => {
    const { id } = await createRecipient(test, organizationId);
    const names = ['patient', 'patient_id', 'patient_uuid', 'patient[0]'];
    for (const path of ['/sms-messages', '/video-session/search', '/video-session-image/search', '/remote-patient-monitoring/ledger']) {
      for (const name of names) {
        const { headers } = await person.get(`${path}?${name}=${id}`).expect(200);
        expect([path, name, headers['warning-fields']]).toEqual([path, name, undefined]);
      }
      await person.get(`${path}?patient=${id}&patient_id=${id}`).expect(200);
      const contradiction = await person.get(`${path}?patient=${id}&patient_id=${id + 1}`).expect(400);
      const pointers = contradiction.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
      expect(pointers).toEqual([
        ['/patient', 'contradiction'],
        ['/patient_id', 'contradiction'],
      ]);
      const wrong = await person.get(`${path}?patient_uuid=x`).expect(400);
      expect(wrong.body.errors[0].pointer).toBe('/patient_uuid');
    }
  });

  it('are all mentioned in the document, at the one that it declares', () => {
    const declared = (path: string) => new Map(listParameters(path).map(({ name = '', description = '' }) => [name, description]));
    const all = declared('/appointments/all');
    expect(all.get('user[]')).toContain('`user`');
    expect(all.get('office')).toContain('`office_id`, `office_uuid`');
    expect(['user', 'office_id', 'appointment_type_id'].filter((name) => all.has(name))).toEqual([]);
    expect(declared('/sms-messages').get('patient')).toContain('`patient_id`, `patient_uuid`');
  });
});

const document = z
  .object({
    paths: z.record(
      z.string(),
      z.object({
        get: z
          .object({ parameters: z.array(z.looseObject({ name: z.string().optional(), description: z.string().optional() })).optional() })
          .optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('openapi/mobile.json', 'utf8')));
const listParameters = (path: string) => document.paths[path]?.get?.parameters ?? [];

describe('sort=title, the example of the mobile document', () => {
  const sorted = Object.keys(document.paths).filter((path) => listParameters(path).some(({ name }) => name === 'sort'));

  it('is tried on every list that has SORT', () => {
    const rpm = [
      'checkin-reviews',
      'checkins',
      'checkins/patients/{patient_uuid}',
      'programs',
      'programs/patients/{patient_uuid}',
      'items',
    ];
    const more = ['patients', 'patients/{patient}', 'tracked-conditions', 'workflow'];
    const listed = ['/providers', '/patients', '/patients/uuid', '/video-session/telehealth-sessions', '/user-appointments'];
    const all = [
      ...listed,
      '/user-review-url/listUsersWithReviewUrl',
      ...[...rpm, ...more].map((path) => `/remote-patient-monitoring/${path}`),
    ];
    expect(sorted).toEqual(expect.arrayContaining(all));
  });

  it.each(sorted)('is known to %s, in both directions', async (path) => {
    const { id } = await createRecipient(test, organizationId, { flags: ['RPM'] });
    for (const order of ['ASC', 'desc']) {
      const answer = await person.get(`${path.replace(/\{\w+\}/, String(id))}?sort=title&order=${order}`);
      expect([answer.status, answer.headers['warning-fields']], answer.text).toEqual([200, undefined]);
    }
  });
});

it('updated_since leaves the contacts and the user appointments that changed', async () => {
  const own = { organizationId: person.organizationId };
  const createAt = async (path: string, body: object) => (await person.post(path).send(body).expect(201)).body.data.uuid;
  const [still, moves] = [await createAt('/patients', { lastname: 'Still' }), await createAt('/patients', { lastname: 'Moves' })];
  const { id: stranger } = await prisma.contact.create({ data: { ...own, phone: '+19105550177' } });
  const visits: number[] = [];
  for (const patient_id of [still, moves])
    visits.push(
      await createAt('/appointments/', {
        patient_id,
        user: [person.user.id],
        appointment_date: `2031-03-0${(patient_id % 2) + 4}T09:00:00`,
      }),
    );
  const long = { updatedAt: new Date('2026-01-01') };
  await prisma.patient.updateMany({ where: { ...own, id: { not: moves } }, data: long });
  await prisma.contact.updateMany({ where: { ...own, id: { not: stranger } }, data: long });
  await prisma.appointment.updateMany({ where: { ...own, id: { not: visits[1] ?? 0 } }, data: long });
  const since = '2026-02-01T00:00:00Z';
  const found = async (path: string, name: string) =>
    (await person.get(`${path}updated_since=${since}`).expect(200)).body.data.map((one: Record<string, number>) => one[name]);
  expect((await found('/contacts?sort=id&', 'uuid')).toSorted()).toEqual([moves, stranger].toSorted());
  expect(await found('/contacts?name=Still&', 'uuid')).toEqual([]);
  expect(await found('/user-appointments?', 'appointment_id')).toEqual([visits[1]]);
  expect(await found('/user-appointments/self?', 'appointment_id')).toEqual([visits[1]]);
});
