import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type Json = Record<string, unknown>;

/** The use of a shape: the JSON body of a request, a response, or a form or query, which has no null. */
export type SchemaUse = 'input' | 'output' | 'form';

/** The JSON Schema of a zod shape as generators of clients read it, with the named shapes that it refers to in `$defs`. */
export const writeSchema = (shape: z.ZodType, use: SchemaUse, descriptions: ReadonlyMap<string, string>): Json =>
  inDocument(
    z.toJSONSchema(shape, { io: use === 'output' ? use : 'input', unrepresentable: 'any', override: use === 'output' ? tidy : tidyInput }),
    use === 'form',
    descriptions,
  );

/** References as they are written inside an OpenAPI document, and each field under one name and described. */
function inDocument(schema: Json, isForm: boolean, descriptions: ReadonlyMap<string, string>): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace(/^#\/\$defs\//, '#/components/schemas/');
    const node = plain.safeParse(value).data;
    if (!node) return value;
    const one = flatten(withoutAnything(node));
    return addDescriptions(underOneName(isForm ? withoutNull(one) : one), descriptions);
  });
}

const plain = z.record(z.string(), z.unknown());
const choice = z.looseObject({ anyOf: z.array(z.record(z.string(), z.unknown())) });

/** A choice among shapes of which one is anything is no choice. */
function withoutAnything({ anyOf, ...rest }: Json): Json {
  return Array.isArray(anyOf) && !anyOf.some((one) => isDeepStrictEqual(one, {})) ? { ...rest, anyOf } : rest;
}

/** The shape of a value that may also be null. */
function withoutNull(node: Json): Json {
  const { data } = choice.safeParse(node);
  if (!data) return Array.isArray(node.type) ? { ...node, type: node.type.find((type) => type !== 'null') } : node;
  const { anyOf, ...rest } = data;
  const others = anyOf.filter(({ type }) => type !== 'null');
  return others.length === 1 ? { ...others[0], ...rest } : { ...rest, anyOf: others };
}

/** A choice instead of a list of several types, which generators do not know. */
function ofOneType({ type, ...rest }: Json): Json {
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return { ...(type === undefined ? {} : { type }), ...rest };
  return { ...rest, anyOf: type.map((one) => ({ type: one })) };
}

/** A choice of which one is again a choice is one among all of them. */
function flatten(node: Json): Json {
  const { data } = choice.safeParse(ofOneType(node));
  return data ? { ...data, anyOf: data.anyOf.flatMap((one) => (Object.keys(one).join() === 'anyOf' ? [one.anyOf].flat() : [one])) } : node;
}

const twins = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ sameAs: z.string().optional(), description: z.string().optional() })),
});

/** An object without the fields that are another name of one of its fields (`sameAs`), which that field mentions. */
function underOneName(node: Json): Json {
  const { data } = twins.safeParse(node);
  if (!data) return node;
  const all = Object.entries(data.properties);
  const own = all.filter(([, { sameAs }]) => sameAs === undefined);
  const properties = own.map(([name, field]) => {
    const others = all.flatMap(([other, { sameAs }]) => (sameAs === name ? [other] : []));
    const description = alsoAs(field.description, others);
    return [name, { ...field, ...(description ? { description } : {}) }];
  });
  return { ...node, properties: Object.fromEntries(properties) };
}

/** An object whose fields without a description have the one that their names have everywhere; a reference describes itself. */
function addDescriptions(node: Json, descriptions: ReadonlyMap<string, string>): Json {
  const { data } = twins.safeParse(node);
  if (!data) return node;
  const properties = Object.entries(data.properties).map(([name, field]) => {
    const description = field.description ?? (field.$ref === undefined ? descriptions.get(name) : undefined);
    return [name, { ...(description === undefined ? {} : { description }), ...field }];
  });
  return { ...node, properties: Object.fromEntries(properties) };
}

/** A description that mentions the other names under which a field is read. */
export function alsoAs(description: string | undefined, others: readonly string[]): string | undefined {
  if (others.length === 0) return description;
  return `${description ? `${description}. ` : ''}Also read as ${others.map((name) => `\`${name}\``).join(', ')}`;
}

/** A shape that names its type itself is read from more than that (`id()`: a number or its digits); the document shows the named one. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type !== undefined) delete jsonSchema.anyOf;
  // A list that a form holds as a text.
  if (jsonSchema.type === 'string') for (const key of ['items', 'minItems', 'maxItems'] as const) delete jsonSchema[key];
  delete jsonSchema.otherNames;
  if (jsonSchema.orText === true) {
    const { orText: _, description: __, ...number } = jsonSchema;
    for (const key of ['orText', ...Object.keys(number)]) delete jsonSchema[key];
    jsonSchema.anyOf = [number, { type: 'string', pattern: String.raw`^\d+$` }];
  }
  // More members may come in any answer. Generators take a format and a pattern for two types, and a list of types for none.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.type === 'number' && jsonSchema.enum?.every(Number.isInteger)) jsonSchema.type = 'integer';
  if (jsonSchema.const !== undefined) {
    // Generators know values that are fixed as enumerations of one.
    jsonSchema.enum = [jsonSchema.const];
    delete jsonSchema.const;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER && jsonSchema.format !== 'int64') delete jsonSchema.maximum;
}

type Overridden = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0];

/**
 * As `tidy`, and lists each field as required that is refused when it is missing. zod takes a field whose value is read before it is
 * checked (`id()`) for one that may be left out, as soon as it may be null or one of several shapes.
 */
function tidyInput(part: Overridden): void {
  tidy(part);
  const { zodSchema, jsonSchema } = part;
  // zod leaves it out where a value is read before it is checked.
  if (zodSchema instanceof z.ZodDefault && typeof zodSchema.def.defaultValue !== 'object')
    jsonSchema.default = jsonSchema.type === 'integer' ? Number(zodSchema.def.defaultValue) : zodSchema.def.defaultValue;
  if (!(zodSchema instanceof z.ZodObject)) return;
  const required = Object.entries(zodSchema.shape).flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]));
  if (required.length > 0) jsonSchema.required = required;
  else delete jsonSchema.required;
}
