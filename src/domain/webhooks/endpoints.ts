import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { readHorizon } from '../../database/logs/log-order.ts';
import type { WebhookEndpoint } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import { type CallerIdentity, readClientId } from '../caller.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { EventDialect } from '../events/dialect-names.ts';
import { namesMatching } from '../events/event-filter.ts';
import { WEBHOOKS_SCOPE } from '../identity/clients/client-scopes.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { addSecret, publicKeys, setAsymmetric } from './secrets.ts';

/** Characters of an address. */
export const LONGEST_URL = 2_000;

export interface WebhookDeps {
  keyring: Keyring;
  /** Whether this server sends requests to an address. */
  accepts(url: string): boolean;
  /** Endpoints of a practice, at most. */
  most: number;
}

/** An endpoint, with the public key of its Ed25519 signatures: null without such signatures. */
export type ShownEndpoint = Omit<WebhookEndpoint, 'lastTransactionId' | 'lastEventId' | 'deletedAt'> & {
  publicKey: string | null;
  /** Whether its API client may have no events at present. */
  resting: boolean;
};

export interface EndpointInput {
  url: string;
  description: string | null;
  /** Names and patterns of events; none: all. */
  eventNames: string[];
  /** The API in whose names the changed fields of events are; null: those of the catalogue. */
  dialect: EventDialect | null;
  /** Whether deliveries are signed with Ed25519 as well. */
  asymmetric: boolean;
  active: boolean;
}

/** Absent means unchanged. */
export type EndpointChanges = { [F in keyof EndpointInput]?: EndpointInput[F] | undefined };

/** An API client has the endpoints that it made; the practice's administrators and operators have all. */
const ownedBy = (caller: CallerIdentity) => {
  const clientId = readClientId(caller);
  return { organizationId: caller.organizationId, deletedAt: null, ...(clientId === null ? {} : { clientId }) };
};

/** Oldest first. */
export async function listEndpoints(tx: Tx, { keyring, page }: { keyring: Keyring; page: PageRequest }): Promise<Page<ShownEndpoint>> {
  const where = ownedBy(tx);
  const [items, total] = await Promise.all([
    tx.prisma.webhookEndpoint.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.webhookEndpoint.count({ where }),
  ]);
  return { ...page, items: await toShownEndpoints(tx.prisma, keyring, items), total };
}

/** @throws Failure not_found, also for an endpoint of another client */
export async function findEndpoint(tx: Tx, { keyring, id }: { keyring: Keyring; id: number }): Promise<ShownEndpoint> {
  const [endpoint] = await toShownEndpoints(tx.prisma, keyring, [await requireEndpoint(tx, id)]);
  if (!endpoint) throw notFound('webhook endpoint');
  return endpoint;
}

/** @param endpoints of one practice */
async function toShownEndpoints(db: Db, keyring: Keyring, endpoints: readonly WebhookEndpoint[]): Promise<ShownEndpoint[]> {
  const [first] = endpoints;
  if (!first) return [];
  const keys = await publicKeys(db, keyring, { organizationId: first.organizationId, endpointIds: endpoints.map(({ id }) => id) });
  const resting = await restingAmong(db, endpoints);
  return endpoints.map((one) => ({ ...one, publicKey: keys.get(one.id) ?? null, resting: resting.has(one.id) }));
}

/** Ids of those whose API client is disabled or has lost the scope, so that nothing is delivered until it has it again (SERVED). */
async function restingAmong(db: Db, endpoints: readonly Pick<WebhookEndpoint, 'id' | 'clientId'>[]): Promise<Set<number>> {
  const clientIds = [...new Set(endpoints.flatMap(({ clientId }) => clientId ?? []))];
  const entitled = await db.apiClient.findMany({
    where: { id: { in: clientIds }, active: true, scopes: { has: WEBHOOKS_SCOPE } },
    select: { id: true },
  });
  return new Set(endpoints.filter(({ clientId }) => clientId !== null && !entitled.some(({ id }) => id === clientId)).map(({ id }) => id));
}

/** @throws Failure not_found, also for an endpoint of another client */
export async function requireEndpoint(tx: Tx, id: number): Promise<WebhookEndpoint> {
  const endpoint = await tx.prisma.webhookEndpoint.findFirst({ where: { ...ownedBy(tx), id } });
  if (!endpoint) throw notFound('webhook endpoint');
  return endpoint;
}

/**
 * Adds an endpoint, to which is delivered what happens from now on.
 * @returns it with its secret, `whsec_…`, which is shown only once
 * @throws Failure invalid naming a field; conflict too_many_endpoints
 */
export async function createEndpoint(
  tx: Tx,
  deps: WebhookDeps,
  input: EndpointInput,
): Promise<{ endpoint: ShownEndpoint; secret: string }> {
  const { organizationId } = tx;
  const { asymmetric, ...fields } = input;
  const data = { ...fields, url: readUrl(input.url, deps), eventNames: readNames(input.eventNames) };
  // One after the other, so that two do not count the same.
  await tx.prisma.$queryRaw`SELECT id FROM organization WHERE id = ${organizationId} FOR NO KEY UPDATE`;
  if ((await tx.prisma.webhookEndpoint.count({ where: { organizationId, deletedAt: null } })) >= deps.most)
    throw conflict('too_many_endpoints', `A practice has at most ${deps.most} webhook endpoints.`);
  const endpoint = await tx.prisma.webhookEndpoint.create({
    data: { ...data, organizationId, clientId: readClientId(tx), lastTransactionId: await readHorizon(tx.prepared) },
  });
  const { secret, publicKey } = await addSecret(tx.prisma, deps.keyring, { organizationId, endpointId: endpoint.id }, { asymmetric });
  recordChange(tx, 'administer', { name: 'webhook_endpoint.created', id: endpoint.id });
  return { endpoint: { ...endpoint, publicKey, resting: false }, secret };
}

/**
 * Changes an endpoint. One that is switched on again goes on where it stopped; what waited for another attempt is due at once, as it is
 * where the address changes.
 * @throws Failure not_found; invalid naming a field
 */
export async function updateEndpoint(
  tx: Tx,
  deps: WebhookDeps,
  { id, changes }: { id: number; changes: EndpointChanges },
): Promise<ShownEndpoint> {
  const before = await findEndpoint(tx, { keyring: deps.keyring, id });
  const { asymmetric, ...given } = changes;
  const fields = {
    ...given,
    ...(given.url === undefined ? {} : { url: readUrl(given.url, deps) }),
    ...(given.eventNames === undefined ? {} : { eventNames: readNames(given.eventNames) }),
  };
  const changed = listChangedFields(before, { ...fields, asymmetric });
  if (changed.length === 0) return before;
  if (changed.includes('signatures')) await setAsymmetric(tx.prisma, deps.keyring, { ...tx.practice, endpointId: id }, asymmetric === true);
  const isOn = changed.includes('active') && fields.active === true;
  const since = isOn ? { switchedOff: null, switchedOffAt: null, failingSince: null } : {};
  await tx.prisma.webhookEndpoint.update({ where: tx.key(id), data: { ...keepDefined(fields), ...since } });
  if (isOn || changed.includes('url')) await makeDue(tx, id);
  recordChange(tx, 'administer', { name: 'webhook_endpoint.updated', id, changed });
  return findEndpoint(tx, { keyring: deps.keyring, id });
}

const keepDefined = <T extends object>(fields: T) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function listChangedFields(before: ShownEndpoint, { asymmetric, eventNames, ...plain }: EndpointChanges): string[] {
  const changed = Object.entries({ url: before.url, description: before.description, active: before.active, dialect: before.dialect })
    .filter(([name, value]) => Object.entries(plain).some(([given, now]) => given === name && now !== undefined && now !== value))
    .map(([name]) => name);
  if (eventNames !== undefined && eventNames.join() !== before.eventNames.join()) changed.push('types');
  if (asymmetric !== undefined && asymmetric !== (before.publicKey !== null)) changed.push('signatures');
  return changed;
}

/** Those that wait for an earlier delivery of their record go on waiting, and those that are being sent are. */
const makeDue = (tx: PracticeTx, webhookEndpointId: number) => tx.prisma.$executeRaw`
  UPDATE webhook_delivery SET next_attempt_at = now()
   WHERE organization_id = ${tx.organizationId} AND webhook_endpoint_id = ${webhookEndpointId} AND state = 'pending' AND next_attempt_at > now()
     AND (claimed_until IS NULL OR claimed_until <= now())`;

/** Deletes an endpoint. Its deliveries go with the next clean-ups; what is being sent may still arrive. @throws Failure not_found */
export async function deleteEndpoint(tx: Tx, id: number): Promise<void> {
  await requireEndpoint(tx, id);
  await tx.prisma.webhookEndpoint.update({
    where: tx.key(id),
    data: { active: false, deletedAt: new Date() },
  });
  await tx.prisma.webhookSecret.deleteMany({ where: { ...tx.practice, webhookEndpointId: id } });
  recordChange(tx, 'administer', { name: 'webhook_endpoint.deleted', id });
}

/** Gives an endpoint a new secret; the one before signs as well for a day. @throws Failure not_found */
export async function rotateEndpointSecret(
  tx: Tx,
  { keyring }: Pick<WebhookDeps, 'keyring'>,
  id: number,
): Promise<{ endpoint: ShownEndpoint; secret: string }> {
  const endpoint = await findEndpoint(tx, { keyring, id });
  const asymmetric = endpoint.publicKey !== null;
  const { secret, publicKey } = await addSecret(tx.prisma, keyring, { ...tx.practice, endpointId: id }, { asymmetric });
  recordChange(tx, 'administer', { name: 'webhook_endpoint.secret_rotated', id });
  return { endpoint: { ...endpoint, publicKey }, secret };
}

/** Queues a test delivery by an event of its own. @throws Failure not_found; conflict for an endpoint that is switched off or rests */
export async function testEndpoint(tx: Tx, id: number): Promise<void> {
  const endpoint = await requireEndpoint(tx, id);
  if (!endpoint.active)
    throw conflict('endpoint_is_off', 'Nothing is delivered to this endpoint: it is switched off. Set active to true first.');
  if ((await restingAmong(tx.prisma, [endpoint])).has(id))
    throw conflict(
      'endpoint_rests',
      'Nothing is delivered to this endpoint: its API client is disabled, or no longer has the scope webhooks.write.',
    );
  recordChange(tx, 'administer', { name: 'webhook_endpoint.tested', id });
}

function readUrl(written: string, { accepts }: WebhookDeps): string {
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid('url', 'must be an address such as https://example.org/hook', 'address_not_allowed');
  if (url.username !== '' || url.password !== '')
    throw invalid('url', 'must not contain a user or password; put a secret into the path or query', 'address_not_allowed');
  if (!accepts(written)) throw invalid('url', 'must be an https address on the public internet', 'address_not_allowed');
  url.hash = '';
  if (url.href.length > LONGEST_URL) throw invalid('url', `must have at most ${LONGEST_URL} characters`, 'too_long');
  return url.href;
}

/** @throws Failure invalid naming the place of a name that the catalogue does not have */
export function readNames(names: readonly string[]): string[] {
  names.forEach((name, index) => {
    if (namesMatching(name).length === 0) throw invalid(`eventNames.${index}`, 'is not a kind of event', 'unknown_type');
  });
  return [...new Set(names)];
}
