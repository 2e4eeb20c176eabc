import supertest from 'supertest';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { rotateClientSecret } from '../../src/domain/identity/clients/client-secrets.ts';
import { hashToken } from '../../src/domain/identity/secrets.ts';
import { ownTestApp } from '../support/app.ts';
import { newestCode, sender, sendLocked, written } from '../support/external-messages.ts';
import { createToken, newClient, newUser, refresh, signedIn, signIn, signOut, toPair, use } from './support.ts';

const test = await ownTestApp();
const client = await newClient(test);
const clientId = client.clientId;
/** Everything that must not be found anywhere, by what it is. */
let secrets: Record<string, string>;

/** The whole story of signing in, with keys that make answers be kept, on a database of its own. */
beforeAll(async () => {
  const clientToken = await createToken(test, client);
  await use(test, clientToken);
  const keyed = (path: string) => supertest(test.address).post(path).set('idempotency-key', 'the-key');
  const revoked = await createToken(test, client);
  await keyed('/oauth2/v1/revoke').set('authorization', client.basic).type('form').send({ token: revoked });
  const newSecret = await rotateClientSecret(test.database.prisma, client.clientId);
  const user = await newUser(test);
  const first = toPair(await keyed('/login').send({ email: user.email, password: user.password }));
  const second = toPair(await keyed('/refresh').send({ token: first.refresh }));
  const third = toPair(await refresh(test, second.refresh));
  await signIn(test, user.email, 'a wrong guess');
  const device = await signedIn(test, user);
  await signOut(test, device.access).set('idempotency-key', 'the-key');
  const pairs = { first, second, third, device };
  const mailed = await mailedSecrets(user.email);
  secrets = {
    password: user.password,
    ...mailed,
    'wrong password': 'a wrong guess',
    'client secret': client.clientSecret,
    'rotated client secret': newSecret,
    'client token': clientToken,
    'revoked token': revoked,
    ...Object.fromEntries(Object.entries(pairs).flatMap(([name, { access }]) => [[`${name} access token`, access]])),
    ...Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [`${name} refresh token`, pair.refresh.replace(/^\d+\./, '')])),
  };
});

/** The secrets that are told by mail and text: of an invitation, a new password and a message behind a code. */
async function mailedSecrets(email: string): Promise<Record<string, string>> {
  const who = await sender(test, { type: 'admin' });
  const person = { user_type: 'provider', firstname: 'Nia', lastname: 'New', sign_in_email: `invited-${email}` };
  await who.post('/platform/v1/users').send(person).expect(201);
  await who.post('/forgot-password').send({ email: who.email }).expect(200);
  const { path } = await sendLocked(test, who);
  await test.http.post(`${path}/code`).type('form').send({}).expect(303);
  const readNoticeWords = async () => (await written(test, who)).map(({ words }) => words).join('\n');
  await vi.waitFor(async () => expect(await readNoticeWords()).toMatch(/\/reset-password\//), { timeout: 10_000 });
  const words = await readNoticeWords();
  const code = await newestCode(test, who);
  expect(code).toMatch(/^\d{6}$/);
  return {
    'invitation link': /\/invitation\/([\w-]{32})/.exec(words)?.[1] ?? 'no link',
    'link of a new password': /\/reset-password\/([\w-]{32})/.exec(words)?.[1] ?? 'no link',
    'link of a message': path.split('/').at(-1) ?? 'no link',
    'one-time code': code,
  };
}

/** The rows of all tables as text; what is bytes, in hexadecimal. */
async function everythingStored(): Promise<string> {
  const { pool } = test.database;
  const tables = await pool.query<{ name: string }>(
    // Partitions are read through their table.
    `SELECT format('%I.%I', relnamespace::regnamespace, relname) AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  const texts = await Promise.all(
    tables.rows.map(({ name }) => pool.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`)),
  );
  return texts.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n');
}

const spellings = (secret: string) => [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64url')];

/** Whether a text has a secret in some spelling. Six digits also occur in instants and within longer numbers. */
const tells = (text: string, secret: string): boolean =>
  /^\d{6}$/.test(secret)
    ? new RegExp(`(?<![\\d.])${secret}(?!\\d)`).test(text)
    : spellings(secret).some((spelling) => text.includes(spelling));

describe('what is secret', () => {
  it('is stored nowhere but as a hash', async () => {
    const stored = await everythingStored();
    const found = Object.entries(secrets).filter(([, secret]) => tells(stored, secret));
    expect(found.map(([name]) => name)).toEqual([]);
  });

  it('would be found by that search if it were there', async () => {
    const stored = await everythingStored();
    expect(Object.values(secrets)).not.toContain('no link');
    expect(stored).toContain(clientId);
    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    const { hash } = await test.database.prisma.refreshToken.findFirstOrThrow();
    expect(stored).toContain(Buffer.from(hash).toString('hex'));
    expect(hashToken('x')).toHaveLength(32);
  });

  it('is in no line of the log, however much is logged', () => {
    const logged = test.logs.join('\n');
    expect(logged).toContain('POST /login');
    const found = Object.entries(secrets).filter(([, secret]) => tells(logged, secret));
    expect(found.map(([name]) => name)).toEqual([]);
  });
});
