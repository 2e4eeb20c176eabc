import { TokenVerifier } from 'livekit-server-sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { enter, type JoinAnswer, join, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';

const ACCOUNT = {
  LIVEKIT_URL: 'wss://livekit.example.org',
  LIVEKIT_API_KEY: 'APIkey',
  LIVEKIT_API_SECRET: '0123456789abcdef0123456789abcdef',
};

const test = await ownTestApp({ TELEHEALTH: 'livekit', ...ACCOUNT });
/** A process on the same database that knows of no LiveKit. */
const mesh = await ownTestApp({}, { databaseUrl: test.databaseUrl });
const provider = await signedInUser(test, { type: 'provider' });

const ticket = z.object({ url: z.string(), token: z.string() });
const verifyClaims = async (answer: JoinAnswer) => {
  const { url, token } = ticket.parse(answer.livekit);
  expect(url).toBe(ACCOUNT.LIVEKIT_URL);
  return new TokenVerifier(ACCOUNT.LIVEKIT_API_KEY, ACCOUNT.LIVEKIT_API_SECRET).verify(token);
};

describe('through LiveKit', () => {
  it('each who is admitted is let into the room of that visit, in their role, for two minutes', async () => {
    const session = await openMeeting(provider);
    const leader = await enter(test, session.host);
    expect(leader.answer).toMatchObject({ way: 'livekit', ice_servers: [], session: { capacity: 50 } });
    const visitor = await enter(test, session.guest, { name: 'Gus' });
    expect(visitor.answer).toMatchObject({ way: 'livekit', state: 'waiting' });
    expect(visitor.answer).not.toHaveProperty('livekit');
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    const admitted = await join(test, session.guest, { resume: visitor.answer.resume });

    const [host, guest] = [await verifyClaims(leader.answer), await verifyClaims(admitted)];
    const may = {
      roomJoin: true,
      room: `${session.guid}.1`,
      canSubscribe: true,
      canPublish: true,
      canPublishSources: ['camera', 'microphone'],
      canPublishData: false,
      canUpdateOwnMetadata: false,
    };
    expect(host).toMatchObject({ sub: String(leader.answer.you.id), name: 'Una User', attributes: { role: 'host' } });
    expect(host.video).toEqual({ ...may, roomAdmin: true });
    expect(guest).toMatchObject({ sub: String(visitor.answer.you.id), name: 'Gus', attributes: { role: 'guest' } });
    expect(guest.video).toEqual({ ...may, roomAdmin: false });
    // Its library reads the clock twice.
    for (const { exp = 0, nbf = 0 } of [host, guest]) expect([119, 120]).toContain(exp - nbf);

    // Each visit has a room of its own: nobody who stays in that of one hears the next.
    const next = await enter(test, session.guest, { name: 'Nia' });
    leader.send({ type: 'admit', guest: `participant:${next.answer.you.id}`, visit: 'new' });
    await next.next('admitted');
    const leads = await join(test, session.host, { resume: leader.answer.resume });
    expect((await verifyClaims(leads)).video).toMatchObject({ room: `${session.guid}.2` });
  });

  it('the page may talk to that server beside this one', async () => {
    const { host } = await openMeeting(provider);
    const { headers } = await test.http.get(host).expect(200);
    expect(headers['content-security-policy']).toContain("connect-src 'self' wss://livekit.example.org https://livekit.example.org;");
    expect((await mesh.http.get(host).expect(200)).headers['content-security-policy']).toContain("connect-src 'self';");
  });
});

describe('after a change of the configuration', () => {
  it('a visit goes on as it began as long as somebody is in it, and the next one goes the new way', async () => {
    const session = await openMeeting(provider);
    const old = await enter(mesh, session.host);
    expect(await join(test, session.guest, { name: 'Gus' })).toMatchObject({ way: 'mesh' });
    old.send({ type: 'leave' });
    expect(await old.closed).toMatchObject({ code: 4410 });
    const now = await enter(test, session.host);
    expect(now.answer).toMatchObject({ way: 'livekit' });
    // A process that cannot serve it says so, and lets the page try again.
    const answer = await mesh.http.post(`${session.host}/join`).send({ resume: now.answer.resume });
    expect([answer.status, answer.body.error.message]).toEqual([503, 'This visit cannot continue here. Try again in a minute.']);
  });
});
