import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { enter, findLink, meet, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const provider = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Maria', lastName: 'Chen' } });
const desk = await signedInUser(test, { organizationId });
const stranger = await signedInUser(test, { type: 'provider' });
const { http, send, browse } = staffPages(test);

const readLobby = async (headers: Record<string, string>) => (await http.get('/lobby').set(headers).expect(200)).text;
/** The row of a list with this id or key. */
const findRow = (page: string, key: string) => (page.split(`"${key}"`)[1] ?? '').split('</li>')[0] ?? '';

describe('the schedule of today in the lobby', () => {
  const appointment = async (data: object = {}) => {
    const patient = await createPatient(prisma, {
      organizationId,
      firstName: 'Ola',
      lastName: 'Today',
      mobilePhone: '+12125550177',
      ...data,
    });
    const startsAt = new Date();
    const times = { startsAt, endsAt: new Date(startsAt.getTime() + 60_000) };
    const fields = { ...times, localStart: startsAt, timeZone: 'UTC', durationMinutes: 1 };
    const { id } = await prisma.appointment.create({ data: { organizationId, patientId: patient.id, confirmation: 'Yes', ...fields } });
    await prisma.userAppointment.create({ data: { organizationId, appointmentId: id, userId: provider.user.id, ...times } });
    return { id, patient };
  };
  it('says who confirmed and who arrived, changes at once on other screens, and opens the visit of the appointment for its host', async () => {
    const headers = await browse(desk);
    const { id, patient } = await appointment();
    const first = await http.get('/lobby/waiting').set(headers).expect(200);
    const etag = String(first.headers.etag);
    expect(findRow(first.text, `appointment-${id}`)).toMatch(/Ola Today.*Maria Chen.*scheduled.*confirmed/s);
    await http.get('/lobby/waiting').set(headers).set('if-none-match', etag).expect(304);

    await send(`/lobby/appointments/${id}/status`, { status: 'arrived' }, headers)
      .expect(303)
      .expect('location', `/lobby#appointment-${id}`);
    const after = await http.get('/lobby/waiting').set(headers).set('if-none-match', etag).expect(200);
    expect(findRow(after.text, `appointment-${id}`)).toMatch(/badge success[^>]*>[^<]*arrived/);
    const set = (fields: object) => send(`/lobby/appointments/${id}/status`, fields, headers);
    expect((await set({ status: 'gone' }).expect(400)).text).toContain('role="alert"');
    expect((await set({ other: '' }).expect(400)).text).toContain('Choose a status first.');
    await set({ status: 'roomed' }).expect(303);
    await set({ other: 'no_show' }).expect(303);
    expect((await set({ other: 'completed' }).expect(409)).text).toContain('from there it can become');
    const missed = await readLobby(headers);
    expect(missed).toMatch(new RegExp(`Over \\(1\\)</summary>\\s*<ul[^>]*>\\s*<li id="appointment-${id}"`));
    expect(findRow(missed, `appointment-${id}`)).toMatch(/did not come.*value="cancelled".*value="arrived"/s);
    await set({ other: 'arrived' }).expect(303);

    const sent = `/lobby?link=${id}#appointment-${id}`;
    await send(`/lobby/appointments/${id}/invite`, {}, headers).expect(303).expect('location', sent);
    expect(findRow((await http.get(sent).set(headers).expect(200)).text, `appointment-${id}`)).toContain('link on its way');
    const opened = await send(`/lobby/appointments/${id}/visit`, {}, headers).expect(303);
    expect(opened.headers.location).toMatch(/^\/v\/[\w-]{20,}$/);
    const sessions = await prisma.videoSession.findMany({ where: { organizationId, appointmentId: id }, include: { invites: true } });
    expect(sessions.map(({ hostUserId, invites }) => [hostUserId, invites.map(({ patientId, sentTo }) => [patientId, sentTo])])).toEqual([
      [provider.user.id, [[patient.id, '+12125550177']]],
    ]);

    const mute = await appointment({ mobilePhone: null });
    const refused = await send(`/lobby/appointments/${mute.id}/invite`, {}, headers).expect(422);
    expect(refused.text).toMatch(/role="alert"[\s\S]*Ola Today: The patient has no email address\./);
    expect(refused.text).toContain(`<a href="#appointment-${mute.id}">`);
    await send(`/lobby/appointments/${mute.id}/status`, { other: 'checked_out' }, headers).expect(303);
    expect(await readLobby(headers)).toMatch(new RegExp(`Over \\(1\\)</summary>\\s*<ul[^>]*>\\s*<li id="appointment-${mute.id}"`));
    const foreign = await browse(stranger);
    await send(`/lobby/appointments/${id}/visit`, {}, foreign).expect(404);
    await send(`/lobby/appointments/${id}/status`, { status: 'arrived' }, foreign).expect(404);
    expect(await readLobby(foreign)).not.toContain('Ola');
  });
});

describe('a host after a visit', () => {
  it('is led to the lobby, which sums the visit up and leads back into it while it runs', async () => {
    const session = await openMeeting(provider);
    const page = (await http.get(session.host).expect(200)).text;
    expect(page).toMatch(/Signed in as .*Maria Chen.*id="to-lobby"/s);
    expect(page).not.toContain('href="tel:');
    const { leader, visitor } = await meet(test, session, 'Gus Guest');
    const headers = await browse(provider);
    const summary = async (guid: string, reader = headers) => {
      const shown = (await http.get(`/lobby?visit=${guid}`).set(reader).expect(200)).text;
      return shown.includes('id="last-visit"') ? findRow(shown, 'last-visit').replaceAll(/<[^>]*>|\s+/g, ' ') : null;
    };
    expect(await summary(session.guid)).toMatch(/With Gus Guest\. +\d+:\d\d [AP]M, not ended yet\. .*Back to the visit/);
    // The host came long before the guest.
    const early = { startedAt: new Date(Date.now() - 3_600_000) };
    await prisma.videoSession.update({ where: { organizationId_id: { organizationId, id: session.uuid } }, data: early });
    leader.send({ type: 'end' });
    await visitor.closed;
    expect(await summary(session.guid)).toMatch(/With Gus Guest\. +\d+:\d\d [AP]M to \d+:\d\d [AP]M, less than a minute\./);
    expect(await summary(session.guid, await browse(stranger))).toBeNull();
    expect((await http.get(session.host).expect(410)).text).toContain('href="/lobby"');
  });
});

describe('starting visits and inviting to them', () => {
  it('starts one, and invites a patient, a guest and a colleague to the same', async () => {
    const headers = await browse(desk);
    expect((await send('/lobby/start', {}, headers).expect(303)).headers.location).toMatch(/^\/v\/[\w-]{20,}$/);
    const patient = await createPatient(prisma, { organizationId, firstName: 'Ivo', lastName: 'Invited', mobilePhone: '+12125550188' });
    const found = (await http.get('/lobby/invite?last=invit').set(headers).expect(200)).text;
    expect(found).toContain(`name="patient" value="${patient.id}"`);
    const sent = await send('/lobby/invite', { patient: patient.id }, headers).expect(303);
    const visit = /visit=([\w-]{36})/.exec(String(sent.headers.location))?.[1] ?? '';
    await send('/lobby/invite', { visit, phone: '(212) 555-0199', email: '' }, headers).expect(303);
    await send('/lobby/invite', { visit, colleague: provider.user.id }, headers).expect(303);
    const session = await prisma.videoSession.findFirstOrThrow({
      where: { organizationId, guid: visit },
      include: { invites: { orderBy: { id: 'asc' } } },
    });
    expect(session.hostUserId).toBe(desk.user.id);
    expect(session.invites.map(({ sentTo }) => sentTo)).toEqual(['+12125550188', '+12125550199', provider.email]);
    expect((await send('/lobby/open', { visit }, headers).expect(303)).headers.location).toMatch(/^\/v\//);
    expect((await send('/lobby/invite', { visit, phone: '12' }, headers).expect(400)).text).toMatch(/role="alert"[\s\S]*telephone number/);
    const empty = (await send('/lobby/invite', { visit, phone: '', email: '' }, headers).expect(400)).text;
    expect(empty).toMatch(/Must be given, unless an email address is\.[\s\S]*id="phone"[^>]*aria-invalid="true"/);
    await send('/lobby/invite', { visit, phone: '2125550199' }, await browse(stranger)).expect(404);
  });

  it('offers an invitation to a visit in which the host is alone', async () => {
    const headers = await browse(provider);
    const { guid, host } = await openMeeting(provider);
    const leader = await enter(test, host);
    const row = (await readLobby(headers)).split('No one has joined yet')[1]?.split('</li>')[0] ?? '';
    expect(row).toMatch(new RegExp(`With Maria Chen.*/lobby/invite\\?visit[^"]*${guid}.*action="/lobby/open".*value="${guid}"`, 's'));
    leader.send({ type: 'end' });
    await leader.closed;
    expect(await readLobby(headers)).not.toContain(guid);
  });

  it('tells everybody who waits at once, from 5 to 60 minutes, and a second tap nobody', async () => {
    const headers = await browse(desk);
    const guests = ['Una', 'Otto'].map(async (name) => {
      const { answer } = await enter(test, (await openMeeting(provider)).guest, { name });
      return `participant:${answer.you.id}`;
    });
    const keys = await Promise.all(guests);
    expect(await readLobby(headers)).toMatch(/<form id="late-everybody"[^>]*action="\/lobby\/late\/everybody">/);
    await send('/lobby/late/everybody', { minutes: 45 }, headers).expect(303);
    await send('/lobby/late/everybody', { minutes: 45 }, headers).expect(303);
    const page = await readLobby(headers);
    for (const key of keys) expect(findRow(page, key)).toContain('45 minutes late');
    const told = await prisma.lateNotice.groupBy({ by: ['minutes'], where: { organizationId, minutes: 45 }, _count: true });
    expect(told).toEqual([{ minutes: 45, _count: 2 }]);
    await send('/lobby/late/everybody', { minutes: 61 }, headers).expect(400);

    // A patient on two telephones gets one text.
    const { id: patient } = await createPatient(prisma, { organizationId, mobilePhone: '+12125550166' });
    const { guid } = await openMeeting(provider);
    const { uuid } = (await provider.post(`/video-session/${guid}/invite`).send({ patient_id: patient }).expect(201)).body.data;
    const link = await findLink(test, organizationId, uuid);
    await Promise.all([enter(test, link), enter(test, link)]);
    await send('/lobby/late/everybody', { minutes: 30 }, headers).expect(303);
    expect(await prisma.smsMessage.count({ where: { organizationId, patientId: patient } }), 'the link and the notice').toBe(2);
    await send('/lobby/late', { guest: keys[0], minutes: 60, seen: '' }, headers).expect(303);
    expect(findRow(await readLobby(headers), keys[0] ?? '')).toContain('60 minutes late');
  });
});
