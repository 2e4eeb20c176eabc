import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createClientKeySets } from '../../../src/domain/identity/clients/client-key-sets.ts';

const MINUTE = 60_000;
const KEY = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const toKeySet = (...ids: string[]) => ({ keys: ids.map((kid) => ({ ...KEY, kid })) });

/** A key set that tells what it was asked, on a clock that the test moves. */
function keySets() {
  const web = { set: toKeySet('one'), status: 200, asked: 0 };
  const clock = { now: 0 };
  const failures: unknown[] = [];
  const answer = async () => {
    web.asked += 1;
    return Response.json(web.set, { status: web.status });
  };
  const sets = createClientKeySets(
    answer,
    (error) => failures.push(error),
    () => clock.now,
  );
  const ids = async (kid?: string) => (await sets.find('https://keys.example.com/', kid))?.map((key) => key.kid) ?? null;
  return { web, clock, failures, ids };
}

it('a key set is read once in ten minutes, and once more for an unknown key, but not within a minute', async () => {
  const { web, clock, ids } = keySets();
  expect([await Promise.all([ids('one'), ids('one')]), web.asked]).toEqual([[['one'], ['one']], 1]);
  web.set = toKeySet('two');
  expect([await ids('two'), web.asked]).toEqual([['one'], 1]);
  clock.now += MINUTE;
  expect([await ids('two'), web.asked]).toEqual([['two'], 2]);
  expect([await ids('three'), web.asked]).toEqual([['two'], 2]);
  clock.now += 9 * MINUTE;
  expect([await ids('two'), web.asked]).toEqual([['two'], 2]);
  clock.now += MINUTE;
  expect([await ids('two'), web.asked]).toEqual([['two'], 3]);
});

it('a key set that cannot be read is not asked for again within a minute, and its keys are believed for ten', async () => {
  const { web, clock, failures, ids } = keySets();
  web.status = 500;
  expect([await ids('one'), await ids('one'), web.asked, failures.length]).toEqual([null, null, 1, 1]);
  [clock.now, web.status] = [MINUTE, 200];
  expect(await ids('one')).toEqual(['one']);
  web.status = 302;
  clock.now += 9 * MINUTE;
  expect([await ids('one'), web.asked]).toEqual([['one'], 2]);
  clock.now += MINUTE;
  expect([await ids('one'), web.asked]).toEqual([null, 3]);
});
