import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, actorWith, integrationClient, signedInUser } from '../support/actors.ts';
import { closedAfterAll, ownTestApp, type TestApp } from '../support/app.ts';
import { startProxy } from '../support/proxy.ts';

/** Guarantees over all servers of one database. Those of sign-in limits, rooms, streams and jobs are tested beside those. */

const ENV = { RATE_LIMIT: '60', RATE_LIMIT_ANONYMOUS: '30', TRUST_PROXY: '127.0.0.1' };
const LEFT = /^"(?:caller|address)";r=(\d+);t=(\d+)$/;

const first = await ownTestApp(ENV);
const network = await closedAfterAll(startProxy(first.databaseUrl));
const servers: [TestApp, TestApp] = [first, await ownTestApp(ENV, { databaseUrl: network.url })];
beforeAll(async () => {
  // The first request of a kind is slower than those that follow, and not the subject here.
  const clinic = atBoth(await integrationClient(first), '/api');
  await Promise.all(clinic.map((at) => at.get('/appointments/types')));
});

/** The same caller at both. */
function atBoth({ token, organizationId }: Actor, prefix = ''): [Actor, Actor] {
  const at = (server: TestApp) => actorWith(server, token, organizationId, prefix);
  return [at(servers[0]), at(servers[1])];
}

/** So many requests, as a proxy passes them on by turns, ten under way at any moment. */
async function byTurns<T>(times: number, send: (turn: 0 | 1, index: number) => PromiseLike<T>): Promise<T[]> {
  const answers: T[] = [];
  let begun = 0;
  const sender = async () => {
    while (begun < times) {
      const index = begun;
      begun += 1;
      answers.push(await send(index % 2 === 0 ? 0 : 1, index));
    }
  };
  await Promise.all(Array.from({ length: 10 }, sender));
  return answers;
}

const count = (answers: readonly { status: number }[], wanted: number) => answers.filter(({ status }) => status === wanted).length;

describe('two servers on one database', () => {
  it('serve a caller his limit, no more and no less, and tell him that nothing is left', async () => {
    const clinic = atBoth(await integrationClient(servers[0]), '/api');
    const answers = await byTurns(90, (turn) => clinic[turn].get('/appointments/types'));
    expect([count(answers, 200), count(answers, 429)]).toEqual([60, 30]);
    for (const { headers } of answers) {
      expect(headers['ratelimit-policy']).toBe('"caller";q=60;w=60');
      expect(Number(LEFT.exec(headers.ratelimit ?? '')?.[1])).toBeLessThan(60);
    }
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(headers.ratelimit).toBe(`"caller";r=0;t=${headers['retry-after']}`);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });

  it('serve an address without a good token its limit, no more and no less', async () => {
    const answers = await byTurns(50, (turn) => servers[turn].http.get('/nothing').set('x-forwarded-for', '192.0.2.77'));
    expect([count(answers, 404), count(answers, 429)]).toEqual([30, 20]);
  });

  it('keep no address and no caller in what they share of it', async () => {
    await servers[0].http.get('/nothing').set('x-forwarded-for', '192.0.2.78');
    const { rows } = await servers[0].database.pool.query('SELECT * FROM request_count');
    expect(rows.length).toBeGreaterThan(0);
    for (const { key } of rows) expect(key).toMatch(/^[\w-]{43}$/);
  });

  it('do once what is sent to both under one key at once', async () => {
    const clinic = atBoth(await integrationClient(servers[0]), '/api');
    const key = randomUUID();
    const answers = await byTurns(20, (turn) => clinic[turn].post('/appointments').set('idempotency-key', key).send({}));
    expect(count(answers, 200) + count(answers, 409)).toBe(20);
    const done = answers.filter(({ status }) => status === 200);
    expect(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const { organizationId } = clinic[0];
    expect(await servers[0].database.prisma.appointment.count({ where: { organizationId } })).toBe(1);
    expect(await servers[0].database.prisma.event.count({ where: { organizationId } })).toBe(1);
  });

  it('refuse within a second the token, just used at both, of who signs out at one', async () => {
    const person = atBoth(await signedInUser(servers[0]));
    expect(await Promise.all(person.map(async (at) => (await at.get('/client')).status))).toEqual([200, 200]);
    expect((await person[0].post('/logout')).status).toBe(204);
    expect((await person[0].get('/client')).status).toBe(401);
    await expect.poll(async () => (await person[1].get('/client')).status, { timeout: 2_500, interval: 100 }).toBe(401);
  });

  it('go on counting, each by itself, while one cannot reach the database', async () => {
    const from = (server: TestApp) => server.http.get('/nothing').set('x-forwarded-for', '192.0.2.79');
    await network.cut();
    const answers = await byTurns(70, (turn) => from(servers[turn]));
    await network.restore();
    const refused = count(answers, 429);
    expect(count(answers, 404) + refused).toBe(70);
    expect(refused).toBeGreaterThanOrEqual(10);
  });
});
