import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { type Browser, connect, pathOf } from '../realtime/room.ts';
import { createTestDatabase } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { removeFolder } from '../support/scratch.ts';
import { eventually, killServers, type ServerProcess, startServer } from '../support/server-process.ts';

const PEOPLE = 12;
/** Pictures and sound go through LiveKit, which no test reaches: twelve are more than a mesh takes. */
const LIVEKIT = {
  TELEHEALTH: 'livekit',
  LIVEKIT_URL: 'wss://livekit.example.org',
  LIVEKIT_API_KEY: 'APIkey',
  LIVEKIT_API_SECRET: '0123456789abcdef0123456789abcdef',
};

const redis = await startRedisServer();
let dataDir: string;
let databaseUrl: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-signals-'));
  databaseUrl = await createTestDatabase();
});
afterAll(async () => {
  await killServers();
  await redis.stop();
  await removeFolder(dataDir);
});

const begin = (): ServerProcess =>
  startServer(dataDir, {
    ...LIVEKIT,
    DATABASE_URL: databaseUrl,
    SIGNAL_URL: redis.url,
    RUN_JOBS: 'false',
    RATE_LIMIT: '1000000',
    RATE_LIMIT_ANONYMOUS: '1000000',
  });

interface Person extends Browser {
  id: number;
  resume: string;
  address: string;
}

async function enter(address: string, path: string, body: { name?: string; resume?: string } = {}): Promise<Person> {
  const { body: answer } = await supertest(address).post(`${path}/join`).send(body).expect(200);
  const browser = await connect({ address }, answer.token);
  await browser.next('entered');
  return { ...browser, id: Number(answer.you.id), resume: answer.resume, address };
}

/** A room whose host is at the first server, and whose guests are at the two by turns. */
async function fillRoom(addresses: readonly [string, string], people: number) {
  const { prisma, close } = openDatabase({ url: databaseUrl, poolSize: 1 });
  const { id: organizationId } = await createOrganization(prisma);
  const { email, password } = await createUser(prisma, { organizationId, type: 'provider' });
  await close();
  const [one] = addresses;
  const token = (await supertest(one).post('/login').send({ email, password }).expect(200)).body.data.access_token;
  const links = (await supertest(one).get('/meet-session').set('authorization', `Bearer ${token}`).expect(200)).body.data;
  const [hostLink, guestLink] = [pathOf(links.host_link), pathOf(links.guest_link)];
  const host = await enter(one, hostLink);
  const guests: Person[] = [];
  while (guests.length < people - 1) {
    const guest = await enter(addresses[guests.length % 2] ?? one, guestLink, { name: `Guest ${guests.length}` });
    host.send({ type: 'admit', guest: `participant:${guest.id}`, visit: guests.length === 0 ? 'new' : 'current' });
    await guest.next('admitted');
    guests.push(guest);
  }
  return { host, guests, hostLink, guestLink };
}

/** Each says so many words to the next one, a word every 20 ms. @returns what everybody should have heard */
async function talk(people: readonly Person[], words: number, from = 0): Promise<void> {
  for (let word = from; word < from + words; word += 1) {
    for (const [index, person] of people.entries()) {
      const to = people[(index + 1) % people.length]?.id;
      person.send({ type: 'signal', to, data: { candidate: { candidate: `word ${word}.`, sdpMid: '0' } } });
    }
    await sleep(20);
  }
}

const wordsOf = ({ heard }: Browser): string[] =>
  heard.filter(({ type }) => type === 'signal').map(({ data }) => JSON.parse(JSON.stringify(data)).candidate.candidate);
const numbered = (count: number) => Array.from({ length: count }, (_, word) => `word ${word}.`);
const hearAll = (people: readonly Person[], last: number) =>
  Promise.all(people.map((person) => person.next('signal', ({ data }) => JSON.stringify(data).includes(`word ${last}.`))));
const isWell = async (address: string) => (await supertest(address).get('/readyz')).body;

describe('a room of twelve across two servers', () => {
  it('goes on when the signal server is killed, stands still, or is cut off; nobody joins meanwhile, and everything else answers', async () => {
    const servers = [begin(), begin()];
    const [one = '', two = ''] = await Promise.all(servers.map(({ ready }) => ready));
    const { host, guests, guestLink } = await fillRoom([one, two], PEOPLE);
    const people = [host, ...guests];
    await talk(people, 10);
    await hearAll(people, 9);

    const talking = talk(people, 30, 10);
    await sleep(200);
    await redis.kill();
    await talking;
    await eventually(
      'both say so',
      async () => (await isWell(one)).signals === 'unreachable' && (await isWell(two)).signals === 'unreachable',
    );
    expect((await supertest(one).get('/readyz')).status).toBe(200);
    const from = performance.now();
    const { body: late } = await supertest(two).post(`${guestLink}/join`).send({ name: 'Late' }).expect(200);
    expect((await (await connect({ address: two }, late.token)).closed).code).toBe(1011);
    expect(performance.now() - from).toBeLessThan(5_000);
    host.send({ type: 'lock', on: true });
    await redis.start();
    await hearAll(people, 39);
    for (const guest of guests) await guest.next('room', ({ locked }) => locked === true);
    host.send({ type: 'lock', on: false });
    for (const guest of guests) await guest.next('room', ({ locked }) => locked === false);
    await enter(two, guestLink, { name: 'Late', resume: late.resume });

    redis.pause();
    await talk(people, 10, 40);
    await eventually('it is noticed', async () => (await isWell(one)).signals === 'unreachable', 15_000);
    redis.resume();
    await hearAll(people, 49);
    await eventually('all is well', async () => (await isWell(one)).signals === 'reachable' && (await isWell(two)).signals === 'reachable');
    for (const person of people) expect(wordsOf(person)).toEqual(numbered(50));
    expect(people.flatMap(({ heard }) => heard.filter(({ type }) => type === 'closing' || type === 'problem'))).toEqual([]);
    for (const server of servers) server.kill('SIGTERM');
    for (const server of servers) expect(await server.exited).toMatchObject({ code: 0 });
  });

  it('goes on when one of the servers is killed: its people come back by the other, and hear and are heard', async () => {
    const [doomed, other] = [begin(), begin()];
    const [one, two] = [await doomed.ready, await other.ready];
    const { host, guests, hostLink, guestLink } = await fillRoom([one, two], PEOPLE);
    await talk([host, ...guests], 5);
    await hearAll([host, ...guests], 4);
    const staying = guests.filter(({ address }) => address === two);
    doomed.kill('SIGKILL');
    const lost = [host, ...guests.filter(({ address }) => address === one)];
    expect(await Promise.all(lost.map(async ({ closed }) => (await closed).code))).toEqual(lost.map(() => 1006));
    const back = await Promise.all(
      lost.map(({ resume }, index) => enter(two, index === 0 ? hostLink : guestLink, { resume, name: 'Back' })),
    );
    expect(back.map(({ id }) => id)).toEqual(lost.map(({ id }) => id));
    await talk([...back, ...staying], 5, 5);
    await hearAll([...back, ...staying], 9);
    for (const person of staying) expect(new Set(wordsOf(person)).size).toBe(10);
    for (const person of back) expect(wordsOf(person)).toEqual(numbered(10).slice(5));
    other.kill('SIGTERM');
    expect(await other.exited).toMatchObject({ code: 0 });
  });
});
