import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/database/keyring.ts';
import { redisOptions } from '../../src/gateways/redis-connection.ts';
import { createSignalQueue } from '../../src/gateways/signal-queue.ts';
import { createSignalServer } from '../../src/gateways/signal-server.ts';
import { connect, join, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';

/** Nothing listens on this port. */
const AWAY = 'redis://127.0.0.1:1';
const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]);
const logger = { warn: () => {}, info: () => {} };
const signal = { organizationId: 1, address: 'participant:2', payload: { type: 'changed' } };

describe('the address of a signal server', () => {
  it.each([
    ['redis://signals.example.org', { host: 'signals.example.org', port: 6379, db: 0 }],
    ['valkey://signals.example.org:7000/3', { host: 'signals.example.org', port: 7000, db: 3 }],
    [
      'rediss://ada:p%40ss%2Fword@signals.example.org/1',
      {
        host: 'signals.example.org',
        port: 6379,
        db: 1,
        username: 'ada',
        password: 'p@ss/word',
        tls: { servername: 'signals.example.org' },
      },
    ],
    ['valkeys://:word@[::1]:7000', { host: '::1', port: 7000, db: 0, password: 'word', tls: { servername: '::1' } }],
  ])('%s', (address, options) => {
    expect(redisOptions(address)).toEqual(options);
  });
});

describe('a signal server that is away', () => {
  it('is noticed, holds up nobody for five seconds, and ends with the process', async () => {
    const server = createSignalServer(AWAY, keyring, logger);
    const sent = server.send(signal);
    const reader = server.listen({ onSignals: () => {}, onGap: () => {} });
    const from = performance.now();
    await expect(reader.ready()).rejects.toThrow('cannot be reached');
    expect(performance.now() - from).toBeLessThan(5_000);
    expect([server.isUp(), server.isIdle()]).toEqual([false, false]);
    const ended = expect(sent).rejects.toThrow('the process stops');
    await reader.close();
    await server.close();
    await ended;
  });

  it('leaves a server that answers everything but who comes into a room', async () => {
    const test = await ownTestApp({ SIGNAL_URL: AWAY });
    const host = await signedInUser(test, { type: 'provider' });
    const answer = await join(test, (await openMeeting(host)).host);
    const from = performance.now();
    const browser = await connect(test, answer.token);
    expect((await browser.closed).code).toBe(1011);
    expect(performance.now() - from).toBeLessThan(5_000);
    const ready = await test.http.get('/readyz');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready', jobs: 'running', signals: 'unreachable' }]);
  });
});

it('signals that wait are given up one after the other where there are too many', async () => {
  const queue = createSignalQueue();
  const entry = { id: '1', organizationId: 1, address: 'participant:2', sealed: 'x'.repeat(16 * 1024 * 1024) };
  const waiting = [queue.push(entry), queue.push(entry), queue.push({ ...entry, sealed: 'x' })];
  await expect(queue.push(entry)).rejects.toThrow('too many');
  queue.sent(1);
  await waiting[0];
  expect(queue.first(5)).toHaveLength(2);
  const given = expect(Promise.all(waiting)).rejects.toThrow('the process stops');
  queue.dropAll();
  await given;
  await Promise.allSettled(waiting);
  expect(queue.isEmpty()).toBe(true);
});
