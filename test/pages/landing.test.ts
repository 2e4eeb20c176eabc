import { describe, expect, it } from 'vitest';
import { closedAfterAll, createTestDatabase, ownTestApp, startTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';

const test = await ownTestApp();
const production = await closedAfterAll(
  startTestApp(
    { NODE_ENV: 'production', PUBLIC_URL: 'https://clinic.example', TRIPTYCH_MAIL: 'local', TRIPTYCH_DOCS: 'off' },
    { databaseUrl: test.databaseUrl, testPracticeIds: [1] },
  ),
);

const listLinks = (text: string) => [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) => href);

describe('the front page', () => {
  it('says what this is and that all works, and leads staff, patients and developers on; search engines may list it', async () => {
    const { text, headers } = await test.http.get('/').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('All systems are working.');
    expect(text).not.toContain('noindex');
    expect(headers).not.toHaveProperty('x-robots-tag');
    const groups = ['You work at a practice', 'You are a patient', 'You are a developer'].map((title) => text.indexOf(title));
    expect(groups).toEqual([...groups].sort((one, other) => one - other));
    expect(groups).not.toContain(-1);
    const links = listLinks(text);
    expect(links).toEqual(
      expect.arrayContaining(['/docs', '/design', '/lobby', '/monitoring', '/administration', '/.well-known/oauth-authorization-server']),
    );
    for (const link of links) expect([link, (await test.http.get(link)).status]).toEqual([link, expect.toBeOneOf([200, 301, 302, 303])]);
  });

  it('names in production nothing that is switched off', async () => {
    const links = listLinks((await production.http.get('/').expect(200)).text);
    expect(links.filter((link) => /^\/(?:docs|sandbox|design)/.test(link))).toEqual([]);
    for (const link of links)
      expect([link, (await production.http.get(link)).status]).toEqual([link, expect.toBeOneOf([200, 301, 302, 303])]);
  });

  it('has nothing of any practice or patient', async () => {
    const { id: organizationId } = await createOrganization(test.database.prisma, { name: 'Zwobodnik Family Clinic' });
    await createPatient(test.database.prisma, { organizationId, lastName: 'Quimbelina' });
    for (const server of [test, production]) expect((await server.http.get('/').expect(200)).text).not.toMatch(/Zwobodnik|Quimbelina/);
  });

  it.each([
    ['a database that takes no changes', 'ALTER DATABASE', /accepts no changes at the moment/],
    ['migrations that are missing', 'UPDATE', /must be migrated/],
  ])('is 503 and says why with %s', async (_what, kind, sentence) => {
    const url = await createTestDatabase();
    const name = new URL(url).pathname.slice(1);
    const statement =
      kind === 'UPDATE'
        ? 'UPDATE _prisma_migrations SET finished_at = NULL'
        : `ALTER DATABASE ${name} SET default_transaction_read_only = on`;
    await runAsOwner(url, statement);
    const troubled = await startTestApp({ MIGRATE_ON_START: 'false' }, { databaseUrl: url });
    const { text } = await troubled.http.get('/').expect(503);
    await troubled.close();
    expect(text).toMatch(sentence);
    expect(text).not.toContain('All systems are working.');
  });
});
