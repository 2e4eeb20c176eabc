import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { APP_SCOPES, type AppScope, REQUESTS_SCOPE, SCOPES, type Scope } from '../../src/domain/identity/clients/client-scopes.ts';
import { createApp } from '../../src/domain/identity/clients/clients.ts';
import { createAppAreas } from '../../src/http/endpoints/app-areas.ts';
import { bodyType } from '../../src/http/endpoints/dialect.ts';
import { clientToken } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser, subscribeToChanges } from '../support/factories.ts';
import { good, openForge, userClaims } from './forge.ts';
import { anyPath } from './plausible.ts';
import { dialects, isOfUsers, listRoutes, type Route, writeRoute } from './routes.ts';

/** What a person does on the pages of this server, and no app for them. */
const OF_THE_PERSON = [
  'PUT /user/password',
  'GET /user/sessions',
  'DELETE /user/sessions',
  'DELETE /user/sessions/:id',
  'GET /user/second-factors',
  'POST /user/second-factors/recovery-codes',
  'DELETE /user/second-factors/:uuid',
  'POST /user/second-factors/passkeys/options',
  'POST /user/second-factors/passkeys',
  'POST /user/second-factors/authenticator-app/options',
  'POST /user/second-factors/authenticator-app',
  'POST /user/step-up/options',
  'POST /user/step-up',
  'DELETE /platform/v1/users/:uuid/sessions',
  'POST /platform/v1/users/:uuid/reset-second-factors',
  'GET /platform/v1/break-glass',
  'POST /platform/v1/break-glass',
  'DELETE /platform/v1/break-glass/:uuid',
  'GET /platform/v1/patients/possible-duplicates',
  'POST /platform/v1/patients/:uuid/merge',
  'DELETE /platform/v1/patients/:uuid/merge',
  'GET /platform/v1/exports',
  'POST /platform/v1/imports',
  'PATCH /platform/v1/imports/:id',
  'GET /platform/v1/imports',
  'GET /platform/v1/imports/:id',
  'GET /platform/v1/imports/:id/report',
  'GET /platform/v1/patients/:uuid/restrictions',
  'POST /platform/v1/patients/:uuid/restrictions',
  'DELETE /platform/v1/patients/:uuid/restrictions/:restriction',
];

const test = await sharedTestApp();
// Signing out ends the token that all others are asked with.
const routes = listRoutes(test).filter(({ config, method, url }) => config.protected && method !== 'HEAD' && url !== '/logout');
const { prisma } = test.database;
const organizationId = (await createOrganization(prisma)).id;
const admin = await createUser(prisma, { organizationId, type: 'admin' });

/** The scope of apps that is to open an operation; null for none. */
function openingScope(route: Route): AppScope | null {
  if (!isOfUsers(route.dialect) || OF_THE_PERSON.includes(writeRoute(route))) return null;
  if (route.dialect === 'mobile') return 'mobile';
  return route.method === 'GET' ? 'platform.read' : 'platform.manage';
}

const isOpenTo = (route: Route, scope: Scope): boolean =>
  APP_SCOPES.some((one) => one === scope)
    ? openingScope(route) === scope
    : route.config.scope === scope || route.config.scope === REQUESTS_SCOPE;

/** Scopes that a client has beside one that opens an API. */
const OPEN_NO_API = /^(ssn|restricted|webhooks)/;

/** A token with one scope: of an administrator through an app, with a fresh proof, or of a client in its own name. */
async function tokenWith(scope: Scope): Promise<string> {
  if (APP_SCOPES.every((one) => one !== scope)) {
    const scopes = OPEN_NO_API.test(scope) ? [scope, 'events.read'] : [scope];
    const { token, clientId } = await clientToken(test, scopes, [organizationId]);
    await subscribeToChanges(prisma, { organizationId, clientId });
    return token;
  }
  const { clientId } = await createApp(prisma, {
    name: scope,
    organizationIds: [organizationId],
    redirectUris: ['https://app.example/'],
    scopes: [scope],
  });
  const claims = await userClaims(test, organizationId, admin.user.id);
  await prisma.session.updateMany({ where: { organizationId, id: String(claims.sid) }, data: { clientId, scopes: [scope] } });
  return good(await openForge(test), { ...claims, jti: randomUUID(), client_id: clientId, scope });
}

/** Whether an operation lets a token in. A stream is asked for its head, since it has no end. */
async function letsIn(route: Route, token: string): Promise<boolean> {
  const method = route.config.sendsStream
    ? 'HEAD'
    : (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).find((one) => one === route.method);
  if (!method) throw new Error(`no such method: ${route.method}`);
  const type = route.schema.consumes?.[0] ?? bodyType(dialects[route.dialect]);
  const hasBody = method === 'POST' || method === 'PUT';
  const { statusCode, body } = await test.app.inject({
    method,
    url: anyPath(route, organizationId),
    headers: { authorization: `Bearer ${token}`, ...(hasBody ? { 'content-type': type } : {}) },
    ...(hasBody && type === 'application/json' ? { payload: '{}' } : {}),
  });
  if (statusCode === 401) throw new Error(`${writeRoute(route)}: ${body}`);
  return statusCode !== 403;
}

it.each(SCOPES)('the scope %s opens its own operations and no other, of all that there are', async (scope) => {
  const token = await tokenWith(scope);
  const wrong: string[] = [];
  for (const route of routes) {
    const may = isOpenTo(route, scope) || (OPEN_NO_API.test(scope) && isOpenTo(route, 'events.read'));
    if ((await letsIn(route, token)) !== may) wrong.push(`${writeRoute(route)} is ${may ? 'closed' : 'open'}`);
  }
  expect(wrong).toEqual([]);
});

it('what a person does alone is on the list above, and there is nothing else on it', () => {
  const closed = routes.filter(({ dialect, config }) => isOfUsers(dialect) && config.appScope === null);
  expect(closed.map(writeRoute).sort()).toEqual([...OF_THE_PERSON].sort());
});

it('the guide says of each scope which areas it opens', () => {
  const areas = createAppAreas();
  for (const { config, schema } of routes) for (const tag of schema.tags ?? []) areas.note(config.appScope ?? null, tag);
  const guide = readFileSync(new URL('../../docs/administration.md', import.meta.url), 'utf8');
  for (const scope of APP_SCOPES) expect(guide).toContain(`\n| \`${scope}\` | ${areas.listAreas(scope).join(', ')} |`);
});
