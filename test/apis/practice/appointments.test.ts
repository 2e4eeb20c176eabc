import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createOffice, createOrganization, createPatient, createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;

/** A practice in New York with two departments and a patient, an app that books, and a practice system. */
async function practice(scopes?: string[]) {
  const { id: organizationId } = await createOrganization(rows, { timeZone: 'America/New_York' });
  const [north, south] = [
    await createOffice(rows, { organizationId, name: 'North' }),
    await createOffice(rows, { organizationId, name: 'South' }),
  ];
  const app = await integrationClient(test, { organizationId });
  const client = await practiceClient(test, { organizationId, ...(scopes ? { scopes } : {}) });
  const patient = (await createPatient(rows, { organizationId, firstName: 'Ann', lastName: 'Lee' })).id;
  const book = async (date: string, fields: object = {}): Promise<number> => {
    const sent = { appointment_date: date, patient_id: patient, office_id: north.id, ...fields };
    const answer = await app.post('/appointments').send(sent);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.uuid;
  };
  return { organizationId, north, south, app, client, patient, book };
}

type Listed = { appointmentid: string; appointmentstatus: string };
const listIds = (body: { appointments: Listed[] }) => body.appointments.map(({ appointmentid }) => Number(appointmentid));

describe('appointments of practice systems', () => {
  it('are read by id, also open and cancelled ones, in a list of one', async () => {
    const { client, book, patient, north, app } = await practice();
    const id = await book('2027-03-01T09:30:00');
    const read = async () => (await client.get(`/appointments/${id}`).expect(200)).body;
    expect(await read()).toEqual([
      expect.objectContaining({
        appointmentid: String(id),
        appointmentstatus: 'f',
        date: '03/01/2027',
        starttime: '09:30',
        patientid: String(patient),
        departmentid: String(north.id),
        providerid: '',
        appointmenttypeid: '',
      }),
    ]);
    const open = await book('2027-03-01T11:00:00', { patient_id: undefined });
    const [slot] = (await client.get(`/appointments/${open}`).expect(200)).body;
    expect([slot.appointmentstatus, 'patientid' in slot]).toEqual(['o', false]);
    await app.delete(`/appointments/${id}`).expect(200);
    expect((await read())[0].appointmentstatus).toBe('x');
    await client.get('/appointments/999999999').expect(404);
    await client.get('/appointments/nine').expect(404);
    await client.get('/appointments/9x').expect(400);
    await (await practice()).client.get(`/appointments/${id}`).expect(404);
  });

  it('are listed by the days on their own clocks, over both changes of the clocks', async () => {
    const { client, book } = await practice();
    const spring = [
      await book('2027-03-14T00:00:00'),
      await book('2027-03-14T01:59:00'),
      await book('2027-03-14T03:00:00'),
      await book('2027-03-14T23:59:00'),
    ];
    const autumn = [
      await book('2027-11-07T00:30:00'),
      await book('2027-11-07T01:30:00-04:00'),
      await book('2027-11-07T01:30:00-05:00'),
      await book('2027-11-07T23:30:00'),
    ];
    const tokyo = await book('2027-03-15T00:10:00', { timezone: 'Asia/Tokyo', office_id: undefined });
    for (const [day, ids] of [
      ['3/14/2027', spring],
      ['11/07/2027', autumn],
    ] as const)
      expect(listIds((await client.get(`/appointments/booked?startdate=${day}&enddate=${day}`).expect(200)).body)).toEqual(ids);
    expect(listIds((await client.get('/appointments/booked?startdate=03/15/2027&enddate=03/15/2027').expect(200)).body)).toEqual([tokyo]);
  });

  it('are filtered by department, provider, patient, type and status, in the ways in which clients write lists', async () => {
    const { organizationId, client, book, north, south, app } = await practice();
    const provider = await createProvider(rows, { organizationId });
    const type = await createAppointmentType(rows, { organizationId, name: 'Check-up' });
    const other = (await createPatient(rows, { organizationId })).id;
    const plain = await book('2027-05-03T09:00:00');
    const elsewhere = await book('2027-05-03T10:00:00', { office_id: south.id });
    const typed = await book('2027-05-03T11:00:00', { appointment_type_id: type.id, provider_id: provider.id });
    const theirs = await book('2027-05-03T12:00:00', { patient_id: other });
    const open = await book('2027-05-03T13:00:00', { patient_id: undefined });
    const gone = await book('2027-05-03T14:00:00');
    await app.delete(`/appointments/${gone}`).expect(200);
    await rows.appointment.update({ where: { organizationId_id: { organizationId, id: theirs } }, data: { status: 'arrived' } });
    const list = async (query: string, path = 'booked') =>
      listIds((await client.get(`/appointments/${path}?startdate=5/3/2027&enddate=05/03/2027${query}`).expect(200)).body);
    expect(await list('')).toEqual([plain, elsewhere, typed, theirs]);
    expect(await list(`&departmentid=${south.id}`)).toEqual([elsewhere]);
    for (const both of [
      `departmentid=${north.id},${south.id}`,
      `departmentid=${north.id}&departmentid=${south.id}`,
      `departmentid[0]=${north.id}&departmentid[1]=${south.id}`,
    ])
      expect(await list(`&${both}`, 'booked/multipledepartment')).toEqual([plain, elsewhere, typed, theirs]);
    expect(await list(`&providerid=${provider.id}`)).toEqual([typed]);
    expect(await list(`&appointmenttypeid=${type.id}`)).toEqual([typed]);
    expect(await list(`&patientid=${other}`)).toEqual([theirs]);
    expect(await list('&departmentid=999999')).toEqual([]);
    expect(await list('&showcancelled=Y')).toEqual([plain, elsewhere, typed, theirs, gone]);
    expect(await list('&appointmentstatus=x')).toEqual([gone]);
    expect(await list('&appointmentstatus=2,o')).toEqual([theirs, open]);
    expect(await list('&appointmentstatus=4')).toEqual([]);
    expect(await list('&startlastmodified=01/01/2020 00:00:00')).toHaveLength(4);
    expect(await list('&startlastmodified=01/01/2020 00:00:00&endlastmodified=01/02/2020 00:00:00')).toEqual([]);
    expect(await list('&scheduledstartdate=01/01/2020&scheduledenddate=01/02/2020')).toEqual([]);
  });

  it('come page by page', async () => {
    const { client, book } = await practice();
    const ids: number[] = [];
    for (let hour = 8; hour < 13; hour += 1) ids.push(await book(`2027-06-01T${String(hour).padStart(2, '0')}:00:00`));
    const first = (await client.get('/appointments/booked?startdate=06/01/2027&enddate=06/01/2027&limit=2').expect(200)).body;
    expect([listIds(first), first.totalcount, first.previous]).toEqual([ids.slice(0, 2), 5, undefined]);
    const second = (await test.http.get(first.next).set('authorization', `Bearer ${client.token}`).expect(200)).body;
    expect(listIds(second)).toEqual(ids.slice(2, 4));
    const last = (await test.http.get(second.next).set('authorization', `Bearer ${client.token}`).expect(200)).body;
    expect([listIds(last), last.next]).toEqual([ids.slice(4), undefined]);
    const beyond = (await client.get('/appointments/booked?startdate=06/01/2027&enddate=06/01/2027&offset=50').expect(200)).body;
    expect([beyond.totalcount, beyond.appointments, beyond.next]).toEqual([5, [], undefined]);
  });

  it.each([
    ['', { missingfields: ['startdate', 'enddate'] }],
    ['?startdate=06/01/2027', { missingfields: ['enddate'] }],
    ['?startdate=2027-06-01&enddate=06/31/2027', { invalidfields: ['startdate', 'enddate'] }],
    ['?startdate=06/01/2027&enddate=06/01/2027&appointmentstatus=z', { invalidfields: ['appointmentstatus'] }],
    ['?startdate=06/01/2027&enddate=06/01/2027&departmentid=north', { invalidfields: ['departmentid'] }],
    ['?startdate=06/01/2027&enddate=06/01/2027&limit=10001', { invalidfields: ['limit'] }],
    ['?startdate=06/02/2027&enddate=06/01/2027', { invalidfields: ['startdate'] }],
  ])('name what is wrong with %s', async (query, fields) => {
    const { client } = await practice();
    const answer = (await client.get(`/appointments/booked${query}`).expect(400)).body;
    for (const [name, values] of Object.entries(fields)) expect(answer[name].map((one: string) => one.replace('[]', ''))).toEqual(values);
  });

  it('of a patient come from today on, or all of them, and of all charts of the person', async () => {
    const { organizationId, client, book, patient, app } = await practice();
    const past = await book('2020-05-03T09:00:00');
    const future = await book('2031-05-03T09:00:00');
    const gone = await book('2031-05-04T09:00:00');
    await app.delete(`/appointments/${gone}`).expect(200);
    const copy = (await createPatient(rows, { organizationId, enterpriseId: patient })).id;
    const ofCopy = await book('2031-05-05T09:00:00', { patient_id: copy });
    const list = async (query = '', id = patient) => listIds((await client.get(`/patients/${id}/appointments${query}`).expect(200)).body);
    expect(await list()).toEqual([future, ofCopy]);
    expect(await list('', copy)).toEqual([future, ofCopy]);
    expect(await list('?showpast=Y')).toEqual([past, future, ofCopy]);
    expect(await list('?showcancelled=true')).toEqual([future, gone, ofCopy]);
    expect(await list('?startdate=1/1/2020&enddate=12/31/2020')).toEqual([past]);
    await client.get('/patients/999999/appointments').expect(404);
    await (await practice()).client.get(`/patients/${patient}/appointments`).expect(404);
  });

  it('of restricted charts name no patient, and their patients have no list, for who may not see them', async () => {
    const { organizationId, client, book, patient } = await practice();
    const trusted = await practiceClient(test, { organizationId, scopes: ['practice.read', 'restricted.read'] });
    const id = await book('2031-05-03T09:00:00');
    await rows.privacyRestriction.create({ data: { organizationId, patientId: patient, kind: 'record' } });
    const day = '/appointments/booked?startdate=05/03/2031&enddate=05/03/2031';
    expect((await client.get(day).expect(200)).body.appointments).toMatchObject([{ appointmentid: String(id), patientid: '' }]);
    expect((await client.get(`${day}&patientid=${patient}`).expect(200)).body.appointments).toEqual([]);
    await client.get(`/patients/${patient}/appointments`).expect(404);
    const [open, blocked] = [await createPatient(rows, { organizationId }), await createPatient(rows, { organizationId })];
    await rows.patient.update({ where: { organizationId_id: { organizationId, id: blocked.id } }, data: { enterpriseId: open.id } });
    await rows.privacyRestriction.create({ data: { organizationId, patientId: blocked.id, kind: 'blocked' } });
    await book('2031-05-03T11:00:00', { patient_id: open.id });
    expect((await client.get(`${day}&patientid=${open.id}`).expect(200)).body.totalcount).toBe(1);
    expect((await client.get(`${day}&patientid=${blocked.id}`).expect(200)).body).toMatchObject({ totalcount: 0, appointments: [] });
    expect((await client.put(`/appointments/${id}/cancel?patientid=${patient}`).expect(404)).body.invalidfields).toEqual(['patientid']);
    expect((await trusted.get(`${day}&patientid=${patient}`).expect(200)).body.appointments).toMatchObject([
      { patientid: String(patient) },
    ]);
    expect(listIds((await trusted.get(`/patients/${patient}/appointments`).expect(200)).body)).toEqual([id]);
  });
});
