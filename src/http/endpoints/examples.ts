import { readFileSync } from 'node:fs';
import { z } from 'zod';

const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({});
const exampleShape = z.object({
  path: values,
  query: values,
  body: z.record(z.string(), z.unknown()).optional(),
  status: z.int(),
  /** Absent where there is no body, or only bytes. */
  response: z.unknown().optional(),
});

/** A request of one operation and its response, as they were with the demo practices. */
export type Example = z.output<typeof exampleShape>;

/** By operationId. */
export type Examples = Readonly<Record<string, Example>>;

/** The examples of one API, which test/contract/examples writes. @throws where the file is malformed */
export const readExamples = (file: URL): Examples => z.record(z.string(), exampleShape).parse(JSON.parse(readFileSync(file, 'utf8')));

const media = z.record(z.string(), z.record(z.string(), z.unknown()));
const withContent = z.looseObject({ content: media.optional() });
const operationShape = z.looseObject({
  parameters: z.array(z.looseObject({ in: z.string().optional(), name: z.string().optional() })).optional(),
  requestBody: withContent.optional(),
  responses: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** An operation of a document with an example in its parameters, its body and its response. */
export function withExample(operation: Record<string, unknown>, example: Example | undefined): Record<string, unknown> {
  if (!example) return operation;
  const { parameters, requestBody, responses, ...others } = operationShape.parse(operation);
  const exemplified = parameters?.map((parameter) => {
    const value = { ...(parameter.in === 'path' ? example.path : parameter.in === 'query' ? example.query : {}) }[parameter.name ?? ''];
    return value === undefined ? parameter : { ...parameter, example: value };
  });
  return {
    ...others,
    ...(exemplified ? { parameters: exemplified } : {}),
    ...(requestBody ? { requestBody: showIn(requestBody, example.body) } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        Number(status) === example.status ? showIn(withContent.parse(response), example.response) : response,
      ]),
    ),
  };
}

/** The first content type of a body or a response with the example; the others have none. */
function showIn({ content, ...others }: z.output<typeof withContent>, example: unknown): Record<string, unknown> {
  if (!content) return others;
  const [[type, shape] = [], ...rest] = Object.entries(content);
  const shown = type === undefined || example === undefined ? content : { [type]: { ...shape, example }, ...Object.fromEntries(rest) };
  return { ...others, content: shown };
}
