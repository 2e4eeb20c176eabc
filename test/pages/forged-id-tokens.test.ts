import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { setIdentityProvider } from '../../src/domain/identity/single-sign-on/identity-providers.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';

const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const practice = await createOrganization(test.database.prisma);
const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
const SECONDS = () => Math.floor(Date.now() / 1000);

/** What the provider answers at its token endpoint, and the key set that it shows. */
let idToken = '';
const shown: object[] = [{ ...(await exportJWK(own.publicKey)), alg: 'RS256', use: 'sig', kid: 'own' }];

/** A provider that signs whatever a test wants. */
async function startProvider() {
  const server = createServer((request, response) => {
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/jwks': { keys: shown },
      '/token': { access_token: 'opaque', token_type: 'Bearer', id_token: idToken },
    };
    const answer = answers[request.url ?? ''];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  const issuer = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`;
  return { issuer, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
const { issuer } = await closedAfterAll(startProvider());
await test.services.unitOfWork.write(operator(practice.id, 'test'), (tx) =>
  setIdentityProvider(
    tx,
    {
      issuer,
      clientId: 'triptych',
      clientSecret: 'a secret',
      roles: { clinicians: 'provider' },
      justInTime: true,
      emailDomains: ['forged.example'],
    },
    { keyring: test.keyring, accepts: test.services.gateways.guarded.accepts },
  ),
);

type Forgery = (nonce: string) => Promise<string>;
const createClaims = (nonce: string): JWTPayload => ({
  iss: issuer,
  aud: 'triptych',
  sub: 'maria',
  nonce,
  iat: SECONDS(),
  exp: SECONDS() + 300,
  email: 'maria@forged.example',
  email_verified: true,
  given_name: 'Maria',
  family_name: 'Chen',
  groups: ['clinicians'],
});
const signed =
  (
    changes: JWTPayload = {},
    { privateKey, kid }: { privateKey: typeof own.privateKey; kid: string } = { privateKey: own.privateKey, kid: 'own' },
  ): Forgery =>
  (nonce) =>
    new SignJWT({ ...createClaims(nonce), ...changes }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs in with the ID token that a test makes of the nonce of the request. */
async function signIn(forge: Forgery, to = '/lobby') {
  const begun = await test.http
    .get(`/sign-in/sso?${new URLSearchParams({ practice: String(practice.id), to })}`)
    .redirects(0)
    .expect(303);
  const asked = new URL(String(begun.headers.location)).searchParams;
  idToken = await forge(asked.get('nonce') ?? '');
  const cookie = [begun.headers['set-cookie'] ?? []].flat().map((line: string) => line.split(';')[0]);
  const back = `/sign-in/sso/callback/${practice.id}?${new URLSearchParams({ code: 'x', state: asked.get('state') ?? '', iss: issuer })}`;
  const answer = await test.http.get(back).set('cookie', cookie.join('; ')).redirects(0);
  const isSignedIn = [answer.headers['set-cookie'] ?? []].flat().some((line: string) => /^(__Host-)?staff=[^;]/.test(line));
  return { status: answer.status, isSignedIn, onward: /content="0;url=([^"]+)"/.exec(answer.text)?.[1] };
}

describe('an ID token', () => {
  it('of the provider for this sign-in opens a session', async () => {
    expect(await signIn(signed())).toEqual({ status: 200, isSignedIn: true, onward: '/lobby' });
  });

  it.each(['https://evil.example', '//evil.example', '/\\\\evil.example', 'javascript:alert(1)'])(
    'leads to no other server: %s',
    async (to) => {
      expect(await signIn(signed(), to)).toEqual({ status: 200, isSignedIn: true, onward: '/lobby' });
    },
  );

  it.each<[string, Forgery]>([
    ['of a foreign key', signed({}, { privateKey: foreign.privateKey, kid: 'own' })],
    ['of an unknown key', signed({}, { privateKey: foreign.privateKey, kid: 'other' })],
    ['of alg none', async (nonce) => `${encoded({ alg: 'none' })}.${encoded(createClaims(nonce))}.`],
    ['of another sign-in', signed({ nonce: 'another' })],
    ['without a nonce', signed({ nonce: undefined })],
    ['for another client', signed({ aud: 'somebody' })],
    ['of another issuer', signed({ iss: 'https://evil.example' })],
    ['issued to another client', signed({ azp: 'somebody' })],
    ['for several clients, without the one that it was issued to', signed({ aud: ['triptych', 'somebody'] })],
    ['of tomorrow', signed({ iat: SECONDS() + 86_400, exp: SECONDS() + 90_000 })],
    ['that has expired', signed({ iat: SECONDS() - 7_200, exp: SECONDS() - 3_600 })],
  ])('%s opens none', async (_, forge) => {
    const { status, isSignedIn } = await signIn(forge);
    expect(isSignedIn).toBe(false);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('for several clients, issued to this one, opens a session', async () => {
    expect((await signIn(signed({ aud: ['triptych', 'somebody'], azp: 'triptych' }))).isSignedIn).toBe(true);
  });

  it('of a key that the provider has just taken opens one, and one of a key that it has given up none', async () => {
    const next = await generateKeyPair('RS256');
    expect((await signIn(signed())).isSignedIn).toBe(true);
    shown.splice(0, shown.length, { ...(await exportJWK(next.publicKey)), alg: 'RS256', use: 'sig', kid: 'next' });
    // The key set is not read twice within ten seconds.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await signIn(signed({}, { privateKey: next.privateKey, kid: 'next' }))).toMatchObject({ status: 200, isSignedIn: true });
    expect((await signIn(signed())).isSignedIn).toBe(false);
  });
});

describe('a logout token', () => {
  it('is taken once: sent again it ends no session that was opened meanwhile, and the audit has it', async () => {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const token = await new SignJWT({ iss: issuer, aud: 'triptych', sub: 'maria', jti: 'one', iat: SECONDS(), events })
      .setProtectedHeader({ alg: 'RS256', kid: 'logout' })
      .sign(own.privateKey);
    shown.push({ ...(await exportJWK(own.publicKey)), alg: 'RS256', use: 'sig', kid: 'logout' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 });
    onTestFinished(() => void vi.useRealTimers());
    const send = () => test.http.post(`/sign-in/sso/back-channel-logout/${practice.id}`).type('form').send({ logout_token: token });
    const open = () => test.database.prisma.session.count({ where: { organizationId: practice.id, revokedAt: null } });
    await send().expect(200);
    expect(await open()).toBe(0);
    await signIn(signed({}, { privateKey: own.privateKey, kid: 'logout' }));
    await send().expect(400);
    expect(await open()).toBe(1);
    const audited = { organizationId: practice.id, detail: 'a logout token was sent twice' };
    expect(await test.database.prisma.auditEntry.count({ where: audited })).toBe(1);
  });
});
