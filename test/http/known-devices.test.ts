import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { findKnownDevice, rememberDevice } from '../../src/http/auth/known-devices.ts';

const [former, present] = ['former', 'present'].map((id) => ({ id, key: randomBytes(32) }));
if (!former || !present) throw new Error('there are two keys');
const email = 'una@example.com';

it('a device stays known while the key is given under which it was remembered, and remembers an account once', async () => {
  const app = Fastify();
  app.decorate('origin', () => 'https://clinic.example.org');
  app.decorate('hasPublicUrl', true);
  const keys = { before: [former], after: [present, former], later: [present] };
  for (const [when, its] of Object.entries(keys)) {
    const keyring = createKeyring(its);
    app.get(`/${when}/known`, async (request) => ({ known: findKnownDevice(keyring, request, email) !== null }));
    app.get(`/${when}/remember`, async (request, reply) => {
      rememberDevice(keyring, request, reply, email);
      return reply.send('remembered');
    });
  }
  const get = async (url: string, cookie = '') => app.inject({ url, headers: { cookie } });
  const known = async (when: string, cookie: string) => (await get(`/${when}/known`, cookie)).json().known;
  const readCookie = async (url: string, cookie = '') => String((await get(url, cookie)).headers['set-cookie']).split(';', 1)[0] ?? '';
  const first = await readCookie('/before/remember');
  const renewed = await readCookie('/after/remember', first);
  expect(await Promise.all(['before', 'after', 'later'].map((when) => known(when, first)))).toEqual([true, true, false]);
  expect(await Promise.all(['after', 'later'].map((when) => known(when, renewed)))).toEqual([true, true]);
  expect(Math.abs(renewed.length - first.length)).toBeLessThan(8);
  await app.close();
});
