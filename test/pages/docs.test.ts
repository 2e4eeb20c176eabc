import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readErrorTable } from '../../src/http/errors/error-table.ts';
import { GUIDES } from '../../src/pages/docs/guides.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();
const page = async (path: string) => (await test.http.get(path).expect(200).expect('content-type', 'text/html; charset=utf-8')).text;
const markdown = async (path: string) =>
  (await test.http.get(path).expect(200).expect('content-type', 'text/markdown; charset=utf-8')).text;
/** The addresses of this server in a page or a text. */
const linksIn = (text: string) =>
  [...text.matchAll(/(?:href="|\]\(|^- .*?\()([^")\s]*)/gm)].map(([, target = '']) => target.replace(test.address, ''));

describe('the guides', () => {
  it.each(GUIDES.map(({ slug }) => slug))('are pages without a script and without a dead link, and Markdown: %s', async (slug) => {
    const text = await page(`/docs/${slug}`);
    expect(text).not.toMatch(/<script|\.md#|href="(?!\/docs\/)[^"]*\.md"/);
    expect(text).toContain('<meta name="robots" content="noindex">');
    for (const link of linksIn(text).filter((one) => one.startsWith('/docs') && !one.includes('…')))
      await test.http.get(link.split('#')[0] ?? '').expect(200);
    expect(await markdown(`/docs/${slug}.md`)).toMatch(/^# /);
  });

  it('name this server by its own address', async () => {
    expect(await markdown('/docs/authentication.md')).toContain(`URL=${test.address}`);
    expect(await page('/docs/webhooks')).not.toContain('127.0.0.1:3000');
  });

  it('draw tables, code and lists, and escape what they hold', async () => {
    const text = await page('/docs/errors');
    expect(text).toMatch(/<td><code>double_booked<\/code><\/td>/);
    expect(await page('/docs/webhooks')).toMatch(/Math\.abs\(Date\.now\(\) \/ 1000 - timestamp\) &#60; 300/);
    expect(await page('/docs/sync')).toMatch(/<ul><li>Store <code>next<\/code>/);
  });
});

describe('the page of a code', () => {
  it('says what it means, its causes and what to do, for every code', async () => {
    for (const code of [...readErrorTable().keys()].filter((_, index) => index % 25 === 0)) {
      const text = await page(`/docs/errors/${code}`);
      expect(text).toMatch(/Causes[\s\S]*What to do/);
      expect(await markdown(`/docs/errors/${code}.md`)).toContain(`# \`${code}\``);
    }
  });

  it('is where a problem leads', async () => {
    const { type, code } = z.object({ type: z.string(), code: z.string() }).parse((await test.http.get('/user').expect(401)).body);
    expect(type).toBe(`/docs/errors/${code}`);
    expect(await page(type)).toContain('The token is missing, invalid, expired or revoked.');
  });

  it('is missing for what is no code', async () => {
    for (const path of [
      '/docs/errors/nothing',
      '/docs/nothing',
      '/docs/nothing.md',
      '/docs/operations/mobile/nothing',
      '/docs/operations/no/login',
    ])
      await test.http.get(path).expect(404);
  });
});

describe('the list of operations', () => {
  it('is at /docs without a script, may be listed by search engines, and leads to each operation', async () => {
    const response = await test.http.get('/docs').expect(200);
    expect(response.headers['x-robots-tag']).toBeUndefined();
    expect(response.text).not.toMatch(/<script|noindex/);
    const operations = linksIn(response.text).filter((one) => one.startsWith('/docs/operations/'));
    expect(operations.length).toBeGreaterThan(250);
    for (const one of operations.filter((_, index) => index % 40 === 0)) expect(await page(one)).toMatch(/<h1[^>]*>[A-Z]/);
  });

  it('has one search over guides, operations and errors of all documents', async () => {
    const search = async (words: string) => {
      const response = await test.http.get('/docs').query({ search: words }).expect(200);
      expect(response.text).toContain('noindex');
      return linksIn(response.text);
    };
    expect(await search('APPOINTMENTS cancel')).toEqual(
      expect.arrayContaining(['/docs/operations/practice/cancelAppointment', '/docs/operations/mobile/cancelAppointment']),
    );
    expect(await search('double_booked')).toContain('/docs/errors/double_booked');
    expect(await search('idempotency-key')).toContain('/docs/retries');
    expect((await test.http.get('/docs?search=%3Cb%3Ezyx').expect(200)).text).toMatch(
      /Search: &#60;b&#62;zyx.*Nothing contains all of these words/s,
    );
  });

  it('has each operation with its fields, its example, and its errors with what to do', async () => {
    const text = await markdown('/docs/operations/integration/updateAppointment.md');
    for (const part of [
      '`PUT /api/appointments/{uuid}`',
      '| `appointment_date` |',
      '## Response 200',
      '| 409 | [`double_booked`](/docs/errors/double_booked) |',
    ])
      expect(text).toContain(part);
    expect(await page('/docs/operations/integration/createToken')).toContain('client_credentials');
  });

  it('is told to machines, which find each page as Markdown', async () => {
    const { text } = await test.http.get('/llms.txt').expect(200).expect('content-type', 'text/plain; charset=utf-8');
    const links = linksIn(text);
    expect(links.filter((one) => one.endsWith('.md')).length).toBeGreaterThan(250);
    for (const one of links.filter((_, index) => index % 50 === 0)) await test.http.get(one).expect(200);
  });
});

it('tells crawlers and finders of weaknesses where to go', async () => {
  const robots = await test.http.get('/robots.txt').expect(200);
  expect(robots.text).toContain('Disallow: /\n');
  const { text } = await test.http.get('/.well-known/security.txt').expect(200);
  const [, contact = ''] = /^Contact: (\S+)$/m.exec(text) ?? [];
  const [, expires = ''] = /^Expires: (\S+)$/m.exec(text) ?? [];
  expect(await page(contact.replace(test.address, ''))).toContain('Report a vulnerability');
  expect(new Date(expires).getTime()).toBeGreaterThan(Date.now());
});
