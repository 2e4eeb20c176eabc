import { randomUUID } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { CARRIER_WEBHOOK } from '../../src/gateways/carrier/create-carrier.ts';
import { LOCAL_SIGNATURE } from '../../src/gateways/carrier/local-carrier.ts';
import { bodyType } from '../../src/http/endpoints/dialect.ts';
import { LARGEST_BODY } from '../../src/http/requests/bodies.ts';
import { sendWebhook } from '../callbacks/signing.ts';
import { anyPath } from '../contract/plausible.ts';
import { dialects, isOfUsers, type Route, watchedTestApp, writeRoute } from '../contract/routes.ts';
import { practiceClient, signedInUser } from '../support/actors.ts';
import { createRecipient, sentCheckIn, surveyingPractice } from '../support/check-ins.ts';
import { sendLink } from '../support/external-messages.ts';
import { createAppointmentType, createOffice, createProvider } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';
import { waitlistPractice } from '../support/waitlist.ts';

const { test, routes } = await watchedTestApp();
const person = await signedInUser(test, { type: 'admin' });
const { organizationId } = person;
const asking = await surveyingPractice(test);
const program = await practiceClient(test, { organizationId, scopes: [...CLIENT_SCOPES] });

const FORM = 'application/x-www-form-urlencoded';
/** Milliseconds of a processor for each 100 KB that began. */
const BUDGET = 30;

const list = <T>(length: number, one: (index: number) => T): T[] => Array.from({ length }, (_, index) => one(index));
const fields = (length: number, name: (index: number) => string, one: unknown) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [name(index), one]));

/** Names of the fields of a route's body. */
const names = ({ schema }: Route): string[] => Object.keys(Object(Object(schema.body).shape));

/** Bodies that cost the most for their size, by the names of their fields and the size that a route takes. */
function hostileJson(names: readonly string[], most: number): string[] {
  const values = Math.min(9_000, most / 4);
  const each = (value: unknown) => JSON.stringify(Object.fromEntries(names.map((name) => [name, value])));
  return [
    JSON.stringify(list(values, () => 1)),
    JSON.stringify(list(values, () => ({}))),
    JSON.stringify({ a: list(values, () => 'a') }),
    JSON.stringify(fields(Math.min(9_000, most / 16), (index) => `name${index}`, 1)),
    JSON.stringify(fields(Math.min(9_000, most / 16), (index) => `dry_run${index}`, '\ufffd')),
    '['.repeat(most - 2),
    each(list(Math.floor(values / Math.max(1, names.length)), () => ({ a: 1 }))),
    each(list(Math.floor(values / Math.max(1, names.length)), () => 'a')),
    each('\u00a0'.repeat(most / 3 / Math.max(1, names.length))),
    `{"a":"${'\\ufffd'.repeat(most / 6 - 10)}"}`,
    `"${'x'.repeat(most - 2)}"`,
  ].filter((body) => Buffer.byteLength(body) <= most);
}

function hostileForms(fields: readonly string[], most: number): string[] {
  return [
    list(999, (index) => `name${index}=1`).join('&'),
    ...fields.flatMap((name) => [
      list(999, (index) => `${name}[${index}]=1`).join('&'),
      list(999, () => `${name}=`).join('&'),
      `${name}=${'%20'.repeat(most / 3 - 30)}`,
      `${name}=${'x'.repeat(most - 60)}`,
    ]),
    '&'.repeat(most),
    `a=${'%FF'.repeat(most / 3 - 1)}`,
  ].filter((body) => body.length <= most);
}

/** Milliseconds of this process's processor for a request: the least of twenty, since other things run beside. */
async function leastCost(request: InjectOptions | (() => Promise<unknown>)): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 20 && least >= BUDGET; turn += 1) {
    const before = process.cpuUsage();
    await (typeof request === 'function' ? request() : test.app.inject(request));
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

async function cost(route: Route, payload: string, query = ''): Promise<number> {
  const method = (['POST', 'PUT', 'DELETE', 'GET'] as const).find((one) => one === route.method);
  if (!method) return 0;
  const token = isOfUsers(route.dialect) ? person.token : program.token;
  return leastCost({
    method,
    url: `${anyPath(route, organizationId)}${query}`,
    headers: {
      'content-type': bodyType(dialects[route.dialect]),
      ...(route.config.protected ? { authorization: `Bearer ${token}` } : {}),
    },
    payload,
  });
}

/** The names of fields that pages, the carrier and identity providers send. */
const PAGE_FIELDS = ['email', 'password', 'name', 'code', 'message', 'note', 'token', 'Body', 'From', 'logout_token', 'next', 'feeling'];

/** A request as a browser, the carrier or an identity provider sends it, to a page that exists where one can be made. */
async function openPages() {
  const checkIn = await sentCheckIn(test, asking);
  const message = await sendLink(test, asking.person, { message: 'Private words', extra_auth: 1, recipient_id: checkIn.recipient.id });
  const links = new Map([
    ['/c/:token', checkIn.path],
    ['/m/:token', message.path],
    ['/m/:token/code', `${message.path}/code`],
  ]);
  return async (url: string) => ({
    url: links.get(url) ?? url.replaceAll(/:practice\b/g, String(organizationId)).replaceAll(/:\w+/g, '1'),
    // A form may end the session, so each page has one of its own.
    headers: { ...(await staffPages(test).browse(person)), [LOCAL_SIGNATURE]: 'not the carrier’s' },
  });
}

/** Texts of a phone that cost the most for their size. */
const hostileTexts = (most: number): string[] =>
  ['stop ', '> ', '“', 'On a day wrote:\n', '-', '\n', '\u00a0', 'ﷺ', '1 ', 'yes. ', 'a’', '👍', 'x', 'Liked “'].map((part) =>
    part.repeat(Math.floor(most / encodeURIComponent(part).length)),
  );

describe('every operation with a body', () => {
  it('spends at most 30 ms of a processor on each 100 KB of what it takes, or refuses', async () => {
    const over: string[] = [];
    let walked = 0;
    for (const route of routes.filter(({ schema, config }) => schema.body && !config.carriesFile)) {
      const most = route.config.protected ? LARGEST_BODY.authorized : LARGEST_BODY.unknown;
      const bodies = dialects[route.dialect].forms ? hostileForms(names(route), most) : hostileJson(names(route), most);
      for (const [index, body] of bodies.entries()) {
        const allowed = BUDGET * Math.ceil(body.length / 100_000);
        const spent = await cost(route, body);
        if (spent > allowed) over.push(`${writeRoute(route)}, body ${index} of ${body.length} bytes: ${spent} of ${allowed} ms`);
        walked += 1;
      }
    }
    expect(over).toEqual([]);
    expect((await person.get('/client')).status, 'still signed in').toBe(200);
    expect(walked).toBeGreaterThan(500);
  });

  it('is held by pages, callbacks and the endpoints of sign-in too', async () => {
    const over: string[] = [];
    const opened = await openPages();
    const pages = routes.filter(
      ({ method, schema, config }) => method === 'POST' && !schema.body && !config.carriesFile && !config.protected,
    );
    for (const route of pages) {
      const { url, headers } = await opened(route.url);
      for (const [index, payload] of hostileForms(PAGE_FIELDS, LARGEST_BODY.signed).entries()) {
        const spent = await leastCost({ method: 'POST', url, headers: { ...headers, 'content-type': FORM }, payload });
        const allowed = BUDGET * Math.ceil(payload.length / 100_000);
        if (spent > allowed) over.push(`${writeRoute(route)}, form ${index} of ${payload.length} bytes: ${spent} of ${allowed} ms`);
      }
    }
    expect(over).toEqual([]);
    expect(pages.map(({ url }) => url)).toEqual(expect.arrayContaining(['/c/:token', '/sign-in', '/oauth2/v1/token', CARRIER_WEBHOOK]));
  });

  it('is held by the door of assistants, which takes one message at a time', async () => {
    const call = (id: number, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const search = { name: 'find_patient', arguments: { search: 'Ann' } };
    const calls = [
      list(300, (id) => call(id, search)),
      call(1, { ...search, arguments: fields(9_000, (index) => `name${index}`, 1) }),
      call(1, { ...search, arguments: { search: list(9_000, () => ({})) } }),
      call(1, { ...search, arguments: { search: 'ﷺ'.repeat(300_000) } }),
    ].map((body) => JSON.stringify(body));
    const over: string[] = [];
    // The walk over the pages has ended the other session.
    const { token } = await signedInUser(test, { organizationId });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const bodies = [...hostileJson(['jsonrpc', 'id', 'method', 'params', 'result', 'error'], LARGEST_BODY.authorized), ...calls];
    for (const [index, payload] of bodies.entries()) {
      const spent = await leastCost({ method: 'POST', url: '/mcp', headers, payload });
      const allowed = BUDGET * Math.ceil(payload.length / 100_000);
      if (spent > allowed) over.push(`body ${index} of ${payload.length} bytes: ${spent} of ${allowed} ms`);
    }
    expect(over).toEqual([]);
    expect((await test.app.inject({ method: 'POST', url: '/mcp', headers, payload: calls[0] ?? '' })).statusCode).toBe(400);
  });

  it('is held by the reading of a text that arrives', async () => {
    const { prisma } = test.database;
    const { number: to } = await prisma.phoneNumber.findFirstOrThrow({ where: { organizationId: asking.organizationId } });
    const { mobilePhone: from } = await createRecipient(test, asking.organizationId);
    const over: string[] = [];
    for (const body of hostileTexts(LARGEST_BODY.signed - 300)) {
      const spent = await leastCost(async () => {
        const form = { kind: 'text', id: randomUUID(), from: String(from), to, body, at: new Date().toISOString() };
        expect((await sendWebhook(test, form)).status).toBe(200);
      });
      if (spent > BUDGET) over.push(`${JSON.stringify(body.slice(0, 20))}: ${spent} ms`);
    }
    expect(over).toEqual([]);
  });

  it('spends as little on a query', async () => {
    const over: string[] = [];
    for (const route of routes.filter(({ method, config }) => method === 'GET' && !config.sendsStream)) {
      for (const query of [list(999, (index) => `name${index}=1`).join('&'), `limit=${'%20'.repeat(2_000)}`, '&'.repeat(8_000)]) {
        const spent = await cost(route, '', `?${query}`);
        if (spent > BUDGET) over.push(`${writeRoute(route)}?${query.slice(0, 20)}: ${spent}`);
      }
    }
    expect(over).toEqual([]);
  });
});

describe('a search for free time', () => {
  it('is refused where it would look at too many times, however short visits are and however many hours a practice has set', async () => {
    const { prisma } = test.database;
    const own = { organizationId };
    const [office, provider] = [await createOffice(prisma, own), await createProvider(prisma, own)];
    const types = await Promise.all(list(4, () => createAppointmentType(prisma, { ...own, durationMinutes: 1 })));
    const place = { ...own, providerId: provider.id, officeId: office.id };
    const day = (index: number) => ({ ...place, weekday: (index % 7) + 1, fromMinute: 0, untilMinute: 1_440 });
    await prisma.availability.createMany({ data: list(70, day) });
    // The session of the walk may have ended: one of its operations changes the password.
    const staff = await signedInUser(test, own);
    const slots = (until: string) => staff.get(`/slots?type=${types[0]?.id}&from=2031-03-01&until=${until}&limit=1`);
    const refused = await slots('2031-03-31');
    expect([refused.status, refused.body.errors[0]], refused.text).toMatchObject([400, { pointer: '/until', code: 'too_many_times' }]);
    expect((await slots('2031-03-01')).body.meta.total).toBeGreaterThan(1_000);
    const ids = types.map(({ id }) => id);
    const open = (reasons: number[]) =>
      program.get(`/appointments/open?departmentid=${office.id}&startdate=03/01/2031&enddate=03/01/2031&limit=1&reasonid=${reasons}`);
    expect((await open(ids.slice(0, 1))).status).toBe(200);
    expect(await open(ids).then(({ status, body }) => [status, body.invalidfields])).toEqual([400, ['enddate']]);
  });

  it('costs the page of a booking link little more than the search, in a month of 36,000 times', async () => {
    const { db, own, admin, patient, type, office } = await waitlistPractice(test);
    const made = await admin.post(`/patients/${(await patient()).id}/booking-links`).send({ appointment_type_ids: [type.id] });
    await admin.put(`/appointments/types/${type.id}`).send({ duration_minutes: 15 }).expect(200);
    const providers = await Promise.all(list(12, () => createProvider(db, own)));
    const week = providers.flatMap(({ id: providerId }) =>
      list(7, (index) => ({ ...own, providerId, officeId: office.id, weekday: index + 1, fromMinute: 0, untilMinute: 1_440 })),
    );
    await db.availability.createMany({ data: week });
    const url = `${new URL(made.body.data.url).pathname}?lang=en&from=2031-03-04&type=${type.id}`;
    expect((await test.app.inject(url)).payload).toContain('>1152 ');
    expect(await leastCost({ url })).toBeLessThan(4 * BUDGET);
  });
});
