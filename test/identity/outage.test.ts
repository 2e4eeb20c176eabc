import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { afterAll, describe, expect, it } from 'vitest';
import { CACHED_MS } from '../../src/http/auth/authenticate.ts';
import { createTestDatabase, ownTestApp } from '../support/app.ts';
import { askToken, createToken, newClient, newUser, readStatus, refresh, signedIn, signIn, signOut, use } from './support.ts';

/** The way to the database, which can be cut, or let nothing through. */
async function openWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let state: 'open' | 'cut' | 'silent' = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near.on('error', () => {}));
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname).on('error', () => {});
    sockets.add(far);
    near.on('data', (bytes) => state === 'open' && far.write(bytes)).on('close', () => far.destroy());
    far.on('data', (bytes) => state === 'open' && near.write(bytes)).on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${typeof bound === 'object' ? bound?.port : bound}`;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: url.href,
    set(next: typeof state) {
      state = next;
      if (next !== 'silent') drop();
    },
    async close() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}

const way = await openWay(await createTestDatabase());
const test = await ownTestApp({}, { databaseUrl: way.url, connectTimeout: 3_000 });
afterAll(async () => {
  way.set('open');
  await way.close();
});

describe.each(['cut', 'silent'] as const)('while the way to the database is %s', (state) => {
  it('every caller is told to come again, in their own form, and no one is refused', { timeout: 120_000 }, async () => {
    const client = await newClient(test);
    const user = await newUser(test);
    const [known, unseen] = [await createToken(test, client), await createToken(test, client)];
    const pair = await signedIn(test, user);
    expect([await readStatus(test, known), await readStatus(test, pair.access)]).toEqual([200, 200]);

    await sleep(CACHED_MS + 50);
    way.set(state);
    const post = (path: string) => supertest(test.address).post(path).set('authorization', client.basic).type('form');
    const [byKnown, byUnseen, byUser, token, introspected, revoked, signedInAnswer, refreshed, signedOut] = await Promise.all([
      use(test, known),
      use(test, unseen),
      use(test, pair.access),
      askToken(test, { grant_type: 'client_credentials' }, client.basic),
      post('/oauth2/v1/introspect').send({ token: known }),
      post('/oauth2/v1/revoke').send({ token: known }),
      signIn(test, user.email, user.password),
      refresh(test, pair.refresh),
      signOut(test, pair.access),
    ]);
    way.set('open');

    for (const answer of [byKnown, byUnseen, byUser]) {
      expect([answer.status, answer.body.exception]).toEqual([503, 'ServiceUnavailableException']);
      expect(answer.headers['www-authenticate']).toBeUndefined();
    }
    for (const answer of [token, introspected, revoked])
      expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
    for (const answer of [signedInAnswer, refreshed, signedOut]) expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    for (const answer of [byKnown, token, signedInAnswer, refreshed, signedOut])
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);

    // Nothing was lost or counted: everything works again.
    await expect.poll(() => readStatus(test, known), { timeout: 20_000, interval: 100 }).toBe(200);
    expect((await askToken(test, { grant_type: 'client_credentials' }, client.basic)).status).toBe(200);
    expect((await signIn(test, user.email, user.password)).status).toBe(200);
  });
});
