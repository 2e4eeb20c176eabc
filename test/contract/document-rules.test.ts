import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** Rules that generators of clients in several languages need, read from the committed documents. */

const record = z.record(z.string(), z.unknown());
const schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
  properties: record.optional(),
});

/** Each object inside a document but its examples, with its place. */
function* nodes(node: unknown, place = '#'): Generator<{ place: string; node: Record<string, unknown> }> {
  if (Array.isArray(node)) for (const [index, one] of node.entries()) yield* nodes(one, `${place}/${index}`);
  const { data } = record.safeParse(node);
  if (!data || Array.isArray(node)) return;
  yield { place, node: data };
  for (const [key, value] of Object.entries(data))
    if (!['example', 'examples', 'default'].includes(key)) yield* nodes(value, `${place}/${key}`);
}

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.looseObject({ name: z.string().optional(), in: z.string().optional(), schema: schema.optional() })).default([]),
  requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
  responses: record,
});
const document = z.looseObject({
  tags: z.array(z.looseObject({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: record, responses: record }),
});

/** First words of the summaries of operations, by the verb of their ids; any other verb is the first word itself. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  get: ['read', 'download'],
  // What creating and deleting does, where the record itself is not what a caller thinks of.
  create: ['create', 'add', 'upload', 'schedule', 'track', 'move', 'subscribe', 'open'],
  delete: ['delete', 'remove', 'release', 'stop', 'unsubscribe', 'end'],
  save: ['update'],
  login: ['sign in'],
  logout: ['sign out'],
};

/** Names that a generated client would hide from its users: globals of TypeScript and browsers, Java, Kotlin, Swift, PHP and Python. */
const GLOBALS = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...['Any', 'Calendar', 'Class', 'Comparable', 'Data', 'Document', 'Double', 'Element', 'Enum', 'Exception', 'Float', 'History'],
  ...['Integer', 'Int', 'Iterable', 'List', 'Locale', 'Location', 'Long', 'Module', 'Node', 'Notification', 'Nothing', 'Optional'],
  ...['Package', 'Pair', 'Plugin', 'Process', 'PushSubscription', 'Range', 'Record', 'Result', 'Screen', 'Selection', 'Sequence'],
  ...['Short', 'System', 'Text', 'Thread', 'TimeZone', 'Timer', 'Type', 'Unit', 'Void', 'Window'],
]);

/** The source document of the integration API lists this shape by its name. */
const FORCED = new Set(['Exception']);

describe.each(['integration', 'practice', 'mobile', 'platform'])('the document of the %s API', (name) => {
  const root = document.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi', `${name}.json`), 'utf8')));
  const all = [...nodes(root)];
  const operations = Object.entries(root.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => ({ at: `${method} ${path}`, ...one })),
  );
  const places = (holds: (node: Record<string, unknown>, place: string) => boolean) =>
    all.filter(({ node, place }) => holds(node, place)).map(({ place }) => place);

  it('says of each value that can be null what else it can be', () => {
    expect(places(({ type }, place) => type === 'null' && !/\/anyOf\/\d+$/.test(place))).toEqual([]);
  });

  it('names no component like a constructor or a client', () => {
    expect(Object.keys(root.components.schemas).filter((one) => /^New[A-Z]|^(Api)?Client$|Client$/.test(one))).toEqual([]);
  });

  it('names no component like a global that the client would hide', () => {
    expect(Object.keys(root.components.schemas).filter((one) => GLOBALS.has(one) && !FORCED.has(one))).toEqual([]);
  });

  it('has each path under one template', () => {
    const templates = Object.keys(root.paths).map((path) => path.replaceAll(/\{[^}]*\}/g, '{}').toLowerCase());
    expect(templates.filter((path, index) => templates.indexOf(path) !== index)).toEqual([]);
  });

  it('has each field and parameter under one name', () => {
    const twice = (names: string[]) => names.filter((one) => one.endsWith('[]') && names.includes(one.slice(0, -2)));
    expect(operations.flatMap(({ at, parameters }) => twice(parameters.map((one) => one.name ?? '')).map((one) => `${at} ${one}`))).toEqual(
      [],
    );
    expect(places(({ properties }) => twice(Object.keys(record.safeParse(properties).data ?? {})).length > 0)).toEqual([]);
    const described = operations.flatMap(({ parameters }) => parameters.map(({ description }) => String(description)));
    expect(described.filter((one) => /^(Same as|As) /.test(one))).toEqual([]);
  });

  it('has no constants, and no type of more than two alternatives and null', () => {
    expect(places((node) => 'const' in node)).toEqual([]);
    const others = (node: unknown) => (schema.safeParse(node).data?.anyOf ?? []).filter(({ type }) => type !== 'null').length;
    expect(places((node) => others(node) > 2)).toEqual([]);
    // A choice of two objects has nothing to tell them apart.
    const objects = (node: unknown) => (schema.safeParse(node).data?.anyOf ?? []).filter(({ type, $ref }) => type === 'object' || $ref);
    expect(places((node) => objects(node).length > 1)).toEqual([]);
    const types = ({ type }: Record<string, unknown>) => (Array.isArray(type) ? type.filter((one) => one !== 'null').length : 1);
    expect(places((node) => types(node) > 1)).toEqual([]);
  });

  it('gives a value a format or a pattern, whole numbers the type integer, and closes no object of an answer', () => {
    expect(places((node) => 'format' in node && 'pattern' in node)).toEqual([]);
    expect(places(({ type, enum: values }) => type === 'number' && Array.isArray(values))).toEqual([]);
    expect(places(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  });

  it('has the operations on tokens, client credentials, and an example of each body that is no file', () => {
    expect(Object.keys(root.paths)).toEqual(expect.arrayContaining(['/oauth2/v1/token', '/oauth2/v1/introspect', '/oauth2/v1/revoke']));
    expect(places((node) => 'clientCredentials' in node)).toHaveLength(1);
    const bare = operations.filter(({ requestBody }) =>
      Object.entries(requestBody?.content ?? {}).some(
        ([type, body], index) => index === 0 && /json$|urlencoded$/.test(type) && !('example' in record.parse(body)),
      ),
    );
    expect(bare.map(({ at }) => at)).toEqual([]);
    expect(places(({ description }) => String(description).startsWith('Not in the source document'))).toEqual([]);
  });

  it('gives each page its default length', () => {
    const limits = operations.flatMap(({ at, parameters }) =>
      parameters.filter((one) => one.name === 'limit').map((one) => ({ at, ...one })),
    );
    expect(limits.filter((one) => one.schema?.default === undefined).map(({ at }) => at)).toEqual([]);
  });

  it('has no null in parameters and forms', () => {
    const isNullable = ({ node }: { node: Record<string, unknown> }) =>
      node.type === 'null' || (Array.isArray(node.type) && node.type.includes('null'));
    const forms = operations.flatMap(({ requestBody }) =>
      Object.entries(requestBody?.content ?? {}).flatMap(([type, body]) => (type === 'application/json' ? [] : [body])),
    );
    const input = [
      ...operations.flatMap(({ parameters }) => parameters),
      ...forms,
      name === 'practice' ? root.components.schemas.PatientRegistration : {},
    ];
    expect(input.flatMap((one) => [...nodes(one)]).filter(isNullable)).toEqual([]);
  });

  it('gives the directions of a sort, and a format or pattern to each time', () => {
    const orders = operations.flatMap(({ parameters }) => parameters.filter((one) => one.name === 'order').map((one) => one.schema?.enum));
    expect(orders.filter((values) => JSON.stringify(values) !== '["ASC","DESC"]')).toEqual([]);
    const times = all.flatMap(({ place, node }) =>
      Object.entries(record.safeParse(node.properties).data ?? {}).flatMap(([field, value]) =>
        /_at$|^dob$|_date$|date$/.test(field) && field !== 'effectivedate'
          ? [{ place: `${place}/${field}`, text: JSON.stringify(value) }]
          : [],
      ),
    );
    const loose = times.filter(({ text }) => text.includes('"string"') && !/"(format|pattern)"/.test(text));
    expect(loose.map(({ place }) => place)).toEqual([]);
  });

  it('begins each summary with the verb of its operation, and has one tag for the operations of a path', () => {
    const first = operations.map(({ at, operationId, summary }) => {
      const [verb = ''] = /^[a-z]+/.exec(operationId) ?? [];
      const words = VERBS[verb] ?? [verb];
      return { at, summary, isRight: words.some((word) => summary.toLowerCase().startsWith(`${word} `) || summary.toLowerCase() === word) };
    });
    expect(first.filter(({ isRight, summary }) => !isRight || !/^[A-Z][^.]{3,84}$/.test(summary))).toEqual([]);
    const listTags = (item: Record<string, { tags: string[] }>) => new Set(Object.values(item).map(({ tags }) => tags.join()));
    expect(Object.entries(root.paths).filter(([, item]) => listTags(item).size > 1)).toEqual([]);
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(root.tags.filter((one) => !used.has(one.name) || !/^[A-Z][A-Za-z ,-]+$/.test(one.name) || /\.$/.test(one.description))).toEqual(
      [],
    );
    expect(used.size).toBe(root.tags.length);
  });

  it('describes each field of its shapes', () => {
    const silent = all.flatMap(({ place, node }) =>
      Object.entries(record.safeParse(node.properties).data ?? {}).flatMap(([field, value]) => {
        const { description, $ref } = record.parse(value);
        // The shape that a reference leads to describes its own fields.
        return description || $ref ? [] : [`${place}/${field}`];
      }),
    );
    expect(silent).toEqual([]);
  });
});

it('the practice API names its variants, and writes census codes as an integer or one word', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'openapi', 'practice.json'), 'utf8');
  const root = document.parse(JSON.parse(text));
  const variants = Object.entries(root.paths).flatMap(([path, item]) =>
    (path.startsWith('/oauth2/') ? [] : Object.values(item)).map(
      ({ parameters }) => parameters.find((one) => one.name === 'apivariant')?.schema?.enum,
    ),
  );
  expect(new Set(variants.map((one) => JSON.stringify(one)))).toEqual(new Set(['["v1","preview1","openpreview1"]']));
  const { properties } = z.object({ properties: record }).parse(root.components.schemas.Patient);
  for (const field of ['industrycode', 'occupationcode'])
    expect(properties[field]).toMatchObject({ anyOf: [{ type: 'integer' }, { type: 'string', enum: ['other'] }] });
});
