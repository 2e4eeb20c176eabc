import { z } from 'zod';
import { errorPagePath, readErrorTable } from '../errors/error-table.ts';
import { INTROSPECTION_PATH, REVOCATION_PATH, TOKEN_PATH } from '../oauth/metadata.ts';
import type { Components } from './components.ts';
import type { Json } from './json-schema.ts';

const FORM = 'application/x-www-form-urlencoded';
export const TOKEN_TAG = { name: 'Tokens', description: 'Tokens of API clients and apps (OAuth 2)' };

const credentials = {
  client_id: z.string().optional().describe('Id of the client, unless sent with HTTP Basic or an assertion'),
  client_secret: z.string().optional().describe('Secret of the client, unless sent with HTTP Basic'),
  client_assertion_type: z
    .enum(['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'])
    .optional()
    .describe('Type of client_assertion; required with it'),
  client_assertion: z.string().optional().describe('A JWT signed with a key of the client (RFC 7523), instead of a secret'),
};

const TokenRequest = z
  .object({
    grant_type: z
      .enum(['client_credentials', 'authorization_code', 'refresh_token'])
      .describe('client_credentials for clients; the others for apps'),
    scope: z.string().optional().describe('Space-separated scopes; by default, all scopes of the client'),
    ...credentials,
    code: z.string().optional().describe('authorization_code: the code'),
    redirect_uri: z.string().optional().describe('authorization_code: the redirect address of the code'),
    code_verifier: z.string().optional().describe('authorization_code: the PKCE verifier'),
    refresh_token: z.string().optional().describe('refresh_token: the newest refresh token'),
  })
  .meta({ id: 'OAuthTokenRequest' });

const TokenResponse = z
  .object({
    access_token: z.string().describe('Sent as Authorization: Bearer'),
    token_type: z.enum(['Bearer']).describe('Kind of the token'),
    expires_in: z.int().describe('Seconds until it expires'),
    scope: z.string().optional().describe('Space-separated scopes of the token'),
    refresh_token: z.string().optional().describe('For an app: token for getting the next token'),
  })
  .meta({ id: 'OAuthToken' });

const TokenForm = z.object({ token: z.string().describe('The token'), ...credentials }).meta({ id: 'OAuthTokenForm' });

const TokenState = z
  .object({
    active: z.boolean().describe('Whether the token is valid and visible to the client'),
    client_id: z.string().optional().describe('Client or app of the token'),
    sub: z.string().optional().describe('Client id or user id'),
    scope: z.string().optional().describe('Scopes of the token'),
    exp: z.int().optional().describe('When it expires, in seconds since 1970'),
  })
  .meta({ id: 'OAuthTokenState' });

const TokenError = z
  .object({
    error: z.string().describe(`Code: see ${errorPagePath('…')}`),
    error_description: z.string().describe('Error message'),
  })
  .meta({ id: 'OAuthError' });

const OPERATIONS = [
  {
    path: TOKEN_PATH,
    operationId: 'createToken',
    summary: 'Create a token',
    description:
      'The token endpoint (RFC 6749). The client authenticates by HTTP Basic, in the form or with an assertion; an app by its id.',
    body: TokenRequest,
    response: TokenResponse,
    codes: ['invalid_request', 'invalid_grant', 'unsupported_grant_type', 'invalid_scope'],
    example: { grant_type: 'client_credentials', client_id: 'your-client-id', client_secret: 'your-client-secret' },
    answer: { access_token: 'eyJhbGciOiJFZERTQSJ9.…', token_type: 'Bearer', expires_in: 3600, scope: 'integration.read integration.write' },
  },
  {
    path: INTROSPECTION_PATH,
    operationId: 'introspectToken',
    summary: 'Introspect a token',
    description:
      'Returns whether a token is valid (RFC 7662). A client can introspect its own tokens, and those of people of its practices.',
    body: TokenForm,
    response: TokenState,
    codes: ['invalid_request'],
    example: { token: 'eyJhbGciOiJFZERTQSJ9.…', client_id: 'your-client-id', client_secret: 'your-client-secret' },
    answer: { active: true, client_id: 'your-client-id', sub: 'your-client-id', scope: 'integration.read', exp: 1_795_446_191 },
  },
  {
    path: REVOCATION_PATH,
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description: 'Ends a token of the client or the session of an app (RFC 7009). The response is the same for any other token.',
    body: TokenForm,
    response: z.object({}).meta({ id: 'OAuthTokenRevoked' }),
    codes: ['invalid_request'],
    example: { token: 'eyJhbGciOiJFZERTQSJ9.…', client_id: 'your-client-id', client_secret: 'your-client-secret' },
    answer: {},
  },
] as const;

/** Codes of each of these operations. */
const COMMON = ['invalid_client', 'slow_down', 'server_error', 'temporarily_unavailable'];

/** The operations on tokens, which every document has, so that generated clients can fetch one. */
export function writeTokenOperations(components: Components): Json {
  const table = readErrorTable();
  const failures = (codes: readonly string[]): [string, Json][] => {
    const entries = codes.flatMap((code) => table.get(code) ?? []);
    const form = { type: 'application/json', shape: TokenError };
    return [...Map.groupBy(entries, ({ statuses }) => statuses[0] ?? 400)].map(([status, found]) => [
      String(status),
      components.failure(status, found, form),
    ]);
  };
  return Object.fromEntries(
    OPERATIONS.map(({ path, body, response, codes, example, answer, ...documented }) => [
      path,
      {
        post: {
          ...documented,
          tags: [TOKEN_TAG.name],
          'x-beyond-the-document': true,
          security: [],
          requestBody: { required: true, content: { [FORM]: { schema: components.schema(body, 'form'), example } } },
          responses: {
            '200': {
              description: 'OK',
              headers: components.headers(),
              content: { 'application/json': { schema: components.schema(response, 'output'), example: answer } },
            },
            ...Object.fromEntries(failures([...codes, ...COMMON])),
          },
        },
      },
    ]),
  );
}
