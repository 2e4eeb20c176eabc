import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { ownTestApp, sharedTestApp } from '../support/app.ts';
import { sender, written } from '../support/external-messages.ts';

const PUBLIC_URL = 'https://clinic.example.org';
const METRICS_TOKEN = 'a-token-for-prometheus';
const production = await ownTestApp({
  NODE_ENV: 'production',
  PUBLIC_URL,
  TRIPTYCH_MAIL: 'local',
  METRICS_TOKEN,
  TRIPTYCH_DOCS: 'off',
  TRUST_PROXY: '127.0.0.1',
});
const development = await sharedTestApp();

const EVIL = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' };

describe.each([
  ['in production', production, PUBLIC_URL],
  ['in development', development, development.address],
])('a request that names a foreign host %s', (_, test, origin) => {
  it('has no message, link, or address in an answer lead there', async () => {
    const who = await sender(test);
    const asked = [
      await who.post('/external-messages').set(EVIL).send({ message: 'All is well.', sent_to: '9195550123' }).expect(201),
      await who.post('/external-messages').set(EVIL).send({ message: 'All is well.', sent_to: 'ann@example.org' }).expect(201),
      await who.get('/meet-session').set(EVIL).expect(200),
      await who.get('/users?limit=1').set(EVIL).expect(200),
    ];
    const clinic = await integrationClient(test);
    asked.push(await clinic.get('/appointments/types?limit=1').set(EVIL).expect(200));
    for (const { text, headers } of asked) expect(text + JSON.stringify(headers)).not.toContain('evil.example');
    expect(asked.at(-1)?.body.links.first).toMatch(new RegExp(`^${origin}/api/`));
    const sent = await written(test, who);
    expect(sent).toHaveLength(2);
    for (const { words } of sent) expect(words).toContain(`${origin}/m/`);
  });

  it('is told of no document that is switched off, in the metadata of the authorization server either', async () => {
    const { body } = await test.http.get('/.well-known/oauth-authorization-server').set(EVIL).expect(200);
    expect([body.issuer, body.service_documentation]).toEqual([origin, test === production ? undefined : `${origin}/docs`]);
  });

  it('is sent on to no page of that host', async () => {
    const answers = await Promise.all(['/sign-in', '/lobby', '/docs', '/'].map((path) => test.http.get(path).set(EVIL).redirects(0)));
    for (const { text, headers } of answers) expect(text + JSON.stringify(headers)).not.toContain('evil.example');
  });
});

/** Sends bytes as they are. @returns the response */
async function exchange(sent: string): Promise<string> {
  const socket = connect(Number(new URL(development.address).port), '127.0.0.1', () => socket.end(sent));
  let received = '';
  for await (const chunk of socket) received += String(chunk);
  return received;
}

describe('the host of a request', () => {
  it.each([
    [400, 'two', 'GET /api/x HTTP/1.1\r\nHost: a.example\r\nHost: evil.example\r\n', /"exception":"ValidationException"/],
    [400, 'the same twice', 'GET /healthz HTTP/1.1\r\nHost: a.example\r\nhost: a.example\r\n', /"code":"malformed_request"/],
    [400, 'another in the target', 'GET http://evil.example/v1/1/patients HTTP/1.1\r\nHost: a.example\r\n', /"error"/],
    [400, 'another in an unknown target', 'GET http://evil.example/nothing HTTP/1.1\r\nHost: a.example\r\n', /malformed_request/],
    [400, 'none', 'GET /healthz HTTP/1.1\r\n', /^HTTP/],
    [200, 'the same in the target', 'GET http://A.example/healthz HTTP/1.1\r\nHost: a.example\r\n', /alive/],
  ])('is one, else it is refused: %i for %s', async (status, _, head, body) => {
    const received = await exchange(`${head}Connection: close\r\n\r\n`);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(body);
  });
});

describe('a server that browsers reach over https', () => {
  const form = { origin: PUBLIC_URL, host: 'clinic.example.org' };

  it('has cookies that go over https alone', async () => {
    const { email, password } = await signedInUser(production, { type: 'provider' });
    const signedIn = await production.http.post('/sign-in').set(form).type('form').send({ email, password }).redirects(0).expect(303);
    expect(signedIn.headers['set-cookie']?.[0]).toMatch(/^__Host-staff=.*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
    const spoken = await production.http.get(`/m/${'A'.repeat(32)}?lang=es`);
    expect(spoken.headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-lang=es; Path=\/; HttpOnly; SameSite=Lax; Secure$/)]);
  });

  it.each([{ origin: 'https://evil.example' }, { origin: 'http://clinic.example.org' }, { origin: 'https://clinic.example.org:8443' }])(
    'takes no form and no socket of a page at %o, whatever host the request names',
    async (foreign) => {
      const headers = { ...foreign, host: new URL(foreign.origin).host, 'x-forwarded-host': new URL(foreign.origin).host };
      await production.http.post('/sign-in').set(headers).type('form').send({ email: 'a@example.org', password: 'wrong' }).expect(403);
      await production.http.get('/v/signal').set(headers).expect(403);
    },
  );
});

describe('what is for operators and developers in production', () => {
  const metrics = (authorization?: string) => {
    const request = production.http.get('/metrics');
    return authorization === undefined ? request : request.set('authorization', authorization);
  };

  it('are metrics for who has their token, or on a port of their own', async () => {
    for (const wrong of [undefined, 'Bearer', 'Bearer wrong', `Basic ${METRICS_TOKEN}`, `Bearer ${METRICS_TOKEN}x`]) {
      const refused = await metrics(wrong).expect(401);
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="triptych"');
      expect(refused.text).not.toContain('database_connections');
    }
    expect((await metrics(`bearer ${METRICS_TOKEN}`).expect(200)).text).toContain('database_connections');
  });

  it('are no documents where the operator keeps them', async () => {
    for (const path of ['/docs', '/docs/', '/docs/js/scalar.js', '/docs/openapi/mobile.json', '/openapi/mobile.json'])
      await production.http.get(path).expect(404);
    expect((await production.http.get('/').expect(200)).text).not.toContain('/docs');
  });
});
