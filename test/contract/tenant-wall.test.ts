import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { clientToken } from '../support/actors.ts';
import { createOrganization, createUser, subscribeToChanges } from '../support/factories.ts';
import { type Answered, call } from './calls.ts';
import { clientClaims, type Forge, good, openForge, userClaims } from './forge.ts';
import { type Ids, type Plausible, plausibleRequests } from './plausible.ts';
import { dialects, isOfUsers, type Route, signature, watchedTestApp, writeRoute } from './routes.ts';
import { type Furnished, openFurnished } from './tenant.ts';
import { MARKER } from './tenant-by-hand.ts';

/** The id of everything that another organization has, of that organization itself, and one that nothing has; as texts, well-formed NPIs. */
const THEIRS = { id: 1_999_999_992, guid: randomUUID() };
const NOBODYS = { id: 1_888_888_884, guid: randomUUID() };

/** Someone who may do everything in one organization, through any of the APIs. */
interface Insider {
  organizationId: number;
  authorization(dialect: Route['dialect']): Promise<string>;
}

const watched = await watchedTestApp();
const test = watched.test;
/** Operations about oneself alone: signing out, and those that take a proof that is good once (second-factors.test.ts). */
const OWN_PROOF = ['/logout', '/user/step-up', '/user/second-factors/passkeys', '/user/second-factors/authenticator-app'];
/** All other operations that need a token. */
let routes: Route[];
let forge: Forge;
let owner: Insider;
let stranger: Insider;
let furnished: Furnished;
/** Whether every row is unchanged, as after a read. */
let isWhole = false;
/** For each route, the plausible request that the owner's server accepts. */
let choices: Map<Route, number>;
/** What each list counts in a new practice, before the owner has anything. */
let totalsBefore: Record<string, string | undefined>;

beforeAll(async () => {
  routes = watched.routes.filter(({ config, url, method }) => config.protected && !OWN_PROOF.includes(url) && method !== 'HEAD');
  const own = await createOrganization(test.database.prisma);
  await createOrganization(test.database.prisma, { id: THEIRS.id, name: MARKER });
  stranger = await createInsider(own.id);
  // Rows of users belong to this user.
  owner = await createInsider(THEIRS.id, { id: THEIRS.id });
  forge = await openForge(test);
  totalsBefore = await totalsInNewPractice();
  furnished = await openFurnished(test.databaseUrl, THEIRS.id, { ...THEIRS, practiceId: THEIRS.id });
  choices = new Map();
  for (const route of routes) {
    const index = await acceptable(route);
    if (index !== null) choices.set(route, index);
  }
  await furnished.furnish();
});
afterAll(() => furnished.close());

async function createInsider(organizationId: number, data: object = {}): Promise<Insider> {
  const { user } = await createUser(test.database.prisma, { organizationId, type: 'admin', privacyOfficer: true, ...data });
  const { clientId } = await clientToken(test, [...CLIENT_SCOPES], [organizationId]);
  await subscribeToChanges(test.database.prisma, { organizationId, clientId });
  return {
    organizationId,
    // A session of its own for each request: some operations end it.
    authorization: async (dialect) =>
      `Bearer ${good(forge, isOfUsers(dialect) ? await userClaims(test, organizationId, user.id) : clientClaims(clientId, CLIENT_SCOPES))}`,
  };
}

async function ask(who: Insider, route: Route, request: Plausible | undefined, headers?: Record<string, string>): Promise<Answered> {
  if (!request) throw new Error('there is no such request');
  return call(test, route, request, await who.authorization(route.dialect), headers);
}

/** What each list counts in a new practice; logs and sessions count what this test does, and numbers for sale are everybody's. */
async function totalsInNewPractice(): Promise<Record<string, string | undefined>> {
  const newcomer = await createInsider((await createOrganization(test.database.prisma)).id);
  const totals: Record<string, string | undefined> = {};
  for (const route of routes.filter(({ method, url }) => method === 'GET' && !/audit|events|sessions|available-numbers/.test(url))) {
    const { text } = await ask(newcomer, route, requests(route, newcomer, NOBODYS)[0]);
    totals[writeRoute(route)] = /"total(?:count)?":(\d+)/.exec(text)?.[1];
  }
  return totals;
}

const requests = (route: Route, who: Insider, ids: Omit<Ids, 'practiceId'>) =>
  plausibleRequests(route, { ...ids, practiceId: who.organizationId });

/** Whether a route names a record in its path; a month is none. */
const namesRecord = ({ url }: Route) => url.replace(/^\/:apivariant\([^)]*\)\/:practiceid|\/:month/, '').includes(':');

/** The plausible request of a route that the owner's server accepts: the first that is neither malformed nor finds nothing. */
async function acceptable(route: Route): Promise<number | null> {
  for (const [index, request] of requests(route, owner, THEIRS).entries()) {
    if (!isWhole) await furnished.furnish();
    const { status } = await ask(owner, route, request);
    isWhole = route.method === 'GET';
    if (![400, 401, 403, 404, 415].includes(status) && status < 500) return index;
  }
  return null;
}

describe('every protected operation', () => {
  it('finds the record of its own organization, so that what follows proves something', async () => {
    const unproved: string[] = [];
    for (const route of routes.filter((one) => !choices.has(one))) {
      const answers = await Promise.all(requests(route, owner, THEIRS).map((request) => ask(owner, route, request)));
      unproved.push(`${writeRoute(route)}: ${answers.map(({ status, text }) => `${status} ${text}`).join(' | ')}`);
    }
    expect(unproved, 'what these take has to be said in plausible-by-hand.ts, or what their rows hold in tenant-by-hand.ts').toEqual([]);
  });

  it('answers another organization’s ids as ids that exist nowhere, word for word, and tells and changes nothing', async () => {
    const before = await furnished.content();
    const wrong: string[] = [];
    for (const route of routes) {
      const index = choices.get(route) ?? 0;
      const theirs = await ask(stranger, route, requests(route, stranger, THEIRS)[index]);
      const nobodys = await ask(stranger, route, requests(route, stranger, NOBODYS)[index]);
      wrong.push(...listFaults(route, theirs, nobodys).map((fault) => `${writeRoute(route)}: ${fault}`));
    }
    expect(wrong).toEqual([]);
    expect(await furnished.content()).toBe(before);
  });

  it('counts nothing of another organization in a list', async () => {
    expect(await totalsInNewPractice()).toEqual(totalsBefore);
    expect(Object.values(totalsBefore).filter((total) => total === '0').length).toBeGreaterThan(25);
  });

  it('of the practice API answers 404 for a practice that was not granted, as for one that exists nowhere', async () => {
    const wrong: string[] = [];
    for (const route of routes.filter(({ dialect }) => dialect === 'practice')) {
      const theirs = await ask(stranger, route, requests(route, owner, THEIRS)[0]);
      const nobodys = await ask(stranger, route, plausibleRequests(route, { ...THEIRS, practiceId: NOBODYS.id })[0]);
      if (theirs.status !== 404) wrong.push(`${writeRoute(route)}: ${theirs.status}`);
      wrong.push(...listFaults(route, theirs, nobodys).map((fault) => `${writeRoute(route)}: ${fault}`));
    }
    expect(wrong).toEqual([]);
  });
});

describe('every change of a tagged record', () => {
  const tagged = () => new Set(routes.flatMap(({ method, url, config }) => (method === 'GET' && config.etag ? [signature('', url)] : [])));

  it('declares the present state of the record, to compare If-Match with', () => {
    const paths = tagged();
    const changes = routes.filter(({ method, url, config }) => {
      const onRecord = config.etag === true && (method === 'PUT' || url.includes(':'));
      return method !== 'GET' && (onRecord || (url.includes(':') && paths.has(signature('', url))));
    });
    expect(changes.filter(({ config }) => !config.ifMatch).map(writeRoute)).toEqual([]);
    expect(changes.length).toBeGreaterThan(12);
  });

  it('is refused with 412 to who saw another state, and changes nothing', async () => {
    await furnished.furnish();
    const before = await furnished.content();
    const wrong: string[] = [];
    for (const route of routes.filter(({ config }) => config.ifMatch)) {
      const { status, text } = await ask(owner, route, requests(route, owner, THEIRS)[choices.get(route) ?? 0], { 'if-match': '"other"' });
      if (status !== 412) wrong.push(`${writeRoute(route)}: ${status} ${text}`);
    }
    expect(wrong).toEqual([]);
    expect(await furnished.content()).toBe(before);
  });

  it('is made for who saw this state', async () => {
    const wrong: string[] = [];
    const paths = tagged();
    for (const route of routes.filter(({ url, config }) => config.ifMatch && paths.has(signature('', url)))) {
      await furnished.furnish();
      // Rows are restored without their triggers, so that servers do not learn of it; of this change they do.
      await test.database.prisma.location.updateMany({ where: { organizationId: THEIRS.id }, data: { name: 'Elsewhere' } });
      const read = routes.find(({ method, url }) => method === 'GET' && signature('', url) === signature('', route.url));
      const state = read && (await ask(owner, read, requests(read, owner, THEIRS)[choices.get(read) ?? 0]));
      const request = requests(route, owner, THEIRS)[choices.get(route) ?? 0];
      const { status, text } = await ask(owner, route, request, { 'if-match': String(state?.headers.get('etag')) });
      if (status === 412) wrong.push(`${writeRoute(route)}: ${text}`);
    }
    expect(wrong).toEqual([]);
  });
});

/** Differences between the response for another organization's record and that for a missing one. */
function listFaults(route: Route, theirs: Answered, nobodys: Answered): string[] {
  const faults: string[] = [];
  if (theirs.text.includes(MARKER)) faults.push(`shows what is theirs: ${theirs.text}`);
  if (theirs.status >= 400 && !dialects[route.dialect].errorShape.safeParse(theirs.body).success)
    faults.push(`has another shape: ${theirs.text}`);
  if (theirs.status >= 500) faults.push(`fails: ${theirs.status} ${theirs.text}`);
  if (namesRecord(route) && theirs.status !== 404) faults.push(`answers ${theirs.status}: ${theirs.text}`);
  const said = ({ status, text, headers }: Answered) =>
    status < 400 ? String(status) : `${status} ${headers.get('www-authenticate')} ${withoutIds(text)}`;
  if (said(theirs) !== said(nobodys)) faults.push(`answers differently: ${said(theirs)} | ${said(nobodys)}`);
  return faults;
}

const withoutIds = (text: string): string =>
  [THEIRS, NOBODYS].reduce((left, { id, guid }) => left.replaceAll(String(id), '(id)').replaceAll(guid, '(id)'), text);
