import { describe, expect, it } from 'vitest';
import { createProgram } from '../apis/mobile/monitoring/care.ts';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { openMeeting } from '../realtime/room.ts';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

async function makeAppointment() {
  const { body, headers } = await clinic.post('/appointments').send({});
  const tag = String(headers.etag);
  return { path: `/appointments/${body.data.uuid}`, tag, opaque: tag.slice(1, -1) };
}

describe('If-None-Match', () => {
  it.each([
    ['the tag', (tag: string) => tag, 304],
    ['the tag, made weak on the way', (tag: string) => `W/${tag}`, 304],
    ['a list with the tag', (tag: string) => `"a",W/"b" ,  ${tag}, "c"`, 304],
    ['any', () => '*', 304],
    ['another tag', () => '"another"', 200],
    ['the tag without its quotes', (tag: string) => tag.slice(1, -1), 200],
    ['a part of the tag', (tag: string) => `${tag.slice(0, -2)}"`, 200],
    ['nothing', () => '', 200],
  ])('of %s is compared weakly', async (_what, header, status) => {
    const { path, tag } = await makeAppointment();
    const answer = await clinic.get(path).set('if-none-match', header(tag));
    expect(answer.status).toBe(status);
    expect(answer.headers.etag).toBe(tag);
    expect(answer.headers['x-request-id']).toBeTruthy();
    expect(answer.text === '').toBe(status === 304);
  });

  it('that spares the answer leaves its audit row all the same', async () => {
    const { path, tag } = await makeAppointment();
    await clinic.get(path).set('if-none-match', tag).set('x-request-id', 'spared');
    expect(await test.database.prisma.auditEntry.count({ where: { requestId: 'spared', action: 'read' } })).toBe(1);
  });

  it('has no effect on a change', async () => {
    const { path, tag } = await makeAppointment();
    expect((await clinic.put(path).set('if-none-match', tag).send({ appointment_date: '2027-03-01T09:00:00' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  it.each([
    ['the tag', (tag: string) => tag, 200],
    ['a list with the tag', (tag: string) => `"a" , ${tag}`, 200],
    ['any', () => '*', 200],
    ['the tag, made weak on the way', (tag: string) => `W/${tag}`, 412],
    ['another tag', () => '"another"', 412],
    ['the tag without its quotes', (tag: string) => tag.slice(1, -1), 412],
    ['nothing', () => '', 412],
  ])('of %s is compared strongly', async (_what, header, status) => {
    const { path, tag } = await makeAppointment();
    const answer = await clinic.put(path).set('if-match', header(tag)).send({ appointment_date: '2027-03-01T09:00:00' });
    expect(answer.status).toBe(status);
    const { headers } = await clinic.get(path);
    expect(headers.etag === tag).toBe(status === 412);
  });

  it('lets one of twenty through that hold the same tag', async () => {
    const { path, tag } = await makeAppointment();
    const change = (minute: number) =>
      clinic
        .put(path)
        .set('if-match', tag)
        .send({ appointment_date: `2027-03-01T09:${10 + minute}:00` });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, minute) => change(minute)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  });
});

describe('If-Match of a change under another address', () => {
  const RPM = '/remote-patient-monitoring';

  it('is compared with the tag of the appointment, for its participants', async () => {
    const [ann, bo] = [await signedInUser(test), await signedInUser(test)];
    const cy = await signedInUser(test, { organizationId: ann.organizationId });
    const { uuid } = (await ann.post('/appointments/').send({}).expect(201)).body.data;
    const add = { user_id: cy.user.id, appointment_id: uuid };
    const move = { appointment_id: uuid };
    const left = `/user-appointments/${ann.user.id}?appointment_id=${uuid}`;
    const tag = async () => String((await ann.get(`/appointments/${uuid}`)).headers.etag);
    const first = await tag();
    await ann.post('/user-appointments/').set('if-match', first).send(add).expect(201);
    for (const stale of ['"stale"', first]) {
      await ann
        .post('/user-appointments/')
        .set('if-match', stale)
        .send({ ...add, user_id: ann.user.id })
        .expect(412);
      await ann.put(`/user-appointments/${ann.user.id}`).set('if-match', stale).send(move).expect(412);
      await ann.delete(`/user-appointments/${cy.user.id}?appointment_id=${uuid}`).set('if-match', stale).expect(412);
    }
    await ann
      .put(`/user-appointments/${ann.user.id}`)
      .set('if-match', await tag())
      .send(move)
      .expect(200);
    await ann
      .delete(left)
      .set('if-match', await tag())
      .expect(204);
    const theirs = await bo
      .post('/user-appointments/')
      .set('if-match', await tag())
      .send({ ...add, user_id: bo.user.id });
    expect(theirs.body).toMatchObject({ status: 404, code: 'appointment_not_found' });
  });

  it('is compared with the tag of the monitored patient, for enrolments and steps', async () => {
    const nurse = await signedInUser(test, { type: 'provider' });
    const { organizationId } = nurse;
    const program = await createProgram(test.database.prisma, { organizationId, name: 'Tagged' });
    const [patient, other] = [
      await createPatient(test.database.prisma, { organizationId, flags: ['RPM'] }),
      await createPatient(test.database.prisma, { organizationId }),
    ];
    const who = { program_uuid: program.id, patient_uuid: patient.id };
    const tag = async () => String((await nurse.get(`${RPM}/patients/${patient.id}`)).headers.etag);
    const first = await tag();
    await nurse
      .post(`${RPM}/programs/add-patient`)
      .set('if-match', '*')
      .send({ ...who, patient_uuid: other.id })
      .expect(412);
    await nurse.post(`${RPM}/programs/add-patient`).set('if-match', first).send(who).expect(201);
    const step = { ...who, step_uuid: program.steps[1] };
    const addresses = [`${RPM}/programs${program.id}/patients/${patient.id}`, `${RPM}/programs/${program.id}/patients/${patient.id}`];
    await nurse.post(`${RPM}/programs/events`).set('if-match', first).send(step).expect(412);
    for (const address of addresses) await nurse.delete(address).set('if-match', first).expect(412);
    await nurse
      .post(`${RPM}/programs/events`)
      .set('if-match', await tag())
      .send(step)
      .expect(201);
    await nurse
      .delete(`${RPM}/programs/${program.id}/patients/${patient.id}`)
      .set('if-match', await tag())
      .expect(204);
  });

  it('is compared with the tag of the contact, for its tags', async () => {
    const own = await signedInUser(test);
    const { id } = await createPatient(test.database.prisma, { organizationId: own.organizationId });
    const tag = async () => String((await own.get(`/contacts/${id}`)).headers.etag);
    const { uuid } = (await own.post('/contact-tags').send({ name: 'Recall' })).body.data;
    const first = await tag();
    const link = await own.post(`/contact-contact-tags/${id}`).set('if-match', first).send({ contact_tag_uuid: uuid }).expect(201);
    const address = `/contact-contact-tags/${link.body.data.uuid}`;
    for (const stale of ['"stale"', first]) await own.delete(address).set('if-match', stale).expect(412);
    await own
      .delete(address)
      .set('if-match', await tag())
      .expect(204);
    await own.delete(address).set('if-match', '*').expect(404);
  });

  it('is compared with the tag of the video session, for its invites', async () => {
    const host = await signedInUser(test, { organizationId: await practiceWithNumber(test), type: 'provider' });
    const { guid } = await openMeeting(host);
    const tag = async () => String((await host.get(`/video-session/${guid}`)).headers.etag);
    const invites = `/video-session/${guid}/invite`;
    const first = await tag();
    const invite = await host.post(invites).set('if-match', first).send({ email: 'guest@example.com' }).expect(201);
    await host.post(invites).set('if-match', first).send({ email: 'guest@example.com' }).expect(412);
    await host.delete(`${invites}/${invite.body.data.uuid}`).set('if-match', first).expect(412);
    await host
      .delete(`${invites}/${invite.body.data.uuid}`)
      .set('if-match', await tag())
      .expect(204);
  });
});

describe('HEAD', () => {
  it('answers as GET without a body, tag and 304 included', async () => {
    const { path, tag } = await makeAppointment();
    const head = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${test.address}/api${path}`, { method: 'HEAD', headers: { authorization: `Bearer ${clinic.token}`, ...headers } });
    const [answer, get, spared] = [await head(), await clinic.get(path), await head({ 'if-none-match': tag })];
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([200, tag, '']);
    expect(answer.headers.get('content-length')).toBe(get.headers['content-length']);
    expect(spared.status).toBe(304);
    expect((await fetch(`${test.address}/api${path}`, { method: 'HEAD' })).status).toBe(401);
  });
});
