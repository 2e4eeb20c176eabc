import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Example } from '../../../src/http/endpoints/examples.ts';
import type { TestApp } from '../../support/app.ts';
import { pairs } from '../plausible.ts';
import { presentable } from './presentable.ts';

export type Api = 'integration' | 'practice' | 'mobile' | 'platform';

export const toDocumentPath = (api: Api) => join(import.meta.dirname, '../../../openapi', `${api}.json`);

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), required: z.boolean() }).partial()).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

interface Operation {
  method: string;
  /** With `{names}`. */
  path: string;
  /** Content type of the body. */
  type: string;
  /** Of the path and the query; whether a request has to have it. */
  parameters: { name?: string | undefined; required?: boolean | undefined }[];
}

/** The operations of a committed document by operationId. */
export const readOperations = (api: Api): Map<string, Operation> =>
  new Map(
    Object.entries(document.parse(JSON.parse(readFileSync(toDocumentPath(api), 'utf8'))).paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, parameters, requestBody }]) => {
        const [type = 'application/json'] = Object.keys(requestBody?.content ?? {});
        return [operationId, { method: method.toUpperCase(), path, type, parameters }] as const;
      }),
    ),
  );

export type Value = string | number | boolean;

export interface Request {
  path?: Record<string, Value>;
  query?: Record<string, Value>;
  body?: Record<string, unknown>;
  /** Names and bytes of the files of a multipart form. */
  files?: Record<string, readonly [name: string, content: Uint8Array<ArrayBuffer>]>;
  /** A body that is a file. */
  text?: string;
  headers?: Record<string, string>;
  /** Of somebody else than who calls by default. */
  token?: string;
  /** Reads no further than the first event of a response without an end. */
  isStream?: boolean;
  /** Asks again until the response is so: a change may be told a little later. */
  until?: (response: unknown) => boolean;
}

/** Sends a request of an operation, keeps the first one with its response as the example, and answers with the body of the response. */
export type Ask = (operationId: string, request?: Request) => Promise<unknown>;

export interface Recorder {
  ask: Ask;
  /** Asks for what can be read without a choice and has no example yet: lists and settings of the practice. */
  readRest(): Promise<void>;
  /** By operationId, as a document shows them. */
  examples: Record<string, Example>;
}

/** @throws where a request fails */
export function createRecorder({ address }: TestApp, api: Api, token: string, prefix: Record<string, Value> = {}): Recorder {
  const operations = readOperations(api);
  const examples: Record<string, Example> = {};

  async function ask(operationId: string, request: Request = {}): Promise<unknown> {
    const known = operations.get(operationId);
    if (!known) throw new Error(`${operationId} is no operation of the ${api} API`);
    const { status, response } = await send(address, known, { token, ...request, path: { ...prefix, ...request.path } });
    if (status < 400 && request.until?.(response) === false) return ask(operationId, request);
    // As the server says: on a busy machine, the first password takes longer than a request may.
    if (status === 503) return ask(operationId, request);
    if (status >= 400) throw new Error(`${operationId}: ${status} ${JSON.stringify(response)}`);
    const body = toBody(request);
    examples[operationId] ??= presentable(address, {
      path: { ...prefix, ...request.path },
      query: request.query ?? {},
      ...(body ? { body } : {}),
      status,
      ...(response === undefined ? {} : { response }),
    });
    return response;
  }

  async function readRest(): Promise<void> {
    for (const [operationId, { method, parameters }] of operations) {
      const needsChoice = parameters.some(({ name = '', required }) => required && !(name in prefix));
      if (method !== 'GET' || needsChoice || operationId in examples) continue;
      await ask(operationId, parameters.some(({ name }) => name === 'limit') ? { query: { limit: 1 } } : {});
    }
  }
  return { ask, readRest, examples };
}

/** The fields of a body; of a file, its name. */
function toBody({ body, files }: Request): Record<string, unknown> | undefined {
  if (!files) return body;
  return { ...Object.fromEntries(Object.entries(files).map(([field, [name]]) => [field, name])), ...body };
}

async function send(address: string, { method, path, type }: Operation, request: Request): Promise<{ status: number; response: unknown }> {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(request.path?.[name])));
  const query = new URLSearchParams(Object.entries(request.query ?? {}).flatMap(pairs));
  const content = toContent(type, request);
  const answer = await fetch(`${address}${filled}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    headers: {
      ...(request.token ? { authorization: `Bearer ${request.token}` } : {}),
      ...(typeof content === 'string' ? { 'content-type': type } : {}),
      ...request.headers,
    },
    ...(content === undefined ? {} : { body: content }),
  });
  return { status: answer.status, response: await readResponse(answer, request.isStream === true) };
}

function toContent(type: string, { body, files, text }: Request): string | FormData | undefined {
  if (text !== undefined) return text;
  if (files) {
    const form = new FormData();
    for (const [name, text] of Object.entries(body ?? {})) form.append(name, String(text));
    for (const [field, [name, bytes]] of Object.entries(files)) form.append(field, new Blob([bytes]), name);
    return form;
  }
  if (body === undefined) return undefined;
  return type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(Object.entries(body).flatMap(pairs)).toString();
}

/** The parsed body; undefined where there is none, or only bytes. */
async function readResponse(answer: Response, isStream: boolean): Promise<unknown> {
  if (isStream) {
    const first = await answer.body?.getReader().read();
    return new TextDecoder().decode(first?.value);
  }
  const type = answer.headers.get('content-type') ?? '';
  const bytes = await answer.bytes();
  if (answer.status === 204 || bytes.length === 0) return undefined;
  const text = new TextDecoder().decode(bytes);
  if (type.startsWith('text/') || type.includes('ndjson')) return text;
  return type.includes('json') ? JSON.parse(text) : undefined;
}

const record = z.record(z.string(), z.unknown());

/** A value inside a response, by its names: `valueAt(list, 'data', '0', 'uuid')`. @throws where it is neither text nor number */
export function valueAt(response: unknown, ...names: string[]): string | number {
  const value = names.reduce<unknown>(
    (node, name) => (Array.isArray(node) ? node[Number(name)] : record.safeParse(node).data?.[name]),
    response,
  );
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`no ${names.join('/')} in ${JSON.stringify(response)}`);
}

/** The uuid of the record of a response, or of the first of its list. */
export function readId(response: unknown): number {
  const { data } = z.object({ data: z.unknown() }).parse(response);
  return Number(valueAt({ data: [data].flat() }, 'data', '0', 'uuid'));
}
