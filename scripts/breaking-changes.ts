import { z } from 'zod';

const record = z.record(z.string(), z.unknown());
const operation = z.looseObject({
  operationId: z.string(),
  deprecated: z.boolean().default(false),
  parameters: z.array(record).default([]),
  requestBody: z.unknown().optional(),
  responses: record,
});
const document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });
type Root = z.output<typeof document>;
type Operation = z.output<typeof operation>;

/** What the one document breaks of clients of the other: a sentence each, with the operation and who is concerned. */
export function breakingChanges(beforeText: unknown, nowText: unknown): string[] {
  const [before, now] = [document.parse(beforeText), document.parse(nowText)];
  return Object.entries(before.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, one]) => {
      if (one.deprecated) return [];
      const at = `${method.toUpperCase()} ${path}`;
      const other = now.paths[path]?.[method];
      if (!other) return [`${at}: the operation is gone; every client that calls it breaks`];
      return [...inputChanges(before, now, one, other), ...answerChanges(before, now, one, other)].map((change) => `${at}: ${change}`);
    }),
  );
}

function inputChanges(before: Root, now: Root, one: Operation, other: Operation): string[] {
  const [old, present] = [readParameters(before, one), readParameters(now, other)];
  const gone = [...old.keys()].filter((name) => !present.has(name)).map((name) => `the parameter ${name} is gone; who sends it breaks`);
  const required = [...present].filter(([name, isRequired]) => isRequired && old.get(name) !== true);
  const body = shapeChanges({ before, now, seen: [] }, readBody(before, one.requestBody), readBody(now, other.requestBody), 'request');
  return [...gone, ...required.map(([name]) => `the parameter ${name} is required; who leaves it out breaks`), ...body];
}

function answerChanges(before: Root, now: Root, one: Operation, other: Operation): string[] {
  return Object.entries(one.responses).flatMap(([status, answer]) => {
    if (status >= '400') return [];
    if (!(status in other.responses)) return [`the status ${status} is gone; who expects it breaks`];
    return shapeChanges({ before, now, seen: [] }, readBody(before, answer), readBody(now, other.responses[status]), 'answer');
  });
}

/** Whether each parameter is required, by its name. */
const readParameters = (root: Root, { parameters }: Operation): Map<string, boolean> =>
  new Map(parameters.map((one) => resolve(root, one)).map(({ name, required }) => [String(name), required === true]));

/** The shape of the first content type of a body. */
function readBody(root: Root, body: unknown): Record<string, unknown> {
  const content = record.safeParse(resolve(root, body).content).data ?? {};
  return record.safeParse(record.safeParse(Object.values(content)[0]).data?.schema).data ?? {};
}

/** The two documents, and the shapes on the way to a member: one may hold itself. */
interface Roots {
  before: Root;
  now: Root;
  seen: readonly unknown[];
}

/** Follows the members that both shapes have. `place` is the path of a member, from `request` or `answer`. */
function shapeChanges({ before, now, seen }: Roots, one: unknown, other: unknown, place: string): string[] {
  const [old, present] = [resolve(before, one), resolve(now, other)];
  const within = { before, now, seen: [...seen, old] };
  if (seen.includes(old) || Object.keys(old).length === 0) return [];
  const [types, presentTypes] = [listTypes(old), listTypes(present)];
  const isRequest = place.startsWith('request');
  // A request may be taken in more forms than before, an answer may come in fewer.
  const lost = isRequest ? types.filter((type) => !presentTypes.includes(type)) : presentTypes.filter((type) => !types.includes(type));
  if (lost.length > 0)
    return [`${place} is ${presentTypes.join(' or ')} and was ${types.join(' or ')}; who ${isRequest ? 'sends' : 'reads'} it breaks`];
  const [fields, presentFields] = [record.safeParse(old.properties).data ?? {}, record.safeParse(present.properties).data ?? {}];
  const required = [present.required].flat().filter((name) => ![old.required].flat().includes(name));
  return [
    ...(isRequest
      ? required.flatMap((name) => (name === undefined ? [] : [`${place}.${String(name)} is required; who leaves it out breaks`]))
      : []),
    ...Object.entries(fields).flatMap(([name, field]) =>
      name in presentFields
        ? shapeChanges(within, field, presentFields[name], `${place}.${name}`)
        : [`${place}.${name} is gone; who ${isRequest ? 'sends' : 'reads'} it breaks`],
    ),
    ...(old.items === undefined ? [] : shapeChanges(within, old.items, present.items, `${place}[]`)),
  ];
}

/** The types and choices of a value, null among them; those of all alternatives. */
function listTypes(shape: Record<string, unknown>): string[] {
  const choices = Array.isArray(shape.enum) ? shape.enum.map(String) : [];
  const alternatives = Array.isArray(shape.anyOf) ? shape.anyOf.flatMap((one) => listTypes(record.parse(one))) : [];
  return choices.length > 0 ? choices : alternatives.length > 0 ? alternatives : [shape.type ?? 'object'].flat().map(String);
}

/** A part of a document, or what a reference leads to. */
function resolve(root: Root, part: unknown): Record<string, unknown> {
  const node = record.safeParse(part).data ?? {};
  if (typeof node.$ref !== 'string') return node;
  const keys = node.$ref.replace(/^#\//, '').split('/');
  return resolve(
    root,
    keys.reduce((at: unknown, key) => record.parse(at)[key], root),
  );
}
