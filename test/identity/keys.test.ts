import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Db } from '../../src/database/database.ts';
import { decryptIn, ENCRYPTED } from '../../src/database/encryption/encrypted-columns.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { ensureSigningKey, rotateSigningKey } from '../../src/domain/identity/signing-keys.ts';
import { ownTestApp, startTestApp, type TestApp } from '../support/app.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { createToken, decoded, newClient, newUser, oneByOne, readStatus, signedIn } from './support.ts';

const test = await ownTestApp();
const second = await ownTestApp({}, { databaseUrl: test.databaseUrl });

const readKeyId = (token: string) => String(decoded(token).header.kid);
const rotate = ({ database, keyring } = test) => database.prisma.$transaction((tx) => rotateSigningKey(tx, keyring));
const readKeys = async ({ http }: TestApp): Promise<{ kid: string }[]> => (await http.get('/.well-known/jwks.json')).body.keys;
const kids = async (server: TestApp) => (await readKeys(server)).map(({ kid }) => kid);
const signingKeys = ({ database }: TestApp) => database.prisma.signingKey.findMany({ where: { retiredAt: null } });

/** A server that knows nothing yet: it reads the keys as they are now. */
async function freshServer<T>(use: (server: TestApp) => Promise<T>, { databaseUrl } = test): Promise<T> {
  const server = await startTestApp({}, { databaseUrl });
  return use(server).finally(() => server.close());
}

const WAITING = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;

/** Does the same in two transactions, of which the first ends when the second has ended or waits for it. */
async function atOnce({ database }: TestApp, act: (tx: Db) => Promise<unknown>): Promise<void> {
  const acted = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const first = database.prisma.$transaction(async (tx) => {
    await act(tx);
    acted.resolve();
    await gate.promise;
  });
  await acted.promise;
  let ended = false;
  const second = database.prisma.$transaction(act).finally(() => {
    ended = true;
  });
  const waits = async () => (await database.pool.query(WAITING)).rowCount !== 0;
  await expect.poll(async () => ended || (await waits()), { timeout: 5_000, interval: 10 }).toBe(true);
  gate.resolve();
  await Promise.all([first, second]);
}

describe('signing keys', () => {
  it('rotate without a token being refused, on any server', async () => {
    const client = await newClient(test);
    const [old, person] = [await createToken(test, client), await signedIn(test, await newUser(test))];
    const next = await rotate();
    const made = await freshServer((server) => createToken(server, client));
    expect(readKeyId(made)).toBe(next);
    expect(readKeyId(old)).not.toBe(next);
    // Servers that read the keys a moment ago find the new one as soon as they meet it.
    for (const server of [test, second]) {
      for (const token of [old, person.access, made]) expect(await readStatus(server, token)).toBe(200);
      expect(readKeyId(await createToken(server, client))).toBe(next);
      expect(await kids(server)).toEqual(expect.arrayContaining([next, readKeyId(old)]));
    }
  });

  it('are taken into use by a running server by itself', async () => {
    const client = await newClient(test);
    await createToken(test, client);
    const next = await rotate();
    await expect.poll(async () => readKeyId(await createToken(test, client)), { timeout: 15_000, interval: 250 }).toBe(next);
  });

  it.runIf(isUpkeep)('verify no more an hour and five minutes after they were retired', async () => {
    const first = await startTestApp();
    const old = await createToken(first, await newClient(first));
    const kid = readKeyId(old);
    await rotate(first);
    const seen = async (minutesAfter: number) => {
      const retiredAt = new Date(Date.now() - minutesAfter * 60_000);
      await first.database.prisma.signingKey.updateMany({ where: { id: kid }, data: { retiredAt } });
      return freshServer(async (server) => [(await kids(server)).includes(kid), await readStatus(server, old)], first);
    };
    expect(await seen(64)).toEqual([true, 200]);
    expect(await seen(66)).toEqual([false, 401]);
    await first.close();
  });

  it('are shown with their public half alone', async () => {
    await createToken(test, await newClient(test));
    for (const key of await readKeys(test)) {
      expect(key).toEqual({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: expect.any(String),
        x: expect.stringMatching(/^[\w-]{43}$/),
      });
    }
  });

  it('are kept with their private half encrypted', async () => {
    await createToken(test, await newClient(test));
    for (const { id, privatePem } of await test.database.prisma.signingKey.findMany()) {
      expect(privatePem).not.toContain('PRIVATE KEY');
      expect(privatePem).not.toContain('BEGIN');
      expect(decryptIn(test.keyring, ENCRYPTED.signingKey, { organizationId: null, row: id }, privatePem)).toContain('BEGIN PRIVATE KEY');
    }
  });

  it('leave one to sign when two rotate at once', async () => {
    await atOnce(test, (tx) => rotateSigningKey(tx, test.keyring));
    expect(await signingKeys(test)).toHaveLength(1);
  });

  it.runIf(isUpkeep)('are made once when two servers start at once on an empty database', async () => {
    const first = await startTestApp();
    await atOnce(first, (tx) => ensureSigningKey(tx, first.keyring));
    expect(await first.database.prisma.signingKey.count()).toBe(1);
    const server = await startTestApp({}, { databaseUrl: first.databaseUrl });
    expect(await kids(server)).toEqual(await kids(first));
    await server.close();
    await first.close();
  });

  it.runIf(isUpkeep)('are replaced where none is left to sign', async () => {
    const client = await newClient(test);
    await test.database.prisma.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt: new Date() } });
    const token = await freshServer((server) => createToken(server, client));
    expect((await signingKeys(test)).map(({ id }) => id)).toEqual([readKeyId(token)]);
    await test.database.prisma.$transaction((tx) => ensureSigningKey(tx, test.keyring));
    expect(await signingKeys(test)).toHaveLength(1);
  });

  it('are not rotated under master keys that are not those of the servers', async () => {
    await createToken(test, await newClient(test));
    const [before] = await signingKeys(test);
    const strange = createKeyring([{ id: 'strange', key: Buffer.alloc(32, 7) }]);
    await expect(test.database.prisma.$transaction((tx) => rotateSigningKey(tx, strange))).rejects.toThrow('MASTER_KEYS');
    expect((await signingKeys(test))[0]?.id).toBe(before?.id);
  });

  it.runIf(isUpkeep)('verify also where their master key is gone', async () => {
    const token = await createToken(test, await newClient(test));
    const MASTER_KEYS = `other:${randomBytes(32).toString('base64')}`;
    const lost = await startTestApp({ MASTER_KEYS }, { databaseUrl: test.databaseUrl });
    expect(await readStatus(lost, token)).toBe(200);
    await lost.close();
  });
});

describe('a forged token', () => {
  afterEach(() => void vi.useRealTimers());
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each(['none', 'HS256', 'RS256', 'EdDSA'])('of algorithm %s is refused, whatever it claims', async (alg) => {
    const good = decoded(await createToken(test, await newClient(test)));
    const unsigned = `${part({ ...good.header, alg })}.${part(good.claims)}`;
    for (const signature of ['', 'AAAA', Buffer.alloc(64).toString('base64url')]) {
      expect(await readStatus(test, `${unsigned}.${signature}`)).toBe(401);
    }
  });

  it('that is signed by a stranger under a known or a new key id is refused', async () => {
    const good = decoded(await createToken(test, await newClient(test)));
    const { privateKey } = generateKeyPairSync('ed25519');
    for (const kid of [good.header.kid, randomUUID(), 'x', undefined, '../../etc/passwd', "' OR 1=1"]) {
      const input = `${part({ alg: 'EdDSA', typ: 'at+jwt', kid })}.${part(good.claims)}`;
      expect(await readStatus(test, `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`)).toBe(401);
    }
  });

  it('whose key is one that everybody has, or that comes with the token or by an address in it, is refused', async () => {
    const { header, claims } = decoded(await createToken(test, await newClient(test)));
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const own = (await test.http.get('/.well-known/jwks.json')).body.keys.find(({ kid }: { kid: string }) => kid === header.kid);
    const publicPem = createPublicKey({ key: own, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const secrets = [publicPem, JSON.stringify(own), String(own.x), Buffer.from(String(own.x), 'base64url')];
    for (const secret of secrets) {
      const input = `${part({ ...header, alg: 'HS256' })}.${part(claims)}`;
      expect(await readStatus(test, `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`)).toBe(401);
    }
    const jwk = publicKey.export({ format: 'jwk' });
    const address = `${test.address}/.well-known/jwks.json`;
    for (const named of [{ jwk }, { jku: address }, { x5u: address }, { jwk, kid: undefined }, { jwk, crit: ['b64'], b64: true }]) {
      const input = `${part({ ...header, ...named })}.${part(claims)}`;
      expect(await readStatus(test, `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`)).toBe(401);
    }
  });

  it('with a claim changed is refused', async () => {
    const token = await createToken(test, await newClient(test, ['integration.read']));
    const { header, claims } = decoded(token);
    const signature = token.split('.')[2];
    for (const change of [{ scope: 'integration.read integration.write' }, { exp: Number(claims.exp) + 1 }, { typ: 'user' }]) {
      expect(await readStatus(test, `${part(header)}.${part({ ...claims, ...change })}.${signature}`)).toBe(401);
    }
  });

  it('of ours is good for its time and as ours only, whatever the clock of the server that signed it', async () => {
    const [key] = await signingKeys(test);
    const { claims } = decoded(await createToken(test, await newClient(test)));
    const pem = decryptIn(test.keyring, ENCRYPTED.signingKey, { organizationId: null, row: key?.id ?? '' }, key?.privatePem ?? '');
    const signed = (change: object, header: object = {}) => {
      const input = `${part({ alg: 'EdDSA', typ: 'at+jwt', kid: key?.id, ...header })}.${part({ ...claims, ...change })}`;
      return `${input}.${sign(null, Buffer.from(input), pem).toString('base64url')}`;
    };
    const now = Math.floor(Date.now() / 1000);
    // Former versions signed under a name of their own; a second server on this machine has another port.
    for (const iss of [claims.iss, 'triptych', 'http://127.0.0.1:1'])
      expect([iss, await readStatus(test, signed({ iss }))]).toEqual([iss, 200]);
    const elsewhere = [{ iss: 'stranger' }, { iss: 'https://127.0.0.1' }, { iss: 'https://evil.example' }, { iss: undefined }];
    const others = [{ aud: undefined }, { aud: 'elsewhere' }, { aud: ['triptych', 'elsewhere'] }, ...elsewhere];
    const never = [{ exp: undefined }, { exp: now + 365 * 86_400 }, { exp: `${now + 60}` }, { exp: now + 3_599.5 }];
    const untimely = [{ exp: now - 1 }, { iat: now + 300, exp: now + 600 }, { iat: undefined }, { nbf: now + 300 }];
    for (const change of [...others, ...never, ...untimely, { typ: 'session' }, { typ: undefined }, { typ: 'user' }])
      expect([change, await readStatus(test, signed(change))]).toEqual([change, 401]);
    for (const header of [{ typ: 'JWT' }, { typ: undefined }, { typ: 'logout+jwt' }, { kid: undefined }, { alg: 'HS256' }])
      expect([header, await readStatus(test, signed({}, header))]).toEqual([header, 401]);
    // Signed by a server with a clock that is ahead.
    expect(await readStatus(test, signed({ iat: now + 60, exp: now + 3_660, jti: randomUUID() }))).toBe(200);
  });

  it('of ours is refused after its end, also where it was known to be good', async () => {
    const token = await createToken(test, await newClient(test));
    expect(await readStatus(test, token)).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Number(decoded(token).claims.exp) * 1000 - 1 });
    const last = await readStatus(test, token);
    vi.setSystemTime(Date.now() + 1);
    const after = await readStatus(test, token);
    expect([last, after]).toEqual([200, 401]);
  });

  it('of strangers makes the server read its keys no more than once a second', async () => {
    const strange = () => `${part({ alg: 'EdDSA', typ: 'JWT', kid: randomUUID() })}.${part({})}.${Buffer.alloc(64).toString('base64url')}`;
    const queries = vi.spyOn(test.database.pool, 'query');
    const begun = performance.now();
    const waves = await oneByOne([1, 2, 3], () => Promise.all(Array.from({ length: 20 }, () => readStatus(test, strange()))));
    const seconds = (performance.now() - begun) / 1000;
    const reads = queries.mock.calls.filter((call) => JSON.stringify(call).includes('signing_key')).length;
    queries.mockRestore();
    expect(new Set(waves.flat())).toEqual(new Set([401]));
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(seconds + 2);
  });
});
