import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { reconcilePresence } from '../../src/jobs/reconcile-presence.ts';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { eventually } from '../support/server-process.ts';
import { connect, enter, invitee, join, listNames, meet, openMeeting, passTime, waitingInvitee } from './room.ts';

const test = await sharedTestApp();
/** A second process on the same database. */
const other = await secondTestApp();
const { prisma } = test.database;
const host = await signedInUser(test, { organizationId: await practiceWithNumber(test), type: 'provider' });
const { organizationId } = host;

describe('a room token', () => {
  it('enters once, at whichever process', async () => {
    const session = await openMeeting(host);
    const answer = await join(test, session.guest, { name: 'Gus' });
    const both = await Promise.all([connect(test, answer.token), connect(other, answer.token)]);
    const code = await Promise.race(both.map(({ closed }) => closed.then((closing) => closing.code)));
    expect(code).toBe(4401);
    const entered = both.filter(({ heard }) => heard.some(({ type }) => type === 'entered'));
    expect(entered).toHaveLength(1);
  });
});

describe('a person who waits', () => {
  it('keeps the place in the queue for three minutes without a line, and is not shown meanwhile', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const guest = await enter(other, session.guest, { name: 'Gus' });
    await leader.next('room', ({ waiting }) => Array.isArray(waiting) && waiting.length === 1);
    guest.send({ type: 'devices', camera: true, microphone: false });
    const { waiting } = await leader.next('room', (room) => JSON.stringify(room).includes('"devices":{'));
    expect(waiting).toMatchObject([{ name: 'Gus', kind: 'guest', devices: { camera: true, microphone: false } }]);
    guest.close();
    await leader.next('room', ({ waiting: left }) => Array.isArray(left) && left.length === 0);
    await passTime(test, session.uuid, 170, [leader.answer.you.id]);
    await reconcilePresence(test.services);
    const { waitingSince } = await prisma.sessionParticipant.findFirstOrThrow({ where: { id: guest.answer.you.id } });
    const back = await enter(test, session.guest, { resume: guest.answer.resume });
    expect(back.answer).toMatchObject({ you: guest.answer.you, state: 'waiting' });
    expect(await prisma.sessionParticipant.findFirst({ where: { id: guest.answer.you.id } })).toMatchObject({ waitingSince });
    back.send({ type: 'leave' });
    await back.closed;
    await passTime(test, session.uuid, 190, [leader.answer.you.id]);
    expect((await join(test, session.guest, { resume: guest.answer.resume })).you.id).not.toBe(guest.answer.you.id);
  });

  it('who is lost in the moment of the admission has not left before they came', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const guest = await enter(other, session.guest, { name: 'Gus' });
    await prisma.sessionParticipant.updateMany({
      where: { id: guest.answer.you.id },
      data: { lastSeenAt: new Date(Date.now() - 40_000), connection: randomUUID() },
    });
    leader.send({ type: 'admit', guest: `participant:${guest.answer.you.id}` });
    await leader.next('room', (room) => listNames(room).includes('Gus'));
    await reconcilePresence(test.services);
    const { joinedAt, leftAt } = await prisma.sessionParticipant.findFirstOrThrow({ where: { id: guest.answer.you.id } });
    expect(leftAt).toEqual(joinedAt);
  });
});

describe('a host who joined by HTTP alone', () => {
  it('has no place in the room until the socket is open', async () => {
    const session = await openMeeting(host);
    const [one, two, three] = [await join(test, session.host), await join(test, session.host), await join(test, session.host)];
    const { leader, visitor } = await meet(test, session);
    const colleague = await connect(test, one.token);
    await colleague.next('entered');
    leader.send({ type: 'signal', to: two.you.id, data: { candidate: null } });
    expect(await leader.next('problem')).toMatchObject({ code: 'unknown_peer' });
    await (await connect(test, two.token)).next('entered');
    const late = await connect(test, three.token);
    expect(await late.closed).toEqual({ code: 4401, reason: 'The room is full: 4 people are in it.' });
    const again = await test.http.post(`${session.host}/join`).send({ resume: three.resume });
    expect([again.status, again.body.error.code]).toEqual([409, 'room_full']);
    visitor.send({ type: 'leave' });
    await visitor.closed;
    await enter(test, session.host, { resume: three.resume });
  });
});

describe.concurrent('a page that is closed', () => {
  it.each(['text/plain', 'application/json'])('says so as %s, and its person is gone within five seconds', async (contentType) => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    const waiting = await enter(test, session.guest, { name: 'Wil' });
    for (const { answer, close } of [visitor, waiting]) {
      close();
      const body = JSON.stringify({ token: answer.token });
      await test.http.post(`${session.guest}/leave`).set('content-type', contentType).send(body).expect(204);
    }
    const reloaded = await enter(other, session.guest, { resume: waiting.answer.resume });
    const { id } = visitor.answer.you;
    await eventually(
      'who left is gone',
      async () => (await prisma.sessionParticipant.findFirst({ where: { id } }))?.leftAt instanceof Date,
    );
    await leader.next('room', (room) => listNames(room).length === 1 && room.visit === 1);
    reloaded.send({ type: 'ping' });
    await reloaded.next('pong');
    expect(await prisma.sessionParticipant.findFirst({ where: { id: waiting.answer.you.id } })).toMatchObject({ leftAt: null });
    const refused = await test.http.post(`${session.guest}/leave`).send({ token: 'x' });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'bad_token']);
  });

  it('of another link of the session, or of another person, takes nobody out; who is taken out has no open socket', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    const ada = await invitee(test, host, session, 'Ada');
    const room = await waitingInvitee(test, host, 'Bo');
    const bo = await enter(test, room.link);
    const leave = async (link: string, { token }: { token: string }) => (await test.http.post(`${link}/leave`).send({ token })).status;
    for (const link of [session.guest, ada.link, room.link]) expect(await leave(link, leader.answer)).toBe(401);
    for (const link of [session.host, ada.link, room.link]) expect(await leave(link, visitor.answer)).toBe(401);
    for (const link of [session.host, ada.link]) expect(await leave(link, bo.answer)).toBe(401);
    expect(await leave(session.guest.slice(0, -3), visitor.answer)).toBe(404);
    expect(await leave(session.guest, visitor.answer)).toBe(204);
    expect(await visitor.next('closing')).toMatchObject({ code: 'left' });
    expect(await prisma.sessionParticipant.findFirst({ where: { id: leader.answer.you.id } })).toMatchObject({ leftAt: null });
    bo.send({ type: 'leave' });
    await bo.closed;
  });

  it('leaves a waiting room', async () => {
    const { link } = await waitingInvitee(test, host, 'Ada');
    const { answer, close } = await enter(test, link);
    close();
    await other.http.post(`${link}/leave`).send({ token: answer.token }).expect(204);
    const read = () => prisma.waitingRoomVisit.findFirst({ where: { id: answer.you.id } });
    await expect.poll(read, { timeout: 10_000 }).toMatchObject({ leftAt: expect.any(Date) });
  });
});

describe('the name of a guest', () => {
  it('has no role in brackets, and is marked as a guest’s where it is the name of a user', async () => {
    const session = await openMeeting(host);
    for (const name of ['Maria (Host)', 'Maria [co-host]', 'Maria （host）', 'Maria (hοѕt)', 'Maria (HОST)', 'Una ( provider )']) {
      const refused = await test.http.post(`${session.guest}/join`).send({ name });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_input']);
      expect(refused.body.error.message).toMatch(/^name: /);
    }
    expect((await join(test, session.guest, { name: 'Una User' })).you).toMatchObject({ name: 'Una User', kind: 'guest' });
    const { leader, visitor } = await meet(test, session, 'Una User');
    const { people } = await leader.next('room', (room) => listNames(room).length === 2);
    expect(people).toContainEqual(expect.objectContaining({ id: visitor.answer.you.id, kind: 'guest', name: 'Una User' }));
    visitor.send({ type: 'chat', text: 'It is me' });
    for (const reader of [leader, visitor])
      expect(await reader.next('chat')).toMatchObject({ messages: [{ kind: 'guest', name: 'Una User' }] });
  });

  it('is the chart’s for who was invited as a patient: the whole to hosts and in the record, the first to others, whatever is written', async () => {
    const session = await openMeeting(host);
    const { patient, link } = await invitee(test, host, session, 'Ada');
    const full = `Ada ${patient.lastName}`;
    const leader = await enter(test, session.host);
    const companion = await enter(test, session.guest, { name: 'Gus' });
    const ada = await enter(other, link, { name: 'Nakia Anderson' });
    expect(ada.answer.you).toMatchObject({ kind: 'patient', name: 'Ada' });
    const guests = [`participant:${ada.answer.you.id}`, `participant:${companion.answer.you.id}`];
    const { waiting } = await leader.next('room', ({ waiting: all }) =>
      guests.every((guest) => JSON.stringify(all).includes(`"${guest}"`)),
    );
    expect(waiting).toContainEqual(expect.objectContaining({ guest: guests[0], kind: 'patient', name: full }));
    for (const guest of guests) leader.send({ type: 'admit', guest, visit: 'current' });
    await leader.next('room', (room) => listNames(room).includes(full));
    await companion.next('room', (room) => listNames(room).includes('Ada'));
    ada.send({ type: 'chat', text: 'Hello' });
    expect(await leader.next('chat')).toMatchObject({ messages: [{ kind: 'patient', name: full }] });
    expect(await companion.next('chat')).toMatchObject({ messages: [{ kind: 'patient', name: 'Ada' }] });
    const [record, chat] = await Promise.all(['', '/chat'].map((path) => host.get(`/video-session/${session.guid}${path}`).expect(200)));
    expect(record?.body.data.participants).toContainEqual(expect.objectContaining({ patient_uuid: patient.id, name: full }));
    expect(chat?.body.data).toMatchObject([{ patient_uuid: patient.id, name: full }]);
    expect(JSON.stringify([companion.heard, ada.heard])).not.toContain(full);
  });
});

describe('the answer to a join', () => {
  it('says whom one meets, when, and how to reach the practice by telephone', async () => {
    const { patient } = await waitingInvitee(test, host, 'Ada');
    const startsAt = new Date(Date.now() + 3_600_000);
    const { id: appointmentId } = await prisma.appointment.create({
      data: {
        organizationId,
        patientId: patient.id,
        timeZone: 'America/New_York',
        durationMinutes: 20,
        startsAt,
        localStart: startsAt,
        endsAt: new Date(startsAt.getTime() + 1_200_000),
      },
    });
    await prisma.organization.update({ where: { id: organizationId }, data: { phone: '+19105550123' } });
    const session = await openMeeting(host);
    await prisma.videoSession.updateMany({ where: { id: session.uuid }, data: { appointmentId } });
    const answer = await join(test, session.guest, { name: 'Ada' });
    expect(answer).toMatchObject({ host: 'Una User', phone: '(910) 555-0123', locked: false });
    expect(answer.appointment).toEqual({
      starts_at: `${startsAt.toISOString().slice(0, 19)}Z`,
      text: expect.stringMatching(/^[A-Z][a-z]+day, [A-Z][a-z]+ \d{1,2}, \d{1,2}:\d{2} [AP]M E[SD]T$/),
    });
  });
});
