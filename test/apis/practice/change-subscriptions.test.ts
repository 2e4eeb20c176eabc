import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { changedIn, pollUntil, readPage, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);
const another = (scopes?: string[]) => practiceClient(test, { organizationId: clinic.organizationId, ...(scopes ? { scopes } : {}) });

type Client = Awaited<ReturnType<typeof another>>;

async function subscription(client: Client, feed = 'patients', query = '') {
  const answer = await client.get(`/${feed}/changed/subscription${query}`);
  expect(answer.status, answer.text).toBe(200);
  return { status: answer.body.status, names: answer.body.subscriptions.map((one: { eventname: string }) => one.eventname) };
}

async function register(form: object = {}): Promise<number> {
  const answer = await clinic
    .post('/patients')
    .type('form')
    .send({ lastname: 'Feed', ...form });
  return answer.body[0].patientid;
}

const PATIENTS = ['AddPatient', 'DeletePatient', 'UpdatePatient', 'MergePatient', 'UpdatePatientCustomField'];

describe('The subscription to a feed', () => {
  it('begins with all changes but the optional ones, and ends', async () => {
    const client = await another();
    expect(await subscription(client)).toEqual({ status: 'INACTIVE', names: [] });
    const begun = await client.post('/patients/changed/subscription');
    expect([begun.status, begun.body]).toEqual([200, { success: true }]);
    expect(await subscription(client)).toEqual({ status: 'ACTIVE', names: PATIENTS });
    const ended = await client.delete('/patients/changed/subscription');
    expect([ended.status, ended.body]).toEqual([200, { success: true }]);
    expect(await subscription(client)).toEqual({ status: 'INACTIVE', names: [] });
    expect((await client.delete('/patients/changed/subscription')).body).toEqual({ success: true });
    expect((await client.get('/patients/changed')).status).toBe(403);
  });

  it('has optional changes for appointments, which ACTIVE does not need unless they are asked for', async () => {
    const client = await another();
    await subscribed(client, 'appointments', { includeremindercall: 'false', includesuggestedoverbooking: 'false' });
    const plain = await subscription(client, 'appointments');
    expect(plain).toMatchObject({ status: 'ACTIVE' });
    expect(plain.names).toHaveLength(9);
    expect(await subscription(client, 'appointments', '?includeremindercall=true')).toMatchObject({ status: 'PARTIAL' });
    await subscribed(client, 'appointments', { includeremindercall: 'TRUE' });
    const more = await subscription(client, 'appointments', '?includeremindercall=true');
    expect(more).toEqual({ status: 'ACTIVE', names: [...plain.names.slice(0, 5), 'UpdateReminderCall', ...plain.names.slice(5)] });
    await client.delete('/appointments/changed/subscription');
    expect(await subscription(client, 'appointments')).toMatchObject({ status: 'INACTIVE' });
  });

  it('takes one change at a time, in any case, in the query, in the form or in both', async () => {
    const client = await another();
    await client.post('/patients/changed/subscription?eventname=updatepatient').expect(200);
    expect(await subscription(client)).toEqual({ status: 'PARTIAL', names: ['UpdatePatient'] });
    await client.post('/patients/changed/subscription?eventname=addpatient').type('form').send({ eventname: 'AddPatient' }).expect(200);
    await subscribed(client, 'patients', { eventname: 'AddPatient' });
    expect(await subscription(client)).toEqual({ status: 'PARTIAL', names: ['AddPatient', 'UpdatePatient'] });
    await client.delete('/patients/changed/subscription').type('form').send({ eventname: 'AddPatient' }).expect(200);
    expect((await subscription(client)).names).toEqual(['UpdatePatient']);
    await client.delete('/patients/changed/subscription?eventname=UpdatePatient').expect(200);
    expect(await subscription(client)).toMatchObject({ status: 'INACTIVE' });
  });

  it('refuses names that the feed does not have, and two names at once', async () => {
    const client = await another();
    for (const verb of ['post', 'delete'] as const) {
      const unknown = await client[verb]('/patients/changed/subscription').type('form').send({ eventname: 'ScheduleAppointment' });
      expect([unknown.status, unknown.body.invalidfields]).toEqual([400, ['eventname']]);
      const two = await client[verb]('/patients/changed/subscription?eventname=AddPatient')
        .type('form')
        .send({ eventname: 'MergePatient' });
      expect([two.status, two.body.invalidfields]).toEqual([400, ['eventname']]);
    }
    expect(await subscription(client)).toMatchObject({ status: 'INACTIVE' });
  });

  it.each([
    ['patients', PATIENTS],
    [
      'appointments',
      [
        ...['ScheduleAppointment', 'CheckIn', 'CheckOut', 'UpdateAppointment', 'CancelAppointment', 'UpdateReminderCall'],
        ...['UpdateSuggestedOverbooking', 'FreezeAppointment', 'UnfreezeAppointment', 'DeleteAppointment', 'AddAppointmentSlot'],
      ],
    ],
    ['providers', ['ProviderAdd', 'ProviderUpdate', 'ProviderDelete', 'ProviderUndelete']],
  ])('lists the names of %s', async (feed, names) => {
    const { body } = await clinic.get(`/${feed}/changed/subscription/events`);
    expect(body).toEqual({ subscriptions: names.map((eventname) => ({ eventname })) });
  });

  it('tells only of the changes that it has', async () => {
    const [added, changed] = [await another(), await another()];
    await subscribed(added, 'patients', { eventname: 'AddPatient' });
    await subscribed(changed, 'patients', { eventname: 'UpdatePatient' });
    const id = await register();
    expect(await pollUntil(added, 'patients', 1)).toEqual([id]);
    const other = await register();
    await clinic.put(`/patients/${id}`).type('form').send({ city: 'Apex' });
    expect(await pollUntil(changed, 'patients', 1)).toEqual([id]);
    expect(await pollUntil(added, 'patients', 1)).toEqual([other]);
    expect(await changedIn(added, 'patients')).toEqual([]);
  });

  it('is the client’s own, in one practice', async () => {
    const [one, other] = [await another(), await another()];
    await subscribed(one, 'patients');
    expect(await subscription(other)).toMatchObject({ status: 'INACTIVE' });
    await other.delete('/patients/changed/subscription').expect(200);
    expect(await subscription(one)).toMatchObject({ status: 'ACTIVE' });
    expect(await subscription(one, 'providers')).toMatchObject({ status: 'INACTIVE' });
  });

  it('begins anew after its end, and goes on where another change is added', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    await register();
    await waitUntil(client, 'patients', 1);
    await client.delete('/patients/changed/subscription').expect(200);
    await subscribed(client, 'patients', { eventname: 'AddPatient' });
    expect((await readPage(client, 'patients', '?showprocessedstartdatetime=1/1/2000')).ids).toEqual([]);
    const id = await register();
    await waitUntil(client, 'patients', 1);
    await subscribed(client, 'patients');
    expect(await changedIn(client, 'patients')).toEqual([id]);
  });

  it('needs the scope to read, and is audited', async () => {
    const reader = await another(['practice.read']);
    await subscribed(reader, 'providers');
    const stranger = await another(['practice.write']);
    expect((await stranger.post('/providers/changed/subscription')).status).toBe(403);
    const entries = await test.database.prisma.auditEntry.findMany({ where: { actor: `client:${reader.clientId}` } });
    expect(entries.map(({ action, resource, detail }) => [action, resource, detail])).toEqual([
      ['create', 'change_subscription', 'providers ProviderAdd ProviderUpdate ProviderDelete ProviderUndelete'],
    ]);
  });

  it('goes with the client’s grant', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    await register();
    await waitUntil(client, 'patients', 1);
    const where = { clientId: client.clientId };
    await test.database.prisma.apiClientGrant.deleteMany({ where });
    expect(await test.database.prisma.changeSubscription.count({ where })).toBe(0);
    expect(await test.database.prisma.changedRecord.count({ where })).toBe(0);
  });
});
