import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { readRoomToken, signRoomToken } from '../../src/domain/telehealth/sessions/room-tokens.ts';
import { deleteOldSignals } from '../../src/domain/telehealth/sessions/signals.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp, startTestApp } from '../support/app.ts';
import { connect, enter, join, meet, openMeeting } from './room.ts';

const test = await ownTestApp();
const host = await signedInUser(test, { type: 'provider' });
const admin: pg.Client = new pg.Client({ connectionString: test.databaseUrl });

beforeAll(async () => {
  await admin.connect();
});
afterAll(() => admin.end());

it('a server that stops tells browsers to connect anew, which another one answers', async () => {
  const stopping = await startTestApp({}, { databaseUrl: test.databaseUrl });
  const session = await openMeeting(host);
  const { leader, visitor } = await meet(stopping, session);
  const from = performance.now();
  await stopping.close();
  expect(performance.now() - from).toBeLessThan(9_000);
  expect([(await leader.closed).code, (await visitor.closed).code]).toEqual([1012, 1012]);
  const again = await enter(test, session.guest, { resume: visitor.answer.resume });
  expect(again.answer).toMatchObject({ state: 'admitted', you: visitor.answer.you });
  const leads = await enter(test, session.host, { resume: leader.answer.resume });
  expect((await leads.next('room')).people).toHaveLength(2);
});

it('what is said across servers while the listening connections are lost is heard once, in its order, and notices too', async () => {
  const other = await startTestApp({}, { databaseUrl: test.databaseUrl });
  const session = await openMeeting(host);
  const leader = await enter(test, session.host);
  const visitor = await enter(other, session.guest, { name: 'Gus' });
  leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
  await visitor.next('admitted');
  const said = Array.from({ length: 50 }, (_, index) => ({ candidate: { candidate: `candidate ${index}`, sdpMid: '0' } }));
  const say = (data: object | undefined) => visitor.send({ type: 'signal', to: leader.answer.you.id, data });
  say(said[0]);
  await leader.next('signal');
  const { rowCount } = await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'triptych rooms'`,
  );
  expect(rowCount).toBe(2);
  for (const data of said.slice(1)) say(data);
  leader.send({ type: 'lock', on: true });
  await leader.next('signal', ({ data }) => JSON.stringify(data).includes('candidate 49"'));
  await visitor.next('room', ({ locked }) => locked === true);
  expect(leader.heard.filter(({ type }) => type === 'signal').map(({ data }) => data)).toEqual(said);
  await other.close();
});

it('what was said is gone after minutes', async () => {
  await admin.query(`UPDATE session_signal SET created_at = now() - interval '3 minutes'`);
  await deleteOldSignals(test.database.prisma);
  expect((await admin.query('SELECT 1 FROM session_signal')).rowCount).toBe(0);
});

it('a room token is good for its use, its time and its keys alone', () => {
  const { keyring } = test;
  const member = { kind: 'participant', organizationId: 1, sessionId: 2, id: 3, role: 'guest' } as const;
  const until = Math.floor(Date.now() / 1000) + 60;
  const token = signRoomToken(keyring, 'enter', member, until);
  expect(readRoomToken(keyring, 'enter', token)).toEqual(member);
  expect(readRoomToken(keyring, 'resume', token)).toBeNull();
  expect(readRoomToken(keyring, 'enter', token, (until + 1) * 1000)).toBeNull();
  expect(readRoomToken(createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]), 'enter', token)).toBeNull();
  expect(readRoomToken(createKeyring([{ id: 'else', key: Buffer.alloc(32, 7) }]), 'enter', token)).toBeNull();
  const [id = '', claims = '', mac = ''] = token.split('.');
  const host2 = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('guest', 'host')).toString('base64url');
  for (const forged of [`${id}.${host2}.${mac}`, `${id}.${claims}.`, `${id}.${claims}.${'A'.repeat(43)}`, `${claims}.${mac}`])
    expect(readRoomToken(keyring, 'enter', forged)).toBeNull();
});

it('a server answers who asks for another protocol as ever', async () => {
  const answer = await test.http
    .get('/healthz')
    .set({ connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' });
  expect([answer.status, answer.body]).toEqual([200, { status: 'alive' }]);
  const socket = await test.http
    .get('/healthz')
    .set({ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' });
  expect(socket.status).toBe(200);
});

it('a database that cannot be reached ends a connection, which may come back; the server goes on', async () => {
  const { database } = test;
  const session = await openMeeting(host);
  const answer = await join(test, session.guest, { name: 'Gus' });
  const connecting = vi.spyOn(database.pool, 'connect').mockImplementation(() => {
    throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
  });
  const browser = await connect(test, answer.token);
  expect((await browser.closed).code).toBe(1011);
  connecting.mockRestore();
  expect((await enter(test, session.guest, { resume: answer.resume })).answer.you).toEqual(answer.you);
});
