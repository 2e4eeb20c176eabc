import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../../../jobs/outgoing.ts';
import { enter, findLink } from '../../../realtime/room.ts';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';
import { createAppointment, createRoom, createSession } from './telehealth.ts';

const test = await sharedTestApp();
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider' });
const stranger = await signedInUser(test);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const fromNow = (milliseconds: number) => new Date(Date.now() + milliseconds);

/** A patient with a link to a waiting room. */
async function invitePatient(room: number) {
  const patient = await createPatient(test.database.prisma, { organizationId, mobilePhone: '+12125550123' });
  const invite = (await host.post(`/waiting-rooms/${room}/invite/${patient.id}`).send({}).expect(201)).body.data;
  return { patient, invite, link: await findLink(test, organizationId, invite.uuid) };
}

/** An appointment in an hour, and the links that lead to it: of its session, for its host and an invited patient, and of its waiting room. */
async function bookedVisit() {
  const patient = await createPatient(test.database.prisma, { organizationId, mobilePhone: '+12125550123' });
  const room = await createRoom(test, organizationId);
  const times = { startsAt: fromNow(60 * MINUTE), endsAt: fromNow(90 * MINUTE) };
  const { id } = await createAppointment(test, host, patient.id, { ...times, timeZone: 'UTC', waitingRoomId: room.id });
  const open = { appointmentId: id, kind: 'telehealth', startedAt: null, endedAt: null, expiresAt: fromNow(210 * MINUTE) };
  const { guid } = await createSession(test, host, open);
  const { body } = await host.post(`/video-session/${guid}/host-link`).expect(201);
  const invited = async (path: string, sent: object) =>
    findLink(test, organizationId, (await host.post(path).send(sent).expect(201)).body.data.uuid);
  const links = [
    new URL(body.data.host_link).pathname,
    await invited(`/video-session/${guid}/invite`, { patient_id: patient.id }),
    await invited(`/waiting-rooms/${room.id}/invite/${patient.id}`, {}),
  ];
  const move = (startsAt: Date) =>
    host.post(`/appointments/${id}`).send({ appointment_date: startsAt.toISOString(), appointment_timezone: 'UTC' }).expect(200);
  const statuses = () => Promise.all(links.map(async (link) => (await test.http.get(link)).status));
  const codes = () => Promise.all(links.map(async (link) => (await test.http.post(`${link}/join`).send({})).body.error?.code));
  const expiries = async () => (await host.get(`/video-session/${guid}`).expect(200)).body.data;
  return { id, guid, links, move, statuses, codes, expiries };
}

describe('the links of an appointment', () => {
  it('close when it is moved to the past, and open again when it is moved back', async () => {
    const { move, statuses, codes, expiries } = await bookedVisit();
    expect(await statuses()).toEqual([200, 200, 200]);
    await move(fromNow(-DAY));
    expect(await statuses()).toEqual([410, 410, 410]);
    expect(await codes()).toEqual(['link_expired', 'link_expired', 'link_expired']);
    const start = fromNow(3 * DAY);
    start.setUTCSeconds(0, 0);
    await move(start);
    expect(await statuses()).toEqual([200, 200, 200]);
    const session = await expiries();
    const until = new Date(start.getTime() + 150 * MINUTE).toISOString().replace('.000', '');
    expect([session.expires_at, session.invites[0].expires_at]).toEqual([until, until]);
  });

  it('close when it is cancelled, in words of their own, and nobody is invited any more', async () => {
    const { id, guid, links, statuses, codes } = await bookedVisit();
    await host.delete(`/appointments/${id}`).expect(204);
    expect(await statuses()).toEqual([410, 410, 410]);
    expect(await codes()).toEqual(Array.from({ length: 3 }, () => 'appointment_cancelled'));
    expect((await test.http.get(links[1] ?? '')).text).toContain('Your appointment was cancelled.');
    expect((await host.post(`/video-session/${guid}/invite`).send({ email: 'x@example.com' }).expect(409)).body.code).toBe('session_over');
    await host.post(`/video-session/${guid}/host-link`).expect(409);
  });

  it('are not cut short while somebody is in the room', async () => {
    const { id, links, move } = await bookedVisit();
    const leader = await enter(test, links[0] ?? '');
    await move(fromNow(-DAY));
    await host.delete(`/appointments/${id}`).expect(204);
    expect((await test.http.get(links[0] ?? '')).status).toBe(200);
    leader.send({ type: 'end' });
    await leader.closed;
    expect((await test.http.post(`${links[0]}/join`).send({})).body.error.code).toBe('session_ended');
  });
});

describe('an invite to a waiting room', () => {
  it('opens nothing once it was withdrawn, and its message does not leave any more', async () => {
    const room = (await createRoom(test, organizationId)).id;
    const { invite, patient, link } = await invitePatient(room);
    const another = await invitePatient(room);
    const at = (who: typeof host, patientId: number, id: number) => who.delete(`/waiting-rooms/${room}/invite/${patientId}/${id}`);
    await at(stranger, patient.id, invite.uuid).expect(404);
    await at(host, another.patient.id, invite.uuid).expect(404);
    await host.delete(`/waiting-rooms/${(await createRoom(test, organizationId)).id}/invite/${patient.id}/${invite.uuid}`).expect(404);
    for (let n = 0; n < 2; n += 1) await at(host, patient.id, invite.uuid).expect(204);
    expect((await test.http.get(link)).status).toBe(410);
    expect((await test.http.post(`${link}/join`).send({})).body.error.code).toBe('link_withdrawn');
    expect((await test.http.get(another.link)).status).toBe(200);
    const { text } = await test.database.prisma.sessionInvite.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id: invite.uuid } },
      select: { text: { select: { state: true, reason: true } } },
    });
    expect(text).toEqual({ state: 'suppressed', reason: 'withdrawn' });
  });

  it('opens nothing once the session that its patient was let into has ended', async () => {
    const room = (await createRoom(test, organizationId)).id;
    const { link } = await invitePatient(room);
    const { id } = (await enter(test, link)).answer.you;
    const { session } = (await host.post(`/waiting-rooms/${room}/admit/${id}`).expect(200)).body.data;
    const leader = await enter(test, new URL(session.host_link).pathname);
    leader.send({ type: 'end' });
    await leader.closed;
    expect((await test.http.get(link)).status).toBe(410);
    expect((await test.http.post(`${link}/join`).send({})).body.error.code).toBe('session_ended');
  });
});
