import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKeyring } from '../../src/database/keyring.ts';
import { jobCaller } from '../../src/domain/caller.ts';
import { COMMAND_NOTICES } from '../../src/domain/telehealth/room-notices.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { STREAM_KEY } from '../../src/gateways/redis-connection.ts';
import { createSignalServer, type ReceivedSignal } from '../../src/gateways/signal-server.ts';
import { checkSignalServer } from '../../src/gateways/signal-server-check.ts';
import { meet, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { startProxy } from '../support/proxy.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { eventually } from '../support/server-process.ts';
import { checkTrusting } from '../support/trusting.ts';

const redis = await startRedisServer();
afterAll(() => redis.stop());
const network = await startProxy(redis.url);
afterAll(() => network.close());
afterEach(() => vi.restoreAllMocks());

const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]);
const logger = { warn: () => {}, info: () => {} };
const to = (address: string, word: string) => ({ organizationId: 1, address, payload: { word } });
const candidate = { candidate: { candidate: 'candidate:842163049 1 udp 203.0.113.7', sdpMid: '0' } };

/** A process that reads the stream. */
async function listen(url: string) {
  const server = createSignalServer(url, keyring, logger);
  const heard: ReceivedSignal[] = [];
  const gaps = vi.fn();
  const reader = server.listen({ onSignals: (signals) => void heard.push(...signals), onGap: gaps });
  await reader.ready();
  const close = async () => {
    await reader.close();
    await server.close();
  };
  /** Servers of earlier tests, which go on, may add theirs again. */
  const wordsTo = (address: string) => heard.filter((one) => one.address === address).map(({ open }) => open());
  return { server, heard, wordsTo, gaps, close };
}

describe('what the signal server holds', () => {
  it('is one key of encrypted payloads and ids, and gone within two minutes', async () => {
    const test = await ownTestApp({ SIGNAL_URL: redis.url });
    const host = await signedInUser(test, { type: 'provider' });
    const { leader, visitor } = await meet(test, await openMeeting(host), 'Guinevere');
    // Another process has an entry there from before the minute.
    await redis.client.del(STREAM_KEY);
    await redis.client.xadd(STREAM_KEY, `${Date.now() - 61_000}-0`, 'i', 'old', 'o', '1', 'a', 'participant:1', 'p', 'sealed');
    visitor.send({ type: 'signal', to: leader.answer.you.id, data: candidate });
    await leader.next('signal');
    leader.send({ type: 'chat', text: 'The chest hurts since noon.' });
    await visitor.next('chat');
    expect(await redis.client.keys('*')).toEqual([STREAM_KEY]);
    const held = JSON.stringify(await redis.client.xrange(STREAM_KEY, '-', '+'));
    expect(held).toContain(`participant:${leader.answer.you.id}`);
    for (const word of ['203.0.113.7', 'candidate', 'Guinevere', 'chest', 'changed', '"old"']) expect(held).not.toContain(word);
    const left = await redis.client.pttl(STREAM_KEY);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('opens for nobody where it was changed, led elsewhere, or sealed under another key', async () => {
    const { server, heard, close } = await listen(redis.url);
    await server.send(to('participant:1', 'secret'));
    await eventually('it is heard', async () => heard.length === 1);
    const [[, fields] = ['', []]] = await redis.client.xrevrange(STREAM_KEY, '+', '-', 'COUNT', 1);
    const sealed = fields.at(-1) ?? '';
    for (const [id, organization, address, payload] of [
      ['x', '1', 'participant:1', sealed],
      [heard[0]?.id ?? '', '1', 'participant:2', sealed],
      [heard[0]?.id ?? '', '2', 'participant:1', sealed],
      [heard[0]?.id ?? '', '1', 'participant:1', `${sealed.slice(0, -2)}AA`],
    ])
      await redis.client.xadd(STREAM_KEY, '*', 'i', id ?? '', 'o', organization ?? '', 'a', address ?? '', 'p', payload ?? '');
    await redis.client.xadd(STREAM_KEY, '*', 'nothing', 'that is known');
    await eventually('they are read', async () => heard.length === 5);
    expect(heard[0]?.open()).toEqual({ word: 'secret' });
    for (const forged of heard.slice(1)) expect(() => forged.open()).toThrow('does not open');
    await close();
  });
});

describe('a reader', () => {
  it('reads on after a lost connection, and says so where it was away for more than a minute', async () => {
    const { server, heard, gaps, close } = await listen(network.url);
    const other = createSignalServer(redis.url, keyring, logger);
    await other.send(to('participant:1', 'one'));
    await network.cut();
    await other.send(to('participant:1', 'two'));
    await network.restore();
    await eventually('both are heard', async () => heard.length === 2);
    expect(gaps).not.toHaveBeenCalled();
    await network.cut();
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    await network.restore();
    await eventually('the gap is noticed', async () => gaps.mock.calls.length === 1);
    vi.restoreAllMocks();
    await other.send(to('participant:1', 'three'));
    await eventually('it goes on', async () => heard.length === 3);
    // Its other connection comes back on its own.
    await eventually('it is up again', async () => server.isUp());
    await Promise.all([close(), other.close()]);
  });

  it('hears what the server took just before it was killed, however long it was away', async () => {
    const { wordsTo, gaps, close } = await listen(network.url);
    const other = createSignalServer(redis.url, keyring, logger);
    const words = () => wordsTo('participant:9');
    await network.cut();
    await other.send(to('participant:9', 'one'));
    await redis.kill();
    await sleep(6_000);
    await redis.start();
    await network.restore();
    await other.send(to('participant:9', 'two'));
    await eventually('both are heard', async () => words().length === 2);
    expect(words()).toEqual([{ word: 'one' }, { word: 'two' }]);
    expect(gaps).not.toHaveBeenCalled();
    await Promise.all([close(), other.close()]);
  });

  it('is not held up by a network that carries nothing', async () => {
    const { server, wordsTo, close } = await listen(network.url);
    const other = createSignalServer(redis.url, keyring, logger);
    network.swallow();
    await eventually('it is noticed', async () => !server.isUp(), 10_000);
    await other.send(to('participant:8', 'meanwhile'));
    await network.restore();
    await eventually('it is read', async () => wordsTo('participant:8').length > 0, 15_000);
    expect(wordsTo('participant:8')).toEqual([{ word: 'meanwhile' }]);
    await Promise.all([close(), other.close()]);
  });
});

describe('a notice that its process did not send', () => {
  it('is sent by another within seconds, also where a command stored it', async () => {
    const test = await ownTestApp({ SIGNAL_URL: redis.url });
    const host = await signedInUser(test, { type: 'provider' });
    const { visitor } = await meet(test, await openMeeting(host));
    const { organizationId } = host;
    const notice = { organizationId, address: `participant:${visitor.answer.you.id}`, payload: { type: 'late', minutes: 10 } };
    const command = createUnitOfWork(test.database, undefined, {}, undefined, COMMAND_NOTICES.store);
    await command.write(jobCaller(organizationId, 'test'), async (_db, { journal }) => void journal.notices.push(notice));
    expect(await visitor.next('late')).toMatchObject({ minutes: 10 });
    await eventually('its row is gone', async () => (await test.database.prisma.sessionSignal.count({ where: { organizationId } })) === 0);
    await sleep(1_500);
    expect(visitor.heard.filter(({ type }) => type === 'late')).toHaveLength(1);
  });
});

describe('a signal server', () => {
  const USER = [
    ...[
      'on',
      '>word',
      `~${STREAM_KEY}`,
      'resetchannels',
      '-@all',
      '+multi',
      '+exec',
      '+xadd',
      '+xtrim',
      '+xread',
      '+xrevrange',
      '+xlen',
      '+xdel',
    ],
    ...['+pexpire', '+time', '+ping', '+client|setname', '+info', '+select'],
  ];

  it('needs no more rights than docs/scaling.md gives its user', async () => {
    await redis.client.call('ACL', 'SETUSER', 'triptych', ...USER);
    const url = Object.assign(new URL(redis.url), { username: 'triptych', password: 'word' }).href;
    expect(await checkSignalServer(url)).toBe('noeviction');
    const { server, wordsTo, close } = await listen(url);
    await server.send(to('participant:1', 'one'));
    await eventually('it is heard', async () => wordsTo('participant:1').length === 1);
    await close();
  });

  it('is refused with its own words where the password is wrong, and named by none', async () => {
    const url = Object.assign(new URL(redis.url), { password: 'a-wrong-word' }).href;
    const refusal = checkSignalServer(url).catch((error: unknown) => String(error));
    expect(await refusal).toMatch(/WRONGPASS|NOAUTH/);
    expect(await refusal).not.toContain('a-wrong-word');
  });

  it('that is full takes nothing, and goes on when there is room', async () => {
    const { server, wordsTo, close } = await listen(redis.url);
    await redis.client.config('SET', 'maxmemory', '1');
    const sent = server.send(to('participant:1', 'one'));
    await eventually('it is noticed', async () => !server.isUp());
    await redis.client.config('SET', 'maxmemory', '0');
    await sent;
    await eventually('it is heard', async () => wordsTo('participant:1').length === 1 && server.isUp());
    await close();
  });

  it('is reached over TLS, where its certificate is one of an authority that is trusted', async () => {
    const secured = await startRedisServer({ tls: true });
    onTestFinished(secured.stop);
    await expect(checkSignalServer(secured.url)).rejects.toThrow(/self.signed certificate/);
    expect(await checkTrusting(secured.certificate, secured.url)).toContain('takes signals and gives them back');
  });
});
