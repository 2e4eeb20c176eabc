import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { POSITION_FORMAT } from '../../src/http/wire/wire-types.ts';
import { BY_HAND } from './plausible-by-hand.ts';
import type { Route } from './routes.ts';

/** The values for ids of every kind. */
export interface Ids {
  practiceId: number;
  id: number;
  guid: string;
  /** Of patients and their contacts, where it is another one. */
  patientId?: number;
}

/** A request that an operation may accept. */
export interface Plausible {
  path: string;
  body: object | undefined;
}

/** A field of a form or a query; a list repeats the field for each value. */
export const pairs = ([name, value]: [string, unknown]): [string, string][] => [value].flat().map((one) => [name, String(one)]);

/** Requests for a route, generated from its shapes: with the required fields only, then with all fields. */
export function plausibleRequests(route: Route, ids: Ids): Plausible[] {
  const { operationId = '' } = route.schema;
  const helped = (route.url.startsWith('/:apivariant') ? BY_HAND[`practice ${operationId}`] : undefined) ?? BY_HAND[operationId] ?? {};
  return [false, true].map((everything) => {
    const make = (part: unknown) => createSample(part, ids, everything);
    const query = new URLSearchParams(
      Object.entries(fillFields({ ...make(route.schema.querystring), ...helped.query }, ids)).flatMap(pairs),
    );
    const body = route.schema.body ? fillFields({ ...make(route.schema.body), ...helped.body }, ids) : undefined;
    return { path: `${fillPath(route, ids)}${query.size > 0 ? `?${query}` : ''}`, body };
  });
}

/** The fields that have a value: a form would send the word undefined. Ids stand also within texts, such as JSON in a form. */
const fillFields = (fields: Record<string, unknown>, { id }: Ids): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value.replaceAll('%ID%', String(id)) : value]],
    ),
  );

/** A path of a route, for requests that are refused before its records are looked up. */
export const anyPath = (route: Route, practiceId: number): string =>
  fillPath(route, { practiceId, id: 1, guid: '00000000-0000-4000-8000-000000000001' });

function fillPath({ method, url, schema }: Route, ids: Ids): string {
  const params = createSample(schema.params, ids, true);
  const known: Record<string, unknown> = { ...params, apivariant: 'v1', practiceid: ids.practiceId };
  return url.replaceAll(/(?<=(?:^|\/)([\w-]*)\/?):(\w+)(\((?:[^()]|\([^()]*\))*\))?/g, (_, folder: string, name: string) => {
    const ofPatient = OF_PATIENT.test(name) || PATIENTS.test(`${method} ${folder}`);
    return encodeURIComponent(String(ofPatient ? (ids.patientId ?? ids.id) : (known[name] ?? ids.id)));
  });
}

/** Names of fields and parameters that hold the id of a patient, or of a patient's contact. */
const OF_PATIENT = /^((patient|recipient|contact)(__?(uu)?id)?s?|patientid|mrn)$/i;
/** Folders of paths that are followed by such an id. */
const PATIENTS = / (patients|contacts)$|POST contact-contact-tags$/;

const ID_FORMATS = ['int32', 'int64'];

const node = z.looseObject({
  $ref: z.string().optional(),
  $defs: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
});

const record = z.record(z.string(), z.unknown());
const schemas = new WeakMap<z.ZodType, z.infer<typeof node>>();

/** A value for an object's zod shape. */
function createSample(shape: FastifySchema[keyof FastifySchema], ids: Ids, everything: boolean): Record<string, unknown> {
  if (!(shape instanceof z.ZodType)) return {};
  const schema = schemas.get(shape) ?? node.parse(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }));
  schemas.set(shape, schema);
  return record.safeParse(sample(schema, { ids, everything, named: schema.$defs ?? {} })).data ?? {};
}

interface Making {
  ids: Ids;
  everything: boolean;
  named: Record<string, unknown>;
  /** Of the field. */
  name?: string;
}

function sample(given: unknown, making: Making): unknown {
  const schema = node.parse(given);
  if (schema.$ref) return sample(making.named[schema.$ref.replace('#/$defs/', '')] ?? {}, making);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const type = [schema.type].flat()[0];
  if (type === undefined) return sample([...(schema.anyOf ?? []), ...(schema.oneOf ?? [])][0] ?? { type: 'null' }, making);
  if (type === 'integer' || type === 'number')
    return ID_FORMATS.includes(schema.format ?? '') ? idFor(making) : Math.max(1, schema.minimum ?? 1);
  if (type === 'boolean') return true;
  if (type === 'array') return [sample(schema.items, making)];
  if (schema.format === 'binary') return new Blob(['text']);
  if (type === 'string') return sampleText(schema, making);
  if (type !== 'object') return null;
  const isPosition = (name: string) => node.safeParse(schema.properties?.[name]).data?.format === POSITION_FORMAT;
  const names = Object.keys(schema.properties ?? {}).filter(
    (name) => (making.everything && !isPosition(name)) || schema.required?.includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, sample(schema.properties?.[name], { ...making, name })]));
}

const idFor = ({ ids, name = '' }: Making): number => (OF_PATIENT.test(name) ? (ids.patientId ?? ids.id) : ids.id);

const BY_FORMAT: Record<string, string> = {
  date: '1990-01-15',
  'date-time': '2031-01-15T10:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
};

const BY_NAME: [RegExp, string][] = [
  // A month that is not over, with what the rows of another organization hold.
  [/^month$/, '2031-01'],
  [/^appointment_date$/, '2031-01-15T10:00:00Z'],
  [/date|dob/i, '1990-01-15'],
  [/phone|number/i, '9105550123'],
  [/time_?zone/i, 'America/New_York'],
  [/email/i, 'someone@example.com'],
];

function sampleText({ format = '', minLength = 0, maxLength = 200 }: z.infer<typeof node>, making: Making): string {
  const { ids, name = '' } = making;
  if (format === 'uuid') return ids.guid;
  const known = BY_FORMAT[format] ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  return known ?? String(idFor(making)).padEnd(minLength, 'x').slice(0, maxLength);
}
