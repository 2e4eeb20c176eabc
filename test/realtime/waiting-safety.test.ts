import { expect, it } from 'vitest';
import { createAppointment } from '../apis/mobile/telehealth/telehealth.ts';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { staffPages } from '../support/staff-pages.ts';
import { enter, findLink, join, meet, openMeeting, waitingInvitee } from './room.ts';

const test = await sharedTestApp();
const other = await secondTestApp();
const prisma = test.database.prisma;
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Maria', lastName: 'Chen' } });
const { http, send, browse } = staffPages(test);
const staff = await browse(host);
const lobby = async () => (await http.get('/lobby').set(staff).expect(200)).text;

/** A patient with an appointment in an hour, who waits at the link of its visit, or in its waiting room. */
async function waitForAppointment(where: 'link' | 'room') {
  const { patient, link: roomLink } = await waitingInvitee(test, host, where === 'link' ? 'Lena' : 'Rosa');
  const startsAt = new Date(Date.now() + 3_600_000);
  const appointment = await createAppointment(test, host, patient.id, { startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) });
  if (where === 'room') {
    await prisma.sessionInvite.updateMany({ where: { organizationId, patientId: patient.id }, data: { appointmentId: appointment.id } });
    return { appointment, browser: await enter(other, roomLink), link: roomLink };
  }
  const { guid } = await openMeeting(host);
  await prisma.videoSession.updateMany({ where: { organizationId, guid }, data: { appointmentId: appointment.id } });
  const { uuid } = (await host.post(`/video-session/${guid}/invite`).send({ patient_id: patient.id }).expect(201)).body.data;
  const link = await findLink(test, organizationId, uuid);
  return { appointment, browser: await enter(other, link), link };
}

it.each(['link', 'room'] as const)(
  'who waits at a %s for an appointment that is cancelled hears of it and is in the lobby no more',
  async (where) => {
    const { appointment, browser } = await waitForAppointment(where);
    const name = where === 'link' ? 'Lena' : 'Rosa';
    expect(await lobby()).toContain(name);
    await host.delete(`/appointments/${appointment.id}`).expect(204);
    expect(await browser.next('closing')).toMatchObject({ code: 'appointment_cancelled' });
    expect((await browser.closed).code).toBe(4410);
    expect(await lobby()).not.toContain(name);
  },
);

it('who waits for an appointment that is moved hears of it, and the link opens the wait again', async () => {
  const { appointment, browser, link } = await waitForAppointment('room');
  const later = new Date(Date.now() + 7_200_000).toISOString();
  await host.post(`/appointments/${appointment.id}`).send({ appointment_date: later }).expect(200);
  expect(await browser.next('closing')).toMatchObject({ code: 'appointment_moved' });
  expect(await join(test, link)).toMatchObject({ state: 'waiting' });
});

it('a patient in a waiting room reads "not now", and keeps the place', async () => {
  const session = await openMeeting(host);
  const leader = await enter(test, session.host);
  const { link } = await waitingInvitee(test, host, 'Nia');
  const waiting = await enter(other, link);
  leader.send({ type: 'refuse', guest: `visit:${waiting.answer.you.id}` });
  await waiting.next('not_now');
  expect(await lobby()).toContain('Nia');
});

it('the lobby shows visits under way, since when a patient is alone, and leads into them, also past their time', async () => {
  const session = await openMeeting(host);
  const { leader, visitor } = await meet(test, session, 'Gus Alone');
  await expect.poll(lobby).toMatch(/Gus Alone.*with the practice/s);
  leader.send({ type: 'leave' });
  await visitor.next('room', ({ people }) => Array.isArray(people) && people.length === 1);
  await expect.poll(lobby).toMatch(/Gus Alone.*alone since \d/s);
  await prisma.videoSession.updateMany({
    where: { organizationId, guid: session.guid },
    data: { expiresAt: new Date(Date.now() - 60_000) },
  });
  const guest = `participant:${visitor.answer.you.id}`;
  const opened = await send('/lobby/visit', { guest }, staff).expect(303);
  await test.http.get(String(opened.headers.location)).expect(200);
  visitor.send({ type: 'leave' });
  await visitor.closed;
  const gone = await send('/lobby/visit', { guest }, staff).expect(303);
  expect(gone.headers.location).toBe('/lobby?gone=1');
  expect((await http.get('/lobby?gone=1').set(staff).expect(200)).text).toContain('has left or was already admitted');
});
