import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { EventName } from '../../events/catalogue.ts';

const WITH_GRANTS = {
  include: {
    grants: { select: { organizationId: true, userId: true }, orderBy: { organizationId: 'asc' } },
    secrets: { omit: { clientId: true, hash: true, prefix: true }, orderBy: { createdAt: 'desc' } },
  },
} as const satisfies Prisma.ApiClientDefaultArgs;

/** An API client with its practices, its interface user in each, and its secrets without their hashes, newest first. */
export type ListedClient = Prisma.ApiClientGetPayload<typeof WITH_GRANTS>;

/** The clients of this server, or those of one practice; oldest first. */
export function listClients(db: Db, organizationId?: number): Promise<ListedClient[]> {
  const where = organizationId === undefined ? {} : { grants: { some: { organizationId } } };
  return db.apiClient.findMany({ ...WITH_GRANTS, where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

/** @throws Failure not_found */
export async function findClient(db: Db, id: string): Promise<ListedClient> {
  const client = await db.apiClient.findUnique({ ...WITH_GRANTS, where: { id } });
  if (!client) throw notFound('client');
  return client;
}

/**
 * Records a change of a client in the practices of these callers. There, a client is known by its interface user; the audit also
 * has the client_id.
 * @param name of the event, such as `api_client.created`
 */
export function recordClientChange(callers: readonly Caller[], name: EventName, client: ListedClient, changes = ''): void {
  for (const { organizationId, journal } of callers) {
    const user = client.grants.find((grant) => grant.organizationId === organizationId)?.userId;
    if (user === undefined) continue;
    journal.events.push({ name, id: user });
    journal.audits.push({ action: 'administer', resource: 'api_client', ids: [user], detail: `${name} ${client.id} ${changes}`.trimEnd() });
  }
}
