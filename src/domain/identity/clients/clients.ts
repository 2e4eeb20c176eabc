import { randomUUID } from 'node:crypto';
import type { Db } from '../../../database/database.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { conflict, notFound } from '../../errors.ts';
import type { ClientKeys } from './client-keys.ts';
import { requireRedirectUris } from './client-redirects.ts';
import { requireOneOrganization, requireScopes, type Scope } from './client-scopes.ts';
import { addClientSecret, clientSecretDays, endSecrets } from './client-secrets.ts';

/** The present rights of a client's token: its scopes, its practices, and the user that it acts as in each. */
export interface ClientAccess {
  scopes: Set<string>;
  /** The interface user's id by organization id. */
  users: Map<number, number>;
}

/** Null when the client is inactive or deleted, or the token was revoked. */
export async function clientAccess(db: Db, clientId: string, tokenId: string): Promise<ClientAccess | null> {
  const [client, revoked] = await Promise.all([
    db.apiClient.findUnique({
      where: { id: clientId, active: true },
      select: { scopes: true, grants: { select: { organizationId: true, userId: true } } },
    }),
    db.revokedToken.findUnique({ where: { id: tokenId }, select: { id: true } }),
  ]);
  if (!client || revoked) return null;
  // A closed practice admits no client.
  const granted = client.grants.map((grant) => grant.organizationId);
  const open = new Set(
    (await db.organization.findMany({ where: { id: { in: granted }, active: true }, select: { id: true } })).map(({ id }) => id),
  );
  const grants = client.grants.filter((grant) => open.has(grant.organizationId));
  return { scopes: new Set(client.scopes), users: new Map(grants.map((grant) => [grant.organizationId, grant.userId])) };
}

/** Revokes an access token until it expires. */
export async function revokeToken(db: Db, tokenId: string, expiresAt: Date): Promise<void> {
  await db.revokedToken.upsert({ where: { id: tokenId }, create: { id: tokenId, expiresAt }, update: {} });
}

interface NewClient {
  name: string;
  /** Named twice, a scope is stored once. */
  scopes: string[];
  organizationIds: number[];
}

/**
 * Registers a client that signs in with a secret, which is returned once and stored only as a hash.
 * @throws Failure for an unknown scope, without a scope of an API, or for several organizations with a scope whose paths name none
 */
export async function createClient(db: Db, input: NewClient) {
  const { organizationIds } = input;
  requireScopes('machine', input.scopes, organizationIds.length);
  const client = await storeClient(db, { kind: 'machine', name: input.name, scopes: [...new Set(input.scopes)] }, organizationIds);
  const clientSecret = await addClientSecret(db, client.id, await clientSecretDays(db, organizationIds));
  return { clientId: client.id, clientSecret, scopes: client.scopes, organizationIds };
}

/**
 * Registers a client that signs in with its keys (RFC 7523), and has no secret.
 * @param keys that readClientKeys has checked
 * @throws Failure as createClient
 */
export async function createKeyClient(db: Db, input: NewClient & { keys: ClientKeys }) {
  const { organizationIds } = input;
  requireScopes('machine', input.scopes, organizationIds.length);
  const client = await storeClient(
    db,
    { kind: 'machine', name: input.name, scopes: [...new Set(input.scopes)], ...toKeyColumns(input.keys) },
    organizationIds,
  );
  return { clientId: client.id, scopes: client.scopes, organizationIds };
}

/**
 * Registers an app, to which the people of its practices sign in. It has no secret: whoever has the app could read it.
 * @param input.scopes what it may ask people for; the mobile API where there are none
 * @throws Failure invalid for an address that requireRedirectUris refuses, and for a scope of machines
 */
export async function createApp(
  db: Db,
  {
    name,
    organizationIds,
    redirectUris,
    scopes: given = [],
  }: Omit<NewClient, 'scopes'> & { redirectUris: readonly string[]; scopes?: string[] },
) {
  const checked = requireRedirectUris(redirectUris);
  const scopes = given.length === 0 ? ['mobile'] : [...new Set(given)];
  requireScopes('app', scopes, organizationIds.length);
  const client = await storeClient(db, { kind: 'app', name, scopes, redirectUris: checked }, organizationIds);
  return { clientId: client.id, redirectUris: client.redirectUris, organizationIds };
}

async function storeClient(db: Db, data: Omit<Prisma.ApiClientUncheckedCreateInput, 'id'>, organizationIds: readonly number[]) {
  const client = await db.apiClient.create({ data: { ...data, id: randomUUID() } });
  for (const organizationId of organizationIds) await addGrant(db, client.id, client.name, organizationId);
  return client;
}

const toKeyColumns = ({ jwks, jwksUri }: ClientKeys) => ({
  jwks: jwks === null ? Prisma.DbNull : JSON.parse(JSON.stringify(jwks)),
  jwksUri,
});

/**
 * Lets a client sign in with these keys from now on. Its secrets end at once, or the newest after so many hours.
 * @throws Failure not_found; conflict for an app
 */
export async function changeClientKeys(db: Db, clientId: string, keys: ClientKeys, overlapHours = 0): Promise<void> {
  const client = await db.apiClient.findUnique({ where: { id: clientId }, select: { kind: true } });
  if (!client) throw notFound('client');
  if (client.kind === 'app') throw conflict('app_has_no_keys', 'An app cannot have keys, since its users could read them.');
  await db.apiClient.update({ where: { id: clientId }, data: toKeyColumns(keys), select: { id: true } });
  await endSecrets(db, clientId, overlapHours);
}

/**
 * Changes the addresses to which sign-in of an app returns.
 * @throws Failure not_found; conflict for a client that is no app; invalid for an address that requireRedirectUris refuses
 */
export async function changeRedirectUris(db: Db, clientId: string, redirectUris: readonly string[]): Promise<void> {
  const checked = requireRedirectUris(redirectUris);
  const client = await db.apiClient.findUnique({ where: { id: clientId }, select: { kind: true } });
  if (!client) throw notFound('client');
  if (client.kind !== 'app') throw conflict('not_an_app', 'Only an app has redirect addresses; this client is not an app.');
  await db.apiClient.update({ where: { id: clientId }, data: { redirectUris: checked }, select: { id: true } });
}

/** Changes the name of a client. @throws Failure not_found */
export async function renameClient(db: Db, clientId: string, name: string): Promise<void> {
  const { count } = await db.apiClient.updateMany({ where: { id: clientId }, data: { name } });
  if (count === 0) throw notFound('client');
}

/**
 * Grants a client one more organization, where it acts as an interface user made for it.
 * @throws Failure when it has the grant already, or a scope whose paths name no organization, which is limited to one
 */
export async function grantClient(db: Db, clientId: string, organizationId: number): Promise<void> {
  const client = await db.apiClient.findUnique({ where: { id: clientId }, include: { grants: true } });
  if (!client) throw notFound('client');
  if (client.grants.some((grant) => grant.organizationId === organizationId))
    throw conflict('already_granted', 'The client may already act for this organization.');
  requireOneOrganization(client.scopes, client.grants.length + 1);
  await addGrant(db, client.id, client.name, organizationId);
}

/** Withdraws an organization from a client; its tokens stop working there within a second. */
export async function withdrawGrant(db: Db, clientId: string, organizationId: number): Promise<void> {
  const { count } = await db.apiClientGrant.deleteMany({ where: { clientId, organizationId } });
  if (count === 0) throw notFound('grant');
}

/**
 * Deactivates or activates a client; the tokens of an inactive client are refused within a second. Of an app, the sessions of all
 * people end, and they sign in again once it is active.
 */
export async function setClientActive(db: Db, clientId: string, active: boolean): Promise<void> {
  const { count } = await db.apiClient.updateMany({ where: { id: clientId }, data: { active } });
  if (count === 0) throw notFound('client');
  if (!active) await endSessionsOfApp(db, clientId);
}

async function endSessionsOfApp(db: Db, clientId: string): Promise<void> {
  await db.session.updateMany({ where: { clientId, revokedAt: null }, data: { revokedAt: new Date(), revokedReason: 'operator' } });
}

/**
 * Adds scopes to a client and takes others; what it has already, or lacks already, changes nothing. Its tokens lose a taken scope
 * within a second; an added one is in its next tokens. The sessions of an app that loses a scope end.
 * @returns whether there was anything to change
 * @throws Failure not_found; invalid as createClient and createApp
 */
export async function changeClientScopes(db: Db, clientId: string, { add, remove }: ScopeChanges): Promise<boolean> {
  await db.$queryRaw`SELECT id FROM api_client WHERE id = ${clientId} FOR NO KEY UPDATE`;
  const client = await db.apiClient.findUnique({ where: { id: clientId }, include: { grants: { select: { organizationId: true } } } });
  if (!client) throw notFound('client');
  const held = new Set<string>(client.scopes);
  const loses = remove.some((scope) => held.has(scope));
  if (add.every((scope) => held.has(scope)) && !loses) return false;
  const after = new Set([...held, ...add]);
  for (const scope of remove) after.delete(scope);
  const scopes = [...after];
  requireScopes(client.kind, scopes, client.grants.length);
  await db.apiClient.update({ where: { id: clientId }, data: { scopes }, select: { id: true } });
  if (loses && client.kind === 'app') await endSessionsOfApp(db, clientId);
  return true;
}

interface ScopeChanges {
  add: readonly Scope[];
  remove: readonly Scope[];
}

async function addGrant(db: Db, clientId: string, name: string, organizationId: number): Promise<void> {
  const organization = await db.organization.findUnique({ where: { id: organizationId }, select: { id: true } });
  if (!organization) throw notFound('organization');
  const user = await db.user.create({ data: { organizationId, type: 'interface', firstName: name, lastName: 'API' } });
  await db.apiClientGrant.create({ data: { organizationId, clientId, userId: user.id } });
}
