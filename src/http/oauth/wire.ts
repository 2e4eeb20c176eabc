import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errorHeaders } from '../errors/error-headers.ts';
import { logServerFailure, toFailure, toStatus } from '../errors/error-mapping.ts';
import { isForm } from '../requests/bodies.ts';

/** An error response of RFC 6749 5.2. */
export class OAuthFailure extends Error {
  readonly status: number;
  readonly error: string;
  constructor(status: number, error: string, description: string) {
    super(description);
    this.status = status;
    this.error = error;
  }
}

/** The parameters of a request, each given once and not empty. */
export type Form = Partial<Record<string, string>>;

// The entries are checked, since zod takes an object with a key `constructor` for no record.
const fields = z.array(z.tuple([z.string(), z.union([z.string(), z.array(z.string())])]));

/**
 * Reads a form as RFC 6749 3.2 wants it: an empty parameter is as if it were left out, a repeated one is refused.
 * @throws OAuthFailure invalid_request, also for any body that is no form
 */
export function readOAuthForm(request: FastifyRequest): Form {
  if (request.body === undefined || request.body === null) return {};
  const form = isForm(request) ? fields.safeParse(Object.entries(request.body)).data : undefined;
  if (!form) throw new OAuthFailure(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.');
  const given = new Map<string, string>();
  for (const [name, value] of form) {
    if (typeof value !== 'string') throw new OAuthFailure(400, 'invalid_request', 'A parameter is given more than once.');
    if (value !== '') given.set(name, value);
  }
  return Object.fromEntries(given);
}

/** The grants of apps, which have no credentials: the proof is the code's verifier, or the refresh token. */
export const APP_GRANTS = ['authorization_code', 'refresh_token'];

/** The proof that a client gives of itself: with a secret, with an assertion, or, an app, by its id alone. */
export type ClientCredentials =
  | { kind: 'secret'; id: string; secret: string }
  | { kind: 'assertion'; id: string | null; token: string }
  | { kind: 'none'; id: string };

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * The credentials of a client: by HTTP Basic, in the form, or an assertion (RFC 7523), but one of them (RFC 6749 2.3).
 * @throws OAuthFailure invalid_client when it shows nothing, invalid_request when it shows two things
 */
export function clientCredentials({ headers }: FastifyRequest, form: Form): ClientCredentials {
  const { client_id, client_secret, client_assertion } = form;
  const ways = [headers.authorization, client_secret, client_assertion ?? form.client_assertion_type];
  if (ways.filter((way) => way !== undefined).length > 1) throw inOneWay();
  if (client_assertion !== undefined || form.client_assertion_type !== undefined) return readClientAssertion(form);
  if (headers.authorization === undefined) {
    if (!client_id) throw new OAuthFailure(401, 'invalid_client', 'Client authentication is required.');
    return client_secret ? { kind: 'secret', id: client_id, secret: client_secret } : { kind: 'none', id: client_id };
  }
  const basic = basicCredentials(headers.authorization);
  if (!basic) throw new OAuthFailure(401, 'invalid_client', 'The Authorization header is not HTTP Basic with a client id and a secret.');
  if (client_id !== undefined && client_id !== basic.id) throw inOneWay();
  return { kind: 'secret', ...basic };
}

const inOneWay = () => new OAuthFailure(400, 'invalid_request', 'The client must authenticate in one way only.');

function readClientAssertion({ client_id, client_assertion, client_assertion_type }: Form): ClientCredentials {
  if (!client_assertion) throw new OAuthFailure(400, 'invalid_request', 'Missing parameter: `client_assertion`');
  if (client_assertion_type !== ASSERTION_TYPE)
    throw new OAuthFailure(400, 'invalid_request', `The client_assertion_type must be ${ASSERTION_TYPE}.`);
  return { kind: 'assertion', id: client_id ?? null, token: client_assertion };
}

/** Both halves are form-encoded before they are joined (RFC 6749 2.3.1). Null for anything else. */
function basicCredentials(authorization: string): { id: string; secret: string } | null {
  const token = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  const parts = token && /^([^:]+):(.+)$/s.exec(Buffer.from(token, 'base64').toString('utf8'));
  if (!parts) return null;
  const [id, secret] = parts.slice(1).map(formDecoded);
  return id && secret ? { id, secret } : null;
}

function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Errors as RFC 6749 5.2 writes them. */
export function writeOAuthFailure(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof OAuthFailure) {
    if (error.status === 401) reply.header('www-authenticate', 'Basic realm="triptych", charset="UTF-8"');
    return sendOAuthError(reply, error.status, error.error, error.message);
  }
  const failure = toFailure(error);
  logServerFailure(failure, reply.request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  const status = toStatus(failure);
  if (status >= 500) return sendOAuthError(reply, status, status === 503 ? 'temporarily_unavailable' : 'server_error', failure.message);
  if (status === 429) return sendOAuthError(reply, 429, 'slow_down', failure.message);
  reply.headers(failure.headers);
  return sendOAuthError(reply, status === 405 || status === 413 ? status : 400, 'invalid_request', failure.message);
}

const sendOAuthError = (reply: FastifyReply, status: number, error: string, description: string): FastifyReply =>
  reply.code(status).headers(errorHeaders(error)).send({ error, error_description: description });
