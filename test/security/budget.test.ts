import { describe, expect, it } from 'vitest';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { bodyType } from '../../src/http/endpoints/dialect.ts';
import { anyPath } from '../contract/plausible.ts';
import { dialects, isOfUsers, nameOf, type Route, watchedTestApp } from '../contract/routes.ts';
import { practiceClient, signedInUser } from '../support/actors.ts';

const { test, routes } = await watchedTestApp();
const person = await signedInUser(test, { type: 'admin' });
const { organizationId } = person;
const program = await practiceClient(test, { organizationId, scopes: [...CLIENT_SCOPES] });

const KIBIBYTE = 1024;
/** Milliseconds of a processor for each 100 KB that began. */
const BUDGET = 30;

const list = (length: number, one: (index: number) => unknown) => Array.from({ length }, (_, index) => one(index));
const fields = (length: number, name: (index: number) => string, one: unknown) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [name(index), one]));

/** Names of the fields of a route's body. */
const names = ({ schema }: Route): string[] => Object.keys(Object(Object(schema.body).shape));

/** Bodies that cost the most for their size, by the size that a route takes. */
function hostileJson(route: Route, most: number): string[] {
  const values = Math.min(9_000, most / 4);
  const each = (value: unknown) => JSON.stringify(Object.fromEntries(names(route).map((name) => [name, value])));
  return [
    JSON.stringify(list(values, () => 1)),
    JSON.stringify(list(values, () => ({}))),
    JSON.stringify({ a: list(values, () => 'a') }),
    JSON.stringify(fields(Math.min(9_000, most / 16), (index) => `name${index}`, 1)),
    JSON.stringify(fields(Math.min(9_000, most / 16), (index) => `dry_run${index}`, '\ufffd')),
    '['.repeat(most - 2),
    each(list(Math.floor(values / Math.max(1, names(route).length)), () => ({ a: 1 }))),
    each(list(Math.floor(values / Math.max(1, names(route).length)), () => 'a')),
    each('\u00a0'.repeat(most / 3 / Math.max(1, names(route).length))),
    `{"a":"${'\\ufffd'.repeat(most / 6 - 10)}"}`,
    `"${'x'.repeat(most - 2)}"`,
  ].filter((body) => Buffer.byteLength(body) <= most);
}

function hostileForms(route: Route, most: number): string[] {
  return [
    list(999, (index) => `name${index}=1`).join('&'),
    ...names(route).flatMap((name) => [
      list(999, (index) => `${name}[${index}]=1`).join('&'),
      list(999, () => `${name}=`).join('&'),
      `${name}=${'%20'.repeat(most / 3 - 30)}`,
      `${name}=${'x'.repeat(most - 60)}`,
    ]),
    '&'.repeat(most),
    `a=${'%FF'.repeat(most / 3 - 1)}`,
  ].filter((body) => body.length <= most);
}

/** Milliseconds of this process's processor for a request: the least of five, since other things run beside. */
async function cost(route: Route, payload: string, query = ''): Promise<number> {
  const method = (['POST', 'PUT', 'DELETE', 'GET'] as const).find((one) => one === route.method);
  if (!method) return 0;
  const token = isOfUsers(route.dialect) ? person.token : program.token;
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5; turn += 1) {
    const before = process.cpuUsage();
    await test.app.inject({
      method,
      url: `${anyPath(route, organizationId)}${query}`,
      headers: {
        'content-type': bodyType(dialects[route.dialect]),
        ...(route.config.protected ? { authorization: `Bearer ${token}` } : {}),
      },
      payload,
    });
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least < BUDGET) break;
  }
  return least;
}

describe('every operation with a body', () => {
  it('spends at most 30 ms of a processor on each 100 KB of what it takes, or refuses', async () => {
    const over: string[] = [];
    let walked = 0;
    for (const route of routes.filter(({ schema, config }) => schema.body && !config.carriesFile)) {
      const most = (route.config.protected ? 1024 : 16) * KIBIBYTE;
      const bodies = dialects[route.dialect].forms ? hostileForms(route, most) : hostileJson(route, most);
      for (const [index, body] of bodies.entries()) {
        const allowed = BUDGET * Math.ceil(body.length / 100_000);
        const spent = await cost(route, body);
        if (spent > allowed) over.push(`${nameOf(route)}, body ${index} of ${body.length} bytes: ${spent} of ${allowed} ms`);
        walked += 1;
      }
    }
    expect(over).toEqual([]);
    expect((await person.get('/client')).status, 'still signed in').toBe(200);
    expect(walked).toBeGreaterThan(500);
  });

  it('spends as little on a query', async () => {
    const over: string[] = [];
    for (const route of routes.filter(({ method, config }) => method === 'GET' && config.protected && !config.sendsStream)) {
      for (const query of [list(999, (index) => `name${index}=1`).join('&'), `limit=${'%20'.repeat(2_000)}`, '&'.repeat(8_000)]) {
        const spent = await cost(route, '', `?${query}`);
        if (spent > BUDGET) over.push(`${nameOf(route)}?${query.slice(0, 20)}: ${spent}`);
      }
    }
    expect(over).toEqual([]);
  });
});
