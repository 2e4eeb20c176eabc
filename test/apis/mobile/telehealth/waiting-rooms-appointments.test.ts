import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../../../jobs/outgoing.ts';
import { enter, findLink, join, openMeeting, toPath } from '../../../realtime/room.ts';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointment, createRoom, createSession, newPatient } from './telehealth.ts';

const test = await sharedTestApp();
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider' });
const colleague = await signedInUser(test, { organizationId });

/** A patient who waits for an appointment in a few minutes, for which a session is open already. */
async function patientWaits(userId: number | null) {
  const room = await createRoom(test, organizationId, { userId });
  const patient = await newPatient(test, host, { mobilePhone: '+12125550123' });
  const startsAt = new Date(Date.now() + 240_000);
  const endsAt = new Date(startsAt.getTime() + 1_800_000);
  const { id: appointmentId } = await createAppointment(test, host, patient.id, { startsAt, endsAt, waitingRoomId: room.id });
  const open = { appointmentId, kind: 'telehealth', startedAt: null, endedAt: null, expiresAt: new Date(Date.now() + 7_200_000) };
  const session = await createSession(test, host, open);
  const invited = await host.post(`/waiting-rooms/${room.id}/invite/${patient.id}`).send({ emailOrSms: 'sms' }).expect(201);
  const link = await findLink(test, organizationId, invited.body.data.uuid);
  const waiting = await enter(test, link);
  const { resume } = waiting.answer;
  return { link, resume, session, appointmentId, patient, admitting: `/waiting-rooms/${room.id}/admit/${waiting.answer.you.id}` };
}

const countSessions = (appointmentId: number) => test.database.prisma.videoSession.count({ where: { organizationId, appointmentId } });

describe('admitting a patient for whose appointment a session is open', () => {
  it('leads into that session, with a link for the host whom nobody gave one', async () => {
    const { link, resume, session, appointmentId, patient, admitting } = await patientWaits(host.user.id);
    const admission = (await host.post(admitting).expect(200)).body.data;
    expect(admission.session).toMatchObject({ uuid: session.id, guid: session.guid, host_link: expect.any(String) });
    const leader = await enter(test, toPath(admission.session.host_link));
    expect(leader.answer.you.role).toBe('host');
    await enter(test, link, { resume });
    await leader.next('room', ({ people }) => Array.isArray(people) && people.length === 2);
    expect(
      await test.database.prisma.telehealthVisit.findMany({ where: { organizationId, patientId: patient.id }, orderBy: { id: 'asc' } }),
    ).toMatchObject([{ videoSessionId: session.id, appointmentId, endedAt: null }]);
    expect(await countSessions(appointmentId)).toBe(1);
    leader.send({ type: 'end' });
    await leader.closed;
  });

  it('leads into the session that the host is in, where that is another', async () => {
    const meeting = await openMeeting(host);
    const leader = await enter(test, meeting.host);
    const { admitting } = await patientWaits(host.user.id);
    const admission = (await host.post(admitting).expect(200)).body.data;
    expect(admission.session).toMatchObject({ guid: meeting.guid, host_link: null });
    leader.send({ type: 'end' });
    await leader.closed;
  });

  it('leaves the link of a host who leads that session as it is', async () => {
    const { session, admitting } = await patientWaits(null);
    const { host_link } = (await host.post(`/video-session/${session.guid}/host-link`).expect(201)).body.data;
    const leader = await enter(test, toPath(host_link));
    const admission = (await colleague.post(admitting).expect(200)).body.data;
    expect(admission.session).toMatchObject({ guid: session.guid, host_link: null });
    expect((await join(test, toPath(host_link), { resume: leader.answer.resume })).you).toEqual(leader.answer.you);
    leader.send({ type: 'end' });
    await leader.closed;
  });

  it('opens a new one where that is over', async () => {
    const { session, appointmentId, admitting } = await patientWaits(host.user.id);
    await test.database.prisma.videoSession.updateMany({ where: { id: session.id }, data: { endedAt: new Date() } });
    const admission = (await host.post(admitting).expect(200)).body.data;
    expect(admission.session.guid).not.toBe(session.guid);
    expect(admission.session.host_link).toEqual(expect.any(String));
    expect(await countSessions(appointmentId)).toBe(2);
  });
});
