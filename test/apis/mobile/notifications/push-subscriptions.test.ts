import dns from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWebPush } from '../../../../src/gateways/push/web-push.ts';
import { signedInUser } from '../../../support/actors.ts';
import { closedAfterAll, sharedTestApp } from '../../../support/app.ts';
import { createDevice, startPushService } from './push-service.ts';

const service = await closedAfterAll(startPushService());
const test = await sharedTestApp();
const nurse = await signedInUser(test);
afterEach(() => vi.restoreAllMocks());

const endpoint = 'https://push.example.com/a';
const gateway = (more: object = {}) =>
  createWebPush({ ...test.config, ...more }, test.database, { ...test.services.gateways, keyring: test.keyring });

describe('a push subscription', () => {
  const { keys } = createDevice(endpoint).subscription;
  it.each([
    ['no address', { endpoint: 'push' }, '/endpoint'],
    ['a password in its address', { endpoint: 'https://me:secret@push.example.com/a' }, '/endpoint'],
    ['a file for an address', { endpoint: 'file:///etc/passwd' }, '/endpoint'],
    ['no point of the curve for a key', { keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } }, '/keys/p256dh'],
    ['a short secret', { keys: { ...keys, auth: 'AAAA' } }, '/keys/auth'],
    ['no keys', { keys: undefined }, '/keys'],
  ])('with %s is refused', async (_, data, pointer) => {
    const answer = await nurse.post('/push-subscriptions').send({ endpoint, keys, ...data });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  it.each([
    'http://push.example.com/a',
    'https://127.0.0.1/a',
    'https://0x7f.1/a',
    'https://[::1]/a',
    'https://[::ffff:10.0.0.1]/a',
    'https://[::127.0.0.1]/a',
    'https://[fec0::1]/a',
    'https://127。0。0。1/a',
    'https://10.1.2.3/a',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.0.1:8443/a',
    'https://[fd00::1]/a',
    'https://localhost/a',
    'https://localhost./a',
    'https://queue.internal/a',
    'https://database/a',
  ])('at %s is refused: pushes go into the internet alone', async (address) => {
    const answer = await nurse.post('/push-subscriptions').send(createDevice(address).subscription);
    expect([answer.status, answer.body.errors]).toEqual([400, [expect.objectContaining({ code: 'endpoint_not_allowed' })]]);
  });

  it.each([
    'https://fcm.googleapis.com/fcm/send/a',
    'https://updates.push.services.mozilla.com/wpush/v2/a',
    'https://web.push.apple.com/a',
  ])('at %s is kept, and shows nothing of it', async (address) => {
    const answer = await nurse.post('/push-subscriptions').send(createDevice(address).subscription).expect(201);
    expect(answer.body.data).toEqual({ uuid: expect.any(Number), created_at: expect.any(String) });
  });
});

describe('a push', () => {
  const send = () => {
    const { subscription } = createDevice(`https://push.example.com:${new URL(service.address).port}/a`);
    return gateway().send({ to: subscription, topic: 'a', payload: '{}' });
  };

  it.each(['127.0.0.1', '10.0.0.7', '::1', '169.254.169.254'])('goes to no machine behind a name that leads to %s', async (address) => {
    const connected = vi.spyOn(dns, 'lookup').mockImplementation(
      // @ts-expect-error one of the many ways to call it, which is how a connection does
      (_name, _options, done) => done(null, [{ address, family: address.includes(':') ? 6 : 4 }]),
    );
    await expect(send()).rejects.toThrow('private address');
    expect(connected).toHaveBeenCalledOnce();
    expect(service.arrived).toEqual([]);
  });

  it('is signed with the keys that the server is given, or else with one pair that it keeps', async () => {
    const VAPID_KEYS = `${'B'.repeat(87)}:${'A'.repeat(43)}`;
    expect(await gateway({ VAPID_KEYS }).publicKey()).toBe('B'.repeat(87));
    const kept = await Promise.all([1, 2, 3].map(() => gateway().publicKey()));
    expect(new Set(kept).size).toBe(1);
    expect((await nurse.get('/push-key').expect(200)).body.data).toEqual({ public_key: kept[0] });
  });
});
