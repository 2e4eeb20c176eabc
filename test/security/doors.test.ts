import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BASE_POINT } from '../contract/plausible-by-hand.ts';
import { watchedTestApp } from '../contract/routes.ts';
import { signedInUser } from '../support/actors.ts';
import { staffPages } from '../support/staff-pages.ts';

const watched = await watchedTestApp();
const test = watched.test;
const admin = await signedInUser(test, { type: 'admin' });
const pages = staffPages(test);

/** Addresses behind the walls of a network, in the spellings that have fooled others, and what is no https. */
const INSIDE = [
  'http://push.example.com/a',
  'https://127.0.0.1/a',
  'https://127.1/a',
  'https://0/a',
  'https://2130706433/a',
  'https://0x7f000001/a',
  'https://017700000001/a',
  'https://127.0.0.1./a',
  'https://127。0。0。1/a',
  'https://①②⑦.0.0.1/a',
  'https://[::1]/a',
  'https://[::]/a',
  'https://[::127.0.0.1]/a',
  'https://[::ffff:7f00:1]/a',
  'https://[64:ff9b::7f00:1]/a',
  'https://[2002:7f00:1::]/a',
  'https://[fec0::1]/a',
  'https://[fe80::1]/a',
  'https://[fd00::1]/a',
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00:ec2::254]/latest/meta-data',
  'https://100.100.100.200/a',
  'https://metadata.google.internal/a',
  'https://localhost/a',
  'https://LOCALHOST./a',
  'https://a.localhost/a',
  'https://database/a',
  'https://push.example.com@127.0.0.1/a',
  'https://127.0.0.1#push.example.com',
  'https://127.0.0.1\\@push.example.com/a',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
];

describe('every door that takes an address', () => {
  it.each([
    [
      'the endpoint of pushes',
      '/push-subscriptions',
      (endpoint: string) => ({ endpoint, keys: { p256dh: BASE_POINT, auth: 'A'.repeat(22) } }),
    ],
    [
      'the address of an identity provider',
      '/platform/v1/identity-provider',
      (issuer: string) => ({ issuer, client_id: 'triptych', client_secret: 'a secret' }),
    ],
    ['the keys of a client', '/platform/v1/clients', (jwks_uri: string) => ({ name: 'Keys', scopes: ['integration.read'], jwks_uri })],
  ])('refuses what leads inside: %s', async (_, path, body) => {
    const open: string[] = [];
    for (const address of INSIDE) {
      const { status, text } = await (path.endsWith('/identity-provider') ? admin.put : admin.post)(path).send(body(address));
      if (status !== 400 && status !== 422) open.push(`${address}: ${status} ${text}`);
    }
    expect(open).toEqual([]);
  });
});

const ELSEWHERE = [
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/lobby@evil.example',
  '/lobby//evil.example/..',
  '/\t/evil.example',
  '/lobby\r\nlocation: https://evil.example',
  'javascript:alert(1)',
  '/account/../../evil.example',
  '/%2f%2fevil.example',
  '/oauth2/v1/authorize?redirect_uri=https://evil.example\r\nset-cookie: a=b',
];

describe('a way back after sign-in', () => {
  it('leads to pages of this server alone', async () => {
    const { email, password } = await signedInUser(test);
    for (const to of ELSEWHERE) {
      const { headers } = await pages.send('/sign-in', { email, password, to }).expect(303);
      expect(headers.location, to).toBe('/lobby');
      const shown = await pages.http.get(`/sign-in?to=${encodeURIComponent(to)}`).redirects(0);
      expect(shown.text, to).not.toMatch(/(href|action|src|url)="(https?:|\/\/|\/\\|javascript:)/i);
    }
  });
});

/** Sends bytes as they are. @returns the status of each response */
async function exchange(sent: string): Promise<string[]> {
  const socket = connect(Number(new URL(test.address).port), '127.0.0.1', () => socket.write(sent));
  let received = '';
  for await (const chunk of socket) received += String(chunk);
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
}

describe('a request that two servers would read in two ways', () => {
  it.each([
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /user HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an encoding of another name', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['chunks of no number', 'Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n'],
    ['a folded header', 'X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n'],
    ['a blank before the colon', 'Content-Length : 4\r\n\r\nabcd'],
  ])('is refused, and nothing behind it is answered: %s', async (_, rest) => {
    const statuses = await exchange(
      `POST /login HTTP/1.1\r\nHost: ${new URL(test.address).host}\r\nContent-Type: application/json\r\n${rest}`,
    );
    expect(statuses).toEqual(['400']);
  });
});

describe('a guarded path', () => {
  it.each([
    '//user',
    '/./user',
    '/x/../user',
    '/%2e/user',
    '/user;a=b',
    '/user%00',
    '/USER',
    '/user%2f',
    '/user\\',
    '/%75ser',
    '/user/.',
    '//platform/v1/users',
    '/platform/v1/../v1/users',
    '/platform%2fv1%2fusers',
    '/api//patients/1',
    '/v1/1//patients/1',
  ])('in another spelling shows nothing to nobody: %s', async (path) => {
    const [status] = await exchange(`GET ${path} HTTP/1.1\r\nHost: ${new URL(test.address).host}\r\nConnection: close\r\n\r\n`);
    expect(status).toMatch(/^4/);
  });

  it.each(['x-original-url', 'x-rewrite-url', 'x-forwarded-path', 'x-forwarded-uri', 'x-http-method-override', 'x-method-override'])(
    'is opened by no header: %s',
    async (name) => {
      await test.http.get('/user').set(name, '/healthz').expect(401);
      const { body } = await test.http
        .get('/healthz')
        .set(name, name.includes('method') ? 'DELETE' : '/user')
        .expect(200);
      expect(body).not.toHaveProperty('data');
    },
  );
});
