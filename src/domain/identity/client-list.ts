import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { notFound } from '../errors.ts';

const WITH_GRANTS = {
  omit: { secretHash: true },
  include: { grants: { select: { organizationId: true, userId: true }, orderBy: { organizationId: 'asc' } } },
} as const satisfies Prisma.ApiClientDefaultArgs;

/** An API client with its practices and its interface user in each, without the hash of its secret. */
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
