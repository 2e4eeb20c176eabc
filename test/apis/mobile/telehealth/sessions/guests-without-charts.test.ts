import { describe, expect, it, vi } from 'vitest';
import { practiceWithNumber } from '../../../../jobs/outgoing.ts';
import { enter, findLink, invitee, openMeeting } from '../../../../realtime/room.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';

const test = await sharedTestApp();
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const host = await signedInUser(test, { organizationId, type: 'provider' });
const stranger = await signedInUser(test);
const db = test.database.prisma;

const chart = (data: { lastName?: string } = {}) => createPatient(db, { organizationId, birthDate: new Date('1981-04-05'), ...data });

const writeName = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }) => `${firstName} ${lastName}`;

/** A guest who was invited by mail without a chart is let into a room by its host. */
async function guestInRoom() {
  const session = await openMeeting(host);
  const sent = (await host.post(`/video-session/${session.guid}/invite`).send({ email: 'mum@example.com' }).expect(201)).body.data;
  expect(sent.patient_id).toBeNull();
  const link = await findLink(test, organizationId, sent.uuid);
  const leader = await enter(test, session.host);
  const guest = await enter(test, link, { name: 'Grace Guest' });
  const { id } = guest.answer.you;
  leader.send({ type: 'admit', guest: `participant:${id}` });
  await guest.next('admitted');
  const attach = (patient_uuid: number | null, who = host) =>
    who.put(`/video-session/${session.guid}/participants/${id}`).send({ patient_uuid });
  const visits = () => db.telehealthVisit.findMany({ where: { organizationId, videoSessionId: session.uuid }, orderBy: { id: 'asc' } });
  const findParticipant = () => db.sessionParticipant.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
  return { session, link, leader, guest, id, attach, visits, findParticipant };
}

describe('a guest who was invited without a chart', () => {
  it('is asked for a name, by the page and by its join', async () => {
    const { link } = await guestInRoom();
    expect((await test.http.get(link).expect(200)).text).toContain('Your name');
    expect((await test.http.post(`${link}/join`).send({})).body.error.code).toBe('invalid_input');
  });

  it('gets a patient’s visit from the beginning of the admission, once the host says who it is', async () => {
    const { session, attach, visits, findParticipant, id } = await guestInRoom();
    expect(await visits()).toEqual([]);
    const patient = await chart();
    const { body } = await attach(patient.id).expect(200);
    expect(body.data.patients).toMatchObject([{ uuid: patient.id }]);
    expect(body.data.participants).toContainEqual(
      expect.objectContaining({ uuid: id, patient_uuid: patient.id, name: writeName(patient) }),
    );
    expect(await visits()).toMatchObject([{ patientId: patient.id, startedAt: (await findParticipant()).admittedAt, endedAt: null }]);
    await attach(patient.id).expect(200);
    expect(await visits()).toHaveLength(1);
    const found = (await host.get(`/patients/${patient.id}/telehealth-visits`).expect(200)).body.data;
    expect(found).toHaveLength(1);
    await host.get(`/video-session/search?patient_id=${patient.id}`).expect(200, new RegExp(session.guid));
    const audited = await db.auditEntry.findMany({
      where: { organizationId, resource: 'session_participant', patientIds: { has: patient.id } },
    });
    expect(audited).toMatchObject([{ action: 'update', resourceIds: [id] }]);
  });

  it('is found by a host in the room by last name and birth date, where exactly one chart has both, and of twins by the first name', async () => {
    const { leader, id, visits } = await guestInRoom();
    const twin = { birthDate: new Date('1990-06-07') };
    const patient = await createPatient(db, { organizationId, lastName: 'Núñez', ...twin });
    for (const firstName of ['Zoë', 'Max']) await createPatient(db, { organizationId, lastName: 'Twin', firstName, ...twin });
    const hidden = await createPatient(db, { organizationId, lastName: 'Hidden', ...twin });
    await db.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    await createPatient(db, { organizationId: stranger.organizationId, lastName: 'Away', ...twin });
    const attach = (last_name: string, birth_date = '1990-06-07') => leader.send({ type: 'attach', person: id, last_name, birth_date });
    const refused = [['Nuñez', '1990-06-08'], ['Twin'], ['Nuñ'], ['Hidden'], ['Away'], ['Núñez', '06/07/1990']] as const;
    const codes: unknown[] = [];
    for (const [lastName, birthDate] of refused) {
      attach(lastName, birthDate);
      codes.push((await leader.next('problem')).code);
    }
    expect(codes).toEqual([...Array.from({ length: 5 }, () => 'no_patient'), 'invalid_input']);
    attach(' NUÑEZ ');
    const { people } = await leader.next('room', ({ people }) => JSON.stringify(people).includes('"patient"'));
    expect(people).toContainEqual(expect.objectContaining({ id, kind: 'patient', name: writeName(patient), attached: true }));
    expect(await visits()).toMatchObject([{ patientId: patient.id, endedAt: null }]);
    leader.send({ type: 'attach', person: id, last_name: 'Twin', first_name: ' zoe ', birth_date: '1990-06-07' });
    await leader.next('room', (room) => JSON.stringify(room.people).includes('Zoë Twin'));
  });

  it('was there earlier than the patient who came again by their own link: the visit begins with the first', async () => {
    const { session, leader, attach, visits, findParticipant } = await guestInRoom();
    const { patient, link } = await invitee(test, host, session, 'Grace');
    const own = await enter(test, link);
    leader.send({ type: 'admit', guest: `participant:${own.answer.you.id}`, visit: 'current' });
    await own.next('admitted');
    await vi.waitFor(async () => expect(await visits()).toHaveLength(1));
    await attach(patient.id).expect(200);
    expect(await visits()).toMatchObject([{ patientId: patient.id, startedAt: (await findParticipant()).admittedAt }]);
  });

  it('is somebody else after a correction, and nobody after null: visits and pictures follow', async () => {
    const { session, attach, visits, guest, leader, findParticipant, id } = await guestInRoom();
    const [wrong, right, other] = [await chart(), await chart(), await chart()];
    const file = {
      organizationId,
      fileName: 'p.png',
      mediaType: 'image/png',
      byteLength: 1,
      sha256: Buffer.from('1'),
      storageKey: `f-${id}`,
    };
    const attachmentId = (await db.attachment.create({ data: file })).id;
    const picture = { organizationId, videoSessionId: session.uuid, attachmentId, shownParticipantId: id };
    const own = await db.sessionImage.create({ data: picture });
    const given = await db.sessionImage.create({ data: { ...picture, patientId: other.id } });
    const owners = async () =>
      (await db.sessionImage.findMany({ where: { organizationId, id: { in: [own.id, given.id] } }, orderBy: { id: 'asc' } })).map(
        ({ patientId }) => patientId,
      );
    await attach(wrong.id).expect(200);
    expect(await owners()).toEqual([wrong.id, other.id]);
    guest.send({ type: 'leave' });
    await guest.closed;
    leader.send({ type: 'leave' });
    await leader.closed;
    await attach(right.id).expect(200);
    expect(await owners()).toEqual([right.id, other.id]);
    const { admittedAt: startedAt, leftAt: endedAt } = await findParticipant();
    expect(await visits()).toMatchObject([{ patientId: right.id, startedAt, endedAt }]);
    await attach(null).expect(200);
    expect([await visits(), await owners()]).toEqual([[], [null, other.id]]);
  });

  it('can be given neither another practice’s chart, nor a restricted one, nor by another practice', async () => {
    const { session, attach, leader } = await guestInRoom();
    const theirs = await createPatient(db, { organizationId: stranger.organizationId });
    const hidden = await chart();
    await db.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    for (const { id } of [theirs, hidden]) await attach(id).expect(404);
    await attach((await chart()).id, stranger).expect(404);
    const patient_uuid = (await chart()).id;
    const put = (path: string) => host.put(`/video-session/${session.guid}/participants/${path}`);
    await put('2147483647').send({ patient_uuid }).expect(404);
    expect((await put(String(leader.answer.you.id)).send({ patient_uuid }).expect(409)).body.code).toBe('not_a_guest');
    for (const body of [{}, { patient_uuid: 'x' }, { patient_id: patient_uuid }]) {
      const answer = await put('1').send(body).expect(400);
      expect(answer.body.errors).toMatchObject([{ pointer: '/patient_uuid' }]);
    }
  });

  it('cannot be made of somebody who was invited as a patient', async () => {
    const { guid } = await openMeeting(host);
    const patient = await createPatient(db, { organizationId, email: 'pia@example.com' });
    const { uuid } = (await host.post(`/video-session/${guid}/invite`).send({ patient_id: patient.id }).expect(201)).body.data;
    const { id } = (await enter(test, await findLink(test, organizationId, uuid))).answer.you;
    const answer = await host
      .put(`/video-session/${guid}/participants/${id}`)
      .send({ patient_uuid: (await chart()).id })
      .expect(409);
    expect(answer.body.code).toBe('not_a_guest');
  });
});
