import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { createAppointment } from '../support/schedule.ts';
import { connect, enter, invitee, join, listNames, meet, openMeeting, passTime, waitingInvitee } from './room.ts';

const test = await sharedTestApp();
/** A second process on the same database. */
const other = await secondTestApp();
const { prisma } = test.database;
const host = await signedInUser(test, { organizationId: await practiceWithNumber(test), type: 'provider' });
const { organizationId } = host;

type Entered = Awaited<ReturnType<typeof enter>>;
const toGuest = ({ answer }: Entered) => `${answer.kind === 'session' ? 'participant' : 'visit'}:${answer.you.id}`;

/** The host admits who waits. */
async function admit(leader: Entered, guest: Entered, visit?: 'new' | 'current') {
  leader.send({ type: 'admit', guest: toGuest(guest), visit });
  await guest.next('admitted');
}

describe('a patient who was admitted and left, while the next one is with the host', () => {
  it('waits at the link of a session: with the token of the first visit, without, and with an old room token', async () => {
    const session = await openMeeting(host);
    const [ada, bo] = [await invitee(test, host, session, 'Ada'), await invitee(test, host, session, 'Bo')];
    const leader = await enter(test, session.host);
    const first = await enter(other, ada.link);
    await admit(leader, first);
    const unused = await join(test, ada.link, { resume: first.answer.resume });
    expect(unused.state).toBe('admitted');
    first.send({ type: 'leave' });
    await first.closed;

    const second = await enter(test, bo.link);
    leader.send({ type: 'admit', guest: toGuest(second) });
    // The first one left a moment ago and could come back, so the host is asked.
    expect(await leader.next('problem')).toMatchObject({ code: 'choose_visit', guest: toGuest(second) });
    await admit(leader, second, 'new');
    expect(listNames(await second.next('room'))).toEqual(['Una User', 'Bo']);

    for (const token of [first.answer.token, unused.token]) {
      const stolen = await connect(other, token);
      expect([4401, 4410]).toContain((await stolen.closed).code);
      expect(stolen.heard.map(({ type }) => type)).not.toContain('room');
    }
    for (const resume of [first.answer.resume, null]) {
      const back = await enter(test, ada.link, { resume });
      expect(back.answer).toMatchObject({ state: 'waiting', you: { name: 'Ada', kind: 'patient' } });
      expect(back.answer.you.id).not.toBe(first.answer.you.id);
      back.send({ type: 'signal', to: second.answer.you.id, data: { candidate: null } });
      expect(await back.next('problem')).toMatchObject({ code: 'not_admitted' });
      expect(back.heard.map(({ type }) => type)).not.toContain('room');
    }
    const records = await prisma.telehealthVisit.findMany({
      where: { organizationId, videoSessionId: session.uuid },
      orderBy: { id: 'asc' },
    });
    expect(records).toMatchObject([
      { patientId: ada.patient.id, visit: 1, endedAt: expect.any(Date) },
      { patientId: bo.patient.id, visit: 2, endedAt: null },
    ]);
    expect(records[1]?.startedAt.getTime()).toBeGreaterThanOrEqual(records[0]?.endedAt?.getTime() ?? Infinity);
  });

  it('waits in the waiting room at the link of one, and comes in again as a visit of their own', async () => {
    const session = await openMeeting(host);
    const [ada, bo] = [await waitingInvitee(test, host, 'Ada'), await waitingInvitee(test, host, 'Bo')];
    const leader = await enter(test, session.host);
    const waiting = await enter(other, ada.link);
    await admit(leader, waiting);
    const first = await enter(other, ada.link, { resume: waiting.answer.resume });
    expect(first.answer).toMatchObject({ kind: 'session', state: 'admitted' });
    first.close();
    await first.closed;
    for (const { resume } of [first.answer, waiting.answer]) expect((await join(test, ada.link, { resume })).state).toBe('admitted');

    const second = await enter(test, bo.link);
    await admit(leader, second, 'new');
    await enter(test, bo.link, { resume: second.answer.resume });
    const back = await enter(other, ada.link, { resume: first.answer.resume });
    expect(back.answer).toMatchObject({ kind: 'waiting_room', state: 'waiting', session: null });
    await admit(leader, back, 'new');
    const again = await enter(other, ada.link, { resume: back.answer.resume });
    expect(listNames(await again.next('room'))).toEqual(['Una User', 'Ada']);

    leader.send({ type: 'end' });
    await again.closed;
    expect((await test.http.get(ada.link)).status).toBe(410);
    expect((await test.http.post(`${ada.link}/join`).send({})).status).toBe(410);
  });
});

describe('a link alone', () => {
  it.each([
    ['of a session', async (session: { guid: string }) => (await invitee(test, host, session, 'Ada')).link],
    ['of a waiting room', async () => (await waitingInvitee(test, host, 'Ada')).link],
  ])('%s leads nobody into the visit of whoever was admitted by it', async (_door, inviteAda) => {
    const session = await openMeeting(host);
    const link = await inviteAda(session);
    const leader = await enter(test, session.host);
    const waiting = await enter(test, link);
    expect(waiting.heard).toMatchObject([{ type: 'entered', you: waiting.answer.you }]);
    await admit(leader, waiting);
    const ada = waiting.answer.kind === 'session' ? waiting : await enter(test, link, { resume: waiting.answer.resume });
    await leader.next('room', ({ people }) => Array.isArray(people) && people.length === 2);

    const stranger = await enter(other, link);
    expect(stranger.answer.state).toBe('waiting');
    await leader.next('room', ({ waiting: list }) => JSON.stringify(list).includes(`"${toGuest(stranger)}"`));
    ada.send({ type: 'ping' });
    await ada.next('pong');
    expect(ada.heard.some(({ type }) => type === 'closing')).toBe(false);
    leader.send({ type: 'end' });
    await ada.closed;
  });

  it('nor the token of a browser whose place in the waiting room another one took', async () => {
    const session = await openMeeting(host);
    const { link } = await waitingInvitee(test, host, 'Ada');
    const leader = await enter(test, session.host);
    const early = await join(other, link);
    const stranger = await enter(other, link);
    const ada = await enter(test, link);
    await stranger.closed;
    await admit(leader, ada);
    for (const resume of [early.resume, stranger.answer.resume]) expect((await join(other, link, { resume })).state).toBe('waiting');
    expect((await join(other, link, { resume: ada.answer.resume })).state).toBe('admitted');
    leader.send({ type: 'end' });
    await leader.closed;
  });
});

describe('an admission', () => {
  it('ends a minute after its holder left, whether they hung up or were lost', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    visitor.send({ type: 'leave' });
    await visitor.closed;
    const { resume } = visitor.answer;
    await passTime(test, session.uuid, 55, [leader.answer.you.id]);
    expect((await join(test, session.guest, { resume })).state).toBe('admitted');
    await passTime(test, session.uuid, 6, [leader.answer.you.id]);
    expect(await join(test, session.guest, { resume })).toMatchObject({ state: 'waiting', you: { name: 'Gus' } });
    // Nobody is in the visit now, so the next guest has one of their own without a question.
    const next = await enter(other, session.guest, { name: 'Nia' });
    await admit(leader, next);
    expect(await next.next('room')).toMatchObject({ visit: 2 });
    next.close();
    await next.closed;
    // A heartbeat of the moment before the end may be noted after the time has passed.
    const stateLater = async () => {
      await passTime(test, session.uuid, 61, [leader.answer.you.id]);
      return (await join(test, session.guest, { resume: next.answer.resume })).state;
    };
    await expect.poll(stateLater, { timeout: 10_000 }).toBe('waiting');
  });

  it('ends at once for who is in the room when the next visit begins; who is admitted with others stays with them', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session, 'Ada');
    leader.send({ type: 'recording', on: true });
    visitor.send({ type: 'recording_consent', given: true });
    const companion = await enter(other, session.guest, { name: 'Abe' });
    await admit(leader, companion, 'current');
    expect(listNames(await visitor.next('room', (room) => listNames(room).length === 3))).toEqual(['Una User', 'Ada', 'Abe']);
    const next = await enter(other, session.guest, { name: 'Bo' });
    await admit(leader, next, 'new');
    for (const one of [visitor, companion]) {
      expect(await one.next('closing')).toMatchObject({ code: 'visit_over', message: 'Your visit has ended.' });
      expect((await one.closed).code).toBe(4410);
      expect(one.heard.flatMap(listNames)).not.toContain('Bo');
    }
    expect(await next.next('room')).toMatchObject({ visit: 2, recording: false, locked: false });
    expect(next.heard.flatMap(listNames)).not.toContain('Ada');
  });

  it('of the same patient at another browser needs no question', async () => {
    const session = await openMeeting(host);
    const ada = await invitee(test, host, session, 'Ada');
    const leader = await enter(test, session.host);
    await admit(leader, await enter(test, ada.link));
    const telephone = await enter(other, ada.link);
    await admit(leader, telephone);
    expect(await telephone.next('room')).toMatchObject({ visit: 1 });
  });

  it('ends when a host takes the guest out, who may knock again; hosts cannot be taken out', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    visitor.send({ type: 'remove', person: leader.answer.you.id });
    expect(await visitor.next('problem')).toMatchObject({ code: 'not_host' });
    leader.send({ type: 'remove', person: leader.answer.you.id });
    expect(await leader.next('problem')).toMatchObject({ code: 'is_host' });
    leader.send({ type: 'remove', person: visitor.answer.you.id });
    expect(await visitor.next('closing')).toMatchObject({ code: 'removed', message: 'Your practice removed you from the visit.' });
    expect((await visitor.closed).code).toBe(4410);
    expect((await leader.next('room', (room) => listNames(room).length === 1 && room.visit === 1)).recording).toBe(false);
    const again = await enter(other, session.guest, { resume: visitor.answer.resume });
    expect(again.answer).toMatchObject({ state: 'waiting', you: { name: 'Gus' } });
    leader.send({ type: 'remove', person: again.answer.you.id });
    expect(await leader.next('problem')).toMatchObject({ code: 'not_in_visit' });
  });
});

describe('a locked room', () => {
  it('lets nobody new knock, and those who are admitted come back; the next visit opens it', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    const waiting = await enter(other, session.guest, { name: 'Wil' });
    leader.send({ type: 'lock', on: true });
    await visitor.next('room', ({ locked }) => locked === true);
    leader.send({ type: 'lock', on: false });
    await visitor.next('room', ({ locked }) => locked === false);
    leader.send({ type: 'lock', on: true });
    await visitor.next('room', ({ locked }) => locked === true);
    const late = await test.http.post(`${session.guest}/join`).send({ name: 'Late' });
    expect([late.status, late.body.error.code]).toEqual([409, 'room_locked']);
    expect(await join(other, session.guest, { resume: visitor.answer.resume })).toMatchObject({ state: 'admitted', locked: true });
    await admit(leader, waiting, 'new');
    expect(await waiting.next('room')).toMatchObject({ locked: false });
    expect((await join(test, session.guest, { name: 'Late' })).state).toBe('waiting');
  });
});

it('sets the appointment in progress when patient and host meet, and never back', async () => {
  const session = await openMeeting(host);
  const ada = await invitee(test, host, session, 'Ada');
  const { id: appointmentId } = await createAppointment(prisma, {
    organizationId,
    patientId: ada.patient.id,
    startsAt: '2031-01-15T14:00:00Z',
  });
  await prisma.videoSession.updateMany({ where: { organizationId, id: session.uuid }, data: { appointmentId } });
  const readAppointment = async () => (await host.get(`/appointments/${appointmentId}`).expect(200)).body.data;
  const leader = await enter(test, session.host);
  const guest = await enter(test, ada.link);
  expect((await readAppointment()).status).toBe('scheduled');
  await admit(leader, guest);
  await guest.next('room');
  expect(await readAppointment()).toMatchObject({ status: 'in_progress', status_changes: [{ from: 'scheduled', to: 'in_progress' }] });
  await host.post(`/appointments/${appointmentId}/status`).send({ status: 'checked_out' }).expect(200);
  guest.send({ type: 'leave' });
  await guest.closed;
  await passTime(test, session.uuid, 600, [leader.answer.you.id]);
  await admit(leader, await enter(test, ada.link));
  expect((await readAppointment()).status).toBe('checked_out');
});
