import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RESTRICTED_SCOPE } from '../../src/domain/caller.ts';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { clientToken, signedInUser } from '../support/actors.ts';
import { createOrganization } from '../support/factories.ts';
import { type Answered, call } from './calls.ts';
import { type Plausible, plausibleRequests } from './plausible.ts';
import { PATIENT, PATIENT_ID, SEARCH_TEXTS, SHOWING, showsPatient } from './restricted-chart.ts';
import { isOfUsers, type Route, watchedTestApp, writeRoute } from './routes.ts';
import { type Furnished, openFurnished } from './tenant.ts';

const PRACTICE = 1_999_999_992;
const RECORDS = { practiceId: PRACTICE, id: PRACTICE, guid: randomUUID() };
/** Nobody has this id. */
const NOBODY = 1_666_666_667;
/** The admin who opens the chart. */
const OPENER = 1_555_555_557;

const watched = await watchedTestApp();
const test = watched.test;
let furnished: Furnished;
/** Tokens of an admin, of an admin who has opened the chart, of a client without the right to see restricted charts, and of one with it. */
let tokens: Record<'user' | 'opener' | 'client' | 'trusted', string>;
/** The answers while the chart is not restricted, and while it is. */
let ordinary: Walked[];
let restricted: Walked[];

beforeAll(async () => {
  await createOrganization(test.database.prisma, { id: PRACTICE });
  const scopes = CLIENT_SCOPES.filter((scope) => scope !== RESTRICTED_SCOPE);
  tokens = {
    user: (await signedInUser(test, { organizationId: PRACTICE, type: 'admin', user: { id: PRACTICE } })).token,
    opener: '',
    client: (await clientToken(test, scopes, [PRACTICE])).token,
    trusted: (await clientToken(test, [...CLIENT_SCOPES], [PRACTICE])).token,
  };
  furnished = await openFurnished(test.databaseUrl, PRACTICE, RECORDS, PATIENT);
  ordinary = await walk(false, ROUTES);
  restricted = await walk(true, ROUTES);
}, 180_000);
afterAll(() => furnished.close());

/** Break-glass itself opens the chart, and names those that were opened; privacy officers keep restrictions. */
const ROUTES = watched.routes.filter(
  ({ config, url, method }) => config.protected && url !== '/logout' && !/break-glass|\/restrictions/.test(url) && method !== 'HEAD',
);
/** Routes for clients. */
const OF_CLIENTS = ROUTES.filter(({ dialect }) => !isOfUsers(dialect));

interface Walked {
  name: string;
  request: Plausible;
  answer: Answered;
  /** Body and headers, without what they repeat of the request. */
  shown: string;
  /** Rows about the patient that a write added, changed or removed while the chart was restricted. */
  changed: string[];
}

/** Puts every row back, and restricts the chart or lifts the restriction. */
async function furnish(isRestricted: boolean): Promise<void> {
  await furnished.furnish();
  const liftedAt = isRestricted ? null : new Date();
  await test.database.prisma.privacyRestriction.updateMany({ where: { organizationId: PRACTICE }, data: { liftedAt } });
}

interface WalkOptions {
  patientId?: number;
  client?: 'client' | 'trusted' | 'opener';
  /** The token of the mobile API. */
  user?: 'user' | 'opener';
}

/** Sends each operation all its requests, or those that name another patient. Every row is as it was before each of them. */
async function walk(
  isRestricted: boolean,
  routes: Route[],
  { patientId = PATIENT_ID, client = 'client', user = 'user' }: WalkOptions = {},
) {
  const walked: Walked[] = [];
  await furnish(isRestricted);
  if (user === 'opener') await openChart(OPENER);
  const before = await rowsOfPatient();
  for (const route of routes)
    for (const request of requestsFor(route, patientId).filter((one) => patientId === PATIENT_ID || names(one, patientId))) {
      const answer = await call(test, route, request, `Bearer ${tokens[isOfUsers(route.dialect) ? user : client]}`);
      const name = plainName(route);
      const hasWritten = wrote({ name, answer });
      const changed = hasWritten && isRestricted ? differences(before, await rowsOfPatient()) : [];
      if (hasWritten) await furnish(isRestricted);
      walked.push({ name, request, answer, shown: shownBy(request, answer), changed });
    }
  return walked;
}

/** Plausible requests about a patient, and one for each way to search. */
function requestsFor(route: Route, patientId: number): Plausible[] {
  const requests = plausibleRequests(route, { ...RECORDS, patientId }).map(({ path, body }) => ({
    path: path.replace('ignorerestrictions=true', 'ignorerestrictions=false'),
    body,
  }));
  const [plain, everything] = requests.map(({ path }) => new URL(path, test.address));
  if (route.method !== 'GET' || !plain || !everything) return requests;
  const searches = [...everything.searchParams.keys()].filter((name) => /search|keyword|name|number|phone/i.test(name));
  const csv = everything.searchParams.has('format') ? [{ path: `${plain.pathname}?format=csv`, body: undefined }] : [];
  const search = (name: string, text: string) => ({ path: `${plain.pathname}?${new URLSearchParams({ [name]: text })}`, body: undefined });
  return [...requests, ...csv, ...searches.flatMap((name) => SEARCH_TEXTS.map((text) => search(name, text)))];
}

function shownBy({ path }: Plausible, { text, headers }: Answered): string {
  const [where = '', query = ''] = path.split('?');
  const repeated = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`);
  const all = `${text} ${[...headers.values()].join(' ')}`;
  return [where, ...repeated].reduce((left, one) => left.replaceAll(one, ''), all);
}

async function rowsOfPatient(): Promise<string[]> {
  const rows = (await furnished.content()).split('\n').filter(showsPatient);
  return rows.map((row) => row.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.+\d]*/g, 'a moment'));
}

const differences = (before: string[], after: string[]): string[] => [
  ...before.filter((row) => !after.includes(row)),
  ...after.filter((row) => !before.includes(row)),
];

/** `GET /:apivariant/:practiceid/patients`: without the pattern of the variants. */
const plainName = (route: Route): string => writeRoute(route).replace(/\(.*\)(?=\/)/, '');
const wrote = ({ name, answer }: Pick<Walked, 'name' | 'answer'>): boolean => !name.startsWith('GET ') && answer.status < 400;
const listNames = (walked: Walked[]): string[] => [...new Set(walked.map(({ name }) => name))];
const thatShow = (walked: Walked[]) => walked.filter(({ shown, answer }) => answer.status < 400 && showsPatient(shown));
const writeWalked = ({ name, request, answer, shown }: Walked) => `${name} ${request.path}: ${answer.status} ${shown}`;

/** Status and body of an answer, without the ids of the patient and of nobody, and without times. */
function said({ answer: { status, text } }: Walked): string {
  const plain = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'a moment');
  return [PATIENT_ID, NOBODY].reduce((left, id) => left.replaceAll(String(id), '(id)'), `${status} ${plain}`);
}

const names = ({ path, body }: Plausible, patientId: number): boolean => `${path} ${JSON.stringify(body)}`.includes(String(patientId));

/** `GET /api/patients/{uuid}` */
const asOperation = (name: string) => name.replaceAll(/:(\w+)/g, (_, parameter: string) => `{${parameter.replaceAll('__', '-')}}`);

/** A list without its records must not count them either. */
const list = z.object({ data: z.array(z.unknown()), meta: z.object({ total: z.int(), per_page: z.int(), current_page: z.literal(1) }) });

/**
 * Rows about the patient that staff may change: the appointment, the time that it leaves, its participants, the visits of a waiting room, and the items of the
 * inbox, which somebody has to look after.
 */
const MAY_CHANGE = /^(appointment|freed_time|waiting_room_visit|session_participant|inbox_item) /;

/** One takes the tag off every contact, the other withdraws an invite and its message that waits. */
const MAY_CHANGE_ALL = ['DELETE /contact-tags/:uuid', 'DELETE /video-session/:GUID/invite/:invite'];

/** With a changed appointment, the texts about it that wait are withdrawn, and so is who waits for it. */
const MAY_WITHDRAW = ['DELETE /api/appointments/:uuid', 'DELETE /appointments/:uuid', 'DELETE /user-appointments/:uuid'];
const mayChange = (name: string, row: string): boolean =>
  MAY_CHANGE_ALL.includes(name) ||
  MAY_CHANGE.test(row) ||
  (MAY_WITHDRAW.includes(name) && /^(?:sms_message|mail_message|visit_message|telehealth_visit|slot_offer) /.test(row));

async function openChart(userId: number): Promise<void> {
  const endsAt = new Date(Date.now() + 3_600_000);
  const opening = { organizationId: PRACTICE, userId, patientId: PATIENT_ID, reason: 'Unconscious in the emergency room', endsAt };
  await test.database.prisma.chartOpening.create({ data: opening });
  const where = { organizationId_id: { organizationId: PRACTICE, id: userId } };
  await test.database.prisma.user.update({ where, data: { chartsOpenUntil: endsAt } });
}

describe('a restricted chart', () => {
  it('is shown by many operations while it is not restricted, so that what follows proves something', () => {
    const showing = listNames(thatShow(ordinary));
    expect(showing).toEqual(expect.arrayContaining(SHOWING));
    expect(thatShow(ordinary).some(({ answer }) => answer.headers.get('content-type')?.startsWith('text/csv'))).toBe(true);
    const failed = [...ordinary, ...restricted].filter(({ answer }) => answer.status >= 500);
    expect(failed.map(writeWalked)).toEqual([]);
  });

  it('is shown by none of them', () => {
    expect(thatShow(restricted).map(writeWalked)).toEqual([]);
  });

  it('is counted in no list that leaves it out', () => {
    const counted = restricted.filter(({ answer }) => {
      const { data, meta } = list.safeParse(answer.body).data ?? {};
      return meta !== undefined && data?.length !== Math.min(meta.total, meta.per_page);
    });
    expect(counted.map(writeWalked)).toEqual([]);
  });

  it('is changed by nobody, nor is what is about it, but for the appointment, the admission from a waiting room and the inbox', () => {
    const changed = restricted.filter(({ name, changed: rows }) => rows.some((row) => !mayChange(name, row)));
    expect(changed.map(({ name, changed: rows }) => `${name}: ${rows.join()}`)).toEqual([]);
    const [before, now] = [ordinary, restricted].map((walked) => listNames(walked.filter(wrote)));
    expect(before?.filter((name) => !now?.includes(name)).length).toBeGreaterThan(15);
  });

  it('is answered for by id as a patient who does not exist, word for word', async () => {
    const unknown = await walk(true, ROUTES, { patientId: NOBODY });
    const named = restricted.filter(({ request }) => names(request, PATIENT_ID));
    expect(named.map(said)).toEqual(unknown.map(said));
    expect(named.length).toBeGreaterThan(50);
  });

  it('is shown to a user who has opened it wherever it was, and the audit says so', async () => {
    tokens.opener = (await signedInUser(test, { organizationId: PRACTICE, type: 'admin', user: { id: OPENER } })).token;
    // The audit lists what an open transaction of another test file does not hold back, and so do events, whose reading is not audited.
    const isOfLogs = (url: string) => /\/(audit|events)$/.test(url);
    const ofUsers = ROUTES.filter(({ dialect, method, url }) => dialect !== 'practice' && method === 'GET' && !isOfLogs(url));
    const opened = await walk(true, ofUsers, { client: 'opener', user: 'opener' });
    const before = listNames(thatShow(ordinary.filter(({ name }) => ofUsers.some((route) => plainName(route) === name))));
    expect(listNames(thatShow(opened))).toEqual(expect.arrayContaining(before));
    const audits = await test.database.prisma.auditEntry.groupBy({
      by: ['operation'],
      where: { organizationId: PRACTICE, actor: `user:${OPENER}`, detail: { contains: 'despite a restriction' } },
    });
    const named = new Set(audits.map(({ operation }) => operation));
    expect(before.map(asOperation).filter((operation) => !named.has(operation))).toEqual([]);
  });

  it('is shown to a client with the right, and the audit says so', async () => {
    const trusted = await walk(true, OF_CLIENTS, { client: 'trusted' });
    const before = listNames(thatShow(ordinary.filter(({ name }) => OF_CLIENTS.some((route) => plainName(route) === name))));
    expect(listNames(thatShow(trusted))).toEqual(before);
    const audits = await test.database.prisma.auditEntry.groupBy({
      by: ['operation'],
      where: { organizationId: PRACTICE, detail: { contains: 'despite a restriction' } },
    });
    expect(audits.map(({ operation }) => operation)).toEqual(expect.arrayContaining(before.map(asOperation)));
  });
});
