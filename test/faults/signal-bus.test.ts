import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { type Browser, connect, enter, join, meet, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { closedAfterAll, createTestDatabase, startTestApp, type TestApp } from '../support/app.ts';
import { startProxy } from '../support/proxy.ts';
import { startRedisServer } from '../support/redis-server.ts';

const redis = await startRedisServer();
afterAll(() => redis.stop());
const network = await startProxy(redis.url);
afterAll(() => network.close());

const candidate = (name: string) => ({ candidate: { candidate: name, sdpMid: '0' } });
const namesOf = ({ heard }: Pick<Browser, 'heard'>) =>
  heard.filter(({ type }) => type === 'signal').map(({ data }) => JSON.parse(JSON.stringify(data)).candidate.candidate);
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `candidate ${from + index}`);

/** Two servers on one database, with a network to cut between them and what carries their signals. */
async function startTwo(env: Record<string, string>): Promise<[TestApp, TestApp]> {
  const databaseUrl = await createTestDatabase();
  const one = await closedAfterAll(startTestApp(env, { databaseUrl }));
  return [one, await closedAfterAll(startTestApp(env, { databaseUrl }))];
}

/** Ends the connections on which the processes of a database listen. */
async function endListeners({ databaseUrl }: TestApp): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'triptych rooms'`,
  );
  await client.end();
}

const CARRIERS = [
  { carrier: 'PostgreSQL', env: {}, lose: endListeners, find: async () => {} },
  { carrier: 'a signal server', env: { SIGNAL_URL: network.url }, lose: network.cut, find: network.restore },
];

describe.each(CARRIERS)('rooms across servers through $carrier', async ({ env, lose, find }) => {
  const [one, two] = await startTwo(env);
  const host = await signedInUser(one, { type: 'provider' });

  /** A host at one server, a guest at the other. */
  async function meetAcross() {
    const session = await openMeeting(host);
    const leader = await enter(one, session.host);
    const visitor = await enter(two, session.guest, { name: 'Gus' });
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    return { session, leader, visitor };
  }

  it('carry what two browsers say to each other, each word once and in its order', async () => {
    const { leader, visitor } = await meetAcross();
    const said = numbered(200);
    for (const name of said) {
      visitor.send({ type: 'signal', to: leader.answer.you.id, data: candidate(name) });
      leader.send({ type: 'signal', to: visitor.answer.you.id, data: candidate(name) });
    }
    await Promise.all(
      [leader, visitor].map((browser) => browser.next('signal', ({ data }) => JSON.stringify(data).includes('candidate 199"'))),
    );
    expect(namesOf(leader)).toEqual(said);
    expect(namesOf(visitor)).toEqual(said);
  });

  it('carry nothing to who is not in the room, nor from who was taken out of it', async () => {
    const { leader, visitor, session } = await meetAcross();
    const waiting = await enter(one, session.guest, { name: 'Wanda' });
    visitor.send({ type: 'signal', to: waiting.answer.you.id, data: candidate('to who waits') });
    expect(await visitor.next('problem')).toMatchObject({ code: 'unknown_peer' });
    waiting.send({ type: 'signal', to: leader.answer.you.id, data: candidate('from who waits') });
    expect(await waiting.next('problem')).toMatchObject({ code: 'not_admitted' });
    leader.send({ type: 'remove', person: visitor.answer.you.id });
    expect((await visitor.closed).code).toBe(4410);
    leader.send({ type: 'signal', to: visitor.answer.you.id, data: candidate('to who is gone') });
    expect(await leader.next('problem')).toMatchObject({ code: 'unknown_peer' });
    expect([namesOf(leader), namesOf(waiting)]).toEqual([[], []]);
  });

  it('carry what was said while the connection was lost, once and in its order, and notices too', async () => {
    const { leader, visitor, session } = await meetAcross();
    visitor.send({ type: 'signal', to: leader.answer.you.id, data: candidate('candidate 0') });
    await leader.next('signal');
    await lose(one);
    for (const name of numbered(50, 1)) visitor.send({ type: 'signal', to: leader.answer.you.id, data: candidate(name) });
    leader.send({ type: 'lock', on: true });
    await sleep(300);
    await find();
    await leader.next('signal', ({ data }) => JSON.stringify(data).includes('candidate 50"'));
    await visitor.next('room', ({ locked }) => locked === true);
    expect(namesOf(leader)).toEqual(numbered(51));
    expect(visitor.heard.filter(({ type }) => type === 'closing')).toEqual([]);
    const late = await enter(two, session.host);
    await late.next('room', ({ people }) => Array.isArray(people) && people.length === 3);
  });

  it('let browsers go on at the other server when one stops', async () => {
    const stopping = await startTestApp(env, { databaseUrl: one.databaseUrl });
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(stopping, session);
    await stopping.close();
    expect([(await leader.closed).code, (await visitor.closed).code]).toEqual([1012, 1012]);
    const leads = await enter(one, session.host, { resume: leader.answer.resume });
    const again = await enter(two, session.guest, { resume: visitor.answer.resume });
    again.send({ type: 'signal', to: leads.answer.you.id, data: candidate('once more') });
    expect((await leads.next('signal')).data).toEqual(candidate('once more'));
  });

  it('refuse a used token at either server', async () => {
    const session = await openMeeting(host);
    const answer = await join(one, session.host);
    const first = await connect(one, answer.token);
    await first.next('entered');
    expect((await (await connect(two, answer.token)).closed).code).toBe(4401);
  });
});
