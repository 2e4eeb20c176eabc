import { conflict, notFound } from '../../errors.ts';
import type { EventName } from '../../events/catalogue.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import type { ClientKeys } from './client-keys.ts';
import { findClient, type ListedClient, listClients, recordClientChange } from './client-list.ts';
import { SCOPES, type Scope } from './client-scopes.ts';
import { clientSecretDays, isOldSecret, rotateClientSecret } from './client-secrets.ts';
import {
  changeClientKeys,
  changeClientScopes,
  changeRedirectUris,
  createApp,
  createClient,
  createKeyClient,
  renameClient,
  setClientActive,
  withdrawGrant,
} from './clients.ts';

/** A client as a practice sees it. Its id there is that of the interface user in whose name it acts. */
export interface PracticeClient extends Omit<ListedClient, 'grants' | 'id' | 'secrets'> {
  id: number;
  clientId: string;
  secrets: (ListedClient['secrets'][number] & { isOld: boolean })[];
  /** Whether it also acts for other practices; then only the operator of the server can change it. */
  isShared: boolean;
}

/** The clients that act for the caller's practice, oldest first. */
export async function listPracticeClients(tx: PracticeTx, page: PageRequest): Promise<Page<PracticeClient>> {
  const { organizationId } = tx;
  const all = await listClients(tx.prisma, organizationId);
  const { skip, take } = window(page);
  const days = await clientSecretDays(tx.prisma, [organizationId]);
  return {
    ...page,
    items: all.slice(skip, skip + take).flatMap((one) => toPracticeClient(one, organizationId, days) ?? []),
    total: all.length,
  };
}

/** @throws Failure not_found, also for a client of other practices */
export async function findPracticeClient(tx: PracticeTx, id: number): Promise<PracticeClient> {
  const { organizationId } = tx;
  const grant = await tx.prisma.apiClientGrant.findFirst({ where: { organizationId, userId: id }, select: { clientId: true } });
  const client =
    grant &&
    toPracticeClient(await findClient(tx.prisma, grant.clientId), organizationId, await clientSecretDays(tx.prisma, [organizationId]));
  if (!client) throw notFound('client');
  return client;
}

function toPracticeClient(client: ListedClient, organizationId: number, days: number | null): PracticeClient | null {
  const { grants, id: clientId, secrets, ...rest } = client;
  const own = grants.find((grant) => grant.organizationId === organizationId);
  if (!own) return null;
  const aged = secrets.map((secret) => ({ ...secret, isOld: isOldSecret(secret, days) }));
  return { ...rest, id: own.userId, clientId, secrets: aged, isShared: grants.length > 1 };
}

/** A new client: an app with its redirect addresses, or a machine with keys or, without them, with a secret. */
export interface PracticeClientInput {
  name: string;
  scopes: Scope[];
  keys: ClientKeys | null;
  /** Null for a machine. */
  redirectUris: string[] | null;
}

/** A client, and its secret in plain text where it has just been given one. */
export interface ClientWithSecret {
  client: PracticeClient;
  secret: string | null;
}

/**
 * Registers a client that acts for the caller's practice alone.
 * @param most clients of a practice
 * @throws Failure conflict too_many_clients; as createClient, createKeyClient and createApp
 */
export async function createPracticeClient(tx: Tx, most: number, input: PracticeClientInput): Promise<ClientWithSecret> {
  const { organizationId } = tx;
  // One after the other, so that two do not count the same.
  await tx.prisma.$queryRaw`SELECT id FROM organization WHERE id = ${organizationId} FOR NO KEY UPDATE`;
  if ((await tx.prisma.apiClientGrant.count({ where: { organizationId } })) >= most)
    throw conflict('too_many_clients', `A practice has at most ${most} API clients. Withdraw an unused one.`);
  const { clientId, secret } = await register(tx, input);
  const made = await findClient(tx.prisma, clientId);
  recordClientChange([tx], 'api_client.created', made, made.scopes.join(' '));
  const [grant] = made.grants;
  return { client: await findPracticeClient(tx, grant?.userId ?? 0), secret };
}

async function register(
  tx: PracticeTx,
  { keys, redirectUris, ...input }: PracticeClientInput,
): Promise<{ clientId: string; secret: string | null }> {
  const organizationIds = [tx.organizationId];
  if (redirectUris !== null) return { ...(await createApp(tx.prisma, { ...input, organizationIds, redirectUris })), secret: null };
  if (keys !== null) return { ...(await createKeyClient(tx.prisma, { ...input, organizationIds, keys })), secret: null };
  const { clientId, clientSecret } = await createClient(tx.prisma, { ...input, organizationIds });
  return { clientId, secret: clientSecret };
}

/** Absent means unchanged. */
export interface PracticeClientChanges {
  name?: string | undefined;
  scopes?: Scope[] | undefined;
  keys?: ClientKeys | undefined;
  redirectUris?: string[] | undefined;
}

/**
 * Changes a client of the caller's practice.
 * @throws Failure not_found; conflict for a client that other practices have too; as the functions of clients.ts
 */
export async function updatePracticeClient(tx: Tx, id: number, changes: PracticeClientChanges): Promise<void> {
  const { clientId, name } = await requireOwnClient(tx, id);
  const before = await findClient(tx.prisma, clientId);
  const record = (event: EventName, detail?: string) => recordClientChange([tx], event, before, detail);
  if (changes.name !== undefined && changes.name !== name) {
    await renameClient(tx.prisma, clientId, changes.name);
    record('api_client.renamed');
  }
  if (changes.scopes !== undefined) await replaceScopes(tx, before, changes.scopes);
  if (changes.keys !== undefined) {
    await changeClientKeys(tx.prisma, clientId, changes.keys);
    record('api_client.keys_changed');
  }
  if (changes.redirectUris !== undefined) {
    await changeRedirectUris(tx.prisma, clientId, changes.redirectUris);
    record('api_client.redirects_changed');
  }
}

async function replaceScopes(tx: Tx, before: ListedClient, scopes: readonly Scope[]): Promise<void> {
  const held = new Set<string>(before.scopes);
  const wanted = new Set<string>(scopes);
  const add = [...new Set(scopes)].filter((scope) => !held.has(scope));
  const remove = before.scopes.filter((scope) => !wanted.has(scope));
  if (add.length + remove.length === 0) return;
  await changeClientScopes(tx.prisma, before.id, { add, remove: SCOPES.filter((scope) => remove.includes(scope)) });
  const detail = [...add.map((scope) => `+${scope}`), ...remove.map((scope) => `-${scope}`)].join(' ');
  recordClientChange([tx], 'api_client.scopes_changed', before, detail);
}

/** Gives a client a new secret. @throws Failure not_found, conflict; as rotateClientSecret */
export async function rotatePracticeClient(tx: Tx, id: number, overlapHours: number): Promise<ClientWithSecret> {
  const { clientId } = await requireOwnClient(tx, id);
  const secret = await rotateClientSecret(tx.prisma, clientId, { overlapHours });
  recordClientChange([tx], 'api_client.secret_rotated', await findClient(tx.prisma, clientId));
  return { client: await findPracticeClient(tx, id), secret };
}

/** Switches a client on or off. @throws Failure not_found; conflict for a client that other practices have too */
export async function setPracticeClientActive(tx: Tx, id: number, active: boolean): Promise<void> {
  const client = await requireOwnClient(tx, id);
  if (client.active === active) return;
  await setClientActive(tx.prisma, client.clientId, active);
  recordClientChange([tx], active ? 'api_client.enabled' : 'api_client.disabled', await findClient(tx.prisma, client.clientId));
}

/** Takes the practice from a client, also from one that other practices have too. @throws Failure not_found */
export async function withdrawPracticeClient(tx: Tx, id: number): Promise<void> {
  const { clientId } = await findPracticeClient(tx, id);
  const before = await findClient(tx.prisma, clientId);
  await withdrawGrant(tx.prisma, clientId, tx.organizationId);
  recordClientChange([tx], 'api_client.withdrawn', before);
}

async function requireOwnClient(tx: Tx, id: number): Promise<PracticeClient> {
  const client = await findPracticeClient(tx, id);
  if (client.isShared)
    throw conflict(
      'shared_client',
      'The client also acts for other practices, so only the operator of this server can change it. You can withdraw it from your practice.',
    );
  return client;
}
