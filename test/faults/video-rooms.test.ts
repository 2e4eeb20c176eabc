import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { type Browser, connect, toPath } from '../realtime/room.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';
import { databaseUrl, killServers, startServer } from '../support/server-process.ts';

/** Rooms of two at once; 100 is the proof, a small number shows that it works. */
const ROOMS = Number(process.env.ROOMS ?? 100);
/** ICE candidates that each browser sends. */
const CANDIDATES = 15;
const CALL_EVERY_MS = 50;
const PING_EVERY_MS = 10_000;
/** Time within which all rooms are opened. */
const SPREAD_MS = 10_000;
/** Time that the rooms then stay open, with heartbeats. */
const STEADY_MS = 20_000;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'triptych-rooms-'));
});
afterAll(async () => {
  await killServers();
  await removeFolder(dataDir);
});

const quantile = (values: number[], share: number): number => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
const inWords = (values: number[]) => `p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;

/** Seconds of processor time that a process has had. */
async function processorSeconds(pid: number): Promise<number> {
  const words = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(words[11]) + Number(words[12])) / 100;
}

it(`holds ${ROOMS} rooms of two on one process, and answers other calls meanwhile`, { timeout: 300_000 }, async () => {
  const server = startServer(dataDir, { RATE_LIMIT: '1000000', RATE_LIMIT_ANONYMOUS: '1000000' });
  const address = await server.ready;
  const database = openDatabase({ url: await databaseUrl(dataDir), poolSize: 2 });
  const { id: organizationId } = await createOrganization(database.prisma);
  const { email, password } = await createUser(database.prisma, { organizationId, type: 'provider' });
  for (let n = 0; n < 20; n += 1) await createPatient(database.prisma, { organizationId });
  const http = supertest.agent(address);
  const token = (await http.post('/login').send({ email, password }).expect(200)).body.data.access_token;
  const get = (path: string) => http.get(path).set('authorization', `Bearer ${token}`);

  const sent = new Map<string, number>();
  const relayed: number[] = [];
  async function enter(path: string, name?: string) {
    const answer = (await http.post(`${path}/join`).send({ name }).expect(200)).body;
    const browser = await connect({ address }, answer.token);
    await browser.next('entered');
    const beat = setInterval(() => browser.send({ type: 'ping' }), PING_EVERY_MS);
    void browser.closed.then(() => clearInterval(beat));
    return { ...browser, id: Number(answer.you.id) };
  }
  async function openRoom() {
    const { host_link, guest_link } = (await get('/meet-session').expect(200)).body.data;
    const leader = await enter(toPath(host_link));
    const visitor = await enter(toPath(guest_link), 'Gus');
    leader.send({ type: 'admit', guest: `participant:${visitor.id}` });
    await visitor.next('admitted');
    return [leader, visitor] as const;
  }
  type Peer = Browser & { id: number };
  /** Offer or answer, then candidates as they are found; each is timed from one browser to the other. */
  async function talk(from: Peer, to: Peer, type: 'offer' | 'answer') {
    const sdp = 'a=candidate and codec\r\n'.repeat(200);
    const say = (data: object, key: string) => {
      sent.set(key, performance.now());
      from.send({ type: 'signal', to: to.id, data });
    };
    const hear = async (key: string) => {
      await to.next('signal', ({ data, from: sender }) => sender === from.id && JSON.stringify(data).includes(key));
      relayed.push(performance.now() - (sent.get(key) ?? 0));
    };
    say({ description: { type, sdp: `${sdp}${from.id}-sdp` } }, `${from.id}-sdp`);
    const heard = [hear(`${from.id}-sdp`)];
    for (let n = 0; n < CANDIDATES; n += 1) {
      await sleep(Math.random() * 100);
      say({ candidate: { candidate: `${from.id}-${n}-ice`, sdpMid: '0' } }, `${from.id}-${n}-ice`);
      heard.push(hear(`${from.id}-${n}-ice`));
    }
    await Promise.all(heard);
  }

  const calls: number[] = [];
  let calling = true;
  const caller = (async () => {
    while (calling) {
      const from = performance.now();
      await get('/patients?limit=20').expect(200);
      calls.push(performance.now() - from);
      await sleep(CALL_EVERY_MS);
    }
  })();
  const opened = performance.now();
  const rooms: (readonly [Peer, Peer])[] = [];
  while (rooms.length < ROOMS) rooms.push(...(await Promise.all(Array.from({ length: Math.min(5, ROOMS - rooms.length) }, openRoom))));
  const openingMs = performance.now() - opened;

  const before = { cpu: await processorSeconds(server.pid), at: performance.now() };
  await Promise.all(
    rooms.map(async ([one, two]) => {
      await sleep(Math.random() * SPREAD_MS);
      await Promise.all([talk(two, one, 'offer'), talk(one, two, 'answer')]);
    }),
  );
  const talking = { cpu: (await processorSeconds(server.pid)) - before.cpu, ms: performance.now() - before.at };

  const steadyFrom = { cpu: await processorSeconds(server.pid), at: performance.now() };
  await sleep(STEADY_MS);
  const steady = { cpu: (await processorSeconds(server.pid)) - steadyFrom.cpu, ms: performance.now() - steadyFrom.at };
  calling = false;
  await caller;

  expect(rooms.flat().flatMap(({ heard }) => heard.filter(({ type }) => type === 'problem' || type === 'closing'))).toEqual([]);
  expect(relayed).toHaveLength(ROOMS * 2 * (CANDIDATES + 1));
  const here = await database.prisma.sessionParticipant.count({ where: { organizationId, joinedAt: { not: null }, leftAt: null } });
  expect(here).toBe(ROOMS * 2);
  const share = ({ cpu, ms }: { cpu: number; ms: number }) => `${Math.round((cpu / ms) * 100_000)} %`;
  console.log(
    [
      `  ${ROOMS} rooms of two, opened in ${(openingMs / 1000).toFixed(1)} s`,
      `  ${relayed.length} signals within ${(talking.ms / 1000).toFixed(1)} s: ${inWords(relayed)}; ${share(talking)} of one core`,
      `  standing with heartbeats: ${share(steady)} of one core`,
      `  other calls meanwhile, ${calls.length}: ${inWords(calls)}`,
    ].join('\n'),
  );
  for (const browser of rooms.flat()) browser.close();
  await database.close();
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
});
