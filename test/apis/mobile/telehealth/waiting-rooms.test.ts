import { describe, expect, it } from 'vitest';
import { writeInstant } from '../../../../src/domain/values/time/time.ts';
import { reconcilePresence } from '../../../../src/jobs/reconcile-presence.ts';
import { practiceWithNumber } from '../../../jobs/outgoing.ts';
import { connect, enter, findLink, join, openMeeting, silence, toPath } from '../../../realtime/room.ts';
import { signedInUser } from '../../../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';

const test = await sharedTestApp();
const other = await secondTestApp();
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider' });
const colleague = await signedInUser(test, { organizationId });
const stranger = await signedInUser(test, { organizationId: await practiceWithNumber(test) });

async function createRoom(userId: number | null = host.user.id): Promise<number> {
  return (await test.database.prisma.waitingRoom.create({ data: { organizationId, userId, name: 'Room' } })).id;
}

/** A patient with a link to a waiting room. */
async function invitePatient(room: number, patientData: object = {}) {
  const patient = await createPatient(test.database.prisma, {
    organizationId,
    firstName: 'Pia',
    lastName: 'Waits',
    mobilePhone: '+12125550123',
    email: 'pia@example.com',
    ...patientData,
  });
  const invite = (
    await host.post(`/waiting-rooms/${room}/invite/${patient.id}`).send({ emailOrSms: 'sms', orgOrServiceNumber: 'org' }).expect(201)
  ).body.data;
  return { patient, invite, link: await findLink(test, organizationId, invite.uuid) };
}

const waitingIn = async (room: number) => (await host.get(`/waiting-rooms/${room}/waiting`).expect(200)).body.data;
const visit = (id: number) =>
  test.database.prisma.waitingRoomVisit.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });

describe('an invite to a waiting room', () => {
  it('goes out by text or mail, with a link that no answer shows', async () => {
    const room = await createRoom();
    const { invite, patient, link } = await invitePatient(room);
    expect(invite).toMatchObject({
      waiting_room_id: room,
      session_guid: null,
      patient_id: patient.id,
      channel: 'sms',
      sent_to: '2125550123',
      delivery: { state: 'queued', reason: null },
    });
    expect(JSON.stringify(invite)).not.toContain(link.slice(3));
    expect(link).toMatch(/^\/w\/[\w-]{32}$/);
    const mailed = await host
      .post(`/waiting-rooms/${room}/invite/${patient.id}`)
      .send({ emailOrSms: 'email', orgOrServiceNumber: 'org' })
      .expect(201);
    expect(mailed.body.data).toMatchObject({ channel: 'email', sent_to: 'pia@example.com' });
  });

  it('needs a room and a patient of the practice, and a way that the patient has', async () => {
    const room = await createRoom();
    const mine = await createPatient(test.database.prisma, { organizationId });
    const theirs = await createPatient(test.database.prisma, { organizationId: stranger.organizationId, mobilePhone: '+12125550123' });
    await host.post(`/waiting-rooms/${room}/invite/${theirs.id}`).send({}).expect(404);
    await stranger.post(`/waiting-rooms/${room}/invite/${theirs.id}`).send({}).expect(404);
    await host.post(`/waiting-rooms/2000000000/invite/${mine.id}`).send({}).expect(404);
    const unreachable = await host.post(`/waiting-rooms/${room}/invite/${mine.id}`).send({ emailOrSms: 'sms' }).expect(422);
    expect(unreachable.body.code).toBe('no_mobile_number');
    for (const [field, body] of Object.entries({
      emailOrSms: { emailOrSms: 'fax' },
      orgOrServiceNumber: { orgOrServiceNumber: 'service' },
    })) {
      const refused = await host.post(`/waiting-rooms/${room}/invite/${mine.id}`).send(body).expect(400);
      expect(refused.body.errors).toMatchObject([{ pointer: `/${field}` }]);
    }
  });
});

describe('a waiting room', () => {
  it('shows the host who waits and since when; admitted, the patient goes on into the session', async () => {
    const room = await createRoom();
    const { patient, link } = await invitePatient(room);
    expect(await waitingIn(room)).toEqual([]);
    const waiting = await enter(other, link);
    expect(waiting.answer).toMatchObject({ state: 'waiting', kind: 'waiting_room', way: null, session: null });
    const [row] = await waitingIn(room);
    expect(row).toMatchObject({ patient: { uuid: patient.id, firstname: 'Pia', lastname: 'Waits' }, entered_at: waiting.answer.since });

    const admission = (await host.post(`/waiting-rooms/${room}/admit/${row.uuid}`).expect(200)).body.data;
    await waiting.next('admitted');
    expect(await waitingIn(room)).toEqual([]);
    const going = await enter(other, link, { resume: waiting.answer.resume });
    expect(going.answer).toMatchObject({ state: 'admitted', kind: 'session', session: { guid: admission.session.guid } });
    const leader = await enter(test, toPath(admission.session.host_link));
    await leader.next('room', ({ people }) => Array.isArray(people) && people.length === 2);
    const { admittedAt, leftAt, videoSessionId } = await visit(row.uuid);
    expect([writeInstant(admittedAt), leftAt, videoSessionId]).toEqual([admission.admitted_at, admittedAt, admission.session.uuid]);
    const met = { organizationId, patientId: patient.id, videoSessionId: admission.session.uuid };
    expect(await test.database.prisma.telehealthVisit.count({ where: { ...met, endedAt: null } })).toBe(1);

    leader.send({ type: 'end' });
    await going.closed;
    const used = await test.http.post(`${link}/join`).send({});
    expect([used.status, used.body.error.code]).toEqual([410, 'session_ended']);
  });

  it('shows who waits to a host in a session, who admits into that', async () => {
    const room = await createRoom();
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const { link } = await invitePatient(room);
    const waiting = await enter(other, link);
    const { waiting: list } = await leader.next('room', ({ waiting: shown }) => JSON.stringify(shown).includes('waiting_room'));
    const guest = `visit:${waiting.answer.you.id}`;
    const shown = { guest, name: 'Pia Waits', since: waiting.answer.since, from: 'waiting_room', kind: 'patient' };
    expect(list).toEqual(expect.arrayContaining([expect.objectContaining(shown)]));
    leader.send({ type: 'admit', guest });
    await waiting.next('admitted');
    expect((await join(test, link, { resume: waiting.answer.resume })).session).toMatchObject({ guid: session.guid });
    leader.send({ type: 'admit', guest });
    expect(await leader.next('problem')).toMatchObject({ code: 'not_waiting' });
  });

  it('joins the session that its host is in, instead of opening another', async () => {
    const session = await openMeeting(colleague);
    const leader = await enter(test, session.host);
    const room = await createRoom(colleague.user.id);
    const { link } = await invitePatient(room);
    const { answer } = await enter(test, link);
    const admission = await colleague.post(`/waiting-rooms/${room}/admit/${answer.you.id}`).expect(200);
    expect(admission.body.data.session).toMatchObject({ guid: session.guid, host_link: null });
    // Whether the next patient meets the one who is there is for the host to say.
    const { link: next } = await invitePatient(room);
    const path = `/waiting-rooms/${room}/admit/${(await enter(test, next)).answer.you.id}`;
    expect((await colleague.post(path).expect(409)).body.code).toBe('choose_visit');
    await colleague.post(path).send({ visit: 'new' }).expect(200);
    leader.send({ type: 'end' });
    await leader.closed;
  });

  it('shows that a restricted patient waits but not who it is, and lets them be admitted', async () => {
    const room = await createRoom();
    const { link, patient } = await invitePatient(room);
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    const waiting = await enter(test, link);
    const [row] = await waitingIn(room);
    expect(row).toMatchObject({ patient: null, patient_restricted: true });
    const leader = await enter(test, (await openMeeting(host)).host);
    const seen = await leader.next('room', ({ waiting: list }) => JSON.stringify(list).includes(`visit:${row.uuid}`));
    expect(seen.waiting).toContainEqual(expect.objectContaining({ guest: `visit:${row.uuid}`, name: 'Patient' }));
    const admitted = (await host.post(`/waiting-rooms/${room}/admit/${row.uuid}`).expect(200)).body.data;
    expect(admitted).toMatchObject({ patient_id: null, patient_restricted: true });
    await waiting.next('admitted');
    expect((await enter(test, link, { resume: waiting.answer.resume })).answer.you).toMatchObject({ role: 'guest', name: 'Patient' });
    const session = (await host.get(`/video-session/${admitted.session.uuid}`).expect(200)).body.data;
    expect(session).toMatchObject({ state: 'running', patients: [], patient_restricted: true });
    expect(session.participants).toContainEqual(expect.objectContaining({ patient_uuid: null, name: null, patient_restricted: true }));
    await host.post(`/waiting-rooms/${room}/invite/${patient.id}`).send({}).expect(404);
    leader.send({ type: 'end' });
    await leader.closed;
  });

  it('shows and obeys no host but its own, in a session too', async () => {
    const room = await createRoom(colleague.user.id);
    const { answer } = await enter(other, (await invitePatient(room)).link);
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const shared = await enter(other, (await invitePatient(await createRoom(null))).link);
    const seen = await leader.next('room', ({ waiting }) => JSON.stringify(waiting).includes(`visit:${shared.answer.you.id}"`));
    expect(JSON.stringify(seen)).not.toContain(`visit:${answer.you.id}"`);
    leader.send({ type: 'admit', guest: `visit:${answer.you.id}` });
    expect(await leader.next('problem')).toMatchObject({ code: 'not_host' });
    expect(await visit(answer.you.id)).toMatchObject({ admittedAt: null, leftAt: null });
    leader.send({ type: 'end' });
    await leader.closed;
  });

  it('is led by its user alone; one of nobody by anybody of the practice, and by one at a time', async () => {
    const own = await createRoom();
    const mine = await enter(test, (await invitePatient(own)).link);
    const refused = await colleague.post(`/waiting-rooms/${own}/admit/${mine.answer.you.id}`).expect(403);
    expect(refused.body.code).toBe('not_host');
    const shared = await createRoom(null);
    const { answer } = await enter(test, (await invitePatient(shared)).link);
    await stranger.post(`/waiting-rooms/${shared}/admit/${answer.you.id}`).expect(404);
    await stranger.get(`/waiting-rooms/${shared}/waiting`).expect(404);
    await host.post(`/waiting-rooms/${own}/admit/${answer.you.id}`).expect(404);
    const both = await Promise.all([host, colleague].map((who) => who.post(`/waiting-rooms/${shared}/admit/${answer.you.id}`)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('lets go who was not heard of for 30 seconds, and takes who comes back soon for the same visit', async () => {
    const room = await createRoom();
    const { link } = await invitePatient(room);
    const first = await enter(test, link);
    first.close();
    await first.closed;
    await test.database.prisma.waitingRoomVisit.updateMany({
      where: { id: first.answer.you.id },
      data: { enteredAt: new Date(Date.now() - 300_000) },
    });
    const lost = await silence(test, 'visit', first.answer.you.id, 40);
    await Promise.all([reconcilePresence(test.services), reconcilePresence(other.services)]);
    expect(await visit(first.answer.you.id)).toMatchObject({ leftAt: lost, admittedAt: null });
    expect(await waitingIn(room)).toEqual([]);
    const again = await enter(other, link);
    expect(again.answer.you.id).toBe(first.answer.you.id);
    expect(await waitingIn(room)).toHaveLength(1);

    again.send({ type: 'leave' });
    expect((await again.closed).code).toBe(4410);
    await test.database.prisma.waitingRoomVisit.updateMany({
      where: { id: first.answer.you.id },
      data: { enteredAt: new Date(Date.now() - 300_000), leftAt: new Date(Date.now() - 190_000) },
    });
    const later = await enter(test, link);
    expect(later.answer.you.id).not.toBe(first.answer.you.id);
  });

  it('keeps one connection of a patient: the older one closes', async () => {
    const { link } = await invitePatient(await createRoom());
    const first = await enter(test, link);
    const second = await enter(other, link);
    expect(second.answer.you.id).toBe(first.answer.you.id);
    expect((await first.closed).code).toBe(4409);
    expect((await (await connect(test, second.answer.token)).closed).code).toBe(4401);
    second.close();
  });
});

describe('the five-minute check-in setting', () => {
  it('is off at first, and each user’s own; /client shows the same', async () => {
    const path = '/waiting-rooms/5-minute-checkin';
    const read = async () => (await colleague.get(path).expect(200)).body.data;
    expect(await read()).toEqual({ teleheath_5_minute_check_in: false, teleheath_5_minute_check_in_type: null });
    const missing = await colleague.put(path).send({ teleheath_5_minute_check_in: true }).expect(400);
    expect(missing.body.errors[0].pointer).toBe('/teleheath_5_minute_check_in_type');
    await colleague.put(path).send({ teleheath_5_minute_check_in: true, teleheath_5_minute_check_in_type: 'fax' }).expect(400);
    await colleague.put(path).send({ teleheath_5_minute_check_in_type: 'sms' }).expect(400);
    const set = { teleheath_5_minute_check_in: true, teleheath_5_minute_check_in_type: 'email' };
    expect((await colleague.put(path).send({ telehealth_5_minute_check_in: true, channel: 'email' }).expect(200)).body.data).toEqual(set);
    expect(await read()).toEqual(set);
    expect((await colleague.get('/client').expect(200)).body.data).toMatchObject(set);
    expect((await host.get(path).expect(200)).body.data).toMatchObject({ teleheath_5_minute_check_in: false });
    await colleague.put(path).send({ teleheath_5_minute_check_in: false }).expect(200);
    expect(await read()).toEqual({ teleheath_5_minute_check_in: false, teleheath_5_minute_check_in_type: 'email' });
  });
});
