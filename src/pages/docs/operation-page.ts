import { z } from 'zod';
import { readErrorTable } from '../../http/errors/error-table.ts';

const schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof schema>> {
    return z.record(z.string(), schema).optional();
  },
  get items(): z.ZodOptional<typeof schema> {
    return schema.optional();
  },
  get anyOf(): z.ZodOptional<z.ZodArray<typeof schema>> {
    return z.array(schema).optional();
  },
});
type Schema = z.output<typeof schema>;

const content = z.record(z.string(), z.looseObject({ schema: schema.optional(), example: z.unknown().optional() }));
const parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: schema.optional(),
});
const response = z.looseObject({ description: z.string(), content: content.optional(), 'x-error-codes': z.array(z.string()).default([]) });
const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.unknown()),
});

interface Place {
  method: string;
  path: string;
  api: string;
}

/** An operation of a document as Markdown: what it takes, what it answers, and each of its failures with what to do. */
export function writeOperation(sent: Place & Record<string, unknown>, root: Record<string, unknown>): string {
  const one = operation.parse(sent);
  const parameters = one.parameters.map((each) => parameter.parse(resolveReference(root, each)));
  const responses = Object.entries(one.responses).map(([status, each]) => ({ status, ...response.parse(resolveReference(root, each)) }));
  return [
    `# ${one.summary}`,
    `\`${sent.method} ${sent.path}\``,
    `${one.description.replaceAll('\n', ' ')} Its name is \`${one.operationId}\`, in the [document of the ${sent.api} API](/docs/openapi/${sent.api}.json).`,
    ...(parameters.length === 0 ? [] : ['## Parameters', fieldTable(parameters.map((each) => ({ ...each, place: each.in })))]),
    ...Object.entries(one.requestBody?.content ?? {})
      .slice(0, 1)
      .flatMap(([type, body]) => describeContent(root, 'Body', type, body)),
    ...responses
      .filter(({ status }) => status < '400')
      .flatMap(({ status, content: answered = {} }) =>
        Object.entries(answered)
          .slice(0, 1)
          .flatMap(([type, body]) => describeContent(root, `Response ${status}`, type, body)),
      ),
    '## Errors',
    errorTable(responses.flatMap(({ status, 'x-error-codes': codes }) => codes.map((code) => ({ status, code })))),
    '',
  ].join('\n\n');
}

function describeContent(root: Record<string, unknown>, title: string, type: string, body: z.output<typeof content>[string]): string[] {
  const shape = body.schema && schema.parse(resolveReference(root, body.schema));
  const fields = Object.entries(shape?.properties ?? {}).map(([name, field]) => ({
    name,
    place: '',
    required: shape?.required.includes(name) ?? false,
    description: field.description,
    schema: field,
  }));
  return [
    `## ${title}`,
    `\`${type}\``,
    ...(fields.length === 0 ? [] : [fieldTable(fields)]),
    ...(body.example === undefined ? [] : [['```json', JSON.stringify(body.example, null, 2), '```'].join('\n')]),
  ];
}

interface Field {
  name: string;
  place: string;
  required?: boolean | undefined;
  description?: string | undefined;
  schema?: Schema | undefined;
}

const fieldTable = (fields: readonly Field[]): string =>
  [
    '| Name | Type | |',
    '|---|---|---|',
    ...fields.map(({ name, place, required, description = '', schema: shape }) =>
      writeRow([`\`${name}\``, [writeType(shape), place, required ? 'required' : ''].filter(Boolean).join(', '), description]),
    ),
  ].join('\n');

function writeType(shape: Schema | undefined): string {
  if (!shape) return '';
  if (shape.$ref !== undefined) return shape.$ref.split('/').at(-1) ?? '';
  if (shape.anyOf) return shape.anyOf.map(writeType).join(' or ');
  if (shape.enum) return shape.enum.map((value) => `\`${String(value)}\``).join(' ');
  if (shape.items) return `list of ${writeType(shape.items)}`;
  return [[shape.type ?? ''].flat().join(' or '), shape.format ?? ''].filter(Boolean).join(' ');
}

function errorTable(codes: readonly { status: string; code: string }[]): string {
  const entries = readErrorTable();
  const rows = codes.map(({ status, code }) =>
    writeRow([status, `[\`${code}\`](/docs/errors/${code})`, entries.get(code)?.meaning ?? '', entries.get(code)?.remedy ?? '']),
  );
  return ['| Status | Code | Meaning | What to do |', '|---|---|---|---|', ...rows].join('\n');
}

const writeRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;

/** A part of the document, or what a reference leads to. */
function resolveReference(root: Record<string, unknown>, part: unknown): unknown {
  const { data } = z.looseObject({ $ref: z.string() }).safeParse(part);
  if (!data) return part;
  const keys = data.$ref.replace(/^#\//, '').split('/');
  return keys.reduce((node: unknown, key) => z.record(z.string(), z.unknown()).parse(node)[key], root);
}
