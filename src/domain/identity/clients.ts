import { randomUUID } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { hashSecret, newSecret, verifySecret } from './secrets.ts';

/** What a client may be allowed. A scope's first word is its API. */
export const CLIENT_SCOPES = ['integration.read', 'integration.write', 'practice.read', 'practice.write', 'ssn.read'] as const;

/** A client that showed its secret. */
export interface AuthenticatedClient {
  id: string;
  scopes: string[];
  organizationIds: number[];
}

/** An id that could be one: printable and not endless. */
const POSSIBLE_ID = /^[\x20-\x7e]{1,255}$/;

/** The client of these credentials, or null; as slow for an unknown one. */
export async function authenticateClient(db: Db, id: string, secret: string): Promise<AuthenticatedClient | null> {
  const client = POSSIBLE_ID.test(id) ? await db.apiClient.findUnique({ where: { id } }) : null;
  const right = await verifySecret(client?.active ? client.secretHash : null, secret);
  if (!right || !client) return null;
  const grants = await db.apiClientGrant.findMany({ where: { clientId: id }, select: { organizationId: true } });
  return { id, scopes: client.scopes, organizationIds: grants.map((grant) => grant.organizationId) };
}

/** What a client's token stands for at this moment: its scopes, its practices, and the user it acts as in each. */
export interface ClientAccess {
  scopes: Set<string>;
  /** Interface user by organization. */
  users: Map<number, number>;
}

/** Null once the client is inactive or gone, or this token of it was revoked. */
export async function clientAccess(db: Db, clientId: string, tokenId: string): Promise<ClientAccess | null> {
  const [client, revoked] = await Promise.all([
    db.apiClient.findUnique({
      where: { id: clientId, active: true },
      select: { scopes: true, grants: { select: { organizationId: true, userId: true } } },
    }),
    db.revokedToken.findUnique({ where: { id: tokenId }, select: { id: true } }),
  ]);
  if (!client || revoked) return null;
  // Nobody works in a practice that an operator has closed.
  const granted = client.grants.map((grant) => grant.organizationId);
  const inUse = new Set(
    (await db.organization.findMany({ where: { id: { in: granted }, active: true }, select: { id: true } })).map(({ id }) => id),
  );
  const grants = client.grants.filter((grant) => inUse.has(grant.organizationId));
  return { scopes: new Set(client.scopes), users: new Map(grants.map((grant) => [grant.organizationId, grant.userId])) };
}

/** Refuses an access token from now to its end. */
export async function revokeToken(db: Db, tokenId: string, expiresAt: Date): Promise<void> {
  await db.revokedToken.upsert({ where: { id: tokenId }, create: { id: tokenId, expiresAt }, update: {} });
}

/**
 * Registers a client. The secret is answered once and stored only as a hash.
 * @throws Failure for an unknown scope, or integration scopes over several organizations
 */
export async function createClient(db: Db, input: { name: string; scopes: string[]; organizationIds: number[] }) {
  const unknown = input.scopes.find((scope) => !CLIENT_SCOPES.some((known) => known === scope));
  if (unknown) throw invalid('scopes', `"${unknown}" is none of ${CLIENT_SCOPES.join(', ')}`);
  if (input.scopes.length === 0) throw invalid('scopes', `needs at least one of ${CLIENT_SCOPES.join(', ')}`);
  refuseSeveral(input.scopes, input.organizationIds.length);
  const secret = newSecret();
  const client = await db.apiClient.create({
    data: { id: randomUUID(), name: input.name, scopes: input.scopes, secretHash: await hashSecret(secret) },
  });
  for (const organizationId of input.organizationIds) await addGrant(db, client.id, client.name, organizationId);
  return { clientId: client.id, clientSecret: secret, scopes: client.scopes, organizationIds: input.organizationIds };
}

/**
 * Lets a client act for one more organization, in the name of an interface user made for it.
 * @throws Failure when it may already, or has an integration scope, which belongs to one organization
 */
export async function grantClient(db: Db, clientId: string, organizationId: number): Promise<void> {
  const client = await db.apiClient.findUnique({ where: { id: clientId }, include: { grants: true } });
  if (!client) throw notFound('client');
  if (client.grants.some((grant) => grant.organizationId === organizationId))
    throw conflict('already_granted', 'The client may act for this organization already.');
  refuseSeveral(client.scopes, client.grants.length + 1);
  await addGrant(db, client.id, client.name, organizationId);
}

/** Takes an organization from a client; its tokens stop working there within a second. */
export async function withdrawGrant(db: Db, clientId: string, organizationId: number): Promise<void> {
  const { count } = await db.apiClientGrant.deleteMany({ where: { clientId, organizationId } });
  if (count === 0) throw notFound('grant');
}

/** A new secret for a client, answered once; the old one is refused from now on. */
export async function rotateClientSecret(db: Db, clientId: string): Promise<string> {
  const secret = newSecret();
  const { count } = await db.apiClient.updateMany({ where: { id: clientId }, data: { secretHash: await hashSecret(secret) } });
  if (count === 0) throw notFound('client');
  return secret;
}

/** Switches a client off or on; off, its tokens are refused within a second. */
export async function setClientActive(db: Db, clientId: string, active: boolean): Promise<void> {
  const { count } = await db.apiClient.updateMany({ where: { id: clientId }, data: { active } });
  if (count === 0) throw notFound('client');
}

function refuseSeveral(scopes: string[], organizations: number): void {
  if (organizations > 1 && scopes.some((scope) => scope.startsWith('integration.'))) {
    throw invalid('organizations', 'a client of the integration API belongs to one organization');
  }
}

async function addGrant(db: Db, clientId: string, name: string, organizationId: number): Promise<void> {
  const organization = await db.organization.findUnique({ where: { id: organizationId } });
  if (!organization) throw notFound('organization');
  const user = await db.user.create({ data: { organizationId, type: 'interface', firstName: name, lastName: 'API' } });
  await db.apiClientGrant.create({ data: { organizationId, clientId, userId: user.id } });
}
