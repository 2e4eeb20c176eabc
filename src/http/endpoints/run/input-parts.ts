import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure, type Issue } from '../../../domain/errors.ts';
import { renameAliases } from '../../input/body-names.ts';
import { nameIgnored, toSentShape, unknownFields } from '../../input/ignored-fields.ts';
import { checkInput, invalidInput } from '../../input/input.ts';
import { readForm, readParameters } from '../../input/query.ts';
import { isForm } from '../../requests/bodies.ts';
import { spelledName } from '../../requests/path-template.ts';
import { requireNoDryRun } from '../../wire/dry-run.ts';
import { openPosition } from '../../wire/links.ts';
import { POSITION_FORMAT } from '../../wire/wire-types.ts';
import type { None, Parts } from '../endpoint-types.ts';

const NO_PART: None = z.object({});

interface DeclaredParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params?: P;
  query?: Q;
  body?: B;
  bodyOptional?: boolean;
  ignored?: (body: z.output<B>, sent: unknown) => string[];
}

/** Issues of how fields were sent, and those of their values for all other fields. */
const eachOnce = (ofSending: readonly Issue[], ofValues: readonly Issue[] = []): Issue[] => [
  ...ofSending,
  ...ofValues.filter(({ field }) => !ofSending.some((issue) => issue.field === field)),
];

const ANY_NAME = /^/;

/** A form that was sent in part in the query: a field in both has both values, as one that is repeated. */
function inOneForm(body: unknown, inQuery: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = new Map(Object.entries(typeof body === 'object' && body !== null ? body : {}));
  for (const [name, value] of Object.entries(inQuery)) {
    const other = fields.get(name);
    fields.set(name, other === undefined || JSON.stringify(other) === JSON.stringify(value) ? value : [other, value].flat());
  }
  return Object.fromEntries(fields);
}

/** Public clients call operations that are not here: a word in the place of an id is the name of one. @throws Failure not_found */
function requireOperation(params: unknown, issues: readonly Issue[]): void {
  const values = z.record(z.string(), z.unknown()).parse(params);
  if (issues.some(({ field }) => /^[a-z]{3,}$/i.test(String(values[field]))))
    throw new Failure('not_found', 'unknown_path', 'There is no such operation.');
}

/** The names of a path's placeholders as its template spells them. */
const placeholders = (params: unknown): ReadonlyMap<string, string> =>
  new Map(Object.keys(z.looseObject({}).parse(params)).map((name) => [name, spelledName(name)]));

function takesPosition(query: z.ZodType | undefined): boolean {
  const shape = query && toSentShape(query);
  const after: unknown = shape instanceof z.ZodObject ? shape.shape.after : undefined;
  return after instanceof z.ZodType && after.meta()?.format === POSITION_FORMAT;
}

/** The values of a query with its position opened. @throws Failure invalid for one that no link had */
function openCursor(request: FastifyRequest, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof query.after !== 'string') return query;
  const after = openPosition(request, query.after);
  if (after === null) throw invalidInput([{ field: 'after', code: 'invalid_position', message: 'must be the value in the link `next`' }]);
  return { ...query, after };
}

/**
 * Validates the parts of a request, and names ignored fields of the body and ignored parameters of the query in a header.
 * @throws Failure invalid, naming the wrong fields of all parts
 */
export function readParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: DeclaredParts<P, Q, B>,
  request: FastifyRequest,
  reply: FastifyReply,
): Parts<P, Q, B> {
  const { query: rules } = request.routeOptions.config;
  const takesForm = rules?.takesForm && endpoint.body !== undefined && request.method !== 'GET';
  const query = readParameters(endpoint.query ?? NO_PART, request.query, takesForm ? ANY_NAME : rules?.ignored);
  const form =
    isForm(request) && endpoint.body
      ? readForm(endpoint.body, takesForm ? inOneForm(request.body, query.further) : request.body)
      : undefined;
  const sent = form ? form.body : request.body;
  requireNoDryRun(request, query.unknown);
  const named = endpoint.body && renameAliases(endpoint.body, endpoint.bodyOptional && sent === undefined ? {} : sent);
  const body = named?.body;
  const unknown = [...(endpoint.body ? unknownFields(endpoint.body, body) : []), ...(takesForm ? [] : Object.keys(query.further))];
  requireNoDryRun(request, unknown);
  const sentAs = new Map([...(form?.sentAs ?? []), ...(named?.sentAs ?? [])]);
  const check = (othersWrong: boolean) =>
    [
      checkInput(endpoint.params ?? NO_PART, request.params, {
        sentAs: othersWrong ? placeholders(request.params) : undefined,
        othersWrong,
      }),
      checkInput(endpoint.query ?? NO_PART, query.known, { sentAs: query.sentAs, othersWrong }),
      endpoint.body ? checkInput(endpoint.body, body, { sentAs, othersWrong }) : checkInput(NO_PART, {}),
    ] as const;
  const [inPath, inQuery, inBody] = check(false);
  if (rules?.takesForm && inPath.issues) requireOperation(request.params, inPath.issues);
  const repeated = [...(form?.issues ?? []), ...(named?.issues ?? [])];
  if (query.issues.length > 0 || repeated.length > 0 || inPath.issues || inQuery.issues || inBody.issues) {
    const [path, values, fields] = check(true).map((part) => part.issues ?? []);
    throw invalidInput([...(path ?? []), ...eachOnce(query.issues, values), ...eachOnce(repeated, fields)]);
  }
  const values = takesPosition(endpoint.query) ? openCursor(request, z.looseObject({}).parse(inQuery.data)) : inQuery.data;
  const parts = toParts<P, Q, B>({ params: inPath.data, query: values, body: inBody.data, request });
  nameIgnored(reply, endpoint.ignored?.(parts.body, body) ?? []);
  nameIgnored(reply, unknown);
  return parts;
}

/** The parts of a request that names a record, and nothing else. */
export const namedParts = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  { query = NO_PART, body = NO_PART }: { query?: z.ZodType; body?: z.ZodType },
  params: z.output<P>,
  request: FastifyRequest,
): Parts<P, Q, B> => toParts<P, Q, B>({ params, query: query.parse({}), body: body.parse({}), request });

const toParts = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  read: Record<keyof Parts<P, Q, B>, unknown>,
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the one cast of this folder; a part that an endpoint does not have is of the empty shape, which TypeScript cannot follow
): Parts<P, Q, B> => read as Parts<P, Q, B>;
