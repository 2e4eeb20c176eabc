import type { App } from '../../../domain/identity/clients/authorization-codes.ts';
import { APP_SCOPES, type AppScope } from '../../../domain/identity/clients/client-scopes.ts';
import { isUtf8 } from '../../../domain/values/text-form.ts';
import { AUTHORIZATION_PATH } from '../../../http/oauth/metadata.ts';

/** The request of an app (RFC 6749 4.1.1 with RFC 7636), whose app and address were found to be registered. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  state: string | undefined;
  challenge: string;
  scopes: AppScope[];
  prompt: Prompt | undefined;
  /** Seconds since the person last proved who they are, at most. */
  maxAge: number | undefined;
}

/** The questions that an app wants put to the person (OpenID Connect Core 3.1.2.1). Consent is asked each time. */
const PROMPTS = ['none', 'login', 'consent', 'login consent'] as const;
export type Prompt = (typeof PROMPTS)[number];

/** An error that the app is told (RFC 6749 4.1.2.1). */
export interface AuthorizationError {
  error:
    | 'invalid_request'
    | 'unsupported_response_type'
    | 'invalid_scope'
    | 'access_denied'
    | 'request_not_supported'
    | 'login_required'
    | 'consent_required'
    | 'account_selection_required';
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
  'prompt',
  'max_age',
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
export function readRequest(
  { parameters: given, repeated }: ReturnType<typeof readParameters>,
  app: Pick<App, 'scopes'>,
): AuthorizationRequest | AuthorizationError {
  const refuse = (description: string, error: AuthorizationError['error'] = 'invalid_request') => ({ error, description });
  const [twice] = repeated;
  if (twice) return refuse(`A parameter is given more than once: ${twice}`);
  if (given.request ?? given.request_uri) return refuse('Parameters must be in the query.', 'request_not_supported');
  if (!given.response_type) return refuse('Missing parameter: response_type');
  if (given.response_type !== 'code') return refuse('The response_type must be code.', 'unsupported_response_type');
  if (given.response_mode && given.response_mode !== 'query') return refuse('The response_mode must be query.');
  if ((given.state?.length ?? 0) > LONGEST_STATE) return refuse(`The state has more than ${LONGEST_STATE} characters.`);
  if (!given.code_challenge) return refuse('Missing parameter: code_challenge (RFC 7636)');
  if (given.code_challenge_method !== 'S256') return refuse('The code_challenge_method must be S256.');
  if (!/^[A-Za-z0-9_-]{43}$/.test(given.code_challenge)) return refuse('The code_challenge must be a SHA-256 hash in base64url.');
  const scopes = readScopes(given.scope, app);
  if (scopes === null) return refuse(`Scopes allowed for this app: ${app.scopes.join(', ')}.`, 'invalid_scope');
  const asked = readPrompt(given);
  if ('error' in asked) return asked;
  const { client_id = '', redirect_uri = '', state, code_challenge } = given;
  return { clientId: client_id, redirectUri: redirect_uri, state, challenge: code_challenge, scopes, ...asked };
}

/** The scopes that an app asks for: without any, all that it is registered for; null where it asks for another one. */
function readScopes(given: string | undefined, { scopes }: Pick<App, 'scopes'>): AppScope[] | null {
  // A scope with a slash is another vendor's, as at the token endpoint.
  const asked = (given ?? '').split(' ').filter((scope) => scope !== '' && !scope.includes('/'));
  if (asked.some((scope) => !scopes.includes(scope))) return null;
  return APP_SCOPES.filter((scope) => (asked.length === 0 ? scopes : asked).includes(scope));
}

function readPrompt({ prompt: given, max_age }: Parameters): Pick<AuthorizationRequest, 'prompt' | 'maxAge'> | AuthorizationError {
  const words = [...new Set(given?.split(' ').filter((word) => word !== ''))].sort().reverse();
  if (words.includes('select_account'))
    return {
      error: 'account_selection_required',
      description: 'Only one person can be signed in to a browser, so there is no account to select.',
    };
  const prompt = PROMPTS.find((known) => known === words.join(' '));
  if (words.length > 0 && prompt === undefined)
    return { error: 'invalid_request', description: 'The prompt must be none, login or consent; none cannot be combined.' };
  if (max_age !== undefined && !/^\d{1,9}$/.test(max_age))
    return { error: 'invalid_request', description: 'The max_age must be a whole number of seconds.' };
  return { prompt, maxAge: max_age === undefined ? undefined : Number(max_age) };
}

/** Seconds in which a person who has proved who they are comes back, reads and agrees. */
const RETURN_SECONDS = 300;

/** The proof that a request asks for: its age in seconds at most; null where any session will do. */
export function longestProofAge({ prompt, maxAge }: Pick<AuthorizationRequest, 'prompt' | 'maxAge'>): number | null {
  if (prompt?.startsWith('login')) return 0;
  return maxAge ?? null;
}

/** The request as it is after the person has proved who they are, which it does not ask for again. */
export function afterProof({ prompt, max_age, ...others }: Parameters): Parameters {
  const age = Math.max(RETURN_SECONDS, Number(max_age ?? 0));
  return { ...others, ...(prompt === 'none' ? { prompt } : {}), ...(prompt || max_age ? { max_age: String(age) } : {}) };
}

/** The address of the request on this server, with the parameters that mean something, in one spelling. */
export const addressOfRequest = (parameters: Parameters): string => `${AUTHORIZATION_PATH}?${new URLSearchParams(parameters)}`;

/** The address of the app with the answer to its request. The registered part of it stays as it is, letter by letter. */
export function answerAddress(redirectUri: string, answer: Record<string, string | undefined>): string {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}

/** The address of an app as a rule of a content security policy names it. */
export function toPolicySource(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isPlainHost = /^https?:$/.test(protocol) && !hostname.startsWith('[');
  return isPlainHost ? `${protocol}//${host}` : protocol;
}
