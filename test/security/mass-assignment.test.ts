import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Answered } from '../contract/calls.ts';
import type { Plausible } from '../contract/plausible.ts';
import { type Route, watchedTestApp, writeRoute } from '../contract/routes.ts';
import { acceptedRequest, openInsider, recordRoutes } from './insiders.ts';

const OURS = { id: 1_777_777_778, guid: randomUUID() };
const THEIRS = { id: 1_999_999_992, guid: randomUUID() };

const watched = await watchedTestApp();
const test = watched.test;
const us = await openInsider(test, OURS);
const them = await openInsider(test, THEIRS);
afterAll(() => Promise.all([us.furnished.close(), them.furnished.close()]));

const TEXT = 'Zkmassassigned';
/** A time that no row has. */
const TIME = '2001-02-03T04:05:06Z';

/** Fields that rows have and no request may set, by values that are found again wherever they are stored. */
const FIELDS: Record<string, unknown> = {
  organization_id: THEIRS.id,
  organizationId: THEIRS.id,
  organization_uuid: THEIRS.id,
  practice_id: THEIRS.id,
  practiceid: THEIRS.id,
  tenant_id: THEIRS.id,
  id: THEIRS.id,
  uuid: THEIRS.id,
  guid: THEIRS.guid,
  user_id: THEIRS.id,
  owner_id: THEIRS.id,
  created_by: THEIRS.id,
  session_id: THEIRS.guid,
  client_id: THEIRS.guid,
  role: 'admin',
  roles: ['admin'],
  user_type: 'admin',
  type: TEXT,
  kind: TEXT,
  scopes: [TEXT],
  permissions: [TEXT],
  is_admin: true,
  isAdmin: true,
  is_global: 1,
  verified: true,
  verified_at: TIME,
  email_verified: true,
  privacy_officer: true,
  password: TEXT,
  password_hash: TEXT,
  passwordHash: TEXT,
  secret: TEXT,
  hash: TEXT,
  methods: [TEXT],
  created_at: TIME,
  createdAt: TIME,
  updated_at: TIME,
  deleted_at: TIME,
  expires_at: TIME,
  ends_at: TIME,
  last_used_at: TIME,
  locked_until: TIME,
  revoked_at: TIME,
  sealed_at: TIME,
  version: 666_666,
};

/** Rows of the own practice that the furnished content leaves out. */
async function signInRows(): Promise<string[]> {
  const { id } = OURS;
  const rows = await test.database.prisma.$queryRaw`
    SELECT 'organization ' || t AS row FROM organization t WHERE id = ${id} UNION ALL
    SELECT 'sign_in ' || t FROM sign_in t WHERE organization_id = ${id} UNION ALL
    SELECT 'session ' || t FROM session t WHERE organization_id = ${id} UNION ALL
    SELECT 'api_client ' || c FROM api_client c JOIN api_client_grant g ON g.client_id = c.id WHERE g.organization_id = ${id}`;
  return z
    .array(z.object({ row: z.string() }))
    .parse(rows)
    .map(({ row }) => row);
}

const content = async (): Promise<string[]> => [...(await us.furnished.content()).split('\n'), ...(await signInRows())];

/** A row without what differs from one request to the next: numbers, times, and what is random. */
const plain = (row: string): string =>
  row
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uuid)')
    .replaceAll(/\\x[0-9a-f]+/g, '(bytes)')
    .replaceAll(/[\w.$+/=-]{20,}/g, '(random)')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/0([-:. +T]+0)+/g, '(time)');

/** The names of fields and parameters that an operation takes, nested ones too. */
function known({ schema }: Route): Set<string> {
  const shapes = [schema.body, schema.querystring].filter((shape) => shape instanceof z.ZodType);
  const text = shapes.map((shape) => JSON.stringify(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }))).join(' ');
  return new Set([...text.matchAll(/"(\w+)":/g)].map(([, name = '']) => name));
}

/**
 * A request with the fields in its body, in each object of it, and in its query where that may hold fields of a form: elsewhere it is refused.
 * @param refused places of fields that the operation refuses, such as `filter.kind`
 */
function attacked(route: Route, { path, body = {} }: Plausible, refused: ReadonlySet<string>): Plausible {
  const takes = known(route);
  const fields = Object.entries(FIELDS).filter(([name]) => !takes.has(name));
  const taken = fields.filter(([name]) => !refused.has(name));
  const query = new URLSearchParams(taken.map(([name, value]): [string, string] => [name, String(value)]));
  const takesQuery = route.url.startsWith('/:apivariant') && route.schema.body !== undefined;
  return {
    path: takesQuery ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path,
    body: Object.fromEntries(Object.entries(withFields(body, fields, refused))),
  };
}

function withFields(value: object, fields: [string, unknown][], refused: ReadonlySet<string>, at: readonly string[] = []): object {
  if (value instanceof Blob) return value;
  const inside = (each: unknown, name: string): unknown =>
    typeof each === 'object' && each !== null ? withFields(each, fields, refused, [...at, name]) : each;
  if (Array.isArray(value)) return value.map((each, index) => inside(each, String(index)));
  const taken = fields.filter(([name]) => !refused.has([...at, name].join('.')));
  return Object.fromEntries([...Object.entries(value).map(([name, each]) => [name, inside(each, name)]), ...taken]);
}

/** The places of members that an operation refuses because it does not know them. */
const unknownIn = ({ status, text }: Answered): string[] =>
  status === 400 ? [...text.matchAll(/([\w.]+): is unknown/g)].map(([, place = '']) => place) : [];

interface Done {
  answer: Answered;
  rows: string[];
}

async function done(route: Route, request: Plausible): Promise<Done> {
  await us.furnished.furnish();
  return { answer: await us.ask(route, request), rows: await content() };
}

const MARKS = [TEXT, '2001-02-03', String(THEIRS.id), THEIRS.guid, '666666'];

/** The attack without the members that are refused by name, and what refusals stored. */
async function attack(route: Route, request: Plausible): Promise<Done & { faults: string[] }> {
  const refused = new Set<string>();
  const faults: string[] = [];
  for (;;) {
    const after = await done(route, attacked(route, request, refused));
    const further = unknownIn(after.answer).filter((place) => !refused.has(place));
    if (further.length === 0) return { ...after, faults };
    faults.push(...(await differences(after.rows)).map((row) => `refuses, and stores: ${row}`));
    for (const place of further) refused.add(place);
  }
}

/** Rows that a practice has not where nothing was asked of it. */
async function differences(rows: string[]): Promise<string[]> {
  await us.furnished.furnish();
  const usual = new Set((await content()).map(plain));
  return rows.filter((row) => !usual.has(plain(row)));
}

async function listFaults(route: Route, request: Plausible): Promise<string[]> {
  const before = await done(route, request);
  const { faults, ...after } = await attack(route, request);
  const marked = (text: string) => MARKS.some((mark) => text.includes(mark));
  // A form with a file has few parts; with more it is refused as a whole.
  const isRefusedForm = route.schema.consumes?.[0] === 'multipart/form-data' && after.answer.status === 400;
  if (after.answer.status !== before.answer.status && !isRefusedForm) faults.push(`answers ${after.answer.status} ${after.answer.text}`);
  if (marked(after.answer.text)) faults.push(`shows what was sent: ${after.answer.text}`);
  faults.push(...after.rows.filter(marked).map((row) => `stores what was sent: ${row}`));
  const usual = new Set(before.rows.map(plain));
  faults.push(...after.rows.filter((row) => !usual.has(plain(row))).map((row) => `stores something else: ${row}`));
  return faults.map((fault) => `${writeRoute(route)}: ${fault}`);
}

describe('fields that nobody may set', () => {
  it('change nothing of what each write stores, wherever they are sent', async () => {
    await them.furnished.furnish();
    const before = await them.furnished.content();
    const writes = recordRoutes(watched.routes).filter(({ method }) => method === 'POST' || method === 'PUT');
    const wrong: string[] = [];
    for (const route of writes) {
      const request = await acceptedRequest(us, route);
      if (request) wrong.push(...(await listFaults(route, request)));
    }
    expect(wrong).toEqual([]);
    expect(await them.furnished.content()).toBe(before);
    expect(Object.keys(FIELDS).length).toBeGreaterThan(35);
  });
});
