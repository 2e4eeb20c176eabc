import { describe, expect, it } from 'vitest';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { setClientActive } from '../../src/domain/identity/clients/clients.ts';
import { bodyType } from '../../src/http/endpoints/dialect.ts';
import { clientToken, signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { createOrganization, subscribeToChanges } from '../support/factories.ts';
import { type Answered, call } from './calls.ts';
import { type Claims, clientClaims, FORGERIES, good, openForge, userClaims } from './forge.ts';
import { anyPath } from './plausible.ts';
import { dialects, isOfUsers, listRoutes, type Route, signature, writeRoute } from './routes.ts';

const ROLES = ['admin', 'provider', 'staff'] as const;
const INVALID = 'Bearer realm="triptych", error="invalid_token"';

const test = await sharedTestApp();
/** A second server on the same database, for what has to hold on every process. */
const other = await secondTestApp();
/** Every operation that needs a token. */
const routes = listRoutes(test).filter(({ config }) => config.protected);
const organizationId = (await createOrganization(test.database.prisma)).id;
const client = await clientToken(test, [...CLIENT_SCOPES], [organizationId]);
await subscribeToChanges(test.database.prisma, { organizationId, clientId: client.clientId });
const { user } = await signedInUser(test, { organizationId, type: 'admin', user: { privacyOfficer: true } });
const person = await userClaims(test, organizationId, user.id);
const forge = await openForge(test);
const app = () => clientClaims(client.clientId, CLIENT_SCOPES);
/** Claims that each API accepts. */
const accepted: Record<Route['dialect'], () => Claims> = { integration: app, practice: app, mobile: () => person, platform: () => person };

interface Refusal {
  status: number;
  /** WWW-Authenticate, where it is the same for every operation. */
  challenge?: string | null;
}

/** Sends each operation a request with an authorization header, and lists those without the expected refusal. */
async function walk(some: Route[], refusal: Refusal, authorizationFor: (route: Route) => string | undefined): Promise<string[]> {
  const wrong: string[] = [];
  const shapes = new Map<string, string>();
  for (const route of some) {
    const answer = await send(route, authorizationFor(route));
    const fault = findFault(route, answer, refusal);
    if (fault) wrong.push(`${writeRoute(route)}: ${fault}`);
    if (route.method === 'HEAD') continue;
    // The body is the same for all operations of an API, except for the operation's name and its needs.
    const shape = ownWords(answer.text, route);
    if ((shapes.get(route.dialect) ?? shape) !== shape) wrong.push(`${writeRoute(route)}: says it in other words: ${answer.text}`);
    shapes.set(route.dialect, shape);
  }
  return wrong;
}

/**
 * Sends a request to an operation without a socket: this file sends some thousand, and each would cost three times as much
 * over HTTP. All hooks and handlers run.
 */
async function send(route: Route, authorization: string | undefined, further: Record<string, string> = {}): Promise<Answered> {
  const method = (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).find((known) => known === route.method);
  if (!method) throw new Error(`no such method: ${route.method}`);
  const type = route.schema.consumes?.[0] ?? bodyType(dialects[route.dialect]);
  const isJson = type === 'application/json';
  const answer = await test.app.inject({
    method,
    url: anyPath(route, organizationId),
    headers: {
      'x-request-id': 'contract',
      ...further,
      ...(authorization === undefined ? {} : { authorization }),
      ...(method === 'POST' || method === 'PUT' ? { 'content-type': type } : {}),
    },
    ...(isJson && (method === 'POST' || method === 'PUT') ? { payload: '{}' } : {}),
  });
  const headers = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
  return { status: answer.statusCode, headers, text: answer.body, body: answer.body === '' ? null : answer.json() };
}

function findFault(route: Route, answer: Answered, { status, challenge }: Refusal): string | null {
  const { errorShape, errorContentType } = dialects[route.dialect];
  if (answer.status !== status) return `answers ${answer.status} ${answer.text}`;
  if (challenge !== undefined && answer.headers.get('www-authenticate') !== challenge)
    return `challenges with ${answer.headers.get('www-authenticate')}`;
  if (answer.headers.get('x-request-id') !== 'contract') return 'does not name its request';
  if (route.method === 'HEAD') return null;
  if (answer.headers.get('content-type') !== `${errorContentType}; charset=utf-8`) return `is ${answer.headers.get('content-type')}`;
  return errorShape.safeParse(answer.body).success ? null : `has another shape: ${answer.text}`;
}

function ownWords(text: string, { method, url, config }: Route): string {
  // Names in routes have two underscores for a hyphen.
  const template = url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, name: string) => `{${name.replaceAll('__', '-')}}`);
  return text
    .replace(`${method} ${template}`, '(operation)')
    .replace(`"${encodeURI(template)}"`, '(path)')
    .replaceAll(config.scope ?? '(none)', '(scope)');
}

const bearer = (token: string) => () => `Bearer ${token}`;
const invalid = { status: 401, challenge: INVALID };

/** Makes tokens that are refused everywhere, some of them on another process, of claims that would be good. */
async function invalidTokens(): Promise<((claims: Claims) => string)[]> {
  const client = await clientToken(other, [...CLIENT_SCOPES], [organizationId]);
  await other.http
    .post('/oauth2/v1/revoke')
    .type('form')
    .auth(client.clientId, client.clientSecret)
    .send({ token: client.token })
    .expect(200);
  const switchedOff = await clientToken(test, [...CLIENT_SCOPES], [organizationId]);
  await setClientActive(test.database.prisma, switchedOff.clientId, false);
  const signedOut = await signedInUser(other, { organizationId, type: 'admin' });
  await signedOut.post('/logout').expect(204);
  const { user: shutOut, token: shutOutToken } = await signedInUser(test, { organizationId, type: 'admin' });
  await test.database.prisma.user.update({
    where: { organizationId_id: { organizationId, id: shutOut.id } },
    data: { active: false },
  });
  const { refreshToken } = await signedInUser(test, { organizationId });
  const fixed = [
    'garbage',
    'eyJhbGciOiJFZERTQSJ9.e30.AAAA',
    '..',
    refreshToken,
    client.token,
    switchedOff.token,
    signedOut.token,
    shutOutToken,
  ];
  return [...fixed.map((token) => () => token), ...Object.values(FORGERIES).map((forged) => (claims: Claims) => forged(forge, claims))];
}

describe('every protected operation', () => {
  it('is walked: none of the three APIs is left out once it has one', () => {
    const built = new Set(routes.map(({ method, url }) => signature(method, url)));
    expect(built).toContain('GET /api/appointments/{}');
    expect(built).toContain('POST /logout');
    expect(built.size).toBeGreaterThan(9);
  });

  it('lets in who has a good token, so that what follows fails for its one reason', async () => {
    const refused: string[] = [];
    for (const route of routes.filter(({ url }) => url !== '/logout')) {
      const { status, text } = await call(
        test,
        route,
        { path: anyPath(route, organizationId), body: undefined },
        `Bearer ${good(forge, accepted[route.dialect]())}`,
      );
      if ([401, 403].includes(status) || status >= 500) refused.push(`${writeRoute(route)}: ${status} ${text}`);
    }
    expect(refused).toEqual([]);
  });

  it('refuses nobody, and whoever sends something else than a token, with 401 and asks for a token', async () => {
    const refusal = { status: 401, challenge: 'Bearer realm="triptych"' };
    expect(await walk(routes, refusal, () => undefined)).toEqual([]);
    const others = [`Basic ${Buffer.from('someone:secret').toString('base64')}`, 'Bearer ', 'Bearer abc, Bearer def'];
    expect(await walk(routes, refusal, (route) => others[routes.indexOf(route) % others.length])).toEqual([]);
  });

  it('refuses each of the invalid tokens with 401: of an operation, two; of a token, operations of each API', async () => {
    const tokens = await invalidTokens();
    const met = new Set<string>();
    for (const turn of [0, 1]) {
      const forgedFor = (route: Route) => {
        const index = (routes.indexOf(route) + turn * Math.ceil(tokens.length / 2)) % tokens.length;
        met.add(`${route.dialect} ${index}`);
        return `Bearer ${tokens[index]?.(accepted[route.dialect]())}`;
      };
      expect(await walk(routes, invalid, forgedFor)).toEqual([]);
    }
    expect(met.size).toBe(Object.keys(dialects).length * tokens.length);
  });

  it('refuses a token of the wrong kind with 403', async () => {
    const client = await clientToken(test, [...CLIENT_SCOPES], [organizationId]);
    const person = await signedInUser(test, { organizationId, type: 'admin' });
    // An operation of people's APIs with a scope takes the token of a client that has it.
    const among = (one: Route['dialect']) => routes.filter(({ dialect, config }) => dialect === one && !(isOfUsers(one) && config.scope));
    expect(await walk(among('mobile'), { status: 403 }, bearer(client.token))).toEqual([]);
    expect(await walk(among('platform'), { status: 403 }, bearer(client.token))).toEqual([]);
    expect(await walk(among('practice'), { status: 403 }, bearer(person.token))).toEqual([]);
  });

  it.each(CLIENT_SCOPES)('that needs the scope %s refuses a client without it with 403 and names it', async (scope) => {
    const { token } = await clientToken(
      test,
      CLIENT_SCOPES.filter((other) => other !== scope),
      [organizationId],
    );
    const needing = routes.filter(({ config }) => config.scope === scope);
    const challenge = `Bearer realm="triptych", error="insufficient_scope", scope="${scope}"`;
    expect(await walk(needing, { status: 403, challenge }, bearer(token))).toEqual([]);
  });

  it.each([
    ['integration', ['practice.read', 'practice.write', 'ssn.read']],
    ['practice', ['integration.read', 'integration.write']],
  ])('of the %s API refuses the token of another API with 403', async (api, scopes) => {
    const { token } = await clientToken(test, scopes, [organizationId]);
    expect(
      await walk(
        routes.filter(({ dialect }) => dialect === api),
        { status: 403 },
        bearer(token),
      ),
    ).toEqual([]);
  });

  it('that exports a table or changes what the practice is guarded by asks for a fresh proof', async () => {
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    await test.database.prisma.session.updateMany({
      where: { organizationId, userId: admin.user.id },
      data: { verifiedAt: new Date(Date.now() - 3_600_000) },
    });
    // None opens anything: one verifies the audit, one ends an emergency access, one moves visits, and three deliver what an endpoint may have
    // anyway.
    const harmless = [
      ...['POST /platform/v1/audit/verify', 'DELETE /platform/v1/break-glass/:uuid', 'POST /platform/v1/deliveries/:id/retry'],
      ...[
        'POST /platform/v1/webhook-endpoints/:id/test',
        'POST /platform/v1/webhook-endpoints/:id/replay',
        'POST /platform/v1/appointments/reassign',
      ],
    ];
    const isTable = ({ schema }: Route) => schema.produces?.includes('text/csv') ?? false;
    const changes = ({ method, dialect }: Route) => dialect === 'platform' && method !== 'GET' && method !== 'HEAD';
    const guarded = routes.filter((route) => isOfUsers(route.dialect) && (isTable(route) || changes(route) || route.config.stepUp));
    const open: string[] = [];
    for (const route of guarded.filter((one) => one.method !== 'HEAD' && !harmless.includes(writeRoute(one)))) {
      const { status, text } = await send(route, `Bearer ${admin.token}`, { accept: isTable(route) ? 'text/csv' : '*/*' });
      if (status !== 401 || !text.includes('"step_up_required"')) open.push(`${writeRoute(route)}: ${status} ${text}`);
    }
    expect(open).toEqual([]);
    expect(guarded.filter(isTable).length).toBeGreaterThan(1);
  });

  it.each(ROLES)('that is not for the role %s refuses it with 403', async (type) => {
    const { token } = await signedInUser(test, { organizationId, type });
    const closed = routes.filter(({ config, dialect }) => dialect !== 'practice' && config.roles && !config.roles.includes(type));
    // The refusal names the roles, so operations of the same roles answer in the same words.
    for (const group of Map.groupBy(closed, ({ config }) => config.roles?.join()).values())
      expect(await walk(group, { status: 403 }, bearer(token))).toEqual([]);
  });
});
