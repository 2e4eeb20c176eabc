import { APP_SCOPE } from '../../domain/identity/clients.ts';
import { isUtf8 } from '../../domain/values/text-form.ts';
import { AUTHORIZATION_PATH } from '../../http/oauth-metadata.ts';

/** The request of an app (RFC 6749 4.1.1 with RFC 7636), whose app and address were found to be registered. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  state: string | undefined;
  challenge: string;
}

/** An error that the app is told (RFC 6749 4.1.2.1). */
export interface AuthorizationError {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied' | 'request_not_supported';
  description: string;
}

/** The parameters that mean something here; others are ignored. */
const PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
] as const;

export type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/** The parameters of a request, each given once and not empty. @returns also the names of those that are repeated */
export function readParameters(given: object): { parameters: Parameters; repeated: string[] } {
  const parameters: Parameters = {};
  const repeated: string[] = [];
  const values = new Map<string, unknown>(Object.entries(given));
  for (const name of PARAMETERS) {
    const value = values.get(name);
    if (typeof value === 'string' && value !== '' && isUtf8(value)) parameters[name] = value;
    else if (value !== undefined && value !== '') repeated.push(name);
  }
  return { parameters, repeated };
}

const LONGEST_STATE = 1_000;

/** Reads all but client_id and redirect_uri, which are known to be right. */
export function readRequest({ parameters: given, repeated }: ReturnType<typeof readParameters>): AuthorizationRequest | AuthorizationError {
  const refuse = (description: string, error: AuthorizationError['error'] = 'invalid_request') => ({ error, description });
  const [twice] = repeated;
  if (twice) return refuse(`A parameter is given more than once: ${twice}`);
  if (given.request ?? given.request_uri) return refuse('Parameters are read from the query alone.', 'request_not_supported');
  if (!given.response_type) return refuse('Missing parameter: response_type');
  if (given.response_type !== 'code') return refuse('The response_type must be code.', 'unsupported_response_type');
  if (given.response_mode && given.response_mode !== 'query') return refuse('The response_mode must be query.');
  if ((given.state?.length ?? 0) > LONGEST_STATE) return refuse(`The state has more than ${LONGEST_STATE} characters.`);
  if (!given.code_challenge) return refuse('Missing parameter: code_challenge (RFC 7636)');
  if (given.code_challenge_method !== 'S256') return refuse('The code_challenge_method must be S256.');
  if (!/^[A-Za-z0-9_-]{43}$/.test(given.code_challenge)) return refuse('The code_challenge is no SHA-256 in base64url.');
  // A scope with a slash is another vendor's, as at the token endpoint.
  const foreign = given.scope?.split(' ').find((scope) => scope !== '' && scope !== APP_SCOPE && !scope.includes('/'));
  if (foreign !== undefined) return refuse(`The scope of an app is ${APP_SCOPE}.`, 'invalid_scope');
  const { client_id = '', redirect_uri = '', state, code_challenge } = given;
  return { clientId: client_id, redirectUri: redirect_uri, state, challenge: code_challenge };
}

/** The address of the request on this server, with the parameters that mean something, in one spelling. */
export const addressOfRequest = (parameters: Parameters): string => `${AUTHORIZATION_PATH}?${new URLSearchParams(parameters)}`;

/** The address of the app with the answer to its request. The registered part of it stays as it is, letter by letter. */
export function answerAddress(redirectUri: string, answer: Record<string, string | undefined>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}

/** The address of an app as a rule of a content security policy names it. */
export function policySourceOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isPlainHost = /^https?:$/.test(protocol) && !hostname.startsWith('[');
  return isPlainHost ? `${protocol}//${host}` : protocol;
}
