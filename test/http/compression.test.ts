import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const person = await signedInUser(test);

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The answer as it is on the wire. */
const ask = (path: string, headers: Record<string, string> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    request(`${test.address}${path}`, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }));
    })
      .on('error', reject)
      .end();
  });

const decompress = ({ headers, body }: Raw): string =>
  (headers['content-encoding'] === 'br'
    ? brotliDecompressSync(body)
    : headers['content-encoding'] === 'gzip'
      ? gunzipSync(body)
      : body
  ).toString();

describe('an answer of more than a kilobyte', () => {
  it.each(['/docs/openapi/mobile.json', '/assets/design.css', '/assets/client/visit.ts', '/', '/docs/reference/js/scalar.js'])(
    'is compressed as the reader accepts it: %s',
    async (path) => {
      const plain = await ask(path);
      expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, expect.stringContaining('Accept-Encoding')]);
      for (const [accepted, encoding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, *', 'gzip'],
      ] as const) {
        const answer = await ask(path, { 'accept-encoding': accepted });
        expect(answer.headers['content-encoding'], accepted).toBe(encoding);
        expect(answer.body.byteLength).toBeLessThan(plain.body.byteLength / 1.8);
        if (path !== '/') expect(decompress(answer)).toBe(plain.body.toString());
      }
      expect((await ask(path, { 'accept-encoding': 'identity' })).headers['content-encoding']).toBeUndefined();
    },
  );

  it('is compressed of an API too, and a short one is not', async () => {
    const { organizationId } = person;
    for (const firstName of ['Ada', 'Bo', 'Cy', 'Di']) await createPatient(test.database.prisma, { organizationId, firstName });
    const get = (path: string) => person.get(path).set('accept-encoding', 'br').expect(200);
    expect((await get('/patients')).headers['content-encoding']).toBe('br');
    expect((await get('/notifications')).headers['content-encoding']).toBeUndefined();
  });
});

describe('assets', () => {
  it('are kept for good under the address of their version, and asked for again under any other', async () => {
    const page = decompress(await ask('/sign-in'));
    const [address = ''] = /\/assets\/[\da-f]{12}\/design\.css/.exec(page) ?? [];
    const named = await ask(address);
    expect(named.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const path of ['/assets/design.css', address.replace(/[\da-f]{12}/, '0'.repeat(12))]) {
      const { headers, body } = await ask(path);
      expect([headers['cache-control'], body.toString() === named.body.toString()]).toEqual(['no-cache', true]);
      expect((await ask(path, { 'if-none-match': String(headers.etag) })).status).toBe(304);
    }
    const [icon = ''] = /\/assets\/[\da-f]{12}\/favicon\.svg/.exec(page) ?? [];
    expect((await ask(icon)).headers['content-type']).toBe('image/svg+xml');
    expect(page).toMatch(/<body[^>]*>\s*<a class="skip-link" href="#content">Skip to content<\/a>/);
  });
});
