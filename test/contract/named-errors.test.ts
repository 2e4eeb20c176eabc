import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CLIENT_SCOPES } from '../../src/domain/identity/clients/client-scopes.ts';
import { toSentShape } from '../../src/http/input/ignored-fields.ts';
import { otherNames } from '../../src/http/input/query.ts';
import { spelledName } from '../../src/http/requests/path-template.ts';
import { findFurtherIssues } from '../../src/http/wire/checked-shapes.ts';
import { clientToken } from '../support/actors.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { type Answered, call } from './calls.ts';
import { clientClaims, good, openForge, userClaims } from './forge.ts';
import { type Plausible, plausibleRequests } from './plausible.ts';
import { isOfUsers, type Route, watchedTestApp, writeRoute } from './routes.ts';
import { type Furnished, openFurnished } from './tenant.ts';

/** Errors point at the name that the caller sent, whatever the name of the field inside the server is. */

const OURS = { id: 1_999_999_992, guid: randomUUID(), practiceId: 1_999_999_992 };
const NOBODYS = '1888888884';
const NO_GUID = randomUUID();

const { test, routes: all } = await watchedTestApp();
const routes = all.filter(({ config, url, method }) => config.protected && url !== '/logout' && method !== 'HEAD');
let furnished: Furnished;
let client: string;
let user: string;

beforeAll(async () => {
  await createOrganization(test.database.prisma, { id: OURS.id });
  await createUser(test.database.prisma, { organizationId: OURS.id, id: OURS.id, type: 'admin', privacyOfficer: true });
  const { clientId } = await clientToken(test, [...CLIENT_SCOPES], [OURS.id]);
  const forge = await openForge(test);
  client = good(forge, clientClaims(clientId, CLIENT_SCOPES));
  user = good(forge, await userClaims(test, OURS.id, OURS.id));
  furnished = await openFurnished(test.databaseUrl, OURS.id, OURS);
  await furnished.furnish();
});
afterAll(() => furnished.close());

async function ask(route: Route, request: Plausible): Promise<Answered> {
  const token = isOfUsers(route.dialect) ? user : client;
  const answer = await call(test, route, request, `Bearer ${token}`);
  expect(answer.status, `${writeRoute(route)} ${answer.text}`).not.toBe(401);
  return answer;
}

const errors = z.object({
  errors: z.array(z.object({ pointer: z.string() })).optional(),
  invalidfields: z.array(z.string()).optional(),
  missingfields: z.array(z.string()).optional(),
  exception: z.string().optional(),
  message: z.string().optional(),
});

/** The names of the fields that an error response points at. */
function namesIn({ body, status }: Answered): string[] {
  const { data } = errors.safeParse(body);
  if (!data || status < 400) return [];
  const { errors: problems = [], invalidfields = [], missingfields = [], message = '' } = data;
  const sentences = data.exception ? message.split('; ').flatMap((one) => /^([\w.[\]-]+): /.exec(one)?.[1] ?? []) : [];
  return [...problems.map(({ pointer }) => pointer.slice(1).replaceAll('/', '.')), ...invalidfields, ...missingfields, ...sentences];
}

interface Parameter {
  name: string;
  isList: boolean;
  /** Its schema refuses this text. */
  refuses: string[];
  /** An id of no record, where it is an id. */
  unknown: string[];
}

/** A text that no id, number, flag, choice, date or address is. */
const NEITHER = '!';

function listParameters(shape: unknown): Parameter[] {
  if (!(shape instanceof z.ZodType)) return [];
  const { properties = {} } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const schema = JSON.stringify(property);
    const isTight = /"(format|enum|pattern)":|"type":"(integer|boolean|number)"/.test(schema);
    const unknown = schema.includes('"format":"uuid"') ? [NO_GUID] : /"format":"int(32|64)"/.test(schema) ? [NOBODYS] : [];
    return { name, isList: schema.includes('"type":"array"'), refuses: isTight ? [NEITHER] : [], unknown };
  });
}

/** The path of a request with another value of one placeholder. */
function withPath(route: Route, request: Plausible, name: string, value: string): Plausible {
  const [path = '', query] = request.path.split('?');
  const template = route.url.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '');
  const pattern = new RegExp(`^${template.replaceAll(/:(\w+)/g, (_, one: string) => `(?<${one}>[^/]+)`)}/?$`);
  const values = pattern.exec(path)?.groups ?? {};
  const filled = template.replaceAll(/:(\w+)/g, (_, one: string) => (one === name ? value : (values[one] ?? '')));
  return { ...request, path: query === undefined ? filled : `${filled}?${query}` };
}

const withQuery = (request: Plausible, name: string, value: string): Plausible => {
  const [path = '', query] = request.path.split('?');
  const values = new URLSearchParams(query);
  values.set(name, value);
  return { ...request, path: `${path}?${values}` };
};

/** The objects inside a shape, with their places. */
function* objectsIn(shape: z.core.$ZodType, place: string): Generator<{ place: string; object: z.ZodObject }> {
  const known = toSentShape(shape);
  if (known instanceof z.ZodUnion) for (const option of known.options) yield* objectsIn(option, place);
  if (known instanceof z.ZodArray) yield* objectsIn(known.element, place);
  if (!(known instanceof z.ZodObject)) return;
  yield { place, object: known };
  for (const [name, field] of Object.entries(known.shape)) yield* objectsIn(field, `${place} ${name}`);
}

/** Whether an object refuses a text in one of its fields, whatever else it lacks. */
function refusesIn(object: z.ZodObject, name: string, text: string): boolean {
  const sent = { [name]: text };
  const parsed = object.safeParse(sent);
  const issues = [
    ...(parsed.error?.issues ?? []).map(({ path }) => String(path[0])),
    ...findFurtherIssues(object, sent, parsed, true).map(({ field }) => field),
  ];
  return issues.includes(name);
}

it('each text of which some are refused is declared with its form, its choices or its least length', () => {
  const loose = routes.flatMap((route) =>
    [route.schema.params, route.schema.querystring, route.schema.body].flatMap((shape) =>
      (shape instanceof z.ZodType ? [...objectsIn(shape, writeRoute(route))] : []).flatMap(({ place, object }) =>
        Object.entries(object.shape).flatMap(([name, field]) => {
          const schema = JSON.stringify(z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }));
          const isText = schema.includes('"type":"string"') && !/"(pattern|format|enum|const)":|"type":"(array|object)"/.test(schema);
          const isForced = isText && (refusesIn(object, name, 'x') || (refusesIn(object, name, '') && !schema.includes('"minLength":')));
          return isForced ? [`${place} ${name}`] : [];
        }),
      ),
    ),
  );
  expect(loose).toEqual([]);
});

describe('every operation', () => {
  it('names a wrong parameter of the path as its template does', async () => {
    const wrong: string[] = [];
    for (const route of routes)
      for (const { name, refuses, unknown } of listParameters(route.schema.params))
        for (const value of [...refuses, ...unknown]) {
          let said = '';
          // A path that its pattern does not take, and the record that a path is about, are not found without a field.
          const isNamed = (answer: Answered, names = namesIn(answer)) =>
            names.length > 0 ? names.every((one) => one === spelledName(name)) : answer.status === 404;
          // One of the requests has the fields that the operation requires, mostly the last one.
          for (const request of plausibleRequests(route, OURS).reverse()) {
            const answer = await ask(route, withPath(route, request, name, value));
            said = isNamed(answer) ? '' : answer.text;
            if (said === '') break;
          }
          if (said !== '') wrong.push(`${writeRoute(route)} ${name}=${value}: ${said}`);
        }
    expect(wrong).toEqual([]);
  });

  it('names a wrong parameter of the query by the name that was sent, of all that it takes', async () => {
    const wrong: string[] = [];
    let others = 0;
    for (const route of routes) {
      const [request] = plausibleRequests(route, OURS);
      if (!request) continue;
      const spellings = otherNames(route.schema.querystring);
      const parameters = listParameters(route.schema.querystring).map((one) => ({
        ...one,
        spellings: [one.name, ...(spellings.get(one.name) ?? [])],
      }));
      others += parameters.flatMap(({ spellings }) => spellings.slice(1)).length;
      const most = Math.max(0, ...parameters.map(({ spellings }) => spellings.length));
      for (let spelling = 0; spelling < most; spelling++) {
        const named = parameters.flatMap(({ spellings, refuses, unknown }) => {
          const spelled = spellings[spelling];
          return spelled === undefined ? [] : [{ spelled, refuses, unknown }];
        });
        // Values of a wrong form are refused all at once, but for a position, which is opened when all others are right.
        const sent = named.flatMap(({ spelled, refuses }) => (refuses.length > 0 ? [spelled] : []));
        for (const group of [sent.filter((one) => one !== 'after'), sent.filter((one) => one === 'after')]) {
          if (group.length === 0) continue;
          const answer = await ask(
            route,
            group.reduce((asked, spelled) => withQuery(asked, spelled, NEITHER), request),
          );
          const missing = group.filter((spelled) => !namesIn(answer).some((one) => one.replace(/\.\d+$/, '') === spelled));
          if (missing.length > 0) wrong.push(`${writeRoute(route)} ${missing.join(' ')}: ${answer.status} ${answer.text}`);
        }
        for (const { spelled, unknown } of named)
          for (const value of unknown) {
            const answer = await ask(route, withQuery(request, spelled, value));
            const names = namesIn(answer);
            // Lists by an unknown record may be empty.
            if (names.length > 0 && !names.some((field) => field.replace(/\.\d+$/, '') === spelled))
              wrong.push(`${writeRoute(route)} ${spelled}=${value}: ${answer.status} ${answer.text}`);
          }
      }
    }
    expect(wrong).toEqual([]);
    expect(others).toBeGreaterThan(100);
  });

  it('names wrong values and unknown records of the body by names that were sent', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const shape = route.schema.body instanceof z.ZodType ? toSentShape(route.schema.body) : undefined;
      const fields = listParameters(shape);
      // Wrong values are all sent at once, and unknown records one by one: a rule may stop at the first.
      const wrongFields = Object.fromEntries(
        fields.flatMap(({ name, isList, refuses }) => refuses.map((one) => [name, isList ? [one] : one])),
      );
      const unknowns = fields.flatMap(({ name, isList, unknown }) => unknown.map((one) => ({ [name]: isList ? [one] : one })));
      for (const request of shape ? plausibleRequests(route, OURS) : [])
        for (const sent of [wrongFields, ...unknowns].filter((one) => Object.keys(one).length > 0)) {
          const body = { ...request.body, ...sent };
          const answer = await ask(route, { ...request, body });
          const isSent = (one: string) => Object.hasOwn(body, one.split('.')[0] ?? '') || route.url.includes(`:${one}`);
          if (!namesIn(answer).every(isSent)) wrong.push(`${writeRoute(route)} ${JSON.stringify(sent)}: ${answer.status} ${answer.text}`);
        }
    }
    expect(wrong).toEqual([]);
  });
});
