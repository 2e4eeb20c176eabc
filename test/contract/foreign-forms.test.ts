import { describe, expect, it } from 'vitest';
import { ownTestApp, sharedTestApp } from '../support/app.ts';
import { listRoutes, writeRoute } from './routes.ts';

const test = await sharedTestApp();
const named = await ownTestApp({ PUBLIC_URL: 'https://clinic.example.com' }, { databaseUrl: test.databaseUrl });

/** What programs alone send, which prove who they are in each request; browsers add nothing to it. */
const OF_PROGRAMS =
  /^\/(oauth(preview|openpreview)?\/token|oauth2\/v1\/(token|introspect|revoke)|mcp$|webhooks\/|sign-in\/sso\/back-channel-logout\/)/;

/** Every route of pages that takes what a page sends, as the server itself lists them. */
const forms = listRoutes(test).filter(
  ({ method, url, schema }) => method === 'POST' && schema.operationId === undefined && !OF_PROGRAMS.test(url),
);

const FOREIGN = [
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'https://www.clinic.example.com' },
  { 'sec-fetch-site': 'cross-site', origin: 'null' },
];

const isRefusedAsForeign = async (server: typeof test, url: string, headers: Record<string, string>) => {
  const path = url.replaceAll(/:\w+/g, '1');
  const { status, text } = await server.http.post(path).set(headers).type('form').send({ a: 'b' }).redirects(0);
  return status === 403 && /not sent from its own page|Only pages of this server|no se envió/.test(text);
};

describe('every form of a page', () => {
  it.each(FOREIGN)('is refused where another site sends it: %j', async (headers) => {
    const open: string[] = [];
    for (const route of forms)
      for (const server of [test, named]) if (!(await isRefusedAsForeign(server, route.url, headers))) open.push(writeRoute(route));
    expect(open).toEqual([]);
    expect(forms.length).toBeGreaterThan(35);
  });

  it('is taken from its own page', async () => {
    const refused: string[] = [];
    for (const { url } of forms) {
      if (await isRefusedAsForeign(test, url, { origin: test.address })) refused.push(url);
      if (await isRefusedAsForeign(named, url, { origin: 'https://clinic.example.com' })) refused.push(`${url} by its name`);
      if (await isRefusedAsForeign(test, url, { 'sec-fetch-site': 'same-origin', origin: test.address })) refused.push(`${url} by site`);
    }
    expect(refused).toEqual([]);
  });
});
