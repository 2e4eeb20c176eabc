import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { connect, enter, join, meet, openMeeting } from './room.ts';

const test = await sharedTestApp();
/** A second process on the same database. */
const other = await secondTestApp();
const host = await signedInUser(test, { type: 'provider' });

const people = (message: { [field: string]: unknown }) => (Array.isArray(message.people) ? message.people.length : 0);
const OFFER = { description: { type: 'offer', sdp: 'v=0\r\n' } };

describe('a room', () => {
  it('lets nobody in but a host until a host admits them, and shows each who is there', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    expect(leader.answer).toMatchObject({ state: 'admitted', kind: 'session', way: 'mesh', you: { role: 'host', name: 'Una User' } });
    const visitor = await enter(test, session.guest, { name: '  Gus   Guest ' });
    expect(visitor.answer).toMatchObject({ state: 'waiting', you: { role: 'guest', name: 'Gus Guest' } });
    const guest = `participant:${visitor.answer.you.id}`;
    const { waiting } = await leader.next('room', ({ waiting: list }) => Array.isArray(list) && list.length === 1);
    expect(waiting).toEqual([
      { guest, name: 'Gus Guest', since: visitor.answer.since, from: 'link', kind: 'guest', provider: 'Una User', devices: null },
    ]);

    visitor.send({ type: 'signal', to: leader.answer.you.id, data: OFFER });
    expect(await visitor.next('problem')).toMatchObject({ code: 'not_admitted' });
    visitor.send({ type: 'admit', guest });
    expect(await visitor.next('problem')).toMatchObject({ code: 'not_host' });
    expect(visitor.heard.some(({ type }) => type === 'room')).toBe(false);

    leader.send({ type: 'admit', guest });
    await visitor.next('admitted');
    const room = await visitor.next('room', (message) => people(message) === 2);
    expect(room.people).toEqual([leader.answer.you, visitor.answer.you]);
    expect(room).not.toHaveProperty('waiting');
  });

  it('passes on what two people in it say to each other, in order, also between processes', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const visitor = await enter(other, session.guest, { name: 'Gus' });
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    const to = leader.answer.you.id;
    visitor.send({ type: 'signal', to, data: OFFER });
    for (let n = 0; n < 20; n += 1) visitor.send({ type: 'signal', to, data: { candidate: { candidate: `candidate ${n}`, sdpMid: '0' } } });
    expect(await leader.next('signal')).toEqual({ type: 'signal', from: visitor.answer.you.id, data: OFFER });
    for (let n = 0; n < 20; n += 1) {
      expect((await leader.next('signal')).data).toEqual({ candidate: { candidate: `candidate ${n}`, sdpMid: '0' } });
    }
    leader.send({ type: 'signal', to: visitor.answer.you.id, data: { candidate: null } });
    expect((await visitor.next('signal')).data).toEqual({ candidate: null });
  });

  it('passes nothing on to another session', async () => {
    const [one, two] = [await openMeeting(host), await openMeeting(host)];
    const [leader, stranger] = [await enter(test, one.host), await enter(test, two.host)];
    leader.send({ type: 'signal', to: stranger.answer.you.id, data: OFFER });
    expect(await leader.next('problem')).toMatchObject({ code: 'unknown_peer' });
    expect(stranger.heard.some(({ type }) => type === 'signal')).toBe(false);
  });

  it('admits a guest once where two hosts do so at once, and tells the other', async () => {
    const session = await openMeeting(host);
    const [one, two] = [await enter(test, session.host), await enter(other, session.host)];
    const visitor = await enter(test, session.guest, { name: 'Gus' });
    const admit = { type: 'admit', guest: `participant:${visitor.answer.you.id}` };
    one.send(admit);
    two.send(admit);
    await visitor.next('admitted');
    const problem = await Promise.race([one.next('problem'), two.next('problem')]);
    expect(problem).toMatchObject({ code: 'not_waiting' });
    await Promise.all([one, two].map(({ next }) => next('room', (message) => people(message) === 3)));
    const admitted = await test.database.prisma.event.count({
      where: { name: 'session_participant.admitted', subjectId: visitor.answer.you.id },
    });
    expect(admitted).toBe(1);
  });

  it('has four places: a fifth person is told that it is full', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const guests = await Promise.all(['A', 'B', 'C', 'D'].map((name) => enter(test, session.guest, { name })));
    const admit = (index: number) => leader.send({ type: 'admit', guest: `participant:${guests[index]?.answer.you.id}`, visit: 'current' });
    for (const [index, { next }] of guests.slice(0, 3).entries()) {
      admit(index);
      await next('admitted');
    }
    admit(3);
    expect(await leader.next('problem')).toMatchObject({ code: 'room_full', message: 'The room is full: 4 people are in it.' });
    const host5 = await test.http.post(`${session.host}/join`).send({});
    expect([host5.status, host5.body.error.code]).toEqual([409, 'room_full']);
    guests[0]?.send({ type: 'leave' });
    await guests[0]?.closed;
    admit(3);
    await guests[3]?.next('admitted');
  });

  it('takes a reload for the same person, who is in at once; the older connection closes', async () => {
    const session = await openMeeting(host);
    const { visitor } = await meet(test, session);
    const again = await enter(other, session.guest, { resume: visitor.answer.resume });
    expect(again.answer).toMatchObject({ state: 'admitted', you: visitor.answer.you });
    expect(await visitor.closed).toMatchObject({ code: 4409 });
    expect((await again.next('room')).people).toHaveLength(2);
  });

  it('does not take the word of another link for who somebody was', async () => {
    const [one, two] = [await openMeeting(host), await openMeeting(host)];
    const { visitor, leader } = await meet(test, one);
    for (const resume of [visitor.answer.resume, leader.answer.resume, visitor.answer.token, 'x']) {
      const answer = await join(test, two.guest, { name: 'Gus', resume });
      expect(answer).toMatchObject({ state: 'waiting' });
      expect([visitor.answer.you.id, leader.answer.you.id]).not.toContain(answer.you.id);
    }
    expect((await join(test, one.guest, { name: 'Eve', resume: leader.answer.resume })).you.role).toBe('guest');
  });

  it('says "not now" to a guest, who may knock again', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const visitor = await enter(test, session.guest, { name: 'Gus' });
    leader.send({ type: 'refuse', guest: `participant:${visitor.answer.you.id}` });
    expect(await visitor.next('closing')).toMatchObject({ code: 'refused' });
    expect((await visitor.closed).code).toBe(4410);
    const again = await test.http.post(`${session.guest}/join`).send({ name: 'Gus', resume: visitor.answer.resume });
    expect([again.status, again.body.error.code]).toEqual([409, 'refused']);
    // The page forgets who it was, and knocks again.
    expect(await join(test, session.guest, { name: 'Gus' })).toMatchObject({ state: 'waiting' });
  });

  it('ends for all when the host says so, and opens no more', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    leader.send({ type: 'end' });
    expect([(await leader.closed).code, (await visitor.closed).code]).toEqual([4410, 4410]);
    const again = await test.http.post(`${session.guest}/join`).send({ name: 'Gus' });
    expect([again.status, again.body.error.code]).toEqual([410, 'session_ended']);
    const page = await test.http.get(session.guest);
    expect(page.status).toBe(410);
    expect(page.text).toContain('This visit has ended.');
    const late = await connect(test, visitor.answer.token);
    expect((await late.closed).code).toBe(4410);
  });
});

describe('the socket', () => {
  it('answers pings, and closes what enters with a bad token', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    leader.send({ type: 'ping' });
    await leader.next('pong');
    for (const token of ['', 'x.y.z', String(leader.answer.resume), `${leader.answer.token.slice(0, -2)}AA`]) {
      const stranger = await connect(test, token);
      expect((await stranger.closed).code).toBe(4401);
    }
  });

  it('is all that a room token opens', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    for (const token of [leader.answer.token, visitor.answer.token, String(visitor.answer.resume)]) {
      for (const path of ['/patients', '/api/appointments/types', '/meet-session', '/client'])
        expect((await test.http.get(path).set('authorization', `Bearer ${token}`)).status).toBe(401);
    }
  });

  it('closes on what is no message, on too many, and on one over 64 KiB', async () => {
    const session = await openMeeting(host);
    const bad = await enter(test, session.host);
    bad.send('{"type":"dance"}');
    expect((await bad.closed).code).toBe(1008);
    const nul = await enter(test, session.host);
    nul.send({ type: 'signal', to: 1, data: { candidate: { candidate: 'a\0b' } } });
    expect((await nul.closed).code).toBe(1008);
    const past = await enter(test, session.host, { resume: bad.answer.resume });
    past.send({ type: 'chat', text: 'Hello', visit: 2_147_483_648 });
    expect((await past.closed).code).toBe(1008);
    const long = await enter(test, session.host, { resume: bad.answer.resume });
    for (const id of [Number.MAX_SAFE_INTEGER, 2_147_483_648]) {
      long.send({ type: 'signal', to: id, data: { candidate: null } });
      long.send({ type: 'still', to: id });
      long.send({ type: 'remove', person: id });
      long.send({ type: 'attach', person: id, last_name: 'Lind', birth_date: '1980-02-29' });
      long.send({ type: 'still_refused', id });
      for (const kind of ['participant', 'visit']) long.send({ type: 'admit', guest: `${kind}:${String(id).slice(0, 15)}` });
    }
    long.send({ type: 'ping' });
    await long.next('pong');
    expect(new Set(long.heard.filter(({ type }) => type === 'problem').map(({ code }) => code))).not.toContain('internal');
    const large = await enter(test, session.host, { resume: bad.answer.resume });
    large.send(`{"type":"ping","x":"${'y'.repeat(70_000)}"}`);
    expect((await large.closed).code).toBe(1009);
    const many = await enter(test, session.host, { resume: bad.answer.resume });
    for (let n = 0; n < 700; n += 1) many.send({ type: 'ping' });
    expect((await many.closed).code).toBe(1008);
  });

  it('takes nothing but enter first, and reads nothing after a refusal', async () => {
    const session = await openMeeting(host);
    for (const first of [{ type: 'ping' }, { type: 'chat', text: 'Hi' }, `{"type":"enter","token":"${'x'.repeat(3_000)}"}`]) {
      const early = await connect(test, null);
      early.send(first);
      early.send({ type: 'enter', token: (await join(test, session.host)).token });
      expect((await early.closed).code).toBe(1008);
      expect(early.heard).toEqual([]);
    }
    const bad = await enter(test, session.host);
    bad.send('{"type":"dance"}');
    bad.send({ type: 'ping' });
    expect((await bad.closed).code).toBe(1008);
    expect(bad.heard.filter(({ type }) => type === 'pong')).toEqual([]);
  });

  it('opens for no page of another origin', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const foreign = await supertest(test.address)
      .get('/v/signal')
      .set({ ...upgrade, origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    const session = await openMeeting(host);
    const post = await test.http.post(`${session.guest}/join`).set('origin', 'https://evil.example').send({ name: 'Gus' });
    expect([post.status, post.body.error.code]).toEqual([403, 'foreign_origin']);
  });

  it('keeps tokens, links and names out of the logs', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session, 'Xylophonia');
    leader.send({ type: 'end' });
    await visitor.closed;
    const logged = test.logs.join('');
    for (const secret of [leader.answer.token, visitor.answer.token, session.host.slice(3), session.guest.slice(3), 'Xylophonia'])
      expect(logged).not.toContain(secret);
  });
});
