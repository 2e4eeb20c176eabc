import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, invalid } from '../../domain/errors.ts';
import { decodeUtf8, MAX_PARAMETERS, NOT_UTF_8, parseParameters, requireUtf8, TOO_MANY } from '../input/utf8.ts';

const KIBIBYTE = 1024;

/** Bytes of a body, at most: without a token, of a caller who shows a signature, and with a token. */
export const LARGEST_BODY = { unknown: 16 * KIBIBYTE, signed: 64 * KIBIBYTE, authorized: 1024 * KIBIBYTE };

/** The largest depth of a JSON body; those of these APIs have a few levels. */
const MAX_DEPTH = 100;
/** Values of a JSON body, at most, and as many lists and objects. */
const MAX_VALUES = 10_000;

const BYTE_ORDER_MARK = /^\ufeff/;

export const isForm = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '');

/** Reads bodies: forms, and JSON as UTF-8, whatever charset it declares. What they hold is bounded before anything walks it. */
export async function acceptBodies(app: FastifyInstance): Promise<void> {
  // Endpoints validate with zod themselves (input-parts.ts); Fastify's own compilers do nothing.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addHook('preParsing', requireUncompressed);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) => readJson(bytes));
  await app.register(formbody, { bodyLimit: LARGEST_BODY.unknown, parser: (text) => parseParameters(text.replace(BYTE_ORDER_MARK, '')) });
  app.addHook('preValidation', requireBoundedForm);
}

/** @throws Failure unsupported_media_type for a compressed body */
async function requireUncompressed({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const coding = headers['content-encoding'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || coding === undefined || /^ *(identity)? *$/i.test(coding)) return;
  reply.header('accept-encoding', 'identity');
  const message = `The body is compressed (Content-Encoding: ${coding.slice(0, LONGEST_CODING)}). Send it without Content-Encoding.`;
  throw new Failure('unsupported_media_type', 'unsupported_content_encoding', message);
}

/** Characters of a header that an error repeats. */
const LONGEST_CODING = 100;

/** Refuses a query with too many parameters, and a query or a path that is not UTF-8. */
export function boundParameters(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ query, params, url }) => {
    if (query === TOO_MANY) throw tooMany('query', 'parameters', MAX_PARAMETERS);
    if (!url.includes('%')) return;
    requireUtf8(query);
    requireUtf8(params);
  });
}

/** The parser of forms may not throw: nothing would catch it. */
async function requireBoundedForm(request: FastifyRequest): Promise<void> {
  const { body, routeOptions } = request;
  if (body === TOO_MANY) throw tooMany('body', 'parameters', MAX_PARAMETERS);
  if (isForm(request) && !routeOptions.config.takesGarbledText) requireUtf8(body);
}

/** The replacement character, or its escape. */
const REPLACEMENT = /\ufffd|\\ufffd/i;

/** A JSON content type without a body counts as no body, so that any client may leave out an optional one. */
function readJson(bytes: Buffer): unknown {
  const json = decodeUtf8(bytes);
  if (json === null) throw invalid('body', NOT_UTF_8.message, NOT_UTF_8.code);
  if (json === '') return undefined;
  const body = parseJson(json);
  requireBounded(body);
  if (REPLACEMENT.test(json)) requireUtf8(body);
  return body;
}

/**
 * A key `__proto__` or `constructor` is an own property of what JSON.parse returns, and an unknown field like any other: no handler
 * sees it, because each reads the fields of its shape only.
 */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    const message = 'The body is not JSON.';
    throw new Failure('invalid', 'malformed_request', message, { issues: [{ field: 'body', code: 'malformed', message }] });
  }
}

/** Counts what a body holds. @throws Failure invalid */
function requireBounded(body: unknown): void {
  let values = 0;
  let containers = 0;
  const count = (node: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) throw invalid('body', 'is nested too deeply', 'too_deep');
    if (typeof node !== 'object' || node === null) values += 1;
    else {
      containers += 1;
      for (const part of Array.isArray(node) ? node : Object.values(node)) count(part, depth + 1);
    }
    if (values > MAX_VALUES) throw tooMany('body', 'values', MAX_VALUES);
    if (containers > MAX_VALUES) throw tooMany('body', 'lists and objects', MAX_VALUES);
  };
  count(body, 0);
}

const tooMany = (field: string, things: string, most: number): Failure =>
  invalid(field, `has more than ${most.toLocaleString('en-US')} ${things}`, 'too_many');
