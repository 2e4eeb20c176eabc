import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seedDemo } from '../../prisma/seed/demo.ts';
import { type Actor, actorWith, clientToken, signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { type Answers, each, judge, readsKind, rows, sources } from './clients.ts';

const test = await ownTestApp();
/** A second server on the same database, which writes integers and booleans of JSON. */
const native = await ownTestApp({ PRACTICE_TYPES: 'native' }, { databaseUrl: test.databaseUrl });
const { prisma } = test.database;
const demo = await seedDemo(prisma, {
  now: new Date(),
  keyring: test.keyring,
  hash: async (secret) => `hash of ${secret}`,
  randomSecret: () => randomBytes(16).toString('hex'),
});
const practices = demo.map(({ practiceid }) => practiceid);

/** The bodies of the answers of the two servers, by operation as the table names it. */
const answers: Answers = new Map();
const nativeAnswers: Answers = new Map();

/** The description of each field of shapes of a document. */
const descriptions = (shapes: { properties: Record<string, { description?: string }> }[]) =>
  shapes.map(({ properties }) => Object.entries(properties).map(([field, { description }]) => [field, description]));

/** @param status that the answer must have */
async function ask(operation: string, request: ReturnType<Actor['get']>, status = 200, kept = answers) {
  const answer = await request;
  expect(answer.status, `${operation}: ${answer.text}`).toBe(status);
  kept.set(operation, [...(kept.get(operation) ?? []), ...[answer.body].flat()]);
  return answer;
}

const listIds = (found: readonly { id: number | bigint }[]) => found.map(({ id }) => Number(id));

const PATIENT = '/{apivariant}/{practiceid}/patients';
const SECTIONS =
  'ignorerestrictions=1&showallclaims=1&showallpatientdepartmentstatus=1&showbalancedetails=1&showcustomfields=1&showfullssn=1&showinsurance=1&showlocalpatientid=1&showportalstatus=1';

/** Gives values to fields that are empty in the demo, so that each field of the table is read once. */
async function fillIn(organizationId: number): Promise<void> {
  const [patient, appointment] = await Promise.all([
    prisma.patient.findFirstOrThrow({ where: { organizationId, status: 'active' }, orderBy: { id: 'asc' }, select: { id: true } }),
    prisma.appointment.findFirstOrThrow({
      where: { organizationId, status: { not: 'cancelled' } },
      orderBy: { id: 'asc' },
      select: { id: true },
    }),
  ]);
  const names = { guardianMiddleName: 'Ann', guardianSuffix: 'Jr', guarantorMiddleName: 'Bo', guarantorSuffix: 'Sr' };
  await prisma.patient.update({ where: { organizationId_id: { organizationId, id: patient.id } }, data: names });
  const key = { organizationId_id: { organizationId, id: appointment.id } };
  await prisma.appointment.update({ where: key, data: { initialSmsSent: true } });
}

const SCOPES = ['practice.read', 'practice.write', 'restricted.read', 'ssn.read'];

/** Of how many charts one is read by itself, beside the lists of all. */
const ONE_IN = isUpkeep ? 1 : 6;

/** Reads the charts of a practice one by one, and all in lists. @returns how many there are */
async function readCharts(server: typeof test, organizationId: number, kept: Answers): Promise<number> {
  const { token } = await clientToken(server, SCOPES, practices);
  const system = actorWith(server, token, organizationId);
  const charts = await prisma.patient.findMany({ where: { organizationId, status: { not: 'deleted' } }, select: { id: true } });
  const base = `/v1/${organizationId}/patients`;
  const read = listIds(charts).filter((_, index) => index % ONE_IN === 0);
  await each(read, (id) => ask(`GET ${PATIENT}/{patientId}`, system.get(`${base}/${id}?${SECTIONS}`), 200, kept));
  let next: string | undefined = `${base}?limit=60&ignorerestrictions=true`;
  while (next) {
    const page = await ask(`GET ${PATIENT}`, system.get(next), 200, kept);
    next = page.body.next;
  }
  return charts.length;
}

async function readPractice(organizationId: number): Promise<void> {
  const { token } = await clientToken(test, SCOPES, practices);
  const system = actorWith(test, token, organizationId, `/v1/${organizationId}`);
  const [offices, providers] = await Promise.all([
    prisma.office.findMany({ where: { organizationId }, select: { id: true } }),
    prisma.provider.findMany({ where: { organizationId }, select: { id: true } }),
  ]);
  await ask('GET /{apivariant}/{practiceid}/practiceinfo', system.get('/practiceinfo'));
  const everything = 'showalldepartments=1&providerlist=1';
  await ask('GET /{apivariant}/{practiceid}/departments', system.get(`/departments?${everything}`));
  const department = 'GET /{apivariant}/{practiceid}/departments/{departmentid}';
  await each(listIds(offices), (id) => ask(department, system.get(`/departments/${id}?${everything}`)));
  const provider = 'GET /{apivariant}/{practiceid}/providers/{providerId}';
  await each(listIds(providers), (id) =>
    ask(provider, system.get(`/providers/${id}?showallproviderids=1&showfederalidnumber=1&showusualdepartmentguessthreshold=0.5`)),
  );
  const form = { lastname: 'Client', firstname: 'Cleo', dob: '02/29/1980', zip: '27601', departmentid: offices[0]?.id, 'race[]': '2106-3' };
  await ask(`POST ${PATIENT}`, system.post('/patients').type('form').send(form));
  const errors = 'errors of the practice API';
  await ask(errors, system.post('/patients').type('form').send({}), 400);
  await ask(errors, system.post('/patients').type('form').send({ lastname: 'X', dob: 'yesterday' }), 400);
  await ask(errors, system.get('/patients/2147483647'), 404);
}

async function readIntegration(organizationId: number): Promise<void> {
  const { token } = await clientToken(test, ['integration.read', 'integration.write', 'restricted.read'], [organizationId]);
  const app = actorWith(test, token, organizationId, '/api');
  const charts = await prisma.patient.findMany({
    where: { organizationId, status: { not: 'deleted' }, medicalRecordNo: { not: null } },
    select: { id: true, medicalRecordNo: true },
  });
  const read = charts.filter((_, index) => index % ONE_IN === 0);
  await each(read, ({ medicalRecordNo }) =>
    ask('GET /api/patients/mrn/{mrn}', app.get(`/patients/mrn/${encodeURIComponent(medicalRecordNo ?? '')}`)),
  );
  const standing = await prisma.appointment.findMany({
    where: { organizationId, status: { not: 'cancelled' } },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: isUpkeep ? 200 : 40,
  });
  await each(listIds(standing), (id) => ask('GET /api/appointments/{uuid}', app.get(`/appointments/${id}`)));
  for (const page of [1, 2]) await ask('GET /api/appointments/types', app.get(`/appointments/types?limit=2&page=${page}`));
  await ask('GET /api/client', app.get('/client'));
  const user = { phone: '+19195550123', fiveMinuteCheckIn: true, fiveMinuteCheckInType: 'sms' };
  const person = await signedInUser(test, { organizationId, user });
  await ask('GET /api/client', actorWith(test, person.token, organizationId, '/api').get('/client'));
  await writeIntegration(app);
}

/** The fields of a patient as the Go client of this API sends them: all that it has, and texts for the address. */
const PATIENT_REQUEST = {
  uuid: 0,
  user_uuid: 0,
  firstname: 'Gil',
  lastname: 'Gopher',
  fname: 'Gil',
  lname: 'Gopher',
  address: '1 Main St',
  address2: 'Apt 4',
  city: 'Cary',
  state: 'NC',
  zip: '27511',
  email: 'gil@example.com',
  phone_no: '9195550123',
  dob: '1980-02-29',
  admit_date: '2026-01-05',
  gender: 'male',
  census: true,
  provider: 0,
  location: 0,
  flags: ['RPM'],
  do_not_sms: '1',
};

async function writeIntegration(app: Actor): Promise<void> {
  const { provider: _provider, location: _location, ...fields } = PATIENT_REQUEST;
  const made = await ask('POST /api/patients', app.post('/patients').send({ ...fields, med_rec_no: 'GO 1' }));
  const { uuid: patientId } = made.body.data;
  for (const do_not_sms of ['0', '1', 0, 1, true, false])
    await ask('PUT /api/patients/{uuid}', app.put(`/patients/${patientId}`).send({ do_not_sms, address: { address: '1 Main St' } }));
  const type = await ask('POST /api/appointments/types', app.post('/appointments/types').send({ name: 'Client’s visit' }));
  const { uuid: typeId } = type.body.data;
  await ask('PUT /api/appointments/types', app.put('/appointments/types').send({ uuid: typeId, active: 1 }));
  await ask('PUT /api/appointments/types/{uuid}', app.put(`/appointments/types/${typeId}`).send({ uuid: typeId, description: 'A visit' }));
  const appointment = { appointment_date: '2031-03-03T14:00:00Z', patient_id: patientId, appointment_type_id: typeId };
  const { uuid } = (await ask('POST /api/appointments', app.post('/appointments').send(appointment))).body.data;
  await ask('PUT /api/appointments/{uuid}', app.put(`/appointments/${uuid}`).send(appointment));
  await ask('DELETE /api/appointments/{uuid}', app.delete(`/appointments/${uuid}`));
  await ask('errors of the integration API', app.get(`/appointments/${uuid}`), 404);
  await ask('errors of the integration API', app.post('/patients').send({ dob: 'yesterday' }), 400);
}

describe('public clients', () => {
  it('read every chart, department, provider, practice and appointment of the demo, and what they create', {
    timeout: 120_000,
  }, async () => {
    const charts: number[] = [];
    for (const organizationId of practices) {
      await fillIn(organizationId);
      charts.push(await readCharts(test, organizationId, answers));
      await readPractice(organizationId);
      await readIntegration(organizationId);
    }
    expect(charts[0]).toBeGreaterThanOrEqual(195);
    const { wrong, never } = judge(
      rows.filter(({ request }) => !request),
      answers,
      ({ answer }) => answer,
    );
    expect(wrong).toEqual([]);
    expect(never).toEqual([]);
  });

  it('read every chart too where the operator chose JSON’s own types, in which no client refuses one of the seven fields', {
    timeout: 120_000,
  }, async () => {
    for (const organizationId of practices) await readCharts(native, organizationId, nativeAnswers);
    const ofCharts = rows.filter(({ operation, request }) => operation.startsWith(`GET ${PATIENT}`) && !request);
    const { wrong, never } = judge(ofCharts, nativeAnswers, (row) => row.native ?? row.answer);
    expect(wrong).toEqual([]);
    expect(never).toEqual([]);
    const typed = rows.flatMap((row) => (row.native ? [{ ...row, native: row.native }] : []));
    expect(typed.map(({ field }) => field)).toHaveLength(7);
    expect(typed.map(({ document }) => document)).toEqual(
      rows.filter(({ document }) => /^(Integer|Boolean)String$/.test(document)).map(({ document }) => document),
    );
    const refused = typed.flatMap(({ field, native: value, clients }) =>
      clients.filter((one) => !readsKind(one, value)).map(({ at }) => `${field} ${at}`),
    );
    expect(refused).toEqual([]);
  });

  it('are told by the served document which types the operator chose, in its shapes and its examples', async () => {
    const { body } = await native.http.get('/docs/openapi/practice.json');
    const asStrings = (await test.http.get('/docs/openapi/practice.json')).body.components.schemas;
    const { Balance, Patient } = body.components.schemas;
    expect(descriptions([Balance, Patient])).toEqual(descriptions([asStrings.Balance, asStrings.Patient]));
    const types = [Balance, Patient].map(({ properties }) => properties);
    expect(types).toMatchObject([
      { providergroupid: { type: 'integer' }, balance: { type: 'number' }, cleanbalance: { type: 'boolean' } },
      {
        guarantoraddresssameaspatient: { type: 'boolean' },
        portaltermsonfile: { type: 'boolean' },
        portalaccessgiven: { type: 'boolean' },
        privacyinformationverified: { type: 'boolean' },
        balances: { items: { $ref: '#/components/schemas/Balance' } },
      },
    ]);
    const examples = JSON.stringify(body.paths);
    expect(examples).toMatch(/"portalaccessgiven":(true|false)/);
    expect(examples).not.toContain('"portalaccessgiven":"');
  });

  it('send nothing of a patient that is not taken', () => {
    const sent = new Map<string, unknown>(Object.entries({ ...PATIENT_REQUEST, med_rec_no: 'GO 1' }));
    const patients = rows.filter(({ operation }) => operation === 'POST /api/patients · request');
    expect(patients.map(({ field }) => field).filter((field) => !sent.has(field))).toEqual([]);
  });
});

describe('the table', () => {
  it('names a source for each cell, and a reason wherever a client does not read what the document says', () => {
    const cells = rows.flatMap(({ clients, recorded = [] }) => [...clients, ...recorded]);
    expect(cells.filter(({ at }) => sources[at.split(':')[0] ?? ''] === undefined)).toEqual([]);
    expect(new Set(Object.values(sources).map(({ repository }) => repository)).size).toBeGreaterThanOrEqual(11);
    const silent = rows.filter(({ clients, note }) => clients.some(({ reads }) => reads === false) && !note);
    expect(silent.map(({ operation, field }) => `${operation} ${field}`)).toEqual([]);
  });
});
