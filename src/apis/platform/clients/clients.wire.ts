import { z } from 'zod';
import { invalid } from '../../../domain/errors.ts';
import { type ClientKeys, readClientKeys } from '../../../domain/identity/clients/client-keys.ts';
import { SCOPES } from '../../../domain/identity/clients/client-scopes.ts';
import { LONGEST_OVERLAP_HOURS } from '../../../domain/identity/clients/client-secrets.ts';
import type {
  ClientWithSecret,
  PracticeClient,
  PracticeClientChanges,
  PracticeClientInput,
} from '../../../domain/identity/clients/practice-clients.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { id, instant, optional, paging, text, toNumber } from '../../../http/wire/wire-types.ts';

export const CLIENT_NAMES = { jwksUri: 'jwks_uri', redirectUris: 'redirect_uris', overlapHours: 'overlap_hours' } as const;

const KIND = 'machine: a program that calls an API; app: an app in which people sign in';

const SecretShape = z
  .strictObject({
    created_at: instant().describe('When it was created'),
    expires_at: instant().nullable().describe('When it expires; null for never'),
    last_used_at: instant().nullable().describe('When it was last used, to the minute'),
    is_old: z.boolean().describe('Whether it is older than the security policy allows, or than a year, and should be rotated'),
  })
  .meta({ id: 'ApplicationSecret' });

const CLIENT = {
  uuid: z.int().describe('Id of the client in this practice: its interface user'),
  client_id: z.string().describe('Public client_id for requesting tokens'),
  name: z.string().describe('Name of the application'),
  kind: z.enum(['machine', 'app']).describe(KIND),
  scopes: z.array(z.string()).describe('Scopes of the client'),
  active: z.boolean().describe('Whether it can get tokens'),
  is_shared: z.boolean().describe('Whether it also acts for other practices; then only the operator of the server can change it'),
  has_keys: z.boolean().describe('Whether it signs in with its own keys (private_key_jwt) instead of a secret'),
  jwks_uri: z.string().nullable().describe('Address of its public keys; null if they were given directly or it has none'),
  redirect_uris: z.array(z.string()).describe('Addresses to which the sign-in of an app returns'),
  secrets: z.array(SecretShape).describe('Its secrets, newest first; never the secrets themselves'),
  last_used_at: instant().nullable().describe('When it last got a token, to the minute'),
  created_at: instant().describe('When it was registered'),
};

const ClientShape = z.strictObject(CLIENT).meta({ id: 'Application' });
const WithSecretShape = z
  .strictObject({ ...CLIENT, client_secret: z.string().nullable().describe('Shown only once; null for an app and a client with keys') })
  .meta({ id: 'ApplicationWithSecret' });

export const ClientResponse = one(ClientShape).meta({ id: 'ApplicationResponse' });
export const ClientList = wrapList(ClientShape).meta({ id: 'ApplicationList' });
export const WithSecretResponse = one(WithSecretShape).meta({ id: 'ApplicationWithSecretResponse' });

export const clientParams = z.object({ uuid: id().describe('Client id: uuid of its record') });
export const clientsQuery = z.object(paging);

const scope = z.enum(SCOPES);
const jwks = z
  .looseObject({ keys: z.array(z.looseObject({ kty: z.string().describe('Type of the key') })).describe('Public keys') })
  .describe('JSON Web Key Set of its public keys (RFC 7517)');

const FIELDS = {
  name: text(200).min(1).describe('Name of the application; shown as the author of the records that it creates'),
  scopes: z.array(scope).max(20).describe('Scopes of the client'),
  jwks: jwks.nullable().optional().describe('JSON Web Key Set of its public keys (RFC 7517): it signs in with them, without a secret'),
  jwks_uri: optional(text(2_000)).describe('Or the https address of that set'),
  redirect_uris: z.array(text(500)).max(10).describe('Addresses to which the sign-in of an app returns'),
};

export const ClientCreateRequest = z
  .object({
    name: FIELDS.name,
    kind: z.enum(['machine', 'app']).default('machine').describe(KIND),
    scopes: FIELDS.scopes
      .default([])
      .describe(
        'Scopes of a machine; for an app, scopes that it may request from people: mobile (the default), platform.read, platform.manage',
      ),
    jwks: FIELDS.jwks,
    jwks_uri: FIELDS.jwks_uri,
    redirect_uris: FIELDS.redirect_uris.default([]).describe('For an app: addresses to which its sign-in returns'),
  })
  .meta({ id: 'ApplicationCreateRequest' });

export const ClientUpdateRequest = z
  .object({
    name: FIELDS.name.optional().describe('Name of the application'),
    scopes: FIELDS.scopes.optional().describe('New scopes, replacing all former ones'),
    jwks: FIELDS.jwks,
    jwks_uri: FIELDS.jwks_uri,
    redirect_uris: FIELDS.redirect_uris.optional().describe('New redirect addresses of an app, replacing all former ones'),
  })
  .meta({ id: 'ApplicationUpdateRequest' });

const hours = `must be a whole number from 0 to ${LONGEST_OVERLAP_HOURS}`;
export const RotateRequest = z
  .object({
    overlap_hours: z
      .preprocess(toNumber(3), z.int({ error: hours }).min(0, { error: hours }).max(LONGEST_OVERLAP_HOURS, { error: hours }))
      .default(24)
      .describe('Hours for which the current secret remains valid; 0 ends it immediately'),
  })
  .meta({ id: 'ApplicationRotateRequest' });

/** Whether this server sends requests to an address. */
type Accepts = (address: string) => boolean;

/** @throws Failure invalid for unusable keys */
export function toClientInput(body: z.output<typeof ClientCreateRequest>, accepts: Accepts): PracticeClientInput {
  const { name, kind, scopes, redirect_uris: redirectUris } = body;
  if (kind === 'machine' && redirectUris.length > 0) throw invalid('redirectUris', 'are only for an app', 'not_an_app');
  return { name, scopes, keys: keysIn(body, accepts), redirectUris: kind === 'app' ? redirectUris : null };
}

/** @throws Failure invalid for unusable keys */
export function toClientChanges(body: z.output<typeof ClientUpdateRequest>, accepts: Accepts): PracticeClientChanges {
  return { name: body.name, scopes: body.scopes, keys: keysIn(body, accepts) ?? undefined, redirectUris: body.redirect_uris };
}

function keysIn({ jwks: set, jwks_uri: jwksUri }: Pick<z.output<typeof ClientUpdateRequest>, 'jwks' | 'jwks_uri'>, accepts: Accepts) {
  const isGiven = (set !== undefined && set !== null) || Boolean(jwksUri);
  const keys: ClientKeys | null = isGiven ? readClientKeys({ jwks: set, jwksUri }, accepts) : null;
  return keys;
}

export const fromClient = (client: PracticeClient): z.input<typeof ClientShape> => ({
  uuid: client.id,
  client_id: client.clientId,
  name: client.name,
  kind: client.kind,
  scopes: client.scopes,
  active: client.active,
  is_shared: client.isShared,
  has_keys: client.jwks !== null || client.jwksUri !== null,
  jwks_uri: client.jwksUri,
  redirect_uris: client.redirectUris,
  secrets: client.secrets.map((secret) => ({
    created_at: writeInstant(secret.createdAt),
    expires_at: writeInstant(secret.expiresAt),
    last_used_at: writeInstant(secret.lastUsedAt),
    is_old: secret.isOld,
  })),
  last_used_at: writeInstant(client.lastUsedAt),
  created_at: writeInstant(client.createdAt),
});

export const fromClientWithSecret = ({ client, secret }: ClientWithSecret): z.input<typeof WithSecretShape> => ({
  ...fromClient(client),
  client_secret: secret,
});
